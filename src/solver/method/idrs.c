/* IDR(s) with a preconditioner on the right: Sonneveld and van Gijzen, IDR(s): a family of simple
 * and fast algorithms for solving large nonsymmetric systems of linear equations, 2008. This is the
 * form whose intermediate vectors are orthogonal to shadow vectors: van Gijzen and Sonneveld,
 * Algorithm 913, 2011.
 *
 * Residuals are forced into smaller and smaller spaces. s steps use directions u with g = A u,
 * where each g is orthogonal to more of the s shadow vectors p. One more step makes the residual
 * small, and takes it into the next space. The p are the same in every solve: hashed numbers,
 * orthonormalised. If p.g vanishes, the method leaves the space by a step of the second kind, and
 * begins again.
 *
 * A round of s + 1 iterations has these vector transfers, in addition to its products with A and M:
 *
 *   dots p.r                          s + 1
 *   each direction k = 0 .. s - 1:
 *     v, and u                        s - k + 4 each
 *     dots p.g                        s + 1
 *     g and u made orthogonal         2 (k + 2) if k > 0
 *     r with its norm                 3
 *     x with the norm of u            4
 *   the last step                     2 + 3 + 4
 *
 * The total is at most 3 s^2 + 22 s + 6. An iteration has 1 / (s + 1) of it. For s = 4 these are
 * 28, or 227 bytes a row in f64. */
#include "course.h"
#include "hashed.h"
#include "orthogonal.h"

/* The most restarts in a pass. */
#define MAX_RENEWALS 10
/* If the cosine of r and A M r is smaller than this, omega is enlarged. */
#define COSINE 0.7

/* A pass, with the names of the literature. */
typedef struct idrs {
    fur_pass *pass;
    fur_course course;
    int64_t before; /* iterations of earlier passes */
    int64_t iteration;
    int s;
    fur_vector *r;
    fur_vector **p; /* shadow vectors */
    fur_vector **g; /* A u */
    fur_vector **u; /* directions */
    fur_vector *v;
    fur_vector *spare;  /* for M v and M r */
    fur_scalar *m;      /* m(i, k) = p_i.g_k, by rows; the upper triangle is 0 */
    fur_scalar *f;      /* p.r */
    fur_scalar *c;      /* solution of m c = f, from which v follows */
    fur_scalar *column; /* p.g of a new g; coefficients of its orthogonalisation */
    fur_scalar omega;
    double norm; /* ||r|| */
    int renewals;
} idrs;

static int64_t scratch(int restart)
{
    return 2 * (int64_t)restart * (restart + 3);
}

/* --- the shadow vectors ----------------------------------------------------------------------- */

static fur_status prepare(const fur_solver *solver)
{
    fur_scalar *projections = (fur_scalar *)solver->scratch; /* for twice as many */
    fur_vector **p = solver->work;
    for (int k = 0; k < solver->options.restart; k++) {
        double norm;
        FUR_TRY(fur_vector_fill_hashed(p[k], (uint64_t)k << 40));
        FUR_TRY(fur_orthogonalise(k, p, p[k], projections, projections + k, &norm));
        if (norm > 0)
            FUR_TRY(fur_vector_scale(p[k], fur_real(1 / norm)));
    }
    return FUR_OK;
}

/* --- a pass ----------------------------------------------------------------------------------- */

static idrs layout(fur_pass *pass)
{
    int s = pass->options->restart;
    fur_scalar *scalars = (fur_scalar *)pass->scratch;
    idrs d = {.pass = pass, .course = fur_course_begin(pass), .before = pass->iterations};
    d.s = s;
    d.r = pass->r;
    d.norm = pass->residual;
    d.p = pass->work;
    d.g = d.p + s;
    d.u = d.g + s;
    d.v = pass->work[3 * s];
    d.spare = pass->work[3 * s + 1];
    d.m = scalars;
    d.f = d.m + s * s;
    d.c = d.f + s;
    d.column = d.c + s;
    return d;
}

static bool end(idrs *d, fur_outcome outcome)
{
    d->pass->outcome = outcome;
    return true;
}

/* Begins without directions: g = u = 0 and m = 1. */
static fur_status begin(idrs *d)
{
    for (int k = 0; k < d->s; k++) {
        FUR_TRY(fur_vector_fill(d->g[k], fur_real(0)));
        FUR_TRY(fur_vector_fill(d->u[k], fur_real(0)));
        for (int i = 0; i < d->s; i++)
            d->m[i * d->s + k] = fur_real(i == k);
    }
    d->omega = fur_real(1);
    return FUR_OK;
}

/* x += alpha u and r -= alpha g: one iteration. g_norm: 0 if it is not known. */
static fur_status step(idrs *d, fur_scalar alpha, const fur_vector *u, const fur_vector *g,
                       double g_norm, bool *over)
{
    double length;
    FUR_TRY(fur_norm2(u, &length));
    fur_course_step(&d->course, alpha, length, g_norm);
    FUR_TRY(fur_axpby(alpha, u, fur_real(1), d->pass->x));
    FUR_TRY(fur_axpy_norm2(fur_negative(alpha), g, d->r, &d->norm));
    d->iteration++;
    *over = fur_pass_is_over(d->pass, d->before + d->iteration, d->norm) ||
            fur_course_is_lost(&d->course, d->pass, d->iteration);
    return FUR_OK;
}

