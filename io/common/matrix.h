/* Matrices and vectors as files see them: rows whatever the width of their offsets, what a matrix
 * must be to be written as symmetric or of integers, and copies that the host reaches. */
#ifndef FURROW_IO_MATRIX_H
#define FURROW_IO_MATRIX_H

#include "offsets.h"

#include <furrow/csr.h>
#include <furrow/mtx.h>
#include <furrow/vector.h>

#include <stdbool.h>

/* The position of the first entry of a row; of row + 1, the position behind its last. */
static inline int64_t fur_view_begin(const fur_csr_view *view, int64_t row)
{
    return fur_offsets_get(view->offset_type, view->offsets, row);
}

/* The row that has the entry at position k. */
static inline int64_t fur_view_row_of(const fur_csr_view *view, int64_t k)
{
    int64_t low = 0, high = view->rows; /* low begins at k or before it, high behind it */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (fur_view_begin(view, middle) <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* FUR_INVALID, naming an entry, unless every entry has its mirror image: in position, and if values
 * matter also in value. Zeros of either sign are equal, and so are NaNs. */
fur_status fur_verify_symmetry(const fur_csr *a, fur_mtx_symmetry symmetry, bool values_matter);

/* FUR_INVALID, naming an entry, unless every value is an integer that int64_t holds. For real
 * types. */
fur_status fur_verify_integers(const fur_csr *a);

/* Files are read and written on the host: for a context of another device in its companion.
 * This hands on the sentence of a failure there to the context where the caller looks. */
static inline fur_status fur_from_companion(fur_context *context, fur_status status)
{
    fur_context *host = fur_context_host(context);
    return status == FUR_OK || host == context
               ? status
               : fur_context_fail(context, status, "%s", fur_context_error(host));
}

/* For an object that the host does not reach: *a becomes a copy in the companion, which is also
 * *copy, to be destroyed. *copy is NULL if the host reaches *a, and on failure. */
fur_status fur_csr_to_companion(const fur_csr **a, fur_csr **copy);
fur_status fur_vector_to_companion(const fur_vector **x, fur_vector **copy);

#endif
