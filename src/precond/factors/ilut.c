/* Incomplete LU factors by thresholds (Saad 1994) of B = P D_r A D_c Q^T. First the rows of A are
 * ordered so that the product of the moduli on the diagonal is largest. Scales make these moduli 1,
 * and no other entry larger (Duff and Koster 2001). Then rows and columns are ordered by "rcm". M =
 * D_c Q^T (L U)^-1 P D_r. */
#include "ilut.h"
#include "precond.h"
#include "shift.h"

#include "triangular.h"

#include <furrow/graph.h>
#include <furrow/reorder.h>

typedef struct ilut {
    fur_ilut_limits limits;
    fur_permutation *rows; /* of A */
    fur_permutation *cols;
    fur_vector *r; /* scales of B's rows and columns; NULL: no matching */
    fur_vector *c;
    fur_vector *work; /* in B's order */
    fur_csr *f;       /* both factors */
    fur_trsv *lower;
    fur_trsv *upper;
} ilut;

/* order[i] = first[second[i]] */
static fur_status compose(const fur_permutation *first, const fur_permutation *second,
                          fur_permutation **out)
{
    fur_context *context = first->context;
    fur_env *env = &context->env;
    int64_t bytes = first->size * (int64_t)sizeof(int32_t);
    fur_status status = FUR_OK;
    int32_t *outer = NULL;
    int32_t *inner = NULL;
    FUR_TRY_DONE(fur_env_allocate(env, first->size, sizeof *outer, &outer));
    FUR_TRY_DONE(fur_env_allocate(env, first->size, sizeof *inner, &inner));
    FUR_TRY_DONE(fur_memory_copy(context, outer, first->order, bytes));
    FUR_TRY_DONE(fur_memory_copy(context, inner, second->order, bytes));
    for (int64_t i = 0; i < first->size; i++)
        inner[i] = outer[inner[i]];
    FUR_TRY_DONE(fur_permutation_create(context, first->size, inner, out));
done:
    fur_env_release(env, inner);
    fur_env_release(env, outer);
    return status;
}

static fur_status permute_in_place(const fur_permutation *order, fur_vector **x)
{
    fur_vector *permuted;
    FUR_TRY(fur_vector_create(order->context, (*x)->value_type, (*x)->size, &permuted));
    fur_status status = fur_vector_permute(order, *x, permuted);
    fur_vector_destroy(*x);
    *x = permuted;
    return status;
}

/* Finds the order of B's rows and columns by a matching, and its scales. */
static fur_status order_matched(const fur_csr *a, ilut *own)
{
    const fur_csr_view *v = &a->view;
    fur_permutation *matching = NULL;
    fur_csr *matched = NULL;
    fur_status status = FUR_OK;
    FUR_TRY_DONE(fur_vector_create(a->context, v->value_type, v->rows, &own->r));
    FUR_TRY_DONE(fur_vector_create(a->context, v->value_type, v->rows, &own->c));
    FUR_TRY_DONE(fur_matching_find(a, own->r, own->c, NULL, &matching));
    FUR_TRY_DONE(fur_csr_permute(a, matching, NULL, &matched));
    FUR_TRY_DONE(fur_reorder(matched, NULL, NULL, NULL, &own->cols));
    FUR_TRY_DONE(compose(matching, own->cols, &own->rows));
    FUR_TRY_DONE(permute_in_place(own->rows, &own->r));
    FUR_TRY_DONE(permute_in_place(own->cols, &own->c));
done:
    fur_csr_destroy(matched);
    fur_permutation_destroy(matching);
    return status;
}

/* Makes B from A's current values. */
static fur_status take_matrix(const fur_csr *a, const ilut *own, fur_csr **out)
{
    fur_csr *b;
    FUR_TRY(fur_csr_permute(a, own->rows, own->cols, &b));
    fur_status status = own->r ? fur_csr_scale(b, own->r, own->c) : FUR_OK;
    if (status == FUR_OK)
        *out = b;
    else
        fur_csr_destroy(b);
    return status;
}

static fur_status fail_at(const fur_precond *p, const ilut *own, int64_t row)
{
    int32_t number;
    FUR_TRY(fur_memory_copy(p->context, &number, own->rows->order + row, sizeof number));
    return fur_context_fail(p->context, FUR_INVALID,
                            "row %lld, counting from 1, has only zeros, or an entry that is or "
                            "becomes nonfinite; \"%s\" cannot factor it",
                            (long long)number + 1, p->kind->info.name);
}

static fur_status fail_with_growth(const fur_precond *p, const fur_ilut_outcome *outcome)
{
    return fur_context_fail(
        p->context, FUR_INVALID,
        "the factors of \"%s\" are unstable: M A s has an entry of %.1e instead of about 1, even "
        "with the diagonal times %g; use more fill, a smaller drop, or \"ilu0\"",
        p->kind->info.name, outcome->growth, 1 + outcome->shift);
}

