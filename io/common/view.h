/* Rows of a matrix in CSR, whatever the width of its offsets. */
#ifndef FURROW_IO_VIEW_H
#define FURROW_IO_VIEW_H

#include "offsets.h"

#include <furrow/csr.h>

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

#endif
