/* Chebyshev's semi-iteration (Golub and Varga 1961), in the form of Saad, Iterative Methods for
 * Sparse Linear Systems, 2003, algorithm 12.1, on M A. A few steps of Lanczos from the residual
 * give bounds of the spectrum. If the residual falls more slowly than the bounds predict, or grows,
 * an eigenvalue lies outside the bounds. The residual then consists mostly of its eigenvector.
 * Lanczos starts again from this residual and widens the bounds (Manteuffel 1978). Iterations
 * between these steps need no dot product.
 *
 * Vector transfers an iteration in addition to A d and M r: x update 3, r update with its norm 3, d
 * update 3. An estimate is LANCZOS_STEPS products. */
#include "solver.h"

#include "env.h"
#include "tridiagonal.h"

#include <math.h>

/* A Ritz value that is negative by at most this number of epsilon, relative to the largest, is
 * rounding. */
#define ROUNDING 64

#define LANCZOS_STEPS 20
#define TOLERANCE 1e-3

/* Factors that make bounds of the largest and the smallest eigenvalue that Lanczos finds. */
#define ABOVE 1.05
#define BELOW 0.9

/* The residual may exceed the prediction by this factor, because M A is not normal in the norm that
 * is used. The factor grows each time Lanczos finds no wider bounds. */
#define SLACK 10

typedef struct chebyshev {
    fur_vector *r;
    fur_vector *z;      /* M r, or r itself if M is NULL */
    fur_vector *d;      /* direction */
    fur_vector *q;      /* A d */
    fur_vector *before; /* for Lanczos, which also uses the other vectors */
    double low;         /* bounds of the spectrum */
    double high;
    double first; /* ||r|| at the start of a cycle */
    double rho;
    double rate;  /* asymptotic reduction of the residual */
    double power; /* rate^iterations */
    double slack;
} chebyshev;

/* Divides the Lanczos vector v by its norm in M, and also M v. *norm is 0 if it may be only
 * rounding, and -1 if M is not positive definite. */
static fur_status normalise(fur_pass *s, double rounding, fur_vector *v, fur_vector *mv,
                            double *norm)
{
    fur_scalar square;
    if (s->preconditioner)
        FUR_TRY(fur_pass_precondition(s, v, mv));
    FUR_TRY(fur_dot(v, mv, &square));
    *norm = square.re < 0 ? -1 : sqrt(square.re);
    if (fabs(square.re) <= rounding * rounding)
        *norm = 0;
    if (!(*norm > 0 && *norm < HUGE_VAL))
        return FUR_OK;
    FUR_TRY(fur_vector_scale(v, fur_real(1 / *norm)));
    return s->preconditioner ? fur_vector_scale(mv, fur_real(1 / *norm)) : FUR_OK;
}

/* The tridiagonal matrix of M A, starting from r, and its size *steps. *steps is 0 if M is not
 * positive definite, an entry is not finite, or r.Mr = 0. The outcome is then set. */
static fur_status lanczos(fur_pass *s, const chebyshev *c, double *diagonal, double *beside,
                          int *steps)
{
    fur_vector *v = c->d;
    fur_vector *before = c->before;
    fur_vector *next = c->q;
    double norm;
    *steps = 0;
    FUR_TRY(fur_vector_copy(c->r, v));
    FUR_TRY(fur_vector_fill(before, fur_real(0)));
    FUR_TRY(normalise(s, 0, v, s->preconditioner ? c->z : v, &norm));
    for (int k = 0; norm > 0 && norm < HUGE_VAL && k < LANCZOS_STEPS; k++) {
        fur_vector *mv = s->preconditioner ? c->z : v;
        fur_scalar dot;
        FUR_TRY(fur_pass_multiply(s, mv, next));
        FUR_TRY(fur_dot(mv, next, &dot));
        diagonal[k] = dot.re;
        FUR_TRY(fur_axpby(fur_real(-dot.re), v, fur_real(1), next));
        if (k > 0)
            FUR_TRY(fur_axpby(fur_real(-beside[k - 1]), before, fur_real(1), next));
        fur_vector *oldest = before;
        before = v;
        v = next;
        next = oldest;
        mv = s->preconditioner ? c->z : v;
        FUR_TRY(normalise(s, fur_pass_epsilon(s) * fabs(dot.re), v, mv, &norm));
        beside[k] = norm;
        *steps = k + 1;
    }
    if (norm < 0 || !(norm < HUGE_VAL) || *steps == 0) {
        s->outcome = norm < 0 ? FUR_OUTCOME_INDEFINITE_PRECONDITIONER : FUR_OUTCOME_BREAKDOWN;
        *steps = 0;
    }
    return FUR_OK;
}

