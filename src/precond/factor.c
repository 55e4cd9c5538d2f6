/* Incomplete factors in a given pattern. */
#include "factor.h"

#include <furrow/graph.h>

#include <math.h>
#include <string.h>

/* Shifts that are tried after a breakdown: the first, and those beyond which none is. */
#define FIRST_SHIFT 1e-3
#define LAST_SHIFT 1e3

/* The tasks of the factorisation: those of a solve with its lower triangle. */
static fur_status make_schedule(fur_env *env, fur_factors *own)
{
    const fur_csr_view *f = &own->f->view;
    int64_t n = f->rows;
    fur_strict t = {f, false};
    int64_t *start = NULL;
    int32_t *level = NULL;
    fur_status status = FUR_OK;
    FUR_TRY_DONE(fur_env_allocate(env, n + 1, sizeof *start, &start));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *level, &level));
    start[0] = 0;
    for (int64_t i = 0; i < n; i++)
        start[i + 1] = start[i] + own->diagonal[i] - fur_offset_at(f, i);
    fur_workload w = {t, start, level, fur_levels_fill(&t, level), env->threads};
    FUR_TRY_DONE(fur_schedule_create(env, &w, NULL, &own->schedule));
    own->tasks = (fur_trsv_tasks){.count = own->schedule.count, .task = own->schedule.task};
    FUR_TRY_DONE(
        fur_env_allocate_zeros(env, own->tasks.count, sizeof *own->tasks.done, &own->tasks.done));
done:
    fur_env_release(env, level);
    fur_env_release(env, start);
    return status;
}

static fur_status find_diagonal(fur_env *env, fur_factors *own)
{
    const fur_csr_view *f = &own->f->view;
    bool is_complex = f->value_type == FUR_C64 || f->value_type == FUR_C128;
    FUR_TRY(fur_env_allocate(env, f->rows, sizeof *own->diagonal, &own->diagonal));
    for (int64_t i = 0; i < f->rows; i++)
        own->diagonal[i] = fur_csr_find(f, i, i);
    if (!is_complex || own->form == FUR_FACTOR_CHOLESKY)
        return FUR_OK;
    return fur_env_allocate(env, f->rows, fur_value_size(f->value_type), &own->inverse);
}

/* A in the order of the factors. */
static const fur_csr *source_of(const fur_precond *p, const fur_factors *own)
{
    return own->permuted ? own->permuted : p->a;
}

/* A with its values of now in the order of the colours. */
static fur_status permute(const fur_precond *p, fur_factors *own)
{
    fur_csr *fresh;
    FUR_TRY(fur_csr_permute(p->a, own->order, own->order, &fresh));
    fur_csr_destroy(own->permuted);
    own->permuted = fresh;
    return FUR_OK;
}

/* Rows of a colour do not need each other: a solve has at most as many levels as there are colours.
 */
static fur_status colour(const fur_precond *p, fur_factors *own)
{
    const fur_csr_view *a = &p->a->view;
    fur_classes *colours;
    FUR_TRY(fur_classes_from_colours(p->a, NULL, &colours));
    fur_status status = fur_classes_order(colours, &own->order);
    fur_classes_destroy(colours);
    FUR_TRY(status);
    FUR_TRY(permute(p, own));
    return fur_vector_create(p->context, a->value_type, a->rows, &own->work);
}

/* A row that no shift helps, as the shift is a part of its diagonal. */
static bool is_hopeless(const fur_precond *p, const fur_factors *own, int64_t row)
{
    double entry[2];
    fur_csr_read_entry(&source_of(p, own)->view, row, row, entry);
    fur_scalar d = fur_scalar_at(p->a->view.value_type, entry, 0);
    if (own->form != FUR_FACTOR_LU)
        return !(d.re > 0) || !isfinite(d.re);
    return (d.re == 0 && d.im == 0) || !isfinite(d.re) || !isfinite(d.im);
}

static fur_status fail_at(const fur_precond *p, const fur_factors *own, int64_t row, double shift)
{
    bool positive = own->form != FUR_FACTOR_LU;
    return fur_context_fail(
        p->context, FUR_INVALID,
        "row %lld, counting from 1, has a pivot that is %s, with the diagonal times %g: \"%s\" "
        "needs %s; try \"jacobi\", or another order of rows",
        (long long)(own->order ? own->order->order[row] : row) + 1,
        positive ? "not positive" : "0 or not finite", 1 + shift, p->kind->info.name,
        positive ? "a matrix with a positive diagonal, better a positive definite one"
                 : "pivots that can be divided by");
}

/* The values of the factors: of A, or else of A with the smallest shift tried that lets all pivots
 * be used (Manteuffel 1980). */
