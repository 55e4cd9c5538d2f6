/* From the stored triangle of a symmetric file to a matrix. */
#ifndef FURROW_IO_SYMMETRY_H
#define FURROW_IO_SYMMETRY_H

#include "entries.h"

/* Moves entries above the diagonal to their mirror position below it. FUR_MALFORMED, naming line
 * and entry, if the file has some pair in both triangles: adding the two would double it. */
fur_status fur_symmetry_normalise(fur_entries *entries, fur_mtx_symmetry symmetry);

/* Appends the mirror entries of all that are not on the diagonal. There must be room. */
void fur_symmetry_expand(fur_entries *entries, fur_mtx_symmetry symmetry);

#endif
