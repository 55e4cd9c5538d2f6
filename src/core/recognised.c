/* A recognised stencil: its product, in which the rows that differ are replaced. */
#ifndef FUR_TEMPLATE
#    include "recognition.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"

/* Rows below which a further thread costs more than it brings. */
#    define ROW_GRAIN 16384

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
    return r->stencil;
}

const fur_csr *fur_recognised_rows(const fur_recognised *r)
{
    return r->rows;
}

const int32_t *fur_recognised_row_numbers(const fur_recognised *r)
{
    return r->numbers;
}

/* own_i = y_numbers[i] */
static fur_status fetch_rows(const fur_recognised *r, const fur_vector *y, fur_vector *own)
{
    static void (*const gather[FUR_VALUE_COUNT])(int, int64_t, const int32_t *, const void *,
                                                 void *) = FUR_VALUE_TABLE(gather);
    fur_env *env = &r->context->env;
    if (fur_is_remote(r->context))
        return r->context->backend->remote->gather(env, own->value, own->size, r->numbers, y->data,
                                                   own->data);
    gather[own->value](fur_team(env->threads, own->size, ROW_GRAIN), own->size, r->numbers, y->data,
                       own->data);
    return FUR_OK;
}

/* y_numbers[i] = own_i */
static fur_status replace_rows(const fur_recognised *r, const fur_vector *own, fur_vector *y)
{
    static void (*const scatter[FUR_VALUE_COUNT])(int, int64_t, const int32_t *, const void *,
                                                  void *) = FUR_VALUE_TABLE(scatter);
    fur_env *env = &r->context->env;
    if (fur_is_remote(r->context))
        return r->context->backend->remote->scatter(env, own->value, own->size, r->numbers,
                                                    own->data, y->data);
    scatter[own->value](fur_team(env->threads, own->size, ROW_GRAIN), own->size, r->numbers,
                        own->data, y->data);
    return FUR_OK;
}

/* The rows are computed first, from the old y. */
fur_status fur_recognised_apply(const fur_recognised *r, fur_scalar alpha, const fur_vector *x,
                                fur_scalar beta, fur_vector *y)
{
    FUR_TRY(fur_dependent_check(&r->context->env, &r->dependent));
    FUR_TRY(fur_stencil_check(r->stencil, x, y));
    FUR_TRY(fetch_rows(r, y, r->y));
    FUR_TRY(fur_spmv_apply(r->plan, alpha, x, beta, r->y));
    FUR_TRY(fur_stencil_apply(r->stencil, alpha, x, beta, y));
    return replace_rows(r, r->y, y);
}
#else

/* y_i = x_at[i] */
static void FN(gather)(int team, int64_t n, const int32_t *at, const void *x, void *y)
{
    const VALUE *in = x;
    VALUE *out = y;
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < n; i++)
        out[i] = in[at[i]];
}

/* y_at[i] = x_i, for numbers that are all different */
static void FN(scatter)(int team, int64_t n, const int32_t *at, const void *x, void *y)
{
    const VALUE *in = x;
    VALUE *out = y;
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < n; i++)
        out[at[i]] = in[i];
}

#endif
