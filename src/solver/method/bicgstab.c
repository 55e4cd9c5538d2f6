/* BiCGStab with a preconditioner on the right: van der Vorst, Bi-CGSTAB: a fast and smoothly
 * converging variant of Bi-CG for the solution of nonsymmetric linear systems, 1992.
 *
 * The method divides by two products with its shadow vector. These may vanish although the system
 * has a solution. The method then restarts from its residual, which becomes the shadow vector. If A
 * turns the residual by a right angle, the shadow vector becomes their sum. A product t.s that
 * vanishes does no harm (fur_residual_step).
 *
 * An iteration has 22 vector transfers in addition to the two products with A and M, which are 176
 * bytes a row in f64. They are p 6, dots with v 2, s with its norm 3, dots with t 2, x 4, r with
 * its norm 3, and the dot with the shadow vector 2. */
#include "course.h"
#include "complex_number.h"
#include "solver.h"

#include "env.h"

#define PASSES 22
/* The most restarts in a pass. */
#define MAX_RENEWALS 10
/* If the cosine of s and t is smaller than this, omega is enlarged. */
#define COSINE 1e-3

/* A solve, with the names of the literature. */
typedef struct bicgstab {
    fur_pass *pass;
    fur_course course;
    fur_vector *r;        /* the residual, and s = r - alpha v within an iteration */
    fur_vector *shadow;   /* r^ */
    fur_vector *p;        /* search direction */
    fur_vector *v;        /* A M p */
    fur_vector *t;        /* A M s */
    const fur_vector *mp; /* M p */
    fur_vector *spare_p;  /* for M p */
    fur_vector *spare_s;  /* for M s */
    double norm;          /* norm of r, or of s */
    double p_norm;
    double v_norm;
    double shadow_norm; /* norm of r^ */
    fur_scalar rho;     /* r^.r */
    fur_scalar alpha;
    fur_scalar omega;
    bool fresh; /* p equals r */
    int renewals;
} bicgstab;

static bool end(bicgstab *m, fur_outcome outcome)
{
    m->pass->outcome = outcome;
    return true;
}

/* Returns whether a product of the shadow vector with a vector of this norm is only rounding. */
static bool vanishes(const bicgstab *m, fur_scalar product, double norm)
{
    return fur_modulus(product) <= fur_pass_epsilon(m->pass) * m->shadow_norm * norm;
}

/* p = r^ = r */
static fur_status start(bicgstab *m)
{
    FUR_TRY(fur_vector_copy(m->r, m->shadow));
    FUR_TRY(fur_vector_copy(m->r, m->p));
    m->shadow_norm = m->norm;
    m->p_norm = m->norm;
    m->rho = fur_real(m->norm * m->norm);
    m->fresh = true;
    return FUR_OK;
}

/* Restarts, unless there have been too many restarts. */
static fur_status renew(bicgstab *m, bool *over)
{
    if (m->renewals++ < MAX_RENEWALS)
        return start(m);
    *over = end(m, FUR_OUTCOME_BREAKDOWN);
    return FUR_OK;
}

/* r^ = r + v ||r|| / ||v||, for orthogonal r and v. */
static fur_status tilt(bicgstab *m, fur_scalar *product)
{
    const fur_vector *with[] = {m->v, m->r};
    fur_scalar products[2];
    FUR_TRY(fur_axpy_norm2(fur_real(m->norm / m->v_norm), m->v, m->shadow, &m->shadow_norm));
    FUR_TRY(fur_dot_many(2, with, m->shadow, products));
    *product = fur_conjugate(products[0]);
    m->rho = fur_conjugate(products[1]);
    return FUR_OK;
}

/* v = A M p and alpha = rho / r^.v. If r^.v is 0, *lost is true and a restart is needed. */
static fur_status find_alpha(bicgstab *m, bool *lost, bool *over)
{
    fur_scalar products[2]; /* r^.v, v.v */
    const fur_vector *with[] = {m->shadow, m->v};
    FUR_TRY(fur_pass_preconditioned(m->pass, m->p, m->spare_p, &m->mp));
    FUR_TRY(fur_pass_multiply(m->pass, m->mp, m->v));
    FUR_TRY(fur_dot_many(2, with, m->v, products));
    FUR_TRY(fur_norm_from(m->v, products[1], &m->v_norm));
    *lost = vanishes(m, products[0], m->v_norm);
    if (*lost && m->fresh && m->v_norm > 0) {
        FUR_TRY(tilt(m, &products[0]));
        *lost = false;
    }
    m->alpha = fur_quotient(m->rho, products[0]);
    if (m->v_norm == 0)
        *over = end(m, FUR_OUTCOME_SINGULAR);
    else if (!*lost && !fur_is_finite(m->alpha))
        *over = end(m, FUR_OUTCOME_BREAKDOWN);
    return FUR_OK;
}

