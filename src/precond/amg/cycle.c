/* Cycles, and one cycle as an operator. */
#ifndef FUR_TEMPLATE
#    include "hierarchy.h"
#    include "complex_number.h"
#    include "scalar.h"
#    include "table.h"
#    include "value_type.h"

#    include <furrow/author/operator.h>
#    include <furrow/vector.h>

#    define ENTRY_GRAIN 16384
/* A second step of conjugate gradients runs if the first leaves more than this part of the
 * residual. */
#    define ENOUGH 0.25
/* Rounds of the smoother on a last level that has no inverse. */
#    define LAST_ROUNDS 4

typedef struct cast {
    const void *from;
    void *to;
    double factor;
} cast;

/* Results of the first visit, for a cycle that visits a level twice. */
typedef struct visit {
    int cycles;
    fur_scalar first; /* step along the first direction */
    double energy;    /* c.A c for this step */
} visit;

#    define FUR_TEMPLATE "cycle.c"
#    include "foreach_value.h"

/* r = r - alpha A p */
static fur_status subtract_product(const fur_amg_rung *g, double alpha)
{
    return g->verbs->multiply(g, &g->times_a, -alpha, g->p, true, g->r);
}

/* Direction of sweeps by colours. Other smoothers ignore it. */
typedef enum direction { FORWARDS = 0, BACKWARDS } direction;

/* p = M r */
static fur_status precondition(const fur_amg_rung *g, direction d)
{
    return g->coloured.upper ? fur_amg_apply_coloured(g, d == BACKWARDS, g->r, g->p)
                             : g->verbs->scale(g);
}

/* x = x + alpha p, p = M r + beta p; beta is 0 for sweeps by colours */
static fur_status advance(const fur_amg_rung *g, direction d, double alpha, double beta,
                          fur_vector *x)
{
    if (!g->coloured.upper)
        return g->verbs->turn(g, alpha, beta, x);
    FUR_TRY(g->verbs->add(g, alpha, g->p, x));
    return precondition(g, d);
}

/* Runs the sweeps of a smoother whose first direction is in p. Updates x and r, but not r after the
 * last sweep of all. */
static fur_status smooth(const fur_amg_rung *g, direction d, bool is_last, fur_vector *x)
{
    const fur_amg_sweeps *s = &g->sweeps;
    for (int k = 0; k < s->count; k++) {
        bool end = k + 1 == s->count;
        if (!end || !is_last)
            FUR_TRY(subtract_product(g, s->alpha[k]));
        FUR_TRY(end ? g->verbs->add(g, s->alpha[k], g->p, x)
                    : advance(g, d, s->alpha[k], s->beta[k + 1], x));
    }
    return FUR_OK;
}

fur_status fur_amg_relax(const fur_amg_rung *g, fur_vector *x)
{
    FUR_TRY(g->verbs->multiply(g, &g->times_a, -1, x, false, g->r));
    FUR_TRY(precondition(g, FORWARDS));
    return smooth(g, FORWARDS, true, x);
}

/* Solves on the last level by its inverse, or by rounds of the smoother. */
static fur_status solve_last(const fur_amg *amg, const fur_amg_rung *g, fur_vector *x)
{
    if (amg->dense.inverse)
        return g->verbs->solve(g, &amg->dense, x);
    FUR_TRY(g->verbs->clear(g, x));
    for (int round = 0; round < LAST_ROUNDS; round++) {
        direction d = round < LAST_ROUNDS / 2 ? FORWARDS : BACKWARDS;
        FUR_TRY(precondition(g, d));
        FUR_TRY(smooth(g, d, round + 1 == LAST_ROUNDS, x));
    }
    return FUR_OK;
}

