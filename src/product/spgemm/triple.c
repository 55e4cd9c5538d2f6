/* Products of three matrices: two plans, and the product between them. */
#include <furrow/author/options.h>
#include <furrow/author/triple.h>

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

/* Makes C from the kernels' result. */
static fur_status take(fur_context *context, void *state, const fur_csr *r, const fur_csr *p,
                       int64_t entries, fur_csr **out)
{
    fur_csr_pattern *pattern;
    fur_csr *c = NULL;
    FUR_TRY(fur_csr_pattern_create(context, r->view.rows, p->view.cols, entries, p->view.value_type,
                                   &pattern));
    fur_status status = fur_csr_of_pattern(pattern, &c);
    if (status == FUR_OK) {
        context->backend->triple->take(&context->env, state, &c->view, fur_csr_values(c));
        *out = c;
    }
    fur_csr_pattern_release(pattern);
    return status;
}

/* Multiplies in one pass. Returns FUR_UNSUPPORTED if two products are better. */
static fur_status multiply_fused(const fur_csr *r, const fur_csr *a, const fur_csr *p,
                                 fur_csr **out)
{
    fur_context *context = a->context;
    const fur_triple_kernels *kernels = context->backend->triple;
    void *state;
    int64_t entries;
    if (!kernels)
        return FUR_UNSUPPORTED;
    FUR_TRY(kernels->compute(&context->env, &r->view, &a->view, &p->view, &state, &entries));
    fur_status status = take(context, state, r, p, entries, out);
    kernels->release(&context->env, state);
    return status;
}

fur_status fur_csr_triple(const fur_csr *r, const fur_csr *a, const fur_csr *p, fur_csr **out)
{
    FUR_NEED(fur_csr_context(r), r, a, p, out);
    fur_triple *plan;
    FUR_TRY(fur_spgemm_check(a, p));
    FUR_TRY(fur_spgemm_check(r, a));
    fur_status status = multiply_fused(r, a, p, out);
    if (status != FUR_UNSUPPORTED)
        return status;
    FUR_TRY(fur_triple_plan(r, a, p, NULL, &plan));
    status = fur_spgemm_multiply(plan->left, fur_real(1), out);
    fur_triple_destroy(plan);
    return status;
}
