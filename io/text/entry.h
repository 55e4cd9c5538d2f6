/* The entries of a block of text. Nearly all lines have a simple form: plain numbers with blanks
 * between them. They are read by fast.c, which is compiled once for each instruction set. A line of
 * any other form is read again by entry.c, which knows all valid forms and the messages for the
 * others. */
#ifndef FURROW_IO_ENTRY_H
#define FURROW_IO_ENTRY_H

#include "batch.h"
#include "cursor.h"
#include "feed.h"
#include "number.h"

/* Reads one entry a line from `at` on, up to `end` or the first line of another form. Such a line
 * can be a comment, or have a number out of range, or need a warning. Returns where it has stopped,
 * at the beginning of a line. The text must end with LF, and FUR_BLOCK_MARGIN bytes around it must
 * be readable. */
typedef const char *fur_fast_read(const fur_job *job, const char *at, const char *end,
                                  fur_batch *batch);

/* The copies for each instruction set. */
#define FUR_FAST_PASTE(isa) fur_fast_read_##isa
#define FUR_FAST(isa) FUR_FAST_PASTE(isa)
fur_fast_read FUR_FAST(portable), FUR_FAST(avx2);

typedef struct fur_entry {
    int32_t row; /* 0-based; both are 0 in an array */
    int32_t col;
    fur_number re; /* 1 in a pattern */
    fur_number im;
    fur_token text; /* of the value, for messages; empty for a pattern */
    bool trailing;  /* text after the entry was skipped */
} fur_entry;

/* Reads an entry that begins at the cursor. In a coordinate file, it reads up to the end of the
 * line. */
fur_status fur_entry_read(fur_cursor *cursor, const fur_job *job, fur_entry *out);

/* Returns FUR_MALFORMED with the place if the file's symmetry forbids the value on the diagonal.
 * The diagonal of a skew-symmetric matrix must be zero. The diagonal of a Hermitian matrix must be
 * real. */
fur_status fur_entry_check_diagonal(const fur_cursor *cursor, const char *place, const fur_job *job,
                                    const fur_entry *entry);

/* Reads all entries of the block, up to a line that cannot be read. With `twice`, allocates room
 * for twice as many entries. The entries are settled, except those of an array, whose positions are
 * not known yet. */
void fur_batch_read(fur_storage *storage, const fur_job *job, const fur_block *block, bool twice,
                    fur_batch *batch);

/* Returns a cursor at entry k of the block, or at its end. Lines are counted from 1. */
fur_cursor fur_block_cursor(const fur_job *job, const fur_block *block, int64_t k,
                            fur_failure *failure);

void fur_batch_release(fur_storage *storage, fur_batch *batch);

#endif
