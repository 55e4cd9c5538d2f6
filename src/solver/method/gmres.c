/* GMRES with a preconditioner on the right: Saad and Schultz, GMRES: a generalized minimal residual
 * algorithm for solving nonsymmetric linear systems, 1986. Flexible GMRES, whose preconditioner may
 * differ in each iteration: Saad, A flexible inner-outer preconditioned GMRES algorithm, 1993.
 * FGMRES also stores the preconditioned directions.
 *
 * A M V_k = V_k+1 H_k for orthonormal v_0 .. v_k with v_0 = r / ||r||, by classical Gram-Schmidt,
 * twice. Rotations turn H into R. y with R y = g minimises ||r - A M V y||, and x += M V y. A cycle
 * of `restart` directions begins with a residual that a product computes from the last one. The
 * residual of a whole cycle is therefore not a recurrence residual. A cycle that does not lower it
 * ends the solve.
 *
 * If A M is singular or nearly singular, R is too, at the latest when the space is closed. y is
 * then lost in rounding: Brown and Walker, GMRES on (nearly) singular systems, 1997. Pivots do not
 * show this, because none of them need be small. As they advise, the least singular value of R is
 * estimated from one column to the next: Bischof, Incremental condition estimation, 1990.
 *
 * Vector transfers in addition to the products with A and M: iteration k = 1 .. m <= 32 of a cycle
 * has 3 k + 5 for orthogonalising with the norm, and 2 for scaling. The ends of the cycle have m +
 * 14 and a product. The average is 1.5 m + 9.5 + 14 / m: for m = 30 55, 440 bytes a row in f64. On
 * a GPU the basis moves four times instead of three: 2 m + 11 + 14 / m, 572 bytes a row. */
#include "least_singular.h"
#include "orthogonal.h"
#include "tridiagonal.h"

/* The remainder of an orthogonalised vector is rounding if it is at most this number of epsilons,
 * relative to the vector. The limit also applies to a pivot of R, relative to ||A M||. */
#define NOTHING 8
/* If a cycle brought nothing, a singular value of at most this number of epsilons counts as 0. */
#define NEARLY_NOTHING 100

/* A cycle, with the names of the literature. m is the restart. */
typedef struct gmres {
    fur_pass *pass;
    fur_vector **basis;      /* v_0 .. v_m */
    fur_vector *spare;       /* M v_k if it is not stored; a combination of vectors */
    fur_vector **directions; /* M v_0 .. M v_m-1 of FGMRES, or NULL */
    fur_scalar *triangle;    /* R by columns; column k has k + 1 entries */
    /* the solution of R y = g; before, workspace for the second projection */
    fur_scalar *y;
    fur_scalar *g; /* the rotated right-hand side */
    fur_scalar *cosines;
    double *sines;
    double norm; /* ||r|| at the start of the cycle */
    /* For the whole solve: largest pivot or column of H, a lower bound of ||A M||. least: an upper
     * bound of the least singular value of A M. */
    double largest;
    double least;
    fur_least_singular weakest; /* least singular value of R in this cycle */
    /* The best end of the cycle, as far as R tells. With `best` columns, the residual plus the
     * rounding of y is least: best_residual. */
    int64_t best;
    double best_residual;
    /* A space was closed with a last pivot of 0: A M maps it into itself, but not onto itself. */
    bool singular;
} gmres;

static int64_t triangle_size(int64_t columns)
{
    return columns * (columns + 1) / 2;
}

static int64_t scratch(int restart)
{
    int64_t m = restart;
    return 2 * (triangle_size(m) + m + (m + 1) + m + m) + m;
}

static gmres layout(fur_pass *s, bool flexible)
{
    int64_t m = s->options->restart;
    fur_scalar *scalars = (fur_scalar *)s->scratch;
    gmres c = {.pass = s,
               .basis = s->work,
               .spare = s->work[m + 1],
               .norm = s->residual,
               .largest = s->norm,
               .least = s->condition > 0 ? s->norm / s->condition : HUGE_VAL};
    c.directions = flexible && s->preconditioner ? s->work + m + 2 : NULL;
    c.triangle = scalars;
    c.y = c.triangle + triangle_size(m);
    c.g = c.y + m;
    c.cosines = c.g + m + 1;
    c.weakest.witness = c.cosines + m;
    c.sines = (double *)(c.weakest.witness + m);
    return c;
}

/* Computes column k of H: v_k+1, not normalised yet, and its length. The length is 0 if only
 * rounding remains. */
static fur_status expand(gmres *c, int64_t k, fur_scalar *h, double *next)
{
    fur_vector *w = c->basis[k + 1];
    const fur_vector *z;
    double length = 0;
    FUR_TRY(fur_pass_preconditioned(c->pass, c->basis[k],
                                    c->directions ? c->directions[k] : c->spare, &z));
    FUR_TRY(fur_pass_multiply(c->pass, z, w));
    FUR_TRY(fur_orthogonalise((int)k + 1, c->basis, w, h, c->y, next));
    for (int64_t i = 0; i <= k; i++)
        length = fur_length(length, fur_modulus(h[i]));
    length = fur_length(length, *next);
    if (*next <= NOTHING * fur_pass_epsilon(c->pass) * length)
        *next = 0;
    c->largest = length > c->largest ? length : c->largest;
    return FUR_OK;
}

