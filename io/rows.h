/* Row offsets of a matrix, whatever their width. */
#ifndef FURROW_IO_ROWS_H
#define FURROW_IO_ROWS_H

#include <furrow/csr.h>

/* The position of the first entry of a row; of row + 1, the position behind its last. */
static inline int64_t fur_row_begin(const fur_csr_view *view, int64_t row)
{
    return view->offset_type == FUR_I32 ? ((const int32_t *)view->offsets)[row]
                                        : ((const int64_t *)view->offsets)[row];
}

/* The row that has the entry at position k. */
static inline int64_t fur_row_of(const fur_csr_view *view, int64_t k)
{
    int64_t low = 0, high = view->rows; /* low begins at k or before it, high behind it */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (fur_row_begin(view, middle) <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