static void drop_factors(ilut *own)
{
    fur_trsv_destroy(own->upper);
    fur_trsv_destroy(own->lower);
    fur_csr_destroy(own->f);
    own->upper = NULL;
    own->lower = NULL;
    own->f = NULL;
}

static void complete_report(fur_precond *p, const ilut *own)
{
    const fur_csr_view *a = &p->a->view;
    const fur_trsv_report *lower = fur_trsv_describe(own->lower);
    const fur_trsv_report *upper = fur_trsv_describe(own->upper);
    double vectors = own->r ? 10 : 4;
    p->report.entries = own->f->view.entries;
    p->report.bytes = (double)(lower->bytes + upper->bytes) +
                      vectors * (double)a->rows * (double)fur_value_size(a->value_type) +
                      8 * (double)a->rows;
    p->report.levels = lower->levels;
    p->waits = own->lower->near || own->upper->near;
}

/* Factors A's current values. The pattern of the factors depends on the values. */
static fur_status update(fur_precond *p)
{
    ilut *own = p->state;
    fur_ilut_outcome outcome = {.failed = -1};
    fur_ilut_call call = {&own->limits, &outcome};
    fur_csr *b;
    drop_factors(own);
    FUR_TRY(take_matrix(p->a, own, &b));
    fur_status status = fur_csr_on_host(b, fur_ilut_factor, &call, &own->f);
    fur_csr_destroy(b);
    if (outcome.failed >= 0 && status == FUR_INVALID)
        return fail_at(p, own, outcome.failed);
    if (outcome.growth > 0 && status == FUR_INVALID)
        return fail_with_growth(p, &outcome);
    FUR_TRY(status);
    p->report.shift = outcome.shift;
    p->report.raised = outcome.raised;
    FUR_TRY(
        fur_trsv_plan(own->f, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_UNIT, NULL, &own->lower));
    FUR_TRY(fur_trsv_plan(own->f, FUR_TRIANGLE_UPPER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL,
                          &own->upper));
    complete_report(p, own);
    return FUR_OK;
}

static fur_status create(fur_precond *p, const void *options)
{
    const fur_ilut_options *o = options;
    const fur_csr_view *a = &p->a->view;
    ilut *own;
    FUR_TRY(fur_env_allocate_zeros(&p->context->env, 1, sizeof *own, &own));
    p->state = own;
    own->limits = (fur_ilut_limits){.fill = o->fill, .drop = o->drop, .shift = o->shift};
    if (o->no_matching) {
        FUR_TRY(fur_reorder(p->a, NULL, NULL, NULL, &own->rows));
        FUR_TRY(fur_permutation_transfer(own->rows, p->context, &own->cols));
    } else {
        FUR_TRY(order_matched(p->a, own));
    }
    FUR_TRY(fur_vector_create(p->context, a->value_type, a->rows, &own->work));
    return update(p);
}

static fur_status apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const ilut *own = p->state;
    FUR_TRY(fur_vector_permute(own->rows, r, own->work));
    if (own->r)
        FUR_TRY(fur_multiply_elementwise(own->r, own->work, own->work));
    FUR_TRY(fur_trsv_apply(own->lower, fur_real(1), own->work, own->work));
    FUR_TRY(fur_trsv_apply(own->upper, fur_real(1), own->work, own->work));
    if (own->c)
        FUR_TRY(fur_multiply_elementwise(own->c, own->work, own->work));
    return fur_vector_unpermute(own->cols, own->work, z);
}

static void release(fur_precond *p)
{
    ilut *own = p->state;
    if (!own)
        return;
    drop_factors(own);
    fur_vector_destroy(own->work);
    fur_vector_destroy(own->c);
    fur_vector_destroy(own->r);
    fur_permutation_destroy(own->cols);
    fur_permutation_destroy(own->rows);
    fur_env_release(&p->context->env, own);
}

static const fur_option table[] = {
    FUR_OPTION_RANGE(INT, fur_ilut_options, fill, 10, 1, 10000,
                     "entries of a row of L and of U that A's pattern does not have"),
    FUR_OPTION_PART(fur_ilut_options, drop, 1e-3, FUR_OPTION_TINY,
                    "leaves out entries below drop times the norm of their row"),
    FUR_PRECOND_SHIFT(fur_ilut_options),
    FUR_OPTION_YES(fur_ilut_options, no_matching,
                   "leaves the rows in their order: no matching, no scaling"),
    FUR_OPTION_END};

const fur_precond_kind fur_precond_ilut = {
    .info = {"ilut",
             "incomplete LU factors with a drop tolerance, after rows are matched and scaled; for "
             "all matrices, also with zeros on the diagonal",
             "Saad 1994; Duff and Koster 2001"},
    .place = FUR_PRECOND_ANYWHERE,
    .table = FUR_PRECOND_TABLE(table, fur_ilut_options, ilut),
    .create = create,
    .update = update,
    .apply = apply,
    .release = release,
};
