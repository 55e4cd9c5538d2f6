/* Cycles, and one cycle as an operator. */
#ifndef FUR_TEMPLATE
#    include "hierarchy.h"
#    include "options.h"
#    include "scalar.h"
#    include "table.h"

#    include <furrow/reduce.h>
#    include <furrow/scalars.h>

#    define ENTRY_GRAIN 16384
/* Of a residual, that a first step of conjugate gradients may leave. */
#    define ENOUGH 0.25
/* Rounds of the smoother on a last level without an inverse. */
#    define LAST_ROUNDS 4

typedef struct cast {
    const void *from;
    void *to;
    double factor;
} cast;

#    define FUR_TEMPLATE "cycle.c"
#    include "foreach_value.h"

static fur_status cycle(const fur_amg *amg, int index, fur_vector *x);

static fur_coefficient factor(double number)
{
    return (fur_coefficient){.factor = fur_real(number), .denominator = -1, .numerator = -1};
}

/* r = r - alpha A p */
static fur_status subtract_product(const fur_amg_rung *g, double alpha)
{
    return fur_spmv_apply(g->times_a, fur_real(-alpha), g->p, fur_real(1), g->r);
}

/* The sweeps of a smoother whose first direction is in p: x and r follow; r need not follow the
 * last sweep of all. */
static fur_status smooth(const fur_amg_rung *g, bool is_last, fur_vector *x)
{
    const fur_amg_sweeps *s = &g->sweeps;
    for (int k = 0; k < s->count; k++) {
        bool end = k + 1 == s->count;
        if (!end || !is_last)
            FUR_TRY(subtract_product(g, s->alpha[k]));
        FUR_TRY(end ? fur_axpby(fur_real(s->alpha[k]), g->p, fur_real(1), x)
                    : fur_axpy_direction(factor(s->alpha[k]), factor(s->beta[k + 1]), g->scaling,
                                         fur_real(1), g->r, g->p, x));
    }
    return FUR_OK;
}

/* The last level: its inverse, or rounds of the smoother. */
static fur_status solve_last(const fur_amg *amg, const fur_amg_rung *g, fur_vector *x)
{
    if (amg->dense.inverse) {
        fur_amg_apply_dense(&amg->dense, g->r, x);
        return FUR_OK;
    }
    FUR_TRY(fur_vector_fill(x, fur_real(0)));
    for (int round = 0; round < LAST_ROUNDS; round++) {
        FUR_TRY(fur_multiply_elementwise(g->scaling, g->r, g->p));
        FUR_TRY(smooth(g, round + 1 == LAST_ROUNDS, x));
    }
    return FUR_OK;
}

/* Two cycles on a level with the right-hand side in r. */
static fur_status cycle_twice(const fur_amg *amg, int index)
{
    const fur_amg_rung *g = &amg->rung[index];
    FUR_TRY(fur_vector_copy(g->r, g->kept[0]));
    FUR_TRY(cycle(amg, index, g->kept[1]));
    FUR_TRY(fur_spmv_apply(g->times_a, fur_real(-1), g->kept[1], fur_real(1), g->kept[0]));
    FUR_TRY(fur_vector_copy(g->kept[0], g->r));
    FUR_TRY(cycle(amg, index, g->x));
    return fur_axpby(fur_real(1), g->kept[1], fur_real(1), g->x);
}

