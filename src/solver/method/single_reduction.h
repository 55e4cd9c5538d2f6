/* Conjugate gradients with one gather an iteration: what its products give, for methods that carry
 * A p along by a recursion and so need no product with it.
 *
 * With gamma = r.u, u = M r, and delta = u.A u the step is gamma / (delta - beta gamma / alpha'),
 * beta = gamma / gamma', where primes are of the iteration before (Chronopoulos and Gear 1989). */
#ifndef FURROW_METHOD_SINGLE_REDUCTION_H
#define FURROW_METHOD_SINGLE_REDUCTION_H

#include "course.h"
#include "number.h"
#include "solver.h"

#include "core.h"

typedef struct fur_single {
    fur_solve *solve;
    fur_course course;
    double norm; /* ||r|| */
    double gamma;
    double gamma_old; /* 0: there is no direction yet */
    double delta;
    double product; /* p.A p */
    double alpha;
    double beta;
} fur_single;

static inline fur_single fur_single_begin(fur_solve *solve)
{
    return (fur_single){.solve = solve, .course = fur_course_begin(solve)};
}

/* A host's number as coefficient. */
static inline fur_coefficient fur_single_real(double factor)
{
    return (fur_coefficient){.factor = fur_real(factor)};
}

/* r.u, u.w and ||r|| in one gather; u is r where there is no preconditioner. w = A u. */
static inline fur_status fur_single_reduce(fur_single *m, const fur_vector *r, const fur_vector *u,
                                           const fur_vector *w)
{
    const fur_vector *left[] = {r, w, r};
    const fur_vector *right[] = {r, u, u};
    fur_scalar products[3];
    m->gamma_old = m->gamma;
    FUR_TRY(fur_dot_pairs(u == r ? 2 : 3, left, right, products));
    m->gamma = products[u == r ? 0 : 2].re;
    m->delta = products[1].re;
    return fur_norm_from(r, products[0], &m->norm);
}

/* The next coefficients, alpha of p.A p as the recursion has it. */
static inline void fur_single_take_coefficients(fur_single *m)
{
    m->beta = m->gamma_old > 0 ? m->gamma / m->gamma_old : 0;
    m->product = m->gamma_old > 0 ? m->delta - m->beta * m->gamma / m->alpha : m->delta;
    m->alpha = m->gamma / m->product;
}

/* With the new p, and s = A p: alpha of the product itself where rounding, or A, has made that of
 * the recursion no positive one. Whether the method ends, and its outcome. */
static inline fur_status fur_single_check(fur_single *m, const fur_vector *p, const fur_vector *s,
                                          bool *over)
{
    fur_scalar product = fur_real(m->product);
    if (m->product <= 0)
        FUR_TRY(fur_dot(p, s, &product));
    m->alpha = m->gamma / product.re;
    *over = true;
    if (m->gamma < 0 && fabs(m->gamma) < HUGE_VAL)
        m->solve->outcome = FUR_OUTCOME_INDEFINITE_PRECONDITIONER;
    else if (product.re <= 0)
        m->solve->outcome = FUR_OUTCOME_INDEFINITE;
    else if (!(m->gamma > 0) || !(fabs(m->alpha) < HUGE_VAL) || !(product.re < HUGE_VAL))
        m->solve->outcome = FUR_OUTCOME_BREAKDOWN;
    else
        *over = false;
    return FUR_OK;
}

/* x += the last alpha p, where there was one, and the next p = u + beta p */
static inline fur_status fur_single_turn(const fur_single *m, double last, const fur_vector *u,
                                         fur_vector *p)
{
    if (m->gamma_old > 0)
        return fur_axpy_direction(fur_single_real(last), fur_single_real(m->beta), NULL,
                                  fur_real(1), u, p, m->solve->x);
    return fur_vector_copy(u, p);
}

/* Whether the pass is over after its iteration with that ||r||. */
static inline bool fur_single_is_over(fur_single *m, int64_t before, int64_t iteration)
{
    return fur_solve_is_over(m->solve, before + iteration, m->norm) ||
           fur_course_is_lost(&m->course, m->solve, iteration);
}

#endif
