/* The product of a recognised stencil. The rows that differ are replaced in it. */
#include "recognise.h"

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

/* The differing rows are computed first, from the old y. */
fur_status fur_recognised_apply(const fur_recognised *r, fur_scalar alpha, const fur_vector *x,
                                fur_scalar beta, fur_vector *y)
{
    FUR_NEED(r ? r->context : NULL, r, x, y);
    FUR_TRY(fur_dependent_check(&r->context->env, &r->dependent));
    FUR_TRY(fur_stencil_check(r->stencil, x, y));
    FUR_TRY(fur_vector_gather(y, r->numbers, r->y));
    FUR_TRY(fur_spmv_apply(r->plan, alpha, x, beta, r->y));
    FUR_TRY(fur_stencil_apply(r->stencil, alpha, x, beta, y));
    return fur_vector_scatter(r->y, r->numbers, y);
}
