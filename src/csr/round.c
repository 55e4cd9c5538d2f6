/* A matrix with the values of another matrix, rounded to single precision. */
#include "csr.h"
#include "split.h"
#include "team.h"
#include "value_type.h"

#define PART_GRAIN 65536
#define BLOCK 512

typedef struct rounding {
    const double *from;
    double *to;
} rounding;

/* Rounds blocks of values through an array of floats. If gcc 12 vectorises two consecutive
 * conversions, it leaves both out. */
static void round_parts(void *job, int64_t begin, int64_t end)
{
    const rounding r = *(const rounding *)job;
    for (int64_t first = begin; first < end; first += BLOCK) {
        float single[BLOCK];
        int64_t count = fur_smaller(BLOCK, end - first);
        for (int64_t i = 0; i < count; i++)
            single[i] = (float)r.from[first + i];
        for (int64_t i = 0; i < count; i++)
            r.to[first + i] = (double)single[i];
    }
}

fur_status fur_csr_share_pattern(const fur_csr *a, fur_csr **out)
{
    fur_context *context = a->context;
    fur_csr *b;
    FUR_TRY(fur_env_allocate_zeros(&context->env, 1, sizeof *b, &b));
    *b = (fur_csr){.context = context,
                   .view = a->view,
                   .owns_values = true,
                   .profiled = a->profiled,
                   .profile = a->profile};
    fur_status status = fur_memory_allocate(context, a->view.entries,
                                            fur_value_size(a->view.value_type), &b->view.values);
    if (status == FUR_OK)
        *out = b;
    else
        fur_env_release(&context->env, b);
    return status;
}

fur_status fur_csr_round_values(const fur_csr *a, fur_csr *b)
{
    fur_context *context = a->context;
    const fur_remote *device = fur_services(context);
    const fur_csr_view *v = &a->view;
    int64_t parts = v->entries * fur_value_parts(v->value_type);
    int64_t bytes = parts * (int64_t)sizeof(double);
    void *near;
    if (device->vector.round_single)
        return device->vector.round_single(&context->env, parts, v->values, fur_csr_values(b));
    FUR_TRY(fur_memory_to_host(context, v->values, bytes, &near));
    void *to = fur_is_remote(context) ? near : fur_csr_values(b);
    fur_parallel(&context->env, parts / PART_GRAIN, parts, round_parts, &(rounding){near, to});
    if (!fur_is_remote(context))
        return FUR_OK;
    fur_status status = fur_memory_copy(context, fur_csr_values(b), near, bytes);
    fur_memory_drop(context, v->values, near);
    return status;
}
