/* GMRES with a preconditioner on the right: Saad and Schultz, GMRES: a generalized minimal residual
 * algorithm for solving nonsymmetric linear systems, 1986; and flexible GMRES, whose preconditioner
 * may be another one in each iteration: Saad, A flexible inner-outer preconditioned GMRES
 * algorithm, 1993. The two differ in what they keep: FGMRES the preconditioned directions, too.
 *
 * A M V_k = V_k+1 H_k for orthonormal v_0 .. v_k with v_0 = r / ||r||, by classical Gram-Schmidt,
 * twice. Rotations turn H into R; y with R y = g minimises ||r - A M V y||, and x += M V y. A cycle
 * of `restart` directions begins with a residual computed from the last one's by a product. So the
 * least residual of a whole cycle is no recursion's, and a cycle that does not lower it ends the
 * solve.
 *
 * Vector transfers of iteration k = 1 .. m <= 32 of a cycle, besides the product with A and M:
 * orthogonalising with the norm 3 k + 5, scaling 2; at the cycle's ends m + 14 and a product. On
 * average 1.5 m + 9.5 + 14 / m: for m = 30 55, 440 bytes a row in f64. On a GPU the basis moves
 * four times instead of three: 2 m + 11 + 14 / m, 572 bytes a row. */
#include "orthogonal.h"

/* What orthogonalising leaves of a vector, relative to it, is nothing up to so many epsilons; the
 * same for a pivot of R relative to ||A M||. */
#define NOTHING 8
/* A pivot of so many epsilons counts as 0 in the verdict of a cycle that brought nothing. */
#define NEARLY_NOTHING 100

/* A cycle by the names of the literature. m is the restart. */
typedef struct gmres {
    fur_solve *solve;
    fur_vector **basis;      /* v_0 .. v_m */
    fur_vector *spare;       /* M v_k where it is not kept; a combination of vectors */
    fur_vector **directions; /* M v_0 .. M v_m-1 of FGMRES; NULL: not kept */
    fur_scalar *triangle;    /* R by columns without gaps; column k has k + 1 entries */
    fur_scalar *y;           /* the solution of R y = g; before, what a second projection adds */
    fur_scalar *g;           /* the rotated right-hand side */
    fur_scalar *cosines;
    double *sines;
    double norm;    /* ||r|| at the start of the cycle */
    double largest; /* pivot, or column of H, so far: of ||A M|| a bound from below */
    double least;   /* pivot so far: of the least singular value one from above */
    double weakest; /* pivot of the cycle, and its column */
    int64_t weakest_at;
    /* A space was closed, and the last pivot 0: A M maps it to itself, but not onto itself. */
    bool singular;
} gmres;

static int64_t triangle_size(int64_t columns)
{
    return columns * (columns + 1) / 2;
}

static int64_t scratch(int restart)
{
    int64_t m = restart;
    return 2 * (triangle_size(m) + m + (m + 1) + m) + m;
}

static gmres layout(fur_solve *s, bool flexible)
{
    int64_t m = s->options->restart;
    fur_scalar *scalars = (fur_scalar *)s->scratch;
    gmres c = {.solve = s,
               .basis = s->work,
               .spare = s->work[m + 1],
               .norm = s->residual,
               .least = HUGE_VAL};
    c.directions = flexible && s->preconditioner ? s->work + m + 2 : NULL;
    c.triangle = scalars;
    c.y = c.triangle + triangle_size(m);
    c.g = c.y + m;
    c.cosines = c.g + m + 1;
    c.sines = (double *)(c.cosines + m);
    return c;
}

/* Column k of H: v_k+1, not yet of length 1, and its length; 0 where nothing is left but rounding.
 */
