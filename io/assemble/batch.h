/* A batch: some entries of a matrix file, as one thread has read them. */
#ifndef FURROW_IO_BATCH_H
#define FURROW_IO_BATCH_H

#include "failure.h"
#include "value_type.h"

#include <furrow/files.h>

/* The file and the options of reading, which are the same for all threads. */
typedef struct fur_job {
    const char *name; /* of the file, for messages */
    fur_mtx_header header;
    fur_value_type value_type; /* the type as which the entries are read */
    fur_mtx_read_options options;
    int indices;     /* on a line: 2, in a vector 1, in an array 0 */
    int numbers;     /* on a line: 1, complex 2, pattern 0 */
    const char *isa; /* the name that fur_context_isa returns for the host */
} fur_job;

/* Returns whether the matrix has more entries than the file, because its symmetry implies them. */
static inline bool fur_job_expands(const fur_job *job)
{
    return job->header.symmetry != FUR_MTX_GENERAL && !job->options.keep_triangle;
}

/* Kinds of input that are accepted with a warning. */
typedef enum fur_note_kind {
    FUR_NOTE_INEXACT,  /* an integer that the value type cannot hold */
    FUR_NOTE_INFINITE, /* a number beyond the value type's range */
    FUR_NOTE_TRAILING, /* text after an entry */
    /* several numbers of an array on one line, as if the file were stored by rows */
    FUR_NOTE_IN_ROW
} fur_note_kind;
#define FUR_NOTES 4

typedef struct fur_note {
    int64_t count;
    fur_failure first; /* its place and message; the status is ignored */
} fur_note;

typedef struct fur_batch {
    int64_t in_file; /* entries in the text */
    int64_t count;   /* entries in the batch: without dropped entries, with mirrored entries */
    int32_t *rows;   /* 0-based positions; those of an array are set later */
    int32_t *cols;
    void *values; /* NULL for a pattern */
    size_t row_capacity;
    size_t col_capacity;
    size_t value_capacity;

    int64_t lines;       /* line ends passed */
    int64_t tail;        /* column after the last character, from 1 */
    bool rows_rise;      /* row numbers never decrease */
    bool columns_rise;   /* column numbers increase within a row */
    bool lower;          /* no entry is above the diagonal */
    fur_failure failure; /* of the unreadable line, or of the feed; lines count from 1 */
    fur_note notes[FUR_NOTES];
} fur_batch;

bool fur_batch_is_zero(const fur_job *job, const fur_batch *batch, int64_t k);

/* Drops zeros if the options request it, and tests the order of the entries. */
void fur_batch_settle(const fur_job *job, fur_batch *batch);

/* Sets the positions of a batch's entries in an array file, with `before` entries before them.
 * Array files contain all numbers of a matrix, column by column. The file of a symmetric matrix has
 * the lower triangle. The file of a skew-symmetric matrix has the lower triangle without the
 * diagonal. */
void fur_batch_set_positions(const fur_job *job, int64_t before, fur_batch *batch);

/* Returns the first of `count` entries on the diagonal whose value is not real, or -1. */
int64_t fur_batch_find_not_real(const fur_job *job, const fur_batch *batch, int64_t count);

/* For a symmetric file, adds the mirror image of each entry off the diagonal. If the triangle is
 * kept, moves entries above the diagonal below it instead. The columns of entries from above get
 * the bit FUR_FROM_ABOVE (arrays.h). */
void fur_batch_apply_symmetry(const fur_job *job, fur_batch *batch);

#endif
