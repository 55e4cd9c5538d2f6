/* Pseudo-random vectors that are equal on every machine. */
#include "hashed.h"

#include "core.h"
#include "hash.h"
#include "team.h"
#include "value_type.h"

#define PART_GRAIN 8192

typedef struct filling {
    uint64_t first;
    bool single;
    void *parts;
} filling;

static void fill_parts(void *job, int64_t begin, int64_t end)
{
    const filling f = *(const filling *)job;
    for (int64_t i = begin; i < end; i++) {
        double number = fur_hashed_number(f.first + (uint64_t)i);
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
    const fur_remote *device = fur_services(x->context);
    first += (uint64_t)(fur_shared_begin(x->context) * fur_value_parts(x->value_type));
    if (device->vector.fill_hashed)
        return device->vector.fill_hashed(&x->context->env, parts, first,
                                          fur_value_is_single(x->value_type), x->data);
    filling f = {first, fur_value_is_single(x->value_type), NULL};
    FUR_TRY(fur_memory_to_host(x->context, x->data, bytes, &f.parts));
    fur_parallel(&x->context->env, parts / PART_GRAIN, parts, fill_parts, &f);
    return fur_memory_from_host(x->context, x->data, f.parts, bytes);
}