static fur_status expand(gmres *c, int64_t k, fur_scalar *h, double *next)
{
    fur_vector *w = c->basis[k + 1];
    const fur_vector *z;
    double length = 0;
    FUR_TRY(fur_solve_preconditioned(c->solve, c->basis[k],
                                     c->directions ? c->directions[k] : c->spare, &z));
    FUR_TRY(fur_solve_multiply(c->solve, z, w));
    FUR_TRY(fur_orthogonalise((int)k + 1, c->basis, w, h, c->y, next));
    for (int64_t i = 0; i <= k; i++)
        length = fur_length(length, fur_modulus(h[i]));
    length = fur_length(length, *next);
    if (*next <= NOTHING * fur_solve_epsilon(c->solve) * length)
        *next = 0;
    c->largest = length > c->largest ? length : c->largest;
    return FUR_OK;
}

/* Rotates column k of H, with `next` below its diagonal, to one of R, and g along; the pivot. */
static double rotate(gmres *c, int64_t k, fur_scalar *h, double next)
{
    for (int64_t i = 0; i < k; i++) {
        fur_scalar upper = fur_sum(fur_product(fur_conjugate(c->cosines[i]), h[i]),
                                   fur_scaled(c->sines[i], h[i + 1]));
        h[i + 1] = fur_sum(fur_product(c->cosines[i], h[i + 1]), fur_scaled(-c->sines[i], h[i]));
        h[i] = upper;
    }
    double pivot = fur_length(fur_modulus(h[k]), next);
    if (!(pivot > NOTHING * fur_solve_epsilon(c->solve) * c->largest))
        return 0;
    c->cosines[k] = fur_complex(h[k].re / pivot, h[k].im / pivot);
    c->sines[k] = next / pivot;
    h[k] = fur_real(pivot);
    c->g[k + 1] = fur_scaled(-c->sines[k], c->g[k]);
    c->g[k] = fur_product(fur_conjugate(c->cosines[k]), c->g[k]);
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
            y[i] = fur_sum(y[i], fur_negative(fur_product(column[i], y[k])));
    }
}

/* The change of x that `count` directions give; in spare vectors. */
static fur_status find_change(gmres *c, int64_t count, const fur_vector **change)
{
    fur_vector **directions = c->directions ? c->directions : c->basis;
    substitute(c, count);
    FUR_TRY(fur_axpby(c->y[0], directions[0], fur_real(0), c->spare));
    FUR_TRY(fur_axpy_many((int)count - 1, c->y + 1, fur_reading(directions + 1), c->spare));
    *change = c->spare;
    return c->directions ? FUR_OK
                         : fur_solve_preconditioned(c->solve, c->spare,
                                                    c->basis[c->solve->options->restart], change);
}

static bool end(const gmres *c, fur_outcome outcome)
{
    c->solve->outcome = outcome;
    return true;
}

/* Directions from r until the solve is over, the cycle full, or their space closed: A M maps it to
 * itself, and it has a solution if A has an inverse. */
static fur_status gather(gmres *c, int64_t *count, bool *closed, bool *over)
{
    fur_solve *s = c->solve;
    int64_t k = 0;
    *closed = false;
    c->weakest = HUGE_VAL;
    c->g[0] = fur_real(c->norm);
    FUR_TRY(fur_axpby(fur_real(1 / c->norm), s->r, fur_real(0), c->basis[0]));
    while (!*over && !*closed && k < s->options->restart) {
        fur_scalar *h = c->triangle + triangle_size(k);
        double next;
        FUR_TRY(expand(c, k, h, &next));
        bool finite = next < HUGE_VAL;
        double pivot = finite ? rotate(c, k, h, next) : 0;
        if (pivot > 0) {
            if (pivot < c->weakest) {
                c->weakest = pivot;
                c->weakest_at = k;
            }
            k++;
        }
        *closed = finite && (next == 0 || pivot == 0);
        c->singular = c->singular || (finite && pivot == 0);
        *over = fur_solve_is_over(s, s->iterations + 1, fur_modulus(c->g[k])) ||
                (!finite && end(c, FUR_OUTCOME_BREAKDOWN));
        if (!*over && !*closed && k < s->options->restart)
            FUR_TRY(fur_vector_scale(c->basis[k], fur_real(1 / next)));
    }
    *count = k;
    c->least = c->weakest < c->least ? c->weakest : c->least;
    return FUR_OK;
}

