/* The row offsets of a CSR matrix, of either width. */
#ifndef FURROW_BASE_OFFSETS_H
#define FURROW_BASE_OFFSETS_H

#include <furrow/base.h>

static inline int64_t fur_offsets_get(fur_offset_type type, const void *offsets, int64_t i)
{
    return type == FUR_I32 ? ((const int32_t *)offsets)[i] : ((const int64_t *)offsets)[i];
}

static inline void fur_offsets_set(fur_offset_type type, void *offsets, int64_t i, int64_t offset)
{
    if (type == FUR_I32)
        ((int32_t *)offsets)[i] = (int32_t)offset;
    else
        ((int64_t *)offsets)[i] = offset;
}

#endif
