/* MINRES with a preconditioner: Paige and Saunders, Solution of sparse indefinite systems of linear
 * equations, 1975. The preconditioner is in the products of the Lanczos process as in Elman,
 * Silvester and Wathen, Finite Elements and Fast Iterative Solvers, 2005, algorithm 6.1.
 *
 * Lanczos vectors v are not normalised: the scalars account for their lengths g = sqrt(v.Mv). All
 * except the first are divided by a number near ||A M||, so that g neither overflows nor
 * underflows. Rotations turn the tridiagonal matrix into a matrix with three diagonals. The
 * directions w are the columns of Z R^-1, where Z has the columns M v / g. If M is NULL, the
 * rotations give ||r||. With M they give the norm sqrt(r.Mr), and r itself has a recurrence.
 *
 * An iteration has 17 vector transfers in addition to A z and M v, which are 136 bytes a row in
 * f64. They are dot q.z 2, next v 6, w 6 and x 3. With M there are 23, 184 bytes: dot v.z 2 and r
 * with its norm 4 more. */
#include "complex_number.h"
#include "solver.h"
#include "tridiagonal.h"

#include "env.h"

#define PASSES 17
#define PASSES_WITH_M 23

/* The remainder of an orthogonalised vector is rounding if it is at most this number of epsilons,
 * relative to the vector. The limit also applies to a pivot, relative to ||A||, and to the gain of
 * a step, relative to its rounding. */
#define NOTHING 8
/* How far products may be from the products of symmetric operators, relative to a column of the
 * tridiagonal matrix. */
#define SYMMETRIC 0.1

/* A pass, with the names of the literature. */
typedef struct minres {
    fur_pass *pass;
    double epsilon;
    fur_vector *r;     /* only with a preconditioner */
    fur_vector *v_old; /* Lanczos vectors */
    fur_vector *v;
    fur_vector *q;       /* A z; then the next v */
    fur_vector *spare;   /* for the next z */
    fur_vector *other;   /* for the z after it */
    const fur_vector *z; /* M v */
    const fur_vector *z_next;
    fur_vector *w_old; /* directions */
    fur_vector *w;
    double g_old; /* sqrt(v.Mv) of v_old, v and the next */
    double g;
    double g_next;
    double scale;        /* divisor of the next v */
    double above;        /* entry above the diagonal of the tridiagonal matrix: scale g */
    double below;        /* scale g_next */
    double diagonal;     /* diagonal of the tridiagonal matrix */
    double column;       /* length of its column */
    double c_old, s_old; /* rotations */
    double c, s;
    double eta;            /* ||r|| in the norm of M, with a sign */
    double unit;           /* eta / ||r|| at the start: converts w to the norm of M^-1 */
    double largest, least; /* pivots; `largest` includes columns */
} minres;

static bool end(minres *m, fur_outcome outcome)
{
    m->pass->outcome = outcome;
    return true;
}

/* Computes the next z = M v and, with M, g = sqrt(v.z). Squares up to the floor count as 0. */
static fur_status measure(minres *m, const fur_vector *v, double floor, double *g, bool *over)
{
    fur_scalar square;
    FUR_TRY(fur_pass_preconditioned(m->pass, v, m->spare, &m->z_next));
    if (!m->pass->preconditioner)
        return FUR_OK;
    FUR_TRY(fur_dot(v, m->z_next, &square));
    if (!(fabs(square.re) < HUGE_VAL))
        *over = end(m, FUR_OUTCOME_BREAKDOWN);
    else if (square.re < -floor)
        *over = end(m, FUR_OUTCOME_INDEFINITE_PRECONDITIONER);
    *g = square.re > 0 ? sqrt(square.re) : 0;
    return FUR_OK;
}

/* 2, 4, 8, ... */
static bool is_milestone(int64_t iteration)
{
    return iteration >= 2 && (iteration & (iteration - 1)) == 0;
}

/* Called after a new v. M v must be orthogonal to v_old, which requires A and M to be symmetric.
 * The diagonal must be real. */
static fur_status check_symmetry(minres *m, double imaginary, bool *over)
{
    fur_scalar cross;
    FUR_TRY(fur_dot(m->v_old, m->z_next, &cross));
    double least = SYMMETRIC * m->column;
    if (m->scale * fur_modulus(cross) > least * m->g_old || fabs(imaginary) > least)
        *over = end(m, FUR_OUTCOME_ASYMMETRIC);
    return FUR_OK;
}

/* Computes a column of the tridiagonal matrix, and the next v: scale q = (A z - diagonal v) / g -
 * above v_old / g_old. */
static fur_status lanczos(minres *m, int64_t iteration, bool *over)
{
    fur_scalar product;
    FUR_TRY(fur_pass_multiply(m->pass, m->z, m->q));
    if (iteration == 1) {
        FUR_TRY(fur_norm2(m->q, &m->scale));
        m->scale = m->scale > 0 ? m->scale / m->pass->residual : 1;
    }
    double part = 1 / (m->g * m->scale);
    FUR_TRY(fur_dot(m->q, m->z, &product));
    m->diagonal = product.re / m->g / m->g;
    FUR_TRY(fur_axpby(fur_real(-m->diagonal * part), m->v, fur_real(part), m->q));
    FUR_TRY(
        fur_axpy_norm2(fur_real(-m->above / (m->g_old * m->scale)), m->v_old, m->q, &m->g_next));
    m->column = fur_length(m->diagonal, m->above);
    double nothing = NOTHING * m->epsilon * m->column / m->scale;
    FUR_TRY(measure(m, m->q, nothing * nothing, &m->g_next, over));
    if (m->g_next <= nothing)
        m->g_next = 0;
    m->below = m->scale * m->g_next;
    m->column = fur_length(m->column, m->below);
    m->largest = m->column > m->largest ? m->column : m->largest;
    if (!*over && is_milestone(iteration) && m->g_next > 0)
        return check_symmetry(m, product.im / m->g / m->g, over);
    return FUR_OK;
}

