/* Whether a matrix has the symmetry it is to be written with. */
#ifndef FURROW_IO_VERIFY_H
#define FURROW_IO_VERIFY_H

#include <furrow/mtx.h>

#include <stdbool.h>

/* FUR_INVALID, naming an entry, unless every entry has its mirror image: in position, and if values
 * matter also in value. Zeros of either sign are equal, and so are NaNs. */
fur_status fur_verify_symmetry(const fur_csr *a, fur_mtx_symmetry symmetry, bool values_matter);

/* FUR_INVALID, naming an entry, unless every value is an integer that int64_t holds. For real
 * types. */
fur_status fur_verify_integers(const fur_csr *a);

#endif
