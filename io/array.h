/* Array files: all numbers of a matrix, column after column, without their positions. */
#ifndef FURROW_IO_ARRAY_H
#define FURROW_IO_ARRAY_H

#include "batch.h"

/* Sets the positions of the batch's entries, which have `before` others before them; of a symmetric
 * matrix the file has the lower triangle, of a skew-symmetric one without the diagonal. */
void fur_array_place(const fur_reading *reading, int64_t before, fur_batch *batch);

/* The first of `count` entries on the diagonal whose value is not real; -1 if there is none. */
int64_t fur_array_find_not_real(const fur_reading *reading, const fur_batch *batch, int64_t count);

#endif