/* Finds bounds by Lanczos, or wider bounds. If there are none, sets *over and the outcome. */
static fur_status take_bounds(fur_pass *s, chebyshev *c, bool *over)
{
    double diagonal[LANCZOS_STEPS];
    double beside[LANCZOS_STEPS];
    double least;
    double most;
    int steps;
    *over = true;
    FUR_TRY(lanczos(s, c, diagonal, beside, &steps));
    if (steps == 0)
        return FUR_OK;
    fur_tridiagonal_extremes(steps, diagonal, beside, TOLERANCE, &least, &most);
    if (!(least > 0 && most < HUGE_VAL)) {
        s->outcome = least <= 0 ? FUR_OUTCOME_INDEFINITE : FUR_OUTCOME_BREAKDOWN;
        s->proved = least < -ROUNDING * fur_pass_epsilon(s) * fmax(most, -least);
        return FUR_OK;
    }
    *over = false;
    if (BELOW * least >= c->low && ABOVE * most <= c->high)
        c->slack *= SLACK;
    c->low = fmin(c->low, BELOW * least);
    c->high = fmax(c->high, ABOVE * most);
    s->norm = fmax(s->norm, most);
    s->condition = fmax(s->condition, fur_condition_below(least, most, fur_pass_epsilon(s)));
    return FUR_OK;
}

/* The first direction of a cycle, z / theta. */
static fur_status begin(fur_pass *s, chebyshev *c, double residual)
{
    double theta = (c->high + c->low) / 2;
    double sigma = (c->high + c->low) / (c->high - c->low);
    c->first = residual;
    c->rho = 1 / sigma;
    c->rate = 1 / (sigma + sqrt(sigma * sigma - 1));
    c->power = 1;
    if (s->preconditioner)
        FUR_TRY(fur_pass_precondition(s, c->r, c->z));
    return fur_axpby(fur_real(1 / theta), c->z, fur_real(0), c->d);
}

/* x += d, r -= A d */
static fur_status step(fur_pass *s, chebyshev *c, double *residual)
{
    FUR_TRY(fur_pass_multiply(s, c->d, c->q));
    FUR_TRY(fur_axpby(fur_real(1), c->d, fur_real(1), s->x));
    c->power *= c->rate;
    return fur_axpy_norm2(fur_real(-1), c->q, c->r, residual);
}

/* The next direction, from M r and the last direction. */
static fur_status turn(fur_pass *s, chebyshev *c)
{
    double delta = (c->high - c->low) / 2;
    double sigma = (c->high + c->low) / (c->high - c->low);
    double rho = 1 / (2 * sigma - c->rho);
    double share = rho * c->rho;
    c->rho = rho;
    if (s->preconditioner)
        FUR_TRY(fur_pass_precondition(s, c->r, c->z));
    return fur_axpby(fur_real(2 * rho / delta), c->z, fur_real(share), c->d);
}

/* Returns whether the residual falls as Chebyshev polynomials predict for these bounds. */
static bool keeps_pace(const chebyshev *c, double residual)
{
    double foretold = 2 * c->power / (1 + c->power * c->power);
    return residual <= c->slack * foretold * c->first;
}

static fur_status run(fur_pass *s)
{
    chebyshev c = {.r = s->r,
                   .z = s->preconditioner ? s->work[2] : s->r,
                   .d = s->work[0],
                   .q = s->work[1],
                   .before = s->work[3],
                   .low = HUGE_VAL,
                   .slack = SLACK};
    int64_t iteration = s->iterations;
    double residual = s->residual;
    /* beyond this, the residual has lost all information */
    double most = residual / fur_pass_epsilon(s);
    bool over;
    FUR_TRY(take_bounds(s, &c, &over));
    if (over)
        return FUR_OK;
    FUR_TRY(begin(s, &c, residual));
    while (!over) {
        FUR_TRY(step(s, &c, &residual));
        over = fur_pass_is_over(s, ++iteration, residual);
        if (!over && residual > most) {
            s->outcome = FUR_OUTCOME_DIVERGED;
            over = true;
        }
        if (!over && keeps_pace(&c, residual)) {
            FUR_TRY(turn(s, &c));
        } else if (!over) {
            FUR_TRY(take_bounds(s, &c, &over));
            FUR_TRY(begin(s, &c, residual));
        }
    }
    s->bytes = fur_pass_bytes(s, 9);
    return FUR_OK;
}

extern const fur_method fur_method_chebyshev;
const fur_method fur_method_chebyshev = {
    .info = {"chebyshev",
             "Chebyshev's iteration with eigenvalue bounds from Lanczos, without dot products; for "
             "A and M symmetric (Hermitian) positive definite",
             "Golub and Varga 1961"},
    .kind = FUR_METHOD_SQUARE,
    .guarded = true,
    .workspace = 4,
    .run = run,
};
