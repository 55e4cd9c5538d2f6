/* The smoother of a level: its diagonal, the largest eigenvalue of D^-1 A, the coefficients of its
 * sweeps. */
#ifndef FUR_TEMPLATE
#    include "hierarchy.h"
#    include "atomic.h"
#    include "hashed.h"
#    include "magnitude.h"
#    include "scalar.h"
#    include "table.h"
#    include "tridiagonal.h"

#    include <furrow/reduce.h>

#    define ROW_GRAIN 4096
/* Steps of conjugate gradients, whose coefficients tell the largest eigenvalue from below, within
 * some per cent (Saad 2003, section 6.7.3); the factor that makes up for it. */
#    define EIGENVALUE_STEPS 8
#    define EIGENVALUE_MARGIN 1.1
/* The polynomial is small on this part of the spectrum. */
#    define SPECTRUM_RATIO 10

typedef struct scan {
    const fur_csr_view *a;
    bool sums; /* scale by the moduli of rows in place of the diagonal */
    void *scaling;
    fur_shared gershgorin; /* magnitude bits of the largest radius */
} scan;

#    define FUR_TEMPLATE "smoother.c"
#    include "foreach_value.h"

/* One step of conjugate gradients with D^-1 on A y = r. The level's x holds products. False where
 * the numbers end. */
static fur_status step(fur_amg_rung *rung, double *product, double *alpha, double *beta, bool *more)
{
    fur_scalar curvature;
    fur_scalar next;
    *more = false;
    FUR_TRY(fur_spmv_apply(rung->times_a, fur_real(1), rung->p, fur_real(0), rung->x));
    FUR_TRY(fur_dot(rung->p, rung->x, &curvature));
    *alpha = *product / curvature.re;
    if (!(curvature.re > 0 && *alpha > 0 && *alpha < HUGE_VAL))
        return FUR_OK;
    FUR_TRY(fur_axpby(fur_real(-*alpha), rung->x, fur_real(1), rung->r));
    FUR_TRY(fur_multiply_elementwise(rung->scaling, rung->r, rung->x));
    FUR_TRY(fur_dot(rung->r, rung->x, &next));
    *beta = next.re / *product;
    *product = next.re;
    *more = *beta > 1e-12 && *beta < HUGE_VAL;
    return fur_axpby(fur_real(1), rung->x, fur_real(*beta), rung->p);
}

/* The largest eigenvalue of D^-1 A, at most Gershgorin's bound; that where A is not positive
 * definite. */
static fur_status estimate(fur_amg_rung *rung)
{
    double diagonal[EIGENVALUE_STEPS];
    double beside[EIGENVALUE_STEPS];
    double alpha = 0;
    double beta = 0;
    double past = 0; /* beta / alpha of the step before */
    fur_scalar product;
    bool more = true;
    int steps = 0;
    fur_amg_level *level = &rung->level;
    level->largest = level->gershgorin;
    FUR_TRY(fur_vector_fill_hashed(rung->r, 0));
    FUR_TRY(fur_multiply_elementwise(rung->scaling, rung->r, rung->p));
    FUR_TRY(fur_dot(rung->r, rung->p, &product));
    more = product.re > 0 && product.re < HUGE_VAL;
    while (more && steps < EIGENVALUE_STEPS) {
        FUR_TRY(step(rung, &product.re, &alpha, &beta, &more));
        if (!(alpha > 0 && alpha < HUGE_VAL))
            return FUR_OK;
        diagonal[steps] = 1 / alpha + past;
        beside[steps] = more ? sqrt(beta) / alpha : 0;
        past = beta / alpha;
        steps++;
    }
    if (steps > 0) {
        double largest = fur_tridiagonal_eigenvalue(steps, diagonal, beside, steps - 1, 1e-3);
        level->largest = fmin(level->gershgorin, EIGENVALUE_MARGIN * largest);
    }
    return FUR_OK;
}

