/* Values of the four types, as arrays of their parts. A real value has one part, a complex value
 * two. */
#ifndef FURROW_BASE_VALUE_TYPE_H
#define FURROW_BASE_VALUE_TYPE_H

#include <furrow/base.h>

#include <stdbool.h>

static inline bool fur_value_is_single(fur_value_type type)
{
    return type == FUR_F32 || type == FUR_C64;
}

static inline bool fur_value_is_complex(fur_value_type type)
{
    return type == FUR_C64 || type == FUR_C128;
}

static inline int fur_value_parts(fur_value_type type)
{
    return fur_value_is_complex(type) ? 2 : 1;
}

/* Part `index` of the array. */
static inline double fur_value_part(fur_value_type type, const void *values, int64_t index)
{
    return fur_value_is_single(type) ? (double)((const float *)values)[index]
                                     : ((const double *)values)[index];
}

#endif
