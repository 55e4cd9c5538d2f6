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

#    define ROW_GRAIN 4096
/* Steps of conjugate gradients. Their coefficients give the largest eigenvalue from below, within a
 * few per cent (Saad 2003, section 6.7.3). EIGENVALUE_MARGIN compensates for this. */
#    define EIGENVALUE_STEPS 8
#    define EIGENVALUE_MARGIN 1.1
/* The polynomial is small on this part of the spectrum. */
#    define SPECTRUM_RATIO 10
/* The polynomial is 1 at 0. Its modulus is also 1 at 1 + 1 / SPECTRUM_RATIO times the upper end of
 * this part. Up to BEARABLE times the upper end the smoother is a contraction. */
#    define BEARABLE 1.08

typedef struct scan {
    const fur_csr_view *a;
    bool sums; /* scale by the sums of moduli of rows instead of the diagonal */
    void *scaling;
    fur_shared gershgorin; /* magnitude bits of the largest radius */
} scan;

#    define FUR_TEMPLATE "modulus_template.h"
#    include "foreach_value.h"
#    undef FUR_TEMPLATE
#    define FUR_TEMPLATE "smoother.c"
#    include "foreach_value.h"

/* Slots of amg->scalars. The values of both are kept. They halt if a value is not positive. */
enum { PRODUCT, CURVATURE, SLOTS };

fur_status fur_amg_make_scalars(fur_amg *amg)
{
    FUR_TRY(fur_scalars_create(amg->context, &amg->scalars));
    return fur_scalars_keep(amg->scalars, SLOTS, EIGENVALUE_STEPS + 1);
}

/* Queues one step of conjugate gradients with D^-1 on A y = r. The level's x holds products. */
static fur_status queue_step(fur_scalars *s, const fur_amg_rung *rung)
{
    const fur_coefficient one = {.factor = fur_real(1)};
    const fur_coefficient alpha = {fur_real(-1), s, PRODUCT, CURVATURE};
    const fur_coefficient beta = {fur_real(1), s, PRODUCT, FUR_PREVIOUS(PRODUCT)};
    FUR_TRY(fur_amg_multiply(&rung->times_a, 1, rung->p, false, rung->x));
    FUR_TRY(fur_dot_into(rung->p, rung->x, s, CURVATURE));
    FUR_TRY(fur_axpby_from(alpha, rung->x, one, rung->r));
    FUR_TRY(fur_multiply_elementwise(rung->scaling, rung->r, rung->x));
    FUR_TRY(fur_dot_into(rung->r, rung->x, s, PRODUCT));
    return fur_axpby_from(one, rung->x, beta, rung->p);
}

/* Queues all steps. No step waits for the host. */
static fur_status queue_steps(fur_scalars *s, const fur_amg_rung *rung)
{
    fur_scalars_state start = fur_scalars_initial();
    start.floor[PRODUCT] = 0;
    start.floor[CURVATURE] = 0;
    FUR_TRY(fur_scalars_set(s, &start));
    FUR_TRY(fur_vector_fill_hashed(rung->r, 0));
    FUR_TRY(fur_multiply_elementwise(rung->scaling, rung->r, rung->p));
    FUR_TRY(fur_dot_into(rung->r, rung->p, s, PRODUCT));
    for (int k = 0; k < EIGENVALUE_STEPS; k++)
        FUR_TRY(queue_step(s, rung));
    return FUR_OK;
}

/* Returns the largest eigenvalue of the tridiagonal matrix T of `steps` steps, or 0 if A is not
 * positive definite. */
static double find_largest(int64_t steps, int64_t products, const double *product,
                           const double *curvature)
{
    double diagonal[EIGENVALUE_STEPS];
    double beside[EIGENVALUE_STEPS];
    double past = 0; /* beta / alpha of the previous step */
    bool more = true;
    int n = 0;
    while (more && n < steps) {
        double alpha = product[n] / curvature[n];
        double beta = n + 1 < products ? product[n + 1] / product[n] : 0;
        if (!(curvature[n] > 0 && alpha > 0 && alpha < HUGE_VAL))
            return 0;
        more = beta > 1e-12 && beta < HUGE_VAL;
        diagonal[n] = 1 / alpha + past;
        beside[n] = more ? sqrt(beta) / alpha : 0;
        past = beta / alpha;
        n++;
    }
    return n > 0 ? fur_tridiagonal_eigenvalue(n, diagonal, beside, n - 1, 1e-3) : 0;
}

/* Estimates the largest eigenvalue of D^-1 A, at most Gershgorin's bound. It is this bound if A is
 * not positive definite. */
static fur_status estimate(fur_scalars *s, fur_amg_rung *rung)
{
    double product[EIGENVALUE_STEPS + 1];
    double curvature[EIGENVALUE_STEPS];
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    fur_amg_level *level = &rung->level;
    FUR_TRY(queue_steps(s, rung));
    FUR_TRY(fur_scalars_get(s, &state));
    int64_t steps = state.stores[CURVATURE];
    int64_t products = state.stores[PRODUCT];
    FUR_TRY(fur_scalars_kept(s, PRODUCT, products, product));
    FUR_TRY(fur_scalars_kept(s, CURVATURE, steps, curvature));
    double largest = find_largest(steps, products, product, curvature);
    if (largest > 0) {
        level->largest = fmin(level->gershgorin, EIGENVALUE_MARGIN * largest);
        rung->radius = fmin(level->gershgorin, largest);
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

fur_status fur_amg_scan_rows(const fur_csr *a, bool sums, fur_vector *scaling, double *gershgorin)
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
    bool jacobi = amg->smoother == FUR_AMG_JACOBI;
    FUR_TRY(fur_amg_scan_rows(level->a, jacobi, rung->scaling, &level->gershgorin));
    level->largest = level->gershgorin;
    rung->radius = level->gershgorin;
    if (!(level->gershgorin < HUGE_VAL))
        return fur_env_fail(env, FUR_INVALID,
                            "level %d of multigrid has an entry that is not finite, or too large "
                            "compared with its diagonal entry; scale the matrix",
                            (int)(rung - amg->rung));
    rung->sweeps.count = amg->options.sweeps;
    if (!jacobi && !amg->options.nonsymmetric)
        FUR_TRY(estimate(amg->scalars, rung));
    if (amg->smoother == FUR_AMG_CHEBYSHEV && level->largest > 0) {
        FUR_TRY(fur_amg_damp(rung, BEARABLE * level->largest));
        set_chebyshev(level->largest, &rung->sweeps);
    } else
        set_sweeps(&rung->sweeps);
    if (amg->smoother != FUR_AMG_GAUSS_SEIDEL)
        return FUR_OK;
    return rung->coloured.upper ? fur_amg_refresh_coloured(rung) : fur_amg_plan_coloured(rung);
}
#else

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
