/* Batches of systems with one pattern: creation and products. */
#include "batch_handle.h"

static fur_status check_rows(fur_context *context, const char *name, const fur_vectors *v)
{
    if (v->view.layout != FUR_LAYOUT_ROWS)
        return fur_context_fail(context, FUR_INVALID,
                                "%s is in column-major order; a batch needs row-major order: copy "
                                "it to a row-major block by fur_vectors_copy",
                                name);
    return FUR_OK;
}

static fur_status check(const fur_csr *pattern, const fur_vectors *values)
{
    fur_context *context = pattern->context;
    if (values->context != context)
        return fur_context_fail(context, FUR_INVALID,
                                "the values belong to another context than the pattern");
    FUR_TRY(check_rows(context, "the block of values", values));
    if (values->view.rows != pattern->view.entries)
        return fur_context_fail(context, FUR_INVALID,
                                "the values have %lld rows, but the pattern has %lld entries; give "
                                "one row for each entry and one column for each system",
                                (long long)values->view.rows, (long long)pattern->view.entries);
    if (!context->backend->batch)
        return fur_context_fail(context, FUR_UNSUPPORTED,
                                "device %s has no kernels for batches; create the batch in the "
                                "context of fur_context_host",
                                context->backend->device);
    return FUR_OK;
}

fur_status fur_batch_create(const fur_csr *pattern, const fur_vectors *values, fur_batch **out)
{
    FUR_NEED(fur_csr_context(pattern), pattern, values, out);
    FUR_TRY(check(pattern, values));
    fur_batch *batch;
    FUR_TRY(fur_env_allocate_zeros(&pattern->context->env, 1, sizeof *batch, &batch));
    batch->context = pattern->context;
    batch->pattern = pattern;
    batch->values = values;
    batch->dependent = (fur_dependent){"the batch", batch, NULL, .reads = true};
    fur_dependent_join(&batch->dependent, &pattern->made);
    *out = batch;
    return FUR_OK;
}

void fur_batch_destroy(fur_batch *batch)
{
    if (!batch)
        return;
    fur_dependent_leave(&batch->dependent);
    fur_env_release(&batch->context->env, batch);
}

fur_context *fur_batch_context(const fur_batch *batch)
{
    return batch ? batch->context : NULL;
}

int64_t fur_batch_count(const fur_batch *batch)
{
    return batch ? batch->values->view.cols : 0;
}

fur_status fur_batch_check_block(const fur_batch *batch, const char *name, const fur_vectors *v,
                                 int64_t rows)
{
    fur_context *context = batch->context;
    const fur_vectors_view *own = &batch->values->view;
    if (v->context != context)
        return fur_context_fail(context, FUR_INVALID,
                                "%s belongs to another context than the batch", name);
    if (v->view.value_type != own->value_type)
        return fur_context_fail(
            context, FUR_INVALID, "%s has entries of type %s, but the systems have type %s", name,
            fur_value_name(v->view.value_type), fur_value_name(own->value_type));
    if (v->view.rows != rows || v->view.cols != own->cols)
        return fur_context_fail(context, FUR_INVALID,
                                "%s has %lld x %lld entries, but %lld systems need %lld x %lld",
                                name, (long long)v->view.rows, (long long)v->view.cols,
                                (long long)own->cols, (long long)rows, (long long)own->cols);
    return check_rows(context, name, v);
}

fur_status fur_batch_apply(const fur_batch *batch, fur_scalar alpha, const fur_vectors *x,
                           fur_scalar beta, fur_vectors *y)
{
    FUR_NEED(fur_batch_context(batch), batch, x, y);
    const fur_csr_view *a = &batch->pattern->view;
    FUR_TRY(fur_dependent_check(&batch->context->env, &batch->dependent));
    FUR_TRY(fur_batch_check_block(batch, "X", x, a->cols));
    FUR_TRY(fur_batch_check_block(batch, "Y", y, a->rows));
    FUR_TRY(fur_vectors_check_apart(x, "X", y, "Y"));
    if (a->rows == 0 || y->view.cols == 0)
        return FUR_OK;
    fur_batch_call call = {
        .env = &batch->context->env,
        .a = fur_batch_view_of(batch),
        .alpha = alpha,
        .beta = beta,
        .x = &x->view,
        .y = &y->view,
    };
    return batch->context->backend->batch->apply(&call);
}