static fur_status compute(fur_precond *p, fur_factors *own)
{
    fur_factor_call call = {.env = &p->context->env,
                            .a = &source_of(p, own)->view,
                            .f = &own->f->view,
                            .values = fur_csr_values(own->f),
                            .diagonal = own->diagonal,
                            .inverse = own->inverse,
                            .tasks = &own->tasks,
                            .order = own->schedule.order,
                            .form = own->form,
                            .modified = own->modified,
                            .shift = own->shift};
    for (;;) {
        int64_t failed = p->context->backend->factor(&call);
        if (failed < 0)
            break;
        double next = call.shift < FIRST_SHIFT ? FIRST_SHIFT : 2 * call.shift;
        if (next > LAST_SHIFT || is_hopeless(p, own, failed))
            return fail_at(p, own, failed, call.shift);
        call.shift = next;
    }
    p->report.shift = call.shift;
    return FUR_OK;
}

/* A ~ L L^H; A ~ L U; of a modified Hermitian factorisation A ~ U^H D^-1 U, which is Hermitian to
 * the bit, with D the diagonal of U. */
static fur_status plan_solves(fur_factors *own)
{
    const fur_csr *f = own->f;
    switch (own->form) {
    case FUR_FACTOR_CHOLESKY:
        FUR_TRY(
            fur_trsv_plan(f, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &own->first));
        return fur_trsv_plan(f, FUR_TRIANGLE_LOWER, FUR_OP_H, FUR_DIAGONAL_STORED, NULL,
                             &own->second);
    case FUR_FACTOR_HERMITIAN:
        FUR_TRY(
            fur_trsv_plan(f, FUR_TRIANGLE_UPPER, FUR_OP_H, FUR_DIAGONAL_STORED, NULL, &own->first));
        FUR_TRY(fur_csr_diagonal(f, &own->between));
        break;
    default:
        FUR_TRY(
            fur_trsv_plan(f, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_UNIT, NULL, &own->first));
    }
    return fur_trsv_plan(f, FUR_TRIANGLE_UPPER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &own->second);
}

static void complete_report(fur_precond *p, const fur_factors *own)
{
    const fur_trsv_report *first = fur_trsv_describe(own->first);
    const fur_trsv_report *second = fur_trsv_describe(own->second);
    double vector = (double)p->a->view.rows * (double)fur_value_size(p->a->view.value_type);
    p->report.entries = own->f->view.entries;
    p->report.bytes = (double)(first->bytes + second->bytes) + (own->between ? 3 * vector : 0) +
                      (own->order ? 4 * vector + 8 * (double)p->a->view.rows : 0);
    p->report.levels = first->levels;
}

fur_status fur_factors_create(fur_precond *p, const fur_precond_options *options,
                              fur_factor_form form, fur_factors_find *find)
{
    fur_env *env = &p->context->env;
    fur_factors *own;
    if (!(options->shift >= 0 && options->shift <= LAST_SHIFT))
        return fur_env_fail(env, FUR_INVALID, "the shift must be from 0 to %g, it is %g",
                            LAST_SHIFT, options->shift);
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *own, &own));
    p->state = own;
    own->form = form;
    own->modified = options->modified != 0;
    own->shift = options->shift;
    if (options->coloured)
        FUR_TRY(colour(p, own));
    FUR_TRY(find(source_of(p, own), options, &own->f));
    FUR_TRY(find_diagonal(env, own));
    FUR_TRY(make_schedule(env, own));
    FUR_TRY(compute(p, own));
    FUR_TRY(plan_solves(own));
    complete_report(p, own);
    return FUR_OK;
}

fur_status fur_factors_update(fur_precond *p)
{
    fur_factors *own = p->state;
    if (own->order)
        FUR_TRY(permute(p, own));
    FUR_TRY(compute(p, own));
    fur_csr_values_changed(own->f);
    return own->between ? fur_csr_read_diagonal(own->f, own->between) : FUR_OK;
}

/* z = M r in the order of the factors; z may be r. */
static fur_status solve(const fur_factors *own, const fur_vector *r, fur_vector *z)
{
    FUR_TRY(fur_trsv_apply(own->first, fur_real(1), r, z));
    if (own->between)
        FUR_TRY(fur_multiply_elementwise(own->between, z, z));
    return fur_trsv_apply(own->second, fur_real(1), z, z);
}

fur_status fur_factors_apply(fur_precond *p, const fur_vector *r, fur_vector *z)
{
    const fur_factors *own = p->state;
    if (!own->order)
        return solve(own, r, z);
    FUR_TRY(fur_vector_permute(own->order, r, own->work));
    FUR_TRY(solve(own, own->work, own->work));
    return fur_vector_unpermute(own->order, own->work, z);
}

void fur_factors_release(fur_precond *p)
{
    fur_env *env = &p->context->env;
    fur_factors *own = p->state;
    if (!own)
        return;
    fur_vector_destroy(own->between);
    fur_trsv_destroy(own->second);
    fur_trsv_destroy(own->first);
    fur_env_release(env, own->tasks.done);
    fur_schedule_release(env, &own->schedule);
    fur_env_release(env, own->inverse);
    fur_env_release(env, own->diagonal);
    fur_csr_destroy(own->f);
    fur_vector_destroy(own->work);
    fur_csr_destroy(own->permuted);
    fur_permutation_destroy(own->order);
    fur_env_release(env, own);
}
