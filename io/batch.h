/* The entries of a block of text, as a thread has read them. */
#ifndef FURROW_IO_BATCH_H
#define FURROW_IO_BATCH_H

#include "feed.h"
#include "reading.h"

/* What is accepted, but not without a word. */
typedef enum fur_note_kind {
    FUR_NOTE_INEXACT,  /* an integer that the value type cannot hold */
    FUR_NOTE_INFINITE, /* a number beyond the value type's range */
    FUR_NOTE_TRAILING  /* text behind an entry */
} fur_note_kind;
#define FUR_NOTES 3

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

/* Reads all entries of the block, up to a line that cannot be read. With `twice` there is room for
 * as many entries again. */
void fur_batch_read(fur_heap *heap, const fur_reading *reading, const fur_block *block, bool twice,
                    fur_batch *batch);

/* Leaves out zeros if the options say so, and looks at the order of the entries. fur_batch_read has
 * done so, but for an array, whose positions are not known then. */
void fur_batch_settle(const fur_reading *reading, fur_batch *batch);

bool fur_batch_is_zero(const fur_reading *reading, const fur_batch *batch, int64_t k);

/* The cursor at entry k of the block, or at its end; lines are counted from 1. */
fur_scan fur_batch_place(const fur_reading *reading, const fur_block *block, int64_t k,
                         fur_failure *failure);

void fur_batch_release(fur_heap *heap, fur_batch *batch);

#endif