/* Chebyshev's iteration (Saad 2003, algorithm 12.1) in the form of conjugate gradients. */
static void set_chebyshev(double high, fur_amg_sweeps *s)
{
    double centre = (high + high / SPECTRUM_RATIO) / 2;
    double radius = (high - high / SPECTRUM_RATIO) / 2;
    s->alpha[0] = 1 / centre;
    s->beta[0] = 0;
    for (int k = 1; k < s->count; k++) {
        double half = radius * s->alpha[k - 1] / 2;
        s->beta[k] = k == 1 ? 2 * half * half : half * half;
        s->alpha[k] = 1 / (centre - s->beta[k] / s->alpha[k - 1]);
    }
}

static void set_sweeps(fur_amg_sweeps *s)
{
    for (int k = 0; k < s->count; k++) {
        s->alpha[k] = 1;
        s->beta[k] = 0;
    }
}

/* M, and the largest radius of Gershgorin. */
static fur_status scan_matrix(const fur_csr *a, bool sums, fur_vector *scaling, double *gershgorin)
{
    static fur_body *const scan_rows[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(scan_rows);
    fur_env *env = &a->context->env;
    const fur_csr_view *v = &a->view;
    scan s = {v, sums, scaling->data, 0};
    if (fur_is_remote(a->context))
        return fur_amg_device(a->context)->scan_rows(env, v, sums, scaling->data, gershgorin);
    fur_parallel(env, v->rows / ROW_GRAIN, v->rows, scan_rows[v->value_type], &s);
    *gershgorin = fur_magnitude_from(s.gershgorin);
    return FUR_OK;
}

fur_status fur_amg_set_smoother(const fur_amg *amg, fur_amg_rung *rung)
{
    fur_env *env = &amg->context->env;
    fur_amg_level *level = &rung->level;
    bool jacobi = strcmp(amg->report.smoother, "jacobi") == 0;
    FUR_TRY(scan_matrix(level->a, jacobi, rung->scaling, &level->gershgorin));
    level->largest = level->gershgorin;
    if (!(level->gershgorin < HUGE_VAL))
        return fur_env_fail(env, FUR_INVALID,
                            "multigrid cannot use a matrix with an entry that is not finite, or "
                            "too large beside its diagonal, on level %d",
                            (int)(rung - amg->rung));
    rung->sweeps.count = amg->options.sweeps;
    if (!jacobi)
        FUR_TRY(estimate(rung));
    if (jacobi || !(level->largest > 0))
        set_sweeps(&rung->sweeps);
    else
        set_chebyshev(level->largest, &rung->sweeps);
    return FUR_OK;
}
#else

static double FN(modulus)(VALUE a)
{
#    if COMPLEX
    return fur_magnitude(a.re, a.im);
#    else
    return fabs((double)a);
#    endif
}

/* 1 / d, or 1 / sum: 0 for a row without a diagonal. */
static VALUE FN(scale)(VALUE d, double modulus, double sum, bool sums)
{
    if (modulus == 0)
        return V(from)((fur_scalar){0, 0});
    if (sums)
        return V(from)(fur_real(1 / sum));
#    if COMPLEX
    return V(from)(
        (fur_scalar){(double)d.re / modulus / modulus, -(double)d.im / modulus / modulus});
#    else
    return 1 / d;
#    endif
}

static void FN(scan_rows)(void *job, int64_t begin, int64_t end)
{
    scan *s = job;
    const VALUE *values = s->a->values;
    VALUE *scaling = s->scaling;
    int64_t largest = 0;
    for (int64_t i = begin; i < end; i++) {
        const int64_t stop = fur_offset_at(s->a, i + 1);
        VALUE d = V(from)((fur_scalar){0, 0});
        double sum = 0;
        for (int64_t k = fur_offset_at(s->a, i); k < stop; k++) {
            sum += FN(modulus)(values[k]);
            if (s->a->columns[k] == i)
                d = V(add)(d, values[k]);
        }
        double modulus = FN(modulus)(d);
        double radius = modulus == 0 ? (sum < HUGE_VAL ? 0 : sum) : sum / modulus;
        int64_t bits = fur_magnitude_bits(radius);
        largest = bits > largest ? bits : largest;
        scaling[i] = FN(scale)(d, modulus, sum, s->sums);
    }
    fur_shared_largest(&s->gershgorin, largest);
}

#endif
