/* Products of three matrices: two plans, and the product between them. */
#include "options.h"
#include "spgemm.h"

struct fur_triple {
    fur_context *context;
    fur_spgemm *right; /* A P */
    fur_csr *ap;
    fur_spgemm *left; /* R (A P) */
};

static fur_status plan_both(fur_triple *plan, const fur_csr *r, const fur_csr *a, const fur_csr *p,
                            const fur_spgemm_options *options)
{
    FUR_TRY(fur_spgemm_plan(a, p, NULL, &plan->right));
    FUR_TRY(fur_spgemm_multiply(plan->right, fur_real(1), &plan->ap));
    return fur_spgemm_plan(r, plan->ap, options, &plan->left);
}

fur_status fur_triple_plan(const fur_csr *r, const fur_csr *a, const fur_csr *p,
                           const fur_spgemm_options *options, fur_triple **out)
{
    FUR_NEED(fur_csr_context(r), r, a, p, out);
    fur_context *context = a->context;
    fur_spgemm_options o;
    FUR_TAKE_OPTIONS(r->context, fur_spgemm_options, &o, options);
    fur_triple *plan;
    FUR_TRY(fur_env_allocate_zeros(&context->env, 1, sizeof *plan, &plan));
    plan->context = context;
    fur_status status = plan_both(plan, r, a, p, &o);
    if (status == FUR_OK)
        *out = plan;
    else
        fur_triple_destroy(plan);
    return status;
}

void fur_triple_destroy(fur_triple *plan)
{
    if (!plan)
        return;
    fur_spgemm_destroy(plan->left);
    fur_csr_destroy(plan->ap);
    fur_spgemm_destroy(plan->right);
    fur_env_release(&plan->context->env, plan);
}

fur_status fur_triple_multiply(fur_triple *plan, fur_scalar alpha, fur_csr **out)
{
    FUR_NEED(plan ? plan->context : NULL, plan, out);
    FUR_TRY(fur_spgemm_apply(plan->right, fur_real(1), plan->ap));
    return fur_spgemm_multiply(plan->left, alpha, out);
}

fur_status fur_triple_apply(fur_triple *plan, fur_scalar alpha, fur_csr *c)
{
    FUR_NEED(plan ? plan->context : NULL, plan, c);
    FUR_TRY(fur_spgemm_apply(plan->right, fur_real(1), plan->ap));
    return fur_spgemm_apply(plan->left, alpha, c);
}

fur_status fur_csr_triple(const fur_csr *r, const fur_csr *a, const fur_csr *p, fur_csr **out)
{
    FUR_NEED(fur_csr_context(r), r, a, p, out);
    fur_triple *plan;
    FUR_TRY(fur_triple_plan(r, a, p, NULL, &plan));
    fur_status status = fur_spgemm_multiply(plan->left, fur_real(1), out);
    fur_triple_destroy(plan);
    return status;
}
