/* LSQR (Paige and Saunders 1982): conjugate gradients on the normal equations, by the QR
 * factorisation of Golub and Kahan's bidiagonal matrix. For a damped problem, damp is rotated into
 * it row by row.
 *
 * Vector transfers an iteration in addition to the products: u 5 of rows entries; v 5, x update 3,
 * w update 3 of cols entries. M adds v's norms 2 and p's scale 2. */
#include "least_squares.h"

#include "env.h"

#include <math.h>

/* The factorisation up to the last column. Entries of A are in units of 1 / v.unit. */
typedef struct lsqr {
    fur_bidiagonal v;
    fur_vector *w;  /* direction of x */
    double rho_bar; /* the last diagonal entry, before beta is rotated into it */
    double phi_bar; /* ||r|| up to its sign, without the damped part */
    double damped;  /* damped part of the residual, squared */
    fur_triangle r;
    double x_norm;
} lsqr;

static bool is_over(fur_pass *s, const lsqr *f, int64_t iteration)
{
    double square = f->phi_bar * f->phi_bar + f->damped;
    double plain = fur_least_squares_undamped(s, fabs(f->phi_bar), square, f->x_norm);
    double share = fabs(f->phi_bar * f->rho_bar) * (f->v.t_norm / (s->norm * f->v.unit));
    return fur_least_squares_is_over(s, iteration, plain, sqrt(square), share);
}

/* x += phi / rho w; w = p - theta / rho w */
static fur_status update(fur_pass *s, lsqr *f, double phi, double theta, double rho)
{
    FUR_TRY(fur_axpy_norm2(fur_real(phi / rho * f->v.unit), f->w, s->x, &f->x_norm));
    return fur_axpby(fur_real(1), f->v.p, fur_real(-theta / rho), f->w);
}

/* Adds the next column of the bidiagonal matrix, and updates x. */
static fur_status step(fur_pass *s, lsqr *f)
{
    FUR_TRY(fur_bidiagonal_step(s, &f->v));
    double alpha = f->v.alpha * f->v.unit;
    fur_rotation damping = fur_rotation_of(f->rho_bar, s->options->damp * f->v.unit);
    fur_rotation turn = fur_rotation_of(damping.length, f->v.beta * f->v.unit);
    double psi = damping.s * f->phi_bar;
    double phi = turn.c * damping.c * f->phi_bar;
    f->damped += psi * psi;
    f->phi_bar *= damping.c * turn.s;
    f->rho_bar = -turn.c * alpha;
    fur_triangle_add(&f->r, turn.length, turn.s * alpha);
    if (!(f->v.alpha + f->v.beta < HUGE_VAL)) {
        f->phi_bar = NAN; /* x is unchanged */
        return FUR_OK;
    }
    return update(s, f, phi, turn.s * alpha, turn.length);
}

static fur_status run(fur_pass *s)
{
    lsqr f = {.w = s->work[FUR_BIDIAGONAL_WORK], .r = fur_triangle_of(s)};
    int64_t iteration = s->iterations;
    bool over;
    FUR_TRY(fur_bidiagonal_start(s, &f.v, &over));
    if (over)
        return FUR_OK;
    FUR_TRY(fur_vector_copy(f.v.p, f.w));
    f.rho_bar = f.v.alpha * f.v.unit;
    f.phi_bar = f.v.beta;
    while (!over) {
        FUR_TRY(step(s, &f));
        over = is_over(s, &f, ++iteration);
    }
    fur_triangle_take_condition(&f.r, s);
    s->bytes = fur_least_squares_bytes(s, 5, s->preconditioner ? 15 : 11);
    return FUR_OK;
}

extern const fur_method fur_method_lsqr;
const fur_method fur_method_lsqr = {
    .info = {"lsqr", "least squares min ||b - A x||, with damping; any shape and rank; needs A^H",
             "Paige and Saunders 1982"},
    .kind = FUR_METHOD_LEAST_SQUARES,
    .workspace = FUR_BIDIAGONAL_WORK + 1,
    .range_workspace = 1,
    .scratch = fur_triangle_scratch,
    .run = run,
};
