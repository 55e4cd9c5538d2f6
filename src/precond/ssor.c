/* A Gauss-Seidel sweep forwards and one backwards, from 0: M = (D + U)^-1 D (D + L)^-1 with A's
 * triangles. Its set-up is the plans of two triangular solves. */
#include "precond.h"

#include "triangular.h"

typedef struct ssor {
    fur_trsv *lower;
    fur_trsv *upper;
    fur_vector *diagonal;
} ssor;

static fur_status create(fur_precond *p, const void *options)
{
    (void)options;
    const fur_csr_view *a = &p->a->view;
    ssor *own;
    FUR_TRY(fur_env_allocate_zeros(&p->context->env, 1, sizeof *own, &own));
    p->state = own;
    FUR_TRY(
        fur_trsv_plan(p->a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &own->lower));
    FUR_TRY(
        fur_trsv_plan(p->a, FUR_TRIANGLE_UPPER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &own->upper));
    FUR_TRY(fur_csr_diagonal(p->a, &own->diagonal));
    const fur_trsv_report *lower = fur_trsv_describe(own->lower);
    const fur_trsv_report *upper = fur_trsv_describe(own->upper);
    p->waits = own->lower->near || own->upper->near;
    p->report.levels = lower->levels;
    p->report.entries = lower->entries + upper->entries;
    p->report.bytes = (double)(lower->bytes + upper->bytes) +
                      3.0 * (double)a->rows * (double)fur_value_size(a->value_type);
    return FUR_OK;
}

/* The plans have already used A's new values. If a plan refuses to be used, this preconditioner
 * does, too. */
static fur_status update(fur_precond *p)
{
    const ssor *own = p->state;
    FUR_TRY(fur_dependent_check(&p->context->env, &own->lower->dependent));
    FUR_TRY(fur_dependent_check(&p->context->env, &own->upper->dependent));
    return fur_csr_read_diagonal(p->a, own->diagonal);
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const ssor *own = p->state;
    FUR_TRY(fur_trsv_apply(own->lower, fur_real(1), r, z));
    FUR_TRY(fur_multiply_elementwise(own->diagonal, z, z));
    return fur_trsv_apply(own->upper, fur_real(1), z, z);
}

static void release(fur_precond *p)
{
    ssor *own = p->state;
    if (!own)
        return;
    fur_vector_destroy(own->diagonal);
    fur_trsv_destroy(own->upper);
    fur_trsv_destroy(own->lower);
    fur_env_release(&p->context->env, own);
}

const fur_precond_kind fur_precond_ssor = {
    .info = {"ssor", "one symmetric Gauss-Seidel sweep with the triangles of A; no set-up",
             "Young 1971"},
    .place = FUR_PRECOND_ANYWHERE,
    .follows = true,
    .symmetric = true,
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
};
