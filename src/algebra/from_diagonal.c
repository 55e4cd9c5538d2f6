/* A diagonal matrix. */
#include "algebra.h"
#include "team.h"

static void set_rows(void *job, int64_t begin, int64_t end)
{
    fur_csr *a = job;
    int32_t *columns = fur_csr_columns(a);
    for (int64_t i = begin; i < end; i++) {
        columns[i] = (int32_t)i;
        fur_csr_end_row(a, i, i + 1);
    }
}

static fur_status make(const fur_vector *d, fur_csr **out)
{
    fur_context *context = d->context;
    int64_t n = d->size;
    fur_csr *a;
    FUR_TRY(fur_csr_allocate(context, n, n, n, d->value_type, FUR_I32, &a));
    fur_offsets_set(FUR_I32, fur_csr_offsets(a), 0, 0);
    fur_parallel(&context->env, n / FUR_ENTRY_GRAIN, n, set_rows, a);
    if (n > 0)
        memcpy(fur_csr_values(a), d->data, (size_t)n * fur_value_size(d->value_type));
    *out = a;
    return FUR_OK;
}

static fur_status make_there(const fur_vector *d, fur_csr **out)
{
    fur_context *context = d->context;
    int64_t n = d->size;
    fur_csr *a;
    FUR_TRY(fur_csr_allocate(context, n, n, n, d->value_type, FUR_I32, &a));
    fur_status status = fur_algebra_device(context)->count_up(&context->env, &a->view);
    if (status == FUR_OK)
        status = fur_memory_copy(context, fur_csr_values(a), d->data,
                                 n * (int64_t)fur_value_size(d->value_type));
    if (status == FUR_OK)
        *out = a;
    else
        fur_csr_destroy(a);
    return status;
}

fur_status fur_csr_from_diagonal(const fur_vector *d, fur_csr **out)
{
    FUR_NEED(fur_vector_context(d), d, out);
    const fur_vector *near;
    fur_vector *copy;
    fur_csr *a = NULL;
    FUR_TRY(fur_csr_check_size(d->context, d->size, d->size));
    if (!fur_is_remote(d->context))
        return make(d, out);
    if (fur_algebra_device(d->context))
        return make_there(d, out);
    FUR_TRY(fur_vector_to_host(d, &near, &copy));
    fur_status status = fur_context_pass_on(near->context, d->context, make(near, &a));
    if (status == FUR_OK)
        status =
            fur_context_pass_on(near->context, d->context, fur_csr_transfer(a, d->context, out));
    fur_csr_destroy(a);
    fur_vector_destroy(copy);
    return status;
}
