/* A recognised stencil as an operator. */
#ifndef FUR_TEMPLATE
#    include "recognise.h"
#    include "scalar.h"
#    include "table.h"

#    define FUR_TEMPLATE "operator.c"
#    include "foreach_value.h"

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_recognised_apply(user, fur_real(1), x, fur_real(0), y);
}

static fur_status set_on_host(const fur_recognised *r, fur_vector *d)
{
    static void (*const set[FUR_VALUE_COUNT])(const fur_csr_view *, const int32_t *, void *) =
        FUR_VALUE_TABLE(set_entries);
    fur_context *context = r->context;
    int64_t count = r->rows->view.rows * (int64_t)sizeof *r->numbers;
    int64_t bytes = d->size * (int64_t)fur_value_size(d->value_type);
    fur_status status = FUR_OK;
    const fur_csr *rows;
    fur_csr *copy;
    int32_t *numbers = NULL;
    void *near = NULL;
    FUR_TRY(fur_csr_to_host(r->rows, &rows, &copy));
    FUR_TRY_DONE(fur_memory_to_host(context, r->numbers, count, &numbers));
    FUR_TRY_DONE(fur_memory_to_host(context, d->data, bytes, &near));
    set[d->value_type](&rows->view, numbers, near);
    status = fur_memory_from_host(context, d->data, near, bytes);
done:
    fur_memory_drop(context, r->numbers, numbers);
    fur_csr_destroy(copy);
    return status;
}

static fur_status diagonal(void *user, fur_vector *d)
{
    const fur_recognised *r = user;
    const fur_remote *device = fur_services(r->context);
    FUR_TRY(fur_dependent_check(&r->context->env, &r->dependent));
    FUR_TRY(fur_stencil_read_diagonal(r->stencil, d));
    return device->csr.diagonal
               ? device->csr.diagonal(&r->context->env, &r->rows->view, r->numbers, d->data)
               : set_on_host(r, d);
}

fur_status fur_operator_from_recognised(const fur_recognised *r, fur_operator **out)
{
    FUR_NEED(r ? r->context : NULL, r, out);
    FUR_TRY(fur_dependent_check(&r->context->env, &r->dependent));
    const fur_csr_view *rows = &r->rows->view;
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = rows->cols,
        .cols = rows->cols,
        .value_type = rows->value_type,
        .user = (void *)(uintptr_t)r,
        .apply = apply,
        .recordable = 1,
        .diagonal = diagonal,
    };
    fur_dependent dependent = {"the operator of a recognised stencil", NULL, NULL, .reads = true};
    FUR_TRY(fur_operator_derive(r->context, &definition, &dependent, &r->dependent.made, out));
    (*out)->stencil = rows->rows == 0 ? &r->stencil->view : NULL;
    return FUR_OK;
}
#else

/* d_i = A(i, i) for the rows i with these numbers. Duplicate entries are added. */
static void FN(set_entries)(const fur_csr_view *rows, const int32_t *numbers, void *d)
{
    const VALUE *values = rows->values;
    for (int64_t i = 0; i < rows->rows; i++) {
        VALUE sum = V(from)((fur_scalar){0, 0});
        bool found = false;
        for (int64_t k = fur_offset_at(rows, i); k < fur_offset_at(rows, i + 1); k++) {
            if (rows->columns[k] != numbers[i])
                continue;
            sum = found ? V(add)(sum, values[k]) : values[k];
            found = true;
        }
        ((VALUE *)d)[numbers[i]] = sum;
    }
}

#endif