/* c with m c = f, for the rows and columns from k on. r - G c is orthogonal to these p. */
static void substitute(idrs *d, int k)
{
    for (int i = k; i < d->s; i++) {
        fur_scalar sum = d->f[i];
        for (int j = k; j < i; j++)
            sum = fur_sum(sum, fur_negative(fur_times(d->m[i * d->s + j], d->c[j])));
        d->c[i] = fur_quotient(sum, d->m[i * d->s + i]);
    }
}

/* The next u_k = omega M v + U c for v = r - G c, and g_k = A u_k. */
static fur_status expand(idrs *d, int k)
{
    const fur_vector *mv;
    substitute(d, k);
    FUR_TRY(fur_vector_copy(d->r, d->v));
    FUR_TRY(fur_subtract_many(d->s - k, d->c + k, d->g + k, d->v));
    FUR_TRY(fur_pass_preconditioned(d->pass, d->v, d->spare, &mv));
    FUR_TRY(fur_axpby(d->omega, mv, d->c[k], d->u[k]));
    FUR_TRY(fur_axpy_many(d->s - k - 1, d->c + k + 1, fur_reading(d->u + k + 1), d->u[k]));
    return fur_pass_multiply(d->pass, d->u[k], d->g[k]);
}

/* Makes g_k orthogonal to p_0 .. p_k-1, and sets column k of m. *usable: whether p_k.g_k exceeds
 * rounding. */
static fur_status orthogonalise(idrs *d, int k, bool *usable)
{
    int s = d->s;
    double largest = 0;
    FUR_TRY(fur_dot_many(s, fur_reading(d->p), d->g[k], d->column));
    for (int i = 0; i < s; i++)
        largest = fmax(largest, fur_modulus(d->column[i]));
    for (int j = 0; j < k; j++) {
        d->column[j] = fur_quotient(d->column[j], d->m[j * s + j]);
        for (int i = j + 1; i < s; i++)
            d->column[i] =
                fur_sum(d->column[i], fur_negative(fur_times(d->column[j], d->m[i * s + j])));
    }
    for (int i = k; i < s; i++)
        d->m[i * s + k] = d->column[i];
    FUR_TRY(fur_subtract_many(k, d->column, d->g, d->g[k]));
    FUR_TRY(fur_subtract_many(k, d->column, d->u, d->u[k]));
    *usable = fur_modulus(d->column[k]) > fur_pass_epsilon(d->pass) * largest;
    return FUR_OK;
}

/* Iteration k of a round. If *usable is false, it takes no step. */
static fur_status descend(idrs *d, int k, bool *usable, bool *over)
{
    FUR_TRY(expand(d, k));
    FUR_TRY(orthogonalise(d, k, usable));
    if (!*usable)
        return FUR_OK;
    fur_scalar beta = fur_quotient(d->f[k], d->m[k * d->s + k]);
    for (int i = k + 1; i < d->s; i++)
        d->f[i] = fur_sum(d->f[i], fur_negative(fur_times(beta, d->m[i * d->s + k])));
    return step(d, beta, d->u[k], d->g[k], 0, over);
}

/* The last iteration of a round: r -= omega A M r. */
static fur_status leave(idrs *d, bool *over)
{
    const fur_vector *mr;
    const fur_vector *with[] = {d->r, d->v};
    fur_scalar products[2]; /* r.t, t.t of t = A M r */
    FUR_TRY(fur_pass_preconditioned(d->pass, d->r, d->spare, &mr));
    FUR_TRY(fur_pass_multiply(d->pass, mr, d->v));
    FUR_TRY(fur_dot_many(2, with, d->v, products));
    double t_norm;
    FUR_TRY(fur_norm_from(d->v, products[1], &t_norm));
    if (t_norm == 0) {
        *over = end(d, FUR_OUTCOME_SINGULAR);
        return FUR_OK;
    }
    d->omega = fur_residual_step(fur_conjugate(products[0]), t_norm, d->norm, COSINE);
    return step(d, d->omega, mr, d->v, t_norm, over);
}

static fur_status run(fur_pass *pass)
{
    idrs d = layout(pass);
    double s = d.s;
    bool over = false;
    pass->bytes = fur_pass_bytes(pass, (3 * s * s + 22 * s + 6) / (s + 1));
    FUR_TRY(begin(&d));
    while (!over) {
        bool usable = true;
        FUR_TRY(fur_dot_many(d.s, fur_reading(d.p), d.r, d.f));
        for (int k = 0; k < d.s && usable && !over; k++)
            FUR_TRY(descend(&d, k, &usable, &over));
        if (!over)
            FUR_TRY(leave(&d, &over));
        if (!usable && !over) {
            FUR_TRY(begin(&d));
            over = d.renewals++ == MAX_RENEWALS && end(&d, FUR_OUTCOME_BREAKDOWN);
        }
    }
    return FUR_OK;
}

extern const fur_method fur_method_idrs;
const fur_method fur_method_idrs = {
    .info = {"idrs", "IDR(s), for any A with an inverse; memory between bicgstab and gmres",
             "Sonneveld and van Gijzen 2008"},
    .kind = FUR_METHOD_SQUARE,
    .guarded = true,
    .workspace = 2,
    .vectors_a_restart = 3,
    .default_restart = 4,
    .scratch = scratch,
    .prepare = prepare,
    .run = run,
};
