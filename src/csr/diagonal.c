/* The diagonal of a matrix. */
#ifndef FUR_TEMPLATE
#    include "csr.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

#    define ROW_GRAIN 4096

#    define FUR_TEMPLATE "diagonal.c"
#    include "foreach_value.h"

typedef struct extraction {
    const fur_csr_view *a;
    void *d;
} extraction;

static void set_entries(void *job, int64_t begin, int64_t end)
{
    static void (*const set_entry[FUR_VALUE_COUNT])(const fur_csr_view *, int64_t, int64_t,
                                                    void *) = FUR_VALUE_TABLE(set_entry);
    const extraction *e = job;
    for (int64_t i = begin; i < end; i++)
        set_entry[e->a->value_type](e->a, i, fur_csr_find(e->a, i, i), e->d);
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
        fur_parallel(env, d->size / ROW_GRAIN, d->size, set_entries, &(extraction){&a->view, near});
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
#else

/* d[row] = the entry at position k, plus those of the same column after it that were kept; 0 if it
 * is of another column. */
static void FN(set_entry)(const fur_csr_view *a, int64_t row, int64_t k, void *d)
{
    const VALUE *values = a->values;
    int64_t end = fur_offset_at(a, row + 1);
    bool found = k < end && a->columns[k] == row;
    VALUE sum = found ? values[k] : V(from)((fur_scalar){0, 0});
    for (k++; k < end && a->columns[k] == row; k++)
        sum = V(add)(sum, values[k]);
    ((VALUE *)d)[row] = sum;
}

#endif
