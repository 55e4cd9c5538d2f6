/* From the stored triangle of a symmetric file to a matrix. */
#ifndef FURROW_IO_SYMMETRY_H
#define FURROW_IO_SYMMETRY_H

#include "batch.h"

/* Whether the matrix has more entries than the file: those that follow from its symmetry. */
bool fur_symmetry_expands(const fur_reading *reading);

/* Of a symmetric file: adds the mirror image of each entry that is not on the diagonal, or, where
 * the triangle is kept, moves entries above the diagonal below it. Columns of entries that were
 * above get the bit FUR_FROM_ABOVE (order.h). */
void fur_symmetry_apply(const fur_reading *reading, fur_batch *batch);

#endif
