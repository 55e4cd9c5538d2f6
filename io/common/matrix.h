/* Matrices and vectors as files see them: rows with offsets of either width, the conditions for
 * writing a matrix as symmetric or as integers, and copies that the host can access. */
#ifndef FURROW_IO_MATRIX_H
#define FURROW_IO_MATRIX_H

#include "offsets.h"

#include <furrow/author/context.h>
#include <furrow/csr.h>
#include <furrow/files.h>
#include <furrow/vector.h>

#include <stdbool.h>

/* Returns the position of the first entry of a row. For row + 1, this is the position after the
 * row's last entry. */
static inline int64_t fur_view_begin(const fur_csr_view *view, int64_t row)
{
    return fur_offsets_get(view->offset_type, view->offsets, row);
}

/* Returns the row of the entry at position k. */
static inline int64_t fur_view_row_of(const fur_csr_view *view, int64_t k)
{
    int64_t low = 0, high = view->rows; /* `low` begins at or before k, `high` after it */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (fur_view_begin(view, middle) <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns FUR_INVALID with an entry unless every entry has a mirror image. If values_matter, the
 * values must also agree. Zeros of either sign are equal, and so are NaNs. */
fur_status fur_verify_symmetry(const fur_csr *a, fur_mtx_symmetry symmetry, bool values_matter);

/* Returns FUR_INVALID with an entry unless every value is an integer that int64_t can hold. Only
 * for real types. */
fur_status fur_verify_integers(const fur_csr *a);

/* Passes the message of a failure in the companion to the caller's context. Files are read and
 * written on the host. For a context of another device this happens in its companion. */
static inline fur_status fur_from_companion(fur_context *context, fur_status status)
{
    fur_context *host = fur_context_host(context);
    return status == FUR_OK || host == context
               ? status
               : fur_context_fail(context, status, "%s", fur_context_error(host));
}

/* If the host cannot access the object, *a becomes a copy in the companion. The copy is also *copy,
 * which the caller destroys. *copy is NULL if the host can access *a, and on failure. */
fur_status fur_csr_to_companion(const fur_csr **a, fur_csr **copy);
fur_status fur_vector_to_companion(const fur_vector **x, fur_vector **copy);

#endif