/* x += change and r -= A change if that lowers ||r||. */
static fur_status apply(gmres *c, const fur_vector *change, bool *lowers)
{
    fur_solve *s = c->solve;
    fur_vector *r = c->basis[0];
    double norm;
    FUR_TRY(fur_solve_multiply(s, change, r));
    FUR_TRY(fur_axpby(fur_real(1), s->r, fur_real(-1), r));
    FUR_TRY(fur_norm2(r, &norm));
    *lowers = norm < c->norm;
    if (!*lowers)
        return FUR_OK;
    c->norm = norm;
    FUR_TRY(fur_vector_copy(r, s->r));
    return fur_axpby(fur_real(1), change, fur_real(1), s->x);
}

/* Whether a pivot of the cycle is no more than that share of ||A M||. */
static bool is_weak(const gmres *c, double share)
{
    return c->weakest <= share * c->largest;
}

/* The end of a cycle that is full or not to be trusted. Where its directions make things worse, one
 * with a small pivot has got all its weight, and x is better without it and what followed. */
static fur_status conclude(gmres *c, int64_t count, bool closed, bool *over)
{
    fur_solve *s = c->solve;
    const fur_vector *change;
    double before = c->norm;
    bool lowers = false;
    for (int64_t used = count; !lowers && used > 0; used = used == count ? c->weakest_at : 0) {
        FUR_TRY(find_change(c, used, &change));
        FUR_TRY(apply(c, change, &lowers));
    }
    s->residual = c->norm;
    *over = true;
    if (c->norm <= s->target)
        s->outcome = FUR_OUTCOME_CONVERGED;
    else if (!(c->norm < before - sqrt(fur_solve_epsilon(s)) * before))
        s->outcome = closed || c->singular || is_weak(c, NEARLY_NOTHING * fur_solve_epsilon(s))
                         ? FUR_OUTCOME_SINGULAR
                         : FUR_OUTCOME_STAGNATED;
    else
        *over = false;
    return FUR_OK;
}

/* Vector transfers an iteration. */
static double transfers(int restart)
{
    double cycle = restart + 14;
    for (int k = 1; k <= restart; k++)
        cycle += fur_orthogonalise_transfers(k) + 2;
    return cycle / restart;
}

static fur_status run(fur_solve *s, bool flexible)
{
    gmres c = layout(s, flexible);
    bool over = false;
    s->bytes = fur_solve_bytes(s, transfers(s->options->restart));
    while (!over) {
        const fur_vector *change;
        int64_t count;
        bool closed;
        FUR_TRY(gather(&c, &count, &closed, &over));
        bool doubtful = closed || is_weak(&c, sqrt(fur_solve_epsilon(s)));
        if (!over || (s->outcome == FUR_OUTCOME_CONVERGED && doubtful)) {
            FUR_TRY(conclude(&c, count, closed, &over));
        } else if (count > 0) {
            FUR_TRY(find_change(&c, count, &change));
            FUR_TRY(fur_axpby(fur_real(1), change, fur_real(1), s->x));
        }
    }
    s->norm = c.largest > s->norm ? c.largest : s->norm;
    if (c.largest / c.least > s->condition)
        s->condition = c.largest / c.least;
    return FUR_OK;
}

static fur_status run_gmres(fur_solve *s)
{
    return run(s, false);
}

static fur_status run_fgmres(fur_solve *s)
{
    return run(s, true);
}

extern const fur_method fur_method_gmres;
const fur_method fur_method_gmres = {
    .info = {"gmres", "GMRES with restarts, for any A with an inverse", "Saad and Schultz 1986"},
    .kind = FUR_METHOD_SQUARE,
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
    .guarded = true,
    .workspace = 2,
    .vectors_a_restart = 2,
    .default_restart = 30,
    .scratch = scratch,
    .run = run_fgmres,
};
