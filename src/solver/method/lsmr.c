/* LSMR (Fong and Saunders 2011): MINRES on the normal equations, by two QR factorisations of Golub
 * and Kahan's bidiagonal matrix. ||A^H r|| falls from step to step. Names with bar and tilde are
 * the names of the paper's section 5, which has the recurrence for the norm of the residual.
 *
 * Vector transfers an iteration in addition to the products: u 5 of rows entries; v 5, h_bar 3, x
 * update 3, h 3 of cols entries. M adds v's norms 2 and p's scale 2. */
#include "least_squares.h"

#include "env.h"

#include <math.h>

/* Both factorisations up to the last column. Entries of A are in units of 1 / v.unit. */
typedef struct lsmr {
    fur_bidiagonal v;
    fur_vector *h;
    fur_vector *h_bar;
    double alpha_bar;
    double rho;
    double rho_bar;
    double c_bar;
    double s_bar;
    double zeta;
    double zeta_bar; /* ||M A^H r|| up to its sign */
    fur_triangle triangle;
    double x_norm;
    struct {
        double beta;   /* part of the first u that is not yet rotated into R */
        double damped; /* damped part of the residual, squared */
        double beta_dot;
        double rho_dot;
        double tau;
        double theta;
        double norm; /* ||r|| with its damped part */
    } r;
} lsmr;

/* ||r|| from the rotations of the step: `damping`, and `turn`, which rotates beta into R. theta_bar
 * and zeta_before come from the step. rho_bar and zeta are already new. */
static void take_residual(lsmr *f, fur_rotation damping, fur_rotation turn, double theta_bar,
                          double zeta_before)
{
    double beta_check = -damping.s * f->r.beta;
    double beta_acute = damping.c * f->r.beta;
    double beta_hat = turn.c * beta_acute;
    f->r.beta = -turn.s * beta_acute;

    fur_rotation tilde = fur_rotation_of(f->r.rho_dot, theta_bar);
    double theta_before = f->r.theta;
    f->r.theta = tilde.s * f->rho_bar;
    f->r.rho_dot = tilde.c * f->rho_bar;
    f->r.beta_dot = -tilde.s * f->r.beta_dot + tilde.c * beta_hat;
    f->r.tau = (zeta_before - theta_before * f->r.tau) / tilde.length;

    double tau_dot = (f->zeta - f->r.theta * f->r.tau) / f->r.rho_dot;
    double gap = f->r.beta_dot - tau_dot;
    f->r.damped += beta_check * beta_check;
    f->r.norm = sqrt(f->r.damped + gap * gap + f->r.beta * f->r.beta);
}

static bool is_over(fur_pass *s, const lsmr *f, int64_t iteration)
{
    double square = f->r.norm * f->r.norm;
    double plain = fur_least_squares_undamped(s, f->r.norm, square, f->x_norm);
    double share = fabs(f->zeta_bar) * (f->v.t_norm / (s->norm * f->v.unit));
    return fur_least_squares_is_over(s, iteration, plain, f->r.norm, share);
}

/* h_bar = h - shrink h_bar; x += zeta / (rho rho_bar) h_bar; h = p - theta / rho h */
static fur_status update(fur_pass *s, lsmr *f, double shrink, double theta)
{
    double advance = f->zeta / (f->rho * f->rho_bar) * f->v.unit;
    FUR_TRY(fur_axpby(fur_real(1), f->h, fur_real(-shrink), f->h_bar));
    FUR_TRY(fur_axpy_norm2(fur_real(advance), f->h_bar, s->x, &f->x_norm));
    return fur_axpby(fur_real(1), f->v.p, fur_real(-theta / f->rho), f->h);
}

/* Adds the next column of the bidiagonal matrix, and updates x. */
static fur_status step(fur_pass *s, lsmr *f)
{
    FUR_TRY(fur_bidiagonal_step(s, &f->v));
    double alpha = f->v.alpha * f->v.unit;
    fur_rotation damping = fur_rotation_of(f->alpha_bar, s->options->damp * f->v.unit);
    fur_rotation turn = fur_rotation_of(damping.length, f->v.beta * f->v.unit);
    double theta = turn.s * alpha;
    f->alpha_bar = turn.c * alpha;

    double theta_bar = f->s_bar * turn.length;
    double shrink = theta_bar * turn.length / (f->rho * f->rho_bar);
    double zeta_before = f->zeta;
    fur_rotation bar = fur_rotation_of(f->c_bar * turn.length, theta);
    f->rho = turn.length;
    f->rho_bar = bar.length;
    f->c_bar = bar.c;
    f->s_bar = bar.s;
    f->zeta = bar.c * f->zeta_bar;
    f->zeta_bar *= -bar.s;
    fur_triangle_add(&f->triangle, turn.length, theta);
    take_residual(f, damping, turn, theta_bar, zeta_before);
    if (!(f->v.alpha + f->v.beta < HUGE_VAL)) {
        f->r.norm = NAN; /* x is unchanged */
        return FUR_OK;
    }
    return update(s, f, shrink, theta);
}

static fur_status run(fur_pass *s)
{
    lsmr f = {.h = s->work[FUR_BIDIAGONAL_WORK],
              .h_bar = s->work[FUR_BIDIAGONAL_WORK + 1],
              .rho = 1,
              .rho_bar = 1,
              .c_bar = 1,
              .triangle = fur_triangle_of(s),
              .r.rho_dot = 1};
    int64_t iteration = s->iterations;
    bool over;
    FUR_TRY(fur_bidiagonal_start(s, &f.v, &over));
    if (over)
        return FUR_OK;
    FUR_TRY(fur_vector_copy(f.v.p, f.h));
    FUR_TRY(fur_vector_fill(f.h_bar, fur_real(0)));
    f.alpha_bar = f.v.alpha * f.v.unit;
    f.zeta_bar = f.alpha_bar * f.v.beta;
    f.r.beta = f.v.beta;
    while (!over) {
        FUR_TRY(step(s, &f));
        over = is_over(s, &f, ++iteration);
    }
    fur_triangle_take_condition(&f.triangle, s);
    s->bytes = fur_least_squares_bytes(s, 5, s->preconditioner ? 18 : 14);
    return FUR_OK;
}

extern const fur_method fur_method_lsmr;
const fur_method fur_method_lsmr = {
    .info =
        {"lsmr",
         "as lsqr, but ||A^H r|| decreases monotonically: ends earlier if b is not in the range",
         "Fong and Saunders 2011"},
    .kind = FUR_METHOD_LEAST_SQUARES,
    .workspace = FUR_BIDIAGONAL_WORK + 2,
    .range_workspace = 1,
    .scratch = fur_triangle_scratch,
    .run = run,
};
