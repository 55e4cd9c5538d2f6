/* Jacobi's preconditioner: the preconditioner of src/core for the operator of a matrix. */
#include "precond.h"

#include <furrow/spmv.h>

typedef struct jacobi {
    fur_spmv *plan;
    fur_operator *a;
    fur_operator *inverse;
} jacobi;

static fur_status create(fur_precond *p, const void *options)
{
    (void)options;
    const fur_csr_view *a = &p->a->view;
    /* No product is computed: this plan costs nothing. */
    fur_spmv_options plan = {.size = sizeof plan, .kernel = "reference"};
    jacobi *own;
    FUR_TRY(fur_env_allocate_zeros(&p->context->env, 1, sizeof *own, &own));
    p->state = own;
    FUR_TRY(fur_spmv_plan(p->a, &plan, &own->plan));
    FUR_TRY(fur_operator_from_spmv(own->plan, &own->a));
    FUR_TRY(fur_operator_jacobi(own->a, &own->inverse));
    p->scaling = own->inverse->scaling;
    p->report.entries = a->rows;
    p->report.bytes = 3.0 * (double)a->rows * (double)fur_value_size(a->value_type);
    return FUR_OK;
}

/* The operator of the state has already used A's new values. */
static fur_status update(fur_precond *p)
{
    const jacobi *own = p->state;
    return fur_dependent_check(&p->context->env, &own->inverse->dependent);
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const jacobi *own = p->state;
    return fur_operator_apply(own->inverse, r, z);
}

static void release(fur_precond *p)
{
    jacobi *own = p->state;
    if (!own)
        return;
    fur_operator_destroy(own->inverse);
    fur_operator_destroy(own->a);
    fur_spmv_destroy(own->plan);
    fur_env_release(&p->context->env, own);
}

const fur_precond_kind fur_precond_jacobi = {
    .info = {"jacobi", "divides by the diagonal; nearly free; for rows of different scale",
             "Jacobi 1845"},
    .place = FUR_PRECOND_ANYWHERE,
    .follows = true,
    .symmetric = true,
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
};
