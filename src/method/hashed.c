/* Vectors that look random and are the same everywhere. */
#include "hashed.h"

#include "env.h"
#include "value_type.h"

/* A number of (-1, 1) for every index: splitmix64 (Steele, Lea and Flood 2014). */
static double hash(uint64_t index)
{
    uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-52 - 1;
}

fur_status fur_vector_fill_hashed(fur_vector *x, uint64_t first)
{
    fur_value_type value = fur_vector_value_type(x);
    fur_context *context = fur_vector_context(x);
    int64_t parts = fur_vector_size(x) * fur_value_parts(value);
    size_t size = fur_value_size(value) / (size_t)fur_value_parts(value);
    void *entries;
    FUR_TRY(fur_context_allocate(context, (size_t)parts * size, &entries));
    for (int64_t i = 0; i < parts; i++) {
        double number = hash(first + (uint64_t)i);
        if (fur_value_is_single(value))
            ((float *)entries)[i] = (float)number;
        else
            ((double *)entries)[i] = number;
    }
    fur_status status = fur_vector_upload(entries, x);
    fur_context_release(context, entries);
    return status;
}
