/* The diagonal of a matrix. */
#include "csr.h"
#include "split.h"
#include "team.h"

#define ROW_GRAIN 4096

typedef struct extraction {
    const fur_csr_view *a;
    char *d;
} extraction;

static void read_entries(void *job, int64_t begin, int64_t end)
{
    const extraction *e = job;
    int64_t size = (int64_t)fur_value_size(e->a->value_type);
    for (int64_t i = begin; i < end; i++)
        fur_csr_read_entry(e->a, i, i, e->d + i * size);
}

fur_status fur_csr_read_diagonal(const fur_csr *a, fur_vector *d)
{
    fur_env *env = &d->context->env;
    const fur_remote *device = fur_services(d->context);
    int64_t bytes = d->size * (int64_t)fur_value_size(d->value_type);
    void *near;
    fur_csr *copy;
    if (device->csr.diagonal)
        return device->csr.diagonal(env, &a->view, NULL, d->data);
    FUR_TRY(fur_csr_to_host(a, &a, &copy));
    fur_status status = fur_memory_to_host(d->context, d->data, bytes, &near);
    if (status == FUR_OK) {
        fur_parallel(env, d->size / ROW_GRAIN, d->size, read_entries,
                     &(extraction){&a->view, near});
        status = fur_memory_from_host(d->context, d->data, near, bytes);
    }
    fur_csr_destroy(copy);
    return status;
}

fur_status fur_csr_diagonal(const fur_csr *a, fur_vector **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    const fur_csr_view *v = &a->view;
    fur_vector *d;
    FUR_TRY(fur_vector_create(a->context, v->value_type, fur_smaller(v->rows, v->cols), &d));
    fur_status status = fur_csr_read_diagonal(a, d);
    if (status == FUR_OK)
        *out = d;
    else
        fur_vector_destroy(d);
    return status;
}
