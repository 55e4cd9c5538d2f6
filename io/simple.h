/* Lines of the simple form that nearly all have: plain numbers with blanks between them. */
#ifndef FURROW_IO_SIMPLE_H
#define FURROW_IO_SIMPLE_H

#include "batch.h"

/* Reads one entry a line from `at` on, up to `end` or the first line of any other form: a comment,
 * a number out of range, one that is to be told about ... Returns where it stopped, at the
 * beginning of a line. The text must end with LF, and FUR_BLOCK_MARGIN bytes around it must be
 * readable. */
typedef const char *fur_simple_read(const fur_reading *reading, const char *at, const char *end,
                                    fur_batch *batch);

/* Its copies, one an instruction set. */
#define FUR_SIMPLE_PASTE(isa) fur_simple_read_##isa
#define FUR_SIMPLE(isa) FUR_SIMPLE_PASTE(isa)
fur_simple_read FUR_SIMPLE(portable), FUR_SIMPLE(avx2);

/* The copy for an instruction set as fur_context_isa names it. */
fur_simple_read *fur_simple_select(const char *isa);

#endif