/* Rotates column k of H, with `next` below its diagonal, to a column of R, and rotates g too.
 * Returns the pivot. */
static double rotate(gmres *c, int64_t k, fur_scalar *h, double next)
{
    for (int64_t i = 0; i < k; i++) {
        fur_scalar upper = fur_sum(fur_times(fur_conjugate(c->cosines[i]), h[i]),
                                   fur_scaled(c->sines[i], h[i + 1]));
        h[i + 1] = fur_sum(fur_times(c->cosines[i], h[i + 1]), fur_scaled(-c->sines[i], h[i]));
        h[i] = upper;
    }
    double pivot = fur_length(fur_modulus(h[k]), next);
    if (!(pivot > NOTHING * fur_pass_epsilon(c->pass) * c->largest))
        return 0;
    c->cosines[k] = fur_complex(h[k].re / pivot, h[k].im / pivot);
    c->sines[k] = next / pivot;
    h[k] = fur_real(pivot);
    c->g[k + 1] = fur_scaled(-c->sines[k], c->g[k]);
    c->g[k] = fur_times(fur_conjugate(c->cosines[k]), c->g[k]);
    return pivot;
}

/* y with R y = g */
static void substitute(gmres *c, int64_t count)
{
    fur_scalar *y = c->y;
    for (int64_t k = 0; k < count; k++)
        y[k] = c->g[k];
    for (int64_t k = count - 1; k >= 0; k--) {
        const fur_scalar *column = c->triangle + triangle_size(k);
        y[k] = fur_complex(y[k].re / column[k].re, y[k].im / column[k].re);
        for (int64_t i = 0; i < k; i++)
            y[i] = fur_sum(y[i], fur_negative(fur_times(column[i], y[k])));
    }
}

/* The change of x for `count` directions, in spare vectors. */
static fur_status find_change(gmres *c, int64_t count, const fur_vector **change)
{
    fur_vector **directions = c->directions ? c->directions : c->basis;
    substitute(c, count);
    FUR_TRY(fur_axpby(c->y[0], directions[0], fur_real(0), c->spare));
    FUR_TRY(fur_axpy_many((int)count - 1, c->y + 1, fur_reading(directions + 1), c->spare));
    *change = c->spare;
    return c->directions ? FUR_OK
                         : fur_pass_preconditioned(c->pass, c->spare,
                                                   c->basis[c->pass->options->restart], change);
}

static bool end(const gmres *c, fur_outcome outcome)
{
    c->pass->outcome = outcome;
    return true;
}

/* Stores how good a change by `count` directions is. ||y|| is at most ||r|| over the least singular
 * value of R. Rounding hides singular values below an epsilon of the largest. */
static void remember(gmres *c, int64_t count)
{
    double epsilon = fur_pass_epsilon(c->pass);
    double weakest = fmax(c->weakest.value, epsilon * c->largest);
    double rounding = epsilon * (c->largest / weakest) * c->norm;
    double residual = fur_modulus(c->g[count]) + rounding;
    if (residual < c->best_residual) {
        c->best_residual = residual;
        c->best = count;
    }
    c->least = weakest < c->least ? weakest : c->least;
}

/* Adds directions from r until the solve ends, the cycle is full, or their space is closed. If it
 * is closed, A M maps it into itself, and it contains a solution if A has an inverse. */
static fur_status gather(gmres *c, int64_t *count, bool *closed, bool *over)
{
    fur_pass *s = c->pass;
    int64_t k = 0;
    *closed = false;
    c->weakest.value = HUGE_VAL;
    c->best = 0;
    c->best_residual = HUGE_VAL;
    c->g[0] = fur_real(c->norm);
    FUR_TRY(fur_axpby(fur_real(1 / c->norm), s->r, fur_real(0), c->basis[0]));
    while (!*over && !*closed && k < s->options->restart) {
        fur_scalar *h = c->triangle + triangle_size(k);
        double next;
        FUR_TRY(expand(c, k, h, &next));
        bool finite = next < HUGE_VAL;
        double pivot = finite ? rotate(c, k, h, next) : 0;
        if (pivot > 0) {
            fur_least_singular_grow(&c->weakest, k, h, c->largest);
            remember(c, ++k);
        }
        *closed = finite && (next == 0 || pivot == 0);
        c->singular = c->singular || (finite && pivot == 0);
        *over = fur_pass_is_over(s, s->iterations + 1, fur_modulus(c->g[k])) ||
                (!finite && end(c, FUR_OUTCOME_BREAKDOWN));
        if (!*over && !*closed && k < s->options->restart)
            FUR_TRY(fur_vector_scale(c->basis[k], fur_real(1 / next)));
    }
    *count = k;
    return FUR_OK;
}

/* x += change and r -= A change for the change by `used` directions, if the norm of the new r is
 * below the limit. *norm: the norm of the new r. */
