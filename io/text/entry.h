/* The entries of a block of text. Nearly all lines have a simple form: plain numbers with blanks
 * between them, which fast.c reads, compiled once per instruction set. A line of any other form is
 * read again by entry.c, which knows everything that is allowed and what to say about the rest. */
#ifndef FURROW_IO_ENTRY_H
#define FURROW_IO_ENTRY_H

#include "batch.h"
#include "cursor.h"
#include "feed.h"
#include "number.h"

/* Reads one entry a line from `at` on, up to `end` or the first line of any other form: a comment,
 * a number out of range, one with a warning ... Returns where it stopped, at the
 * beginning of a line. The text must end with LF, and FUR_BLOCK_MARGIN bytes around it must be
 * readable. */
typedef const char *fur_fast_read(const fur_job *job, const char *at, const char *end,
                                  fur_batch *batch);

/* Its copies, one an instruction set. */
#define FUR_FAST_PASTE(isa) fur_fast_read_##isa
#define FUR_FAST(isa) FUR_FAST_PASTE(isa)
fur_fast_read FUR_FAST(portable), FUR_FAST(avx2);

typedef struct fur_entry {
    int32_t row; /* from 0; both are 0 in an array */
    int32_t col;
    fur_number re; /* 1 in a pattern */
    fur_number im;
    fur_token text; /* of the value, for sentences; empty if there is none */
    bool trailing;  /* text behind the entry was passed over */
} fur_entry;

/* Reads an entry that begins at the cursor; in a coordinate file, up to the end of its line. */
fur_status fur_entry_read(fur_cursor *cursor, const fur_job *job, fur_entry *out);

/* The diagonal of a skew-symmetric matrix is zero, that of a hermitian one is real: FUR_MALFORMED,
 * naming the place, if the file's symmetry forbids the value there. */
fur_status fur_entry_check_diagonal(const fur_cursor *cursor, const char *place, const fur_job *job,
                                    const fur_entry *entry);

/* Reads all entries of the block, up to a line that cannot be read. With `twice` there is room for
 * as many entries again. They are settled, but for an array, whose positions are not known yet. */
void fur_batch_read(fur_storage *storage, const fur_job *job, const fur_block *block, bool twice,
                    fur_batch *batch);

/* The cursor at entry k of the block, or at its end; lines are counted from 1. */
fur_cursor fur_block_cursor(const fur_job *job, const fur_block *block, int64_t k,
                            fur_failure *failure);

void fur_batch_release(fur_storage *storage, fur_batch *batch);

#endif