/* Returns whether a step along w, whose norm is w_norm, would be useless: x would grow far more
 * than r, and r would fall by less than its rounding. This happens for an eigenvalue 0 if b has a
 * part in its eigenspace. */
static bool is_hopeless(const minres *m, double w_norm)
{
    double growth = w_norm * m->unit * m->largest;
    return fabs(m->c) * growth > 1 / sqrt(m->epsilon) &&
           fabs(m->c) <= NOTHING * m->epsilon * growth;
}

/* Rotates the next column, computes w from z, and does the step along w. */
static fur_status step(minres *m, bool *over)
{
    double entry = m->c * m->diagonal - m->c_old * m->s * m->above;
    double pivot = fur_length(entry, m->below);
    double second = m->s * m->diagonal + m->c_old * m->c * m->above;
    double third = m->s_old * m->above;
    double w_norm;
    if (!(pivot > NOTHING * m->epsilon * m->largest)) {
        *over = end(m, pivot >= 0 ? FUR_OUTCOME_SINGULAR : FUR_OUTCOME_BREAKDOWN);
        return FUR_OK;
    }
    m->least = pivot < m->least ? pivot : m->least;
    m->c_old = m->c;
    m->s_old = m->s;
    m->c = entry / pivot;
    m->s = m->below / pivot;
    FUR_TRY(fur_axpby(fur_real(1 / m->g / pivot), m->z, fur_real(-third / pivot), m->w_old));
    FUR_TRY(fur_axpy_norm2(fur_real(-second / pivot), m->w, m->w_old, &w_norm));
    if (is_hopeless(m, w_norm)) {
        *over = end(m, FUR_OUTCOME_SINGULAR);
        return FUR_OK;
    }
    FUR_TRY(fur_axpby(fur_real(m->c * m->eta), m->w_old, fur_real(1), m->pass->x));
    m->eta *= -m->s;
    return FUR_OK;
}

/* ||r||. With M, r becomes s^2 r + c eta v / g, with the next v and g. */
static fur_status find_residual(minres *m, double *residual)
{
    *residual = fabs(m->eta);
    if (!m->pass->preconditioner || m->g_next == 0)
        return FUR_OK;
    FUR_TRY(fur_axpby(fur_real(m->c * m->eta / m->g_next), m->q, fur_real(m->s * m->s), m->r));
    return fur_norm2(m->r, residual);
}

static void exchange(fur_vector **a, fur_vector **b)
{
    fur_vector *first = *a;
    *a = *b;
    *b = first;
}

/* The next Lanczos vector becomes the current one. */
static void shift(minres *m)
{
    fur_vector *oldest = m->v_old;
    m->v_old = m->v;
    m->v = m->q;
    m->q = oldest;
    m->z = m->z_next;
    m->g_old = m->g;
    m->g = m->g_next;
    m->above = m->below;
    exchange(&m->w, &m->w_old);
    exchange(&m->spare, &m->other);
}

static fur_status start(minres *m, bool *over)
{
    m->g = m->pass->residual;
    FUR_TRY(fur_vector_copy(m->r, m->v));
    FUR_TRY(fur_vector_fill(m->v_old, fur_real(0)));
    FUR_TRY(fur_vector_fill(m->w, fur_real(0)));
    FUR_TRY(fur_vector_fill(m->w_old, fur_real(0)));
    FUR_TRY(measure(m, m->v, 0, &m->g, over));
    if (!*over && m->g == 0)
        *over = end(m, FUR_OUTCOME_BREAKDOWN);
    exchange(&m->spare, &m->other);
    m->z = m->z_next;
    m->eta = m->g;
    m->unit = m->pass->residual / m->g;
    return FUR_OK;
}

static fur_status run(fur_pass *s)
{
    fur_vector **work = s->work;
    minres m = {.pass = s,
                .epsilon = fur_pass_epsilon(s),
                .r = s->r,
                .v_old = work[0],
                .v = work[1],
                .q = work[2],
                .w_old = work[3],
                .w = work[4],
                .spare = work[5],
                .other = work[6],
                .g_old = 1,
                .c_old = 1,
                .c = 1,
                .least = HUGE_VAL};
    int64_t before = s->iterations;
    bool over = false;
    s->bytes = fur_pass_bytes(s, s->preconditioner ? PASSES_WITH_M : PASSES);
    FUR_TRY(start(&m, &over));
    for (int64_t iteration = 1; !over; iteration++) {
        double residual;
        FUR_TRY(lanczos(&m, iteration, &over));
        if (!over)
            FUR_TRY(step(&m, &over));
        if (over)
            break;
        FUR_TRY(find_residual(&m, &residual));
        over = fur_pass_is_over(s, before + iteration, residual);
        shift(&m);
    }
    s->norm = m.largest > s->norm ? m.largest : s->norm;
    s->condition = fmax(s->condition, fur_condition_below(m.least, m.largest, m.epsilon));
    return FUR_OK;
}

extern const fur_method fur_method_minres;
const fur_method fur_method_minres = {
    .info = {"minres",
             "MINRES, for A symmetric (Hermitian), also indefinite; M must be positive definite",
             "Paige and Saunders 1975"},
    .kind = FUR_METHOD_SQUARE,
    .guarded = true,
    .workspace = 7,
    .run = run,
};