/* Both halves of an iteration: x += alpha M p + omega M s and r = s - omega t. If s is small
 * enough, the second half is skipped. */
static fur_status step(bicgstab *m, int64_t before, int64_t iteration, bool *over)
{
    fur_pass *s = m->pass;
    fur_scalar products[2] = {{0, 0}, {0, 0}}; /* s.t, t.t */
    const fur_vector *with[] = {m->r, m->t};
    const fur_vector *images[] = {m->mp, NULL};
    fur_course_step(&m->course, m->alpha, m->p_norm, m->v_norm);
    FUR_TRY(fur_axpy_norm2(fur_negative(m->alpha), m->v, m->r, &m->norm));
    double t_norm = 0;
    if (m->norm > s->target) {
        FUR_TRY(fur_pass_preconditioned(s, m->r, m->spare_s, &images[1]));
        FUR_TRY(fur_pass_multiply(s, images[1], m->t));
        FUR_TRY(fur_dot_many(2, with, m->t, products));
        FUR_TRY(fur_norm_from(m->t, products[1], &t_norm));
    }
    bool whole = t_norm > 0;
    if (whole) {
        m->omega = fur_residual_step(fur_conjugate(products[0]), t_norm, m->norm, COSINE);
        fur_course_step(&m->course, m->omega, m->norm, t_norm);
    }
    const fur_scalar steps[] = {m->alpha, m->omega};
    FUR_TRY(fur_axpy_many(whole ? 2 : 1, steps, images, s->x));
    if (whole)
        FUR_TRY(fur_axpy_norm2(fur_negative(m->omega), m->t, m->r, &m->norm));
    *over = fur_pass_is_over(s, before + iteration, m->norm) ||
            fur_course_is_lost(&m->course, s, iteration) ||
            (!whole && end(m, t_norm == 0 ? FUR_OUTCOME_SINGULAR : FUR_OUTCOME_BREAKDOWN));
    return FUR_OK;
}

/* p = r + beta (p - omega v) with beta = (r^.r / rho) (alpha / omega) */
static fur_status turn(bicgstab *m, bool *over)
{
    fur_scalar rho;
    FUR_TRY(fur_dot(m->shadow, m->r, &rho));
    if (vanishes(m, rho, m->norm))
        return renew(m, over);
    fur_scalar beta = fur_times(fur_quotient(rho, m->rho), fur_quotient(m->alpha, m->omega));
    m->rho = rho;
    m->fresh = false;
    FUR_TRY(fur_axpby(fur_real(1), m->r, beta, m->p));
    fur_scalar step = fur_negative(fur_times(beta, m->omega));
    return fur_axpy_norm2(step, m->v, m->p, &m->p_norm);
}

static fur_status run(fur_pass *s)
{
    bicgstab m = {.pass = s,
                  .course = fur_course_begin(s),
                  .r = s->r,
                  .shadow = s->work[0],
                  .p = s->work[1],
                  .v = s->work[2],
                  .t = s->work[3],
                  .spare_p = s->work[4],
                  .spare_s = s->work[5],
                  .norm = s->residual};
    int64_t before = s->iterations;
    bool over = false;
    s->bytes = fur_pass_bytes(s, PASSES);
    FUR_TRY(start(&m));
    for (int64_t iteration = 0; !over;) {
        bool lost;
        FUR_TRY(find_alpha(&m, &lost, &over));
        if (over)
            break;
        if (lost) {
            FUR_TRY(renew(&m, &over));
            continue;
        }
        FUR_TRY(step(&m, before, ++iteration, &over));
        if (!over)
            FUR_TRY(turn(&m, &over));
    }
    return FUR_OK;
}

extern const fur_method fur_method_bicgstab;
const fur_method fur_method_bicgstab = {
    .info = {"bicgstab", "BiCGStab, for any A with an inverse; little memory",
             "van der Vorst 1992"},
    .kind = FUR_METHOD_SQUARE,
    .guarded = true,
    .workspace = 6,
    .run = run,
};
