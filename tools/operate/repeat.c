/* Times repeated computations and prints their figures. */
#include "repeat.h"

#include <furrow/author/context.h>

#include <stdio.h>
#include <stdlib.h>

#include "command.h"

#define MEASURED_SECONDS 0.2
#define REPEAT_LEAST 3
#define GPU_BATCH 100

/* Returns the seconds of one computation, from `count` that are waited for together. */
static fur_status time_batch(fur_context *context, const repeat *r, int64_t count, double *seconds)
{
    double start = fur_seconds();
    for (int64_t i = 0; i < count; i++)
        FUR_TRY(r->compute(r->job));
    FUR_TRY(fur_context_synchronize(context));
    *seconds = (fur_seconds() - start) / (double)count;
    return FUR_OK;
}

static int64_t fill_time(double seconds_of_one)
{
    if (seconds_of_one * REPEAT_MAX <= MEASURED_SECONDS)
        return REPEAT_MAX;
    int64_t count = (int64_t)(MEASURED_SECONDS / seconds_of_one);
    return count < REPEAT_LEAST ? REPEAT_LEAST : count;
}

static int compare_seconds(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static fur_status time_batches(fur_context *context, repeat *r, int64_t batches, double *seconds)
{
    for (int64_t i = 0; i < batches; i++) {
        int64_t done = r->count * i / batches;
        int64_t next = r->count * (i + 1) / batches;
        FUR_TRY(time_batch(context, r, next - done, &seconds[i]));
    }
    qsort(seconds, (size_t)batches, sizeof *seconds, compare_seconds);
    r->seconds = seconds[batches / 2];
    return FUR_OK;
}

fur_status repeat_timed(fur_context *context, repeat *r)
{
    double warm_up = 0.0;
    void *seconds = NULL;
    FUR_TRY(time_batch(context, r, 1, &warm_up));
    FUR_TRY(time_batch(context, r, 1, &warm_up));
    r->count = r->count > 0 ? r->count : fill_time(warm_up);
    bool on_gpu = fur_context_host(context) != context;
    int64_t batches = on_gpu ? (r->count + GPU_BATCH - 1) / GPU_BATCH : r->count;
    FUR_TRY(fur_context_allocate(context, (size_t)batches * sizeof(double), &seconds));
    fur_status status = time_batches(context, r, batches, seconds);
    fur_context_release(context, seconds);
    return status;
}

void repeat_put_machine(output *out, fur_context *context)
{
    output_text(out, "device", "device", fur_context_device(context));
    output_text(out, "isa", "instruction set", fur_context_isa(context));
    output_count(out, "threads", "threads", fur_context_threads(context));
}

fur_status repeat_put_norms(output *out, fur_context *context, fur_value_type value, int64_t count,
                            const void *entries, const char *what)
{
    typedef fur_status norm(const fur_vector *, double *);
    static const struct {
        norm *compute;
        const char *key;
        const char *text;
    } norms[] = {{fur_norm1, "y_norm_1", "norm 1 of"},
                 {fur_norm2, "y_norm_2", "norm 2 of"},
                 {fur_norm_max, "y_norm_max", "largest of"}};
    fur_vector *vector = NULL;
    fur_status status = fur_vector_wrap(context, value, count, (void *)(uintptr_t)entries,
                                        FUR_OWNERSHIP_BORROW, &vector);
    for (size_t i = 0; i < sizeof norms / sizeof *norms && status == FUR_OK; i++) {
        char text[64];
        double found = 0;
        status = norms[i].compute(vector, &found);
        snprintf(text, sizeof text, "%s %s", norms[i].text, what);
        output_number(out, norms[i].key, text, found);
    }
    fur_vector_destroy(vector);
    return status;
}