static fur_status try_change(gmres *c, int64_t used, double limit, double *norm)
{
    fur_pass *s = c->pass;
    const fur_vector *change;
    FUR_TRY(find_change(c, used, &change));
    fur_vector *r = change == c->spare ? c->basis[s->options->restart] : c->spare;
    FUR_TRY(fur_pass_multiply(s, change, r));
    FUR_TRY(fur_axpby(fur_real(1), s->r, fur_real(-1), r));
    FUR_TRY(fur_norm2(r, norm));
    if (!(*norm < limit))
        return FUR_OK;
    c->norm = *norm;
    FUR_TRY(fur_vector_copy(r, s->r));
    return fur_axpby(fur_real(1), change, fur_real(1), s->x);
}

/* Returns whether A M has a singular value of at most `share` times its norm. */
static bool is_weak(const gmres *c, double share)
{
    return c->least <= share * c->largest;
}

/* Applies the change by all directions if it is as good as the predicted best change. Otherwise
 * applies the better of the two, if it lowers ||r||. */
static fur_status change_x(gmres *c, int64_t count)
{
    double of_all;
    double of_best;
    double before = c->norm;
    double limit = c->best < count ? fmin(before, c->best_residual) : before;
    if (count == 0)
        return FUR_OK;
    FUR_TRY(try_change(c, count, limit, &of_all));
    if (of_all < limit || c->best == count)
        return FUR_OK;
    limit = fmin(before, of_all);
    FUR_TRY(try_change(c, c->best, limit, &of_best));
    if (of_best < limit || !(of_all < before))
        return FUR_OK;
    return try_change(c, count, before, &of_all);
}

/* Returns whether the solve must end, whatever its residual is. Sets the outcome. */
static bool is_spent(fur_pass *s)
{
    bool spent = s->stopped || s->iterations >= s->max_iterations;
    if (spent)
        s->outcome = s->stopped ? FUR_OUTCOME_STOPPED : FUR_OUTCOME_MAX_ITERATIONS;
    return spent;
}

/* Ends a cycle that is full or cannot be trusted. If g claims that the target is met, the true
 * residual decides, unless A has no inverse. */
static fur_status conclude(gmres *c, int64_t count, bool closed, bool *over)
{
    fur_pass *s = c->pass;
    double epsilon = fur_pass_epsilon(s);
    double before = c->norm;
    bool claims = *over;
    FUR_TRY(change_x(c, count));
    s->residual = c->norm;
    *over = true;
    if (c->norm <= s->target)
        s->outcome = FUR_OUTCOME_CONVERGED;
    else if (c->norm < before - sqrt(epsilon) * before)
        *over = is_spent(s);
    else if (closed || c->singular || is_weak(c, NEARLY_NOTHING * epsilon))
        s->outcome = FUR_OUTCOME_SINGULAR;
    else if (!claims)
        s->outcome = FUR_OUTCOME_STAGNATED;
    return FUR_OK;
}

/* Vector transfers of an iteration. */
static double transfers(int restart)
{
    double cycle = restart + 14;
    for (int k = 1; k <= restart; k++)
        cycle += fur_orthogonalise_transfers(k) + 2;
    return cycle / restart;
}

static fur_status run(fur_pass *s, bool flexible)
{
    gmres c = layout(s, flexible);
    bool over = false;
    s->bytes = fur_pass_bytes(s, transfers(s->options->restart));
    while (!over) {
        const fur_vector *change;
        int64_t count;
        bool closed;
        FUR_TRY(gather(&c, &count, &closed, &over));
        bool doubtful = closed || is_weak(&c, sqrt(fur_pass_epsilon(s)));
        if (!over || (s->outcome == FUR_OUTCOME_CONVERGED && doubtful)) {
            FUR_TRY(conclude(&c, count, closed, &over));
        } else if (count > 0) {
            FUR_TRY(find_change(&c, count, &change));
            FUR_TRY(fur_axpby(fur_real(1), change, fur_real(1), s->x));
        }
    }
    s->norm = c.largest;
    s->condition = fur_condition_below(c.least, c.largest, fur_pass_epsilon(s));
    return FUR_OK;
}

static fur_status run_gmres(fur_pass *s)
{
    return run(s, false);
}

static fur_status run_fgmres(fur_pass *s)
{
    return run(s, true);
}

extern const fur_method fur_method_gmres;
const fur_method fur_method_gmres = {
    .info = {"gmres", "GMRES with restarts, for any A with an inverse", "Saad and Schultz 1986"},
    .kind = FUR_METHOD_SQUARE,
    .behind = true,
    .guarded = true,
    .workspace = 2,
    .vectors_a_restart = 1,
    .default_restart = 30,
    .scratch = scratch,
    .run = run_gmres,
};

extern const fur_method fur_method_fgmres;
const fur_method fur_method_fgmres = {
    .info = {"fgmres", "GMRES whose preconditioner may change from one iteration to the next",
             "Saad 1993"},
    .kind = FUR_METHOD_SQUARE,
    .behind = true,
    .guarded = true,
    .workspace = 2,
    .vectors_a_restart = 2,
    .default_restart = 30,
    .scratch = scratch,
    .run = run_fgmres,
};
