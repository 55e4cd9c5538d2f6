/* A recognised stencil: its product, in which the rows that differ are replaced. */
#ifndef FUR_TEMPLATE
#    include "recognise.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

/* Rows below which a further thread costs more than it brings. */
#    define ROW_GRAIN 16384

/* Entries of one vector on their way to another. */
typedef struct moving {
    const int32_t *at; /* their numbers in the longer one */
    const void *in;
    void *out;
} moving;

#    define FUR_TEMPLATE "recognised.c"
#    include "foreach_value.h"

void fur_recognised_destroy(fur_recognised *r)
{
    if (!r)
        return;
    fur_env *env = &r->context->env;
    fur_dependent_leave(&r->dependent);
    fur_spmv_destroy(r->plan);
    fur_csr_destroy(r->rows);
    fur_vector_destroy(r->y);
    fur_stencil_destroy(r->stencil);
    for (int k = 0; k < r->field_count; k++)
        fur_vector_destroy(r->fields[k]);
    fur_env_release(env, r->fields);
    fur_env_release(env, r->constants);
    fur_memory_release(r->context, r->numbers);
    fur_env_release(env, r);
}

const fur_stencil *fur_recognised_stencil(const fur_recognised *r)
{
    return r ? r->stencil : NULL;
}

const fur_csr *fur_recognised_rows(const fur_recognised *r)
{
    return r ? r->rows : NULL;
}

const int32_t *fur_recognised_row_numbers(const fur_recognised *r)
{
    return r ? r->numbers : NULL;
}

/* own_i = y_numbers[i] */
static fur_status fetch_rows(const fur_recognised *r, const fur_vector *y, fur_vector *own)
{
    static fur_body *const gather[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(gather);
    fur_env *env = &r->context->env;
    if (fur_is_remote(r->context))
        return r->context->backend->remote->vector.gather(env, own->value_type, own->size,
                                                          r->numbers, y->data, own->data);
    moving m = {r->numbers, y->data, own->data};
    fur_parallel(env, own->size / ROW_GRAIN, own->size, gather[own->value_type], &m);
    return FUR_OK;
}

/* y_numbers[i] = own_i */
static fur_status replace_rows(const fur_recognised *r, const fur_vector *own, fur_vector *y)
{
    static fur_body *const scatter[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(scatter);
    fur_env *env = &r->context->env;
    if (fur_is_remote(r->context))
        return r->context->backend->remote->vector.scatter(env, own->value_type, own->size,
                                                           r->numbers, own->data, y->data);
    moving m = {r->numbers, own->data, y->data};
    fur_parallel(env, own->size / ROW_GRAIN, own->size, scatter[own->value_type], &m);
    return FUR_OK;
}

/* The rows are computed first, from the old y. */
fur_status fur_recognised_apply(const fur_recognised *r, fur_scalar alpha, const fur_vector *x,
                                fur_scalar beta, fur_vector *y)
{
    FUR_NEED(r ? r->context : NULL, r, x, y);
    FUR_TRY(fur_dependent_check(&r->context->env, &r->dependent));
    FUR_TRY(fur_stencil_check(r->stencil, x, y));
    FUR_TRY(fetch_rows(r, y, r->y));
    FUR_TRY(fur_spmv_apply(r->plan, alpha, x, beta, r->y));
    FUR_TRY(fur_stencil_apply(r->stencil, alpha, x, beta, y));
    return replace_rows(r, r->y, y);
}
#else

/* out_i = in_at[i] */
static void FN(gather)(void *job, int64_t begin, int64_t end)
{
    const moving *m = job;
    const int32_t *at = m->at;
    const VALUE *in = m->in;
    VALUE *out = m->out;
    for (int64_t i = begin; i < end; i++)
        out[i] = in[at[i]];
}

/* out_at[i] = in_i, for numbers that are all different */
static void FN(scatter)(void *job, int64_t begin, int64_t end)
{
    const moving *m = job;
    const int32_t *at = m->at;
    const VALUE *in = m->in;
    VALUE *out = m->out;
    for (int64_t i = begin; i < end; i++)
        out[at[i]] = in[i];
}

#endif
