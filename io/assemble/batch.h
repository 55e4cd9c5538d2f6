/* Entries of a matrix on their way from a file: some of them, as a thread has read them. */
#ifndef FURROW_IO_BATCH_H
#define FURROW_IO_BATCH_H

#include "failure.h"
#include "value_type.h"

#include <furrow/mtx.h>

/* The file that is being read, and how: the same for all threads. */
typedef struct fur_job {
    const char *name; /* of the file, for sentences */
    fur_mtx_header header;
    fur_value_type value_type; /* what the entries are read as */
    fur_mtx_read_options options;
    int indices;     /* on a line: 2, in a vector 1, in an array 0 */
    int numbers;     /* on a line: 1, complex 2, pattern 0 */
    const char *isa; /* as fur_context_isa of the host names it */
} fur_job;

/* Whether the matrix has more entries than the file: those that follow from its symmetry. */
static inline bool fur_job_expands(const fur_job *job)
{
    return job->header.symmetry != FUR_MTX_GENERAL && !job->options.keep_triangle;
}

/* Kinds of things that are accepted with a warning. */
typedef enum fur_note_kind {
    FUR_NOTE_INEXACT,  /* an integer that the value type cannot hold */
    FUR_NOTE_INFINITE, /* a number beyond the value type's range */
    FUR_NOTE_TRAILING, /* text behind an entry */
    FUR_NOTE_IN_ROW    /* a number of an array behind another one in a line, as in a row */
} fur_note_kind;
#define FUR_NOTES 4

typedef struct fur_note {
    int64_t count;
    fur_failure first; /* its place and sentence; the status says nothing */
} fur_note;

typedef struct fur_batch {
    int64_t in_file; /* entries that the text has */
    int64_t count;   /* entries that are here: without dropped ones, with mirrored ones */
    int32_t *rows;   /* positions count from 0; in an array they are filled in later */
    int32_t *cols;
    void *values; /* NULL for a pattern */
    size_t row_capacity;
    size_t col_capacity;
    size_t value_capacity;

    int64_t lines;       /* line ends passed */
    int64_t tail;        /* column behind the last character, from 1 */
    bool rows_rise;      /* row numbers never decrease */
    bool columns_rise;   /* and within a row column numbers increase */
    bool lower;          /* no entry is above the diagonal */
    fur_failure failure; /* of the line that cannot be read, or of the feed; lines count from 1 */
    fur_note notes[FUR_NOTES];
} fur_batch;

bool fur_batch_is_zero(const fur_job *job, const fur_batch *batch, int64_t k);

/* Leaves out zeros if the options say so, and looks at the order of the entries. */
void fur_batch_settle(const fur_job *job, fur_batch *batch);

/* Array files have all numbers of a matrix, column after column: sets the positions of the batch's
 * entries, which have `before` others before them. The file of a symmetric matrix has the lower
 * triangle, that of a skew-symmetric one without the diagonal. */
void fur_batch_set_positions(const fur_job *job, int64_t before, fur_batch *batch);

/* The first of `count` entries on the diagonal whose value is not real; -1 if there is none. */
int64_t fur_batch_find_not_real(const fur_job *job, const fur_batch *batch, int64_t count);

/* For a symmetric file: adds the mirror image of each entry that is not on the diagonal, or, where
 * the triangle is kept, moves entries above the diagonal below it. Columns of entries that were
 * above get the bit FUR_FROM_ABOVE (arrays.h). */
void fur_batch_apply_symmetry(const fur_job *job, fur_batch *batch);

#endif
