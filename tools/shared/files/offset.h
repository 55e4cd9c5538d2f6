/* Row offsets of a matrix, in 32 or 64 bits. */
#ifndef FURROW_TOOLS_OFFSET_H
#define FURROW_TOOLS_OFFSET_H

#include <furrow/csr.h>

/* Returns the index of a row's first entry. The host must be able to read the arrays. */
static inline int64_t offset_at(const fur_csr_view *a, int64_t row)
{
    return a->offset_type == FUR_I32 ? ((const int32_t *)a->offsets)[row]
                                     : ((const int64_t *)a->offsets)[row];
}

#endif