/* Returns a b, where each product is rounded. fur_times has other bits. */
static fur_scalar times(fur_scalar a, fur_scalar b)
{
    return fur_complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

/* Before a second cycle on a level: copies the result of the first cycle to kept[1], and the
 * remaining right-hand side in kept[0] to r. */
static fur_status again_plain(const fur_amg_rung *g)
{
    FUR_TRY(g->verbs->copy(g, g->x, g->kept[1]));
    FUR_TRY(g->verbs->multiply(g, &g->times_a, -1, g->x, true, g->kept[0]));
    return g->verbs->copy(g, g->kept[0], g->r);
}

/* Makes the first step of conjugate gradients along c = x. Stores c in kept[1], A c in kept[2], and
 * the residual in kept[0] and r. *again: a second step is needed; otherwise x is the result. */
static fur_status first_step(const fur_amg_rung *g, visit *v, bool *again)
{
    fur_scalar energy;
    fur_scalar product;
    double before;
    double after;
    *again = false;
    FUR_TRY(g->verbs->multiply(g, &g->times_a, 1, g->x, false, g->kept[2]));
    FUR_TRY(fur_dot(g->x, g->kept[2], &energy));
    FUR_TRY(fur_dot(g->x, g->kept[0], &product));
    FUR_TRY(fur_norm2(g->kept[0], &before));
    if (!(energy.re > 0))
        return FUR_OK;
    v->energy = energy.re;
    v->first = fur_quotient(product, fur_real(energy.re));
    FUR_TRY(fur_vector_copy(g->x, g->kept[1]));
    FUR_TRY(fur_axpby(fur_negative(v->first), g->kept[2], fur_real(1), g->kept[0]));
    FUR_TRY(fur_norm2(g->kept[0], &after));
    *again = after > ENOUGH * before;
    return *again ? fur_vector_copy(g->kept[0], g->r) : fur_vector_scale(g->x, v->first);
}

/* Makes the second step, along d = x made conjugate to c. The result is in x. */
static fur_status second_step(const fur_amg_rung *g, const visit *v)
{
    fur_scalar gamma;
    fur_scalar energy;
    fur_scalar product;
    FUR_TRY(g->verbs->multiply(g, &g->times_a, 1, g->x, false, g->p));
    FUR_TRY(fur_dot(g->kept[2], g->x, &gamma));
    FUR_TRY(fur_dot(g->x, g->p, &energy));
    FUR_TRY(fur_dot(g->x, g->kept[0], &product));
    double left = energy.re - (gamma.re * gamma.re + gamma.im * gamma.im) / v->energy;
    if (!(left > 0))
        return fur_axpby(v->first, g->kept[1], fur_real(0), g->x);
    fur_scalar second = fur_quotient(product, fur_real(left));
    fur_scalar shift = fur_quotient(times(second, gamma), fur_real(v->energy));
    return fur_axpby(fur_complex(v->first.re - shift.re, v->first.im - shift.im), g->kept[1],
                     second, g->x);
}

/* Completes a cycle on a level between the first and the last. *again: another cycle follows. */
static fur_status complete_visit(const fur_amg *amg, const fur_amg_rung *g, visit *v, bool *again)
{
    bool krylov = amg->options.cycle == FUR_AMG_K;
    *again = false;
    if (amg->options.cycle == FUR_AMG_V)
        return FUR_OK;
    if (v->cycles++ > 0)
        return krylov ? second_step(g, v) : g->verbs->add(g, 1, g->kept[1], g->x);
    if (krylov)
        return first_step(g, v, again);
    *again = true;
    return again_plain(g);
}

/* Computes the level's x before the coarse level from its r, and the right-hand side of the coarse
 * level. */
static fur_status descend(const fur_amg_rung *g, fur_vector *x)
{
    FUR_TRY(g->verbs->clear(g, x));
    FUR_TRY(precondition(g, FORWARDS));
    FUR_TRY(smooth(g, FORWARDS, false, x));
    return g->verbs->multiply(g, &g->step.times_r, 1, g->r, false, (g + 1)->r);
}

/* Adds the correction of the coarse level. It is the first direction after the coarse level, with
 * the coefficient 1. */
static fur_status ascend(const fur_amg_rung *g, fur_vector *x)
{
    FUR_TRY(g->verbs->multiply(g, &g->step.times_p, 1, (g + 1)->x, false, g->p));
    FUR_TRY(subtract_product(g, 1));
    FUR_TRY(advance(g, BACKWARDS, 1, 0, x));
    return smooth(g, BACKWARDS, true, x);
}

/* Computes x = M r on a level whose steps a device runs in one launch, with all levels below it. */
static fur_status visit_small(const fur_amg *amg, const fur_amg_rung *g, fur_vector *x)
{
    FUR_TRY(fur_amg_device(amg->context)
                ->run(&amg->context->env, amg->value, amg->program.count, amg->program.there));
    return x == g->x ? FUR_OK : fur_vector_copy(g->x, x);
}

/* Goes down from level *index to the last level, or to the first of the small levels. */
static fur_status go_down(const fur_amg *amg, visit *visits, int *index, fur_vector *x)
{
    for (; *index + 1 < amg->levels && *index < amg->small; ++*index) {
        const fur_amg_rung *g = &amg->rung[*index];
        const fur_amg_rung *below = g + 1;
        FUR_TRY(descend(g, *index > 0 ? g->x : x));
        visits[*index + 1] = (visit){0};
        if (below->kept[0])
            FUR_TRY(g->verbs->copy(g, below->r, below->kept[0]));
    }
    const fur_amg_rung *last = &amg->rung[*index];
    fur_vector *found = *index > 0 ? last->x : x;
    return *index < amg->small ? solve_last(amg, last, found) : visit_small(amg, last, found);
}

fur_status fur_amg_visit(const fur_amg *amg, int top, fur_vector *x)
{
    visit visits[FUR_AMG_LEVELS_MAX] = {0};
    int index = top;
    FUR_TRY(go_down(amg, visits, &index, x));
    while (index > top) {
        bool again = false;
        index--;
        FUR_TRY(ascend(&amg->rung[index], index > 0 ? amg->rung[index].x : x));
        if (index > 0)
            FUR_TRY(complete_visit(amg, &amg->rung[index], &visits[index], &again));
        if (again)
            FUR_TRY(go_down(amg, visits, &index, x));
    }
    return FUR_OK;
}

/* to = factor from, between precisions, on a device. */
static fur_status convert_far(const fur_vector *from, double factor, fur_vector *to, bool wide)
{
    const fur_amg_services *device = fur_amg_device(from->context);
    fur_env *env = &from->context->env;
    int64_t n = from->size * fur_value_parts(from->value_type);
    return wide ? device->widen(env, n, from->data, factor, to->data)
                : device->narrow(env, n, from->data, factor, to->data);
}

/* Computes to = factor from on the CPU or a device. */
static fur_status convert(const fur_amg *amg, const fur_vector *from, double factor, fur_vector *to)
{
    static fur_body *const narrow[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(narrow);
    static fur_body *const widen[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(widen);
    bool wide = from->value_type == amg->value;
    if (fur_is_remote(amg->context))
        return convert_far(from, factor, to, wide);
    fur_parallel(&amg->context->env, from->size / ENTRY_GRAIN, from->size,
                 (wide ? widen : narrow)[amg->value], &(cast){from->data, to->data, factor});
    return FUR_OK;
}

/* Runs one cycle in single precision, for b divided by its norm. */
static fur_status apply_single(const fur_amg *amg, const fur_vector *b, fur_vector *x)
{
    const fur_amg_rung *g = &amg->rung[0];
    double norm;
    FUR_TRY(fur_norm2(b, &norm));
    if (!(norm > 0 && 1 / norm > 0 && 1 / norm < HUGE_VAL))
        return fur_axpby(fur_real(1), b, fur_real(0), x);
    FUR_TRY(convert(amg, b, 1 / norm, g->r));
    FUR_TRY(fur_amg_visit(amg, 0, g->x));
    return convert(amg, g->x, norm, x);
}

fur_status fur_amg_apply(fur_amg *amg, const fur_vector *b, fur_vector *x)
{
    FUR_NEED(amg ? amg->context : NULL, amg, b, x);
    FUR_TRY(fur_dependent_check(&amg->context->env, &amg->dependent));
    int64_t rows = amg->parts ? amg->rung[0].r->size : amg->a->view.rows;
    FUR_TRY(fur_csr_check_vector(amg->a, "b", b, rows));
    FUR_TRY(fur_csr_check_vector(amg->a, "x", x, rows));
    FUR_TRY(fur_vector_check_apart(b, "b", x, "x"));
    if (amg->value != amg->a->view.value_type)
        return apply_single(amg, b, x);
    FUR_TRY(fur_vector_copy(b, amg->rung[0].r));
    return fur_amg_visit(amg, 0, x);
}

static fur_status apply(void *user, const fur_vector *b, fur_vector *x)
{
    return fur_amg_apply(user, b, x);
}

fur_status fur_operator_from_amg(fur_amg *amg, fur_operator **out)
{
    FUR_NEED(amg ? amg->context : NULL, amg, out);
    FUR_TRY(fur_dependent_check(&amg->context->env, &amg->dependent));
    const fur_csr_view *a = &amg->a->view;
    fur_operator_definition definition = {
        .size = sizeof definition,
        .rows = amg->parts ? amg->rung[0].r->size : a->rows,
        .cols = amg->parts ? amg->rung[0].r->size : a->cols,
        .value_type = a->value_type,
        .user = amg,
        .apply = apply,
    };
    fur_dependent dependent = {"the operator of a multigrid", NULL, NULL, .reads = true};
    return fur_operator_derive(amg->context, &definition, &dependent, &amg->dependent.made, out);
}
#else

/* Converts between VALUE and the double precision type of its kind. */
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
