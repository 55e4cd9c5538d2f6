/* A matrix's offsets, of either width. */
#ifndef FURROW_TOOLS_OFFSET_H
#define FURROW_TOOLS_OFFSET_H

#include <furrow/csr.h>

/* Where the entries of a row begin. The host must reach the arrays. */
static inline int64_t offset_at(const fur_csr_view *a, int64_t row)
{
    return a->offset_type == FUR_I32 ? ((const int32_t *)a->offsets)[row]
                                     : ((const int64_t *)a->offsets)[row];
}

#endif