static fur_scalar times(fur_scalar a, fur_scalar b)
{
    return fur_complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

static fur_scalar over(fur_scalar a, double b)
{
    return fur_complex(a.re / b, a.im / b);
}

/* The second step: adds to `first` times c = kept[1] what a cycle finds for the residual in
 * kept[0], made conjugate to c; A c is in kept[2]. */
static fur_status second_step(const fur_amg *amg, int index, fur_scalar first, double c_energy)
{
    const fur_amg_rung *g = &amg->rung[index];
    fur_scalar gamma;
    fur_scalar energy;
    fur_scalar product;
    FUR_TRY(fur_vector_copy(g->kept[0], g->r));
    FUR_TRY(cycle(amg, index, g->x));
    FUR_TRY(fur_spmv_apply(g->times_a, fur_real(1), g->x, fur_real(0), g->p));
    FUR_TRY(fur_dot(g->kept[2], g->x, &gamma));
    FUR_TRY(fur_dot(g->x, g->p, &energy));
    FUR_TRY(fur_dot(g->x, g->kept[0], &product));
    double left = energy.re - (gamma.re * gamma.re + gamma.im * gamma.im) / c_energy;
    if (!(left > 0))
        return fur_axpby(first, g->kept[1], fur_real(0), g->x);
    fur_scalar second = over(product, left);
    fur_scalar shift = over(times(second, gamma), c_energy);
    return fur_axpby(fur_complex(first.re - shift.re, first.im - shift.im), g->kept[1], second,
                     g->x);
}

/* One or two steps of conjugate gradients on a level with the right-hand side in r. */
static fur_status cycle_krylov(const fur_amg *amg, int index)
{
    const fur_amg_rung *g = &amg->rung[index];
    fur_scalar energy;
    fur_scalar product;
    double before;
    double after;
    FUR_TRY(fur_vector_copy(g->r, g->kept[0]));
    FUR_TRY(fur_norm2(g->r, &before));
    FUR_TRY(cycle(amg, index, g->kept[1]));
    FUR_TRY(fur_spmv_apply(g->times_a, fur_real(1), g->kept[1], fur_real(0), g->kept[2]));
    FUR_TRY(fur_dot(g->kept[1], g->kept[2], &energy));
    FUR_TRY(fur_dot(g->kept[1], g->kept[0], &product));
    if (!(energy.re > 0))
        return fur_vector_copy(g->kept[1], g->x);
    fur_scalar first = over(product, energy.re);
    FUR_TRY(fur_axpby(fur_complex(-first.re, -first.im), g->kept[2], fur_real(1), g->kept[0]));
    FUR_TRY(fur_norm2(g->kept[0], &after));
    return after <= ENOUGH * before ? fur_axpby(first, g->kept[1], fur_real(0), g->x)
                                    : second_step(amg, index, first, energy.re);
}

/* The correction of a level from its right-hand side in r, to its x. */
static fur_status visit(const fur_amg *amg, int index)
{
    if (amg->options.cycle == FUR_AMG_V || index + 1 == amg->levels)
        return cycle(amg, index, amg->rung[index].x);
    return amg->options.cycle == FUR_AMG_W ? cycle_twice(amg, index) : cycle_krylov(amg, index);
}

/* x = M r on a level; r and p are overwritten. The correction from below is the first direction
 * after it, with the coefficient 1. */
static fur_status cycle(const fur_amg *amg, int index, fur_vector *x)
{
    const fur_amg_rung *g = &amg->rung[index];
    const fur_amg_rung *below = g + 1;
    if (index + 1 == amg->levels)
        return solve_last(amg, g, x);
    FUR_TRY(fur_vector_fill(x, fur_real(0)));
    FUR_TRY(fur_multiply_elementwise(g->scaling, g->r, g->p));
    FUR_TRY(smooth(g, false, x));
    FUR_TRY(fur_spmv_apply(g->step.times_r, fur_real(1), g->r, fur_real(0), below->r));
    FUR_TRY(visit(amg, index + 1));
    FUR_TRY(fur_spmv_apply(g->step.times_p, fur_real(1), below->x, fur_real(0), g->p));
    FUR_TRY(subtract_product(g, 1));
    FUR_TRY(fur_axpy_direction(factor(1), factor(0), g->scaling, fur_real(1), g->r, g->p, x));
    return smooth(g, true, x);
}

/* to = factor from, between precisions. */
static void convert(const fur_amg *amg, const fur_vector *from, double factor, fur_vector *to)
{
    static fur_body *const narrow[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(narrow);
    static fur_body *const widen[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(widen);
    fur_body *body = (from->value_type == amg->value ? widen : narrow)[amg->value];
    fur_parallel(&amg->context->env, from->size / ENTRY_GRAIN, from->size, body,
                 &(cast){from->data, to->data, factor});
}

/* One cycle in single precision, for b over its norm. */
static fur_status apply_single(const fur_amg *amg, const fur_vector *b, fur_vector *x)
{
    const fur_amg_rung *g = &amg->rung[0];
    double norm;
    FUR_TRY(fur_norm2(b, &norm));
    if (!(norm > 0 && 1 / norm > 0 && 1 / norm < HUGE_VAL))
        return fur_axpby(fur_real(1), b, fur_real(0), x);
    convert(amg, b, 1 / norm, g->r);
    FUR_TRY(cycle(amg, 0, g->x));
    convert(amg, g->x, norm, x);
    return FUR_OK;
}

fur_status fur_amg_apply(fur_amg *amg, const fur_vector *b, fur_vector *x)
{
    FUR_NEED(amg ? amg->context : NULL, amg, b, x);
    FUR_TRY(fur_dependent_check(&amg->context->env, &amg->dependent));
    FUR_TRY(fur_csr_check_vector(amg->a, "b", b, amg->a->view.rows));
    FUR_TRY(fur_csr_check_vector(amg->a, "x", x, amg->a->view.rows));
    FUR_TRY(fur_vector_check_apart(b, "b", x, "x"));
    if (amg->value != amg->a->view.value_type)
        return apply_single(amg, b, x);
    FUR_TRY(fur_vector_copy(b, amg->rung[0].r));
    return cycle(amg, 0, x);
}

static fur_status apply(void *user, const fur_vector *b, fur_vector *x)
{
    return fur_amg_apply(user, b, x);
}

fur_status fur_operator_from_amg(fur_amg *amg, fur_operator **out)
{
    FUR_NEED(amg ? amg->context : NULL, amg, out);
    const fur_csr_view *a = &amg->a->view;
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = a->rows,
        .cols = a->cols,
        .value_type = a->value_type,
        .user = amg,
        .apply = apply,
    };
    fur_dependent dependent = {"the operator of a multigrid", NULL, NULL, .reads = true};
    return fur_operator_derive(amg->context, &definition, &dependent, &amg->dependent.made, out);
}
#else

/* Between VALUE and the type of its kind in double precision. */
static void FN(narrow)(void *job, int64_t begin, int64_t end)
{
    const cast c = *(const cast *)job;
    const int parts = (int)(sizeof(VALUE) / sizeof(REAL));
    const double *from = c.from;
    REAL *to = c.to;
    for (int64_t i = begin * parts; i < end * parts; i++)
        to[i] = (REAL)(c.factor * from[i]);
}

static void FN(widen)(void *job, int64_t begin, int64_t end)
{
    const cast c = *(const cast *)job;
    const int parts = (int)(sizeof(VALUE) / sizeof(REAL));
    const REAL *from = c.from;
    double *to = c.to;
    for (int64_t i = begin * parts; i < end * parts; i++)
        to[i] = c.factor * (double)from[i];
}

#endif
