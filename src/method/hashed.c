/* Vectors that look random and are the same everywhere. */
#include "hashed.h"

#include "core.h"
#include "team.h"
#include "value_type.h"

#define PART_GRAIN 8192

/* A number of (-1, 1) for every index: splitmix64 (Steele, Lea and Flood 2014). */
static double hash(uint64_t index)
{
    uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-52 - 1;
}

typedef struct filling {
    uint64_t first;
    bool single;
    void *parts;
} filling;

static void fill_parts(void *job, int64_t begin, int64_t end)
{
    const filling f = *(const filling *)job;
    for (int64_t i = begin; i < end; i++) {
        double number = hash(f.first + (uint64_t)i);
        if (f.single)
            ((float *)f.parts)[i] = (float)number;
        else
            ((double *)f.parts)[i] = number;
    }
}

fur_status fur_vector_fill_hashed(fur_vector *x, uint64_t first)
{
    int64_t parts = x->size * fur_value_parts(x->value_type);
    int64_t bytes = x->size * (int64_t)fur_value_size(x->value_type);
    int64_t before = fur_shared_begin(x->context) * fur_value_parts(x->value_type);
    filling f = {first + (uint64_t)before, fur_value_is_single(x->value_type), NULL};
    FUR_TRY(fur_memory_to_host(x->context, x->data, bytes, &f.parts));
    fur_parallel(&x->context->env, parts / PART_GRAIN, parts, fill_parts, &f);
    return fur_memory_from_host(x->context, x->data, f.parts, bytes);
}
