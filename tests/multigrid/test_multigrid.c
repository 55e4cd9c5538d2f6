/* Tests of multigrid. The tables of its levels are compared with Galerkin's product, its kernels
 * with loops over points. Also: convergence, solutions, symmetry, threads, refusals. */
#include "stencil_trial.h"

#include "multigrid.h"

#include <math.h>
#include <string.h>

/* A problem and the multigrid object made for it. */
typedef struct problem {
    fur_context *context;
    fur_stencil *a;
    fur_multigrid *mg;
    int64_t rows;
} problem;

/* Returns the 7-point stencil of Poisson's equation with Dirichlet boundaries. */
static fur_stencil_definition poisson(fur_value_type value, int64_t nx, int64_t ny, int64_t nz)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = value, .extent = {nx, ny, nz}};
    ck_assert(fur_stencil_named(7, &d));
    return d;
}

static problem open_problem(fur_context *context, const fur_stencil_definition *d,
                            const fur_multigrid_options *options)
{
    problem p = {.context = context, .rows = 1};
    for (int axis = 0; axis < d->axes; axis++)
        p.rows *= d->extent[axis];
    ck_ok(context, fur_stencil_create(context, d, &p.a));
    ck_ok(context, fur_multigrid_create(p.a, options, &p.mg));
    return p;
}

static void close_problem(problem *p)
{
    fur_multigrid_destroy(p->mg);
    fur_stencil_destroy(p->a);
}

static fur_vector *zeros(const problem *p, fur_value_type value)
{
    fur_vector *x = NULL;
    ck_ok(p->context, fur_vector_create(p->context, value, p->rows, &x));
    return x;
}

/* Returns ||b - A x||, computed by the stencil. */
static double residual_norm(const problem *p, const fur_vector *b, const fur_vector *x)
{
    double norm = 0;
    fur_vector *r = zeros(p, fur_vector_value_type(b));
    ck_ok(p->context, fur_vector_copy(b, r));
    ck_ok(p->context, fur_stencil_apply(p->a, fur_real(-1), x, fur_real(1), r));
    ck_ok(p->context, fur_norm2(r, &norm));
    fur_vector_destroy(r);
    return norm;
}

static double dot(const fur_vector *x, const fur_vector *y)
{
    fur_scalar sum;
    ck_ok(fur_vector_context(x), fur_dot(x, y, &sum));
    return sum.re;
}

/* --- tables ----------------------------------------------------------------------------------- */

static double weight(const fur_grid_axis *a, fur_grid_weight kind, int64_t i)
{
    return ((const double *)a->weights)[(int64_t)kind * a->points + i];
}

static int64_t place(const fur_grid_axis *a, fur_grid_place kind, int64_t i)
{
    return a->places[(int64_t)kind * a->points + i];
}

/* A dense matrix of up to 64 rows that acts along one axis. */
typedef struct dense {
    double at[64][64];
} dense;

static void add(dense *m, int64_t i, int64_t j, double value)
{
    m->at[i][j] += value;
}

static int64_t around(int64_t n, int64_t i)
{
    return (i + n) % n;
}

static dense *rows_of(const fur_grid_axis *a)
{
    dense *m = calloc(1, sizeof *m);
    ck_assert_ptr_nonnull(m);
    int64_t n = a->points;
    for (int64_t i = 0; i < n; i++) {
        add(m, i, i, weight(a, FUR_GRID_DIAGONAL, i));
        add(m, i, around(n, i - 1), -weight(a, FUR_GRID_LOWER, i));
        add(m, i, around(n, i + 1), -weight(a, FUR_GRID_UPPER, i));
    }
    return m;
}

/* Returns P, the interpolation from the coarser level along the axis. */
static dense *interpolation_of(const fur_grid_axis *a)
{
    dense *m = calloc(1, sizeof *m);
    ck_assert_ptr_nonnull(m);
    for (int64_t i = 0; i < a->points; i++) {
        int64_t right = place(a, FUR_GRID_RIGHT, i);
        add(m, i, around(a->coarse, right - 1), weight(a, FUR_GRID_FROM_LEFT, i));
        add(m, i, around(a->coarse, right), weight(a, FUR_GRID_FROM_RIGHT, i));
    }
    return m;
}

/* Returns R, the restriction to the coarser level along the axis. */
static dense *restriction_of(const fur_grid_axis *a)
{
    dense *m = calloc(1, sizeof *m);
    ck_assert_ptr_nonnull(m);
    for (int64_t c = 0; c < a->coarse; c++) {
        int64_t i = place(a, FUR_GRID_CENTRE, c);
        add(m, c, around(a->points, i - 1), weight(a, FUR_GRID_BEFORE, c));
        add(m, c, i, weight(a, FUR_GRID_AT, c));
        add(m, c, around(a->points, i + 1), weight(a, FUR_GRID_AFTER, c));
    }
    return m;
}

static double galerkin(const dense *r, const dense *m, const dense *p, int64_t n, int64_t c,
                       int64_t d)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            sum += r->at[c][i] * m->at[i][j] * p->at[j][d];
    return sum;
}

/* Checks that R A P of an axis is A of the next level, and that R preserves constants. The
 * tolerance of 1e-14 is enough: coefficients are at most 4, sums have few nonzero terms, and masses
 * err by one or two eps on each level. */
static void check_axis(const fur_grid_axis *fine, const fur_grid_axis *coarse)
{
    dense *r = restriction_of(fine);
    dense *m = rows_of(fine);
    dense *p = interpolation_of(fine);
    dense *expected = rows_of(coarse);
    ck_assert_int_eq(fine->coarse, coarse->points);
    ck_assert(!fine->periodic || coarse->points % 2 == 0 || coarse->points == 1);
    for (int64_t c = 0; c < coarse->points; c++) {
        double sum = 0;
        for (int64_t i = 0; i < fine->points; i++)
            sum += r->at[c][i];
        ck_assert_double_eq_tol(sum, 1, 1e-14);
        for (int64_t d = 0; d < coarse->points; d++)
            ck_assert_double_eq_tol(galerkin(r, m, p, fine->points, c, d), expected->at[c][d],
                                    1e-14);
    }
    free(r);
    free(m);
    free(p);
    free(expected);
}

/* Loops over boundaries. */
START_TEST(coarse_axes_are_those_of_galerkin)
{
    fur_context *context = context_make(NULL, 1);
    fur_boundary boundary = (fur_boundary)_i;
    for (int64_t n = 1; n <= 64; n += boundary == FUR_BOUNDARY_PERIODIC && n > 1 ? 2 : 1) {
        fur_stencil_definition d = poisson(FUR_F64, 2, n, 3);
        d.boundary[1] = boundary;
        problem p = open_problem(context, &d, NULL);
        for (int l = 0; l + 1 < p.mg->levels; l++)
            check_axis(&p.mg->level[l].grid.axis[1], &p.mg->level[l + 1].grid.axis[1]);
        ck_assert_int_eq(p.mg->level[p.mg->levels - 1].grid.axis[1].points, 1);
        close_problem(&p);
    }
    fur_context_destroy(context);
}
END_TEST

START_TEST(weak_axes_wait)
{
    static const fur_scalar coefficients[] = {{24.5, 0}, {-10, 0}, {-10, 0}, {-1, 0},
                                              {-1, 0},   {-1, 0},  {-1, 0}};
    static const int64_t expected[][3] = {{40, 40, 41}, {20, 40, 41}, {10, 40, 41}, {5, 20, 20}};
    fur_context *context = context_make(NULL, 1);
    fur_stencil_definition d = poisson(FUR_F64, 40, 40, 41);
    d.coefficients = coefficients;
    problem p = open_problem(context, &d, NULL);
    for (int l = 0; l < COUNT_OF(expected); l++)
        for (int axis = 0; axis < 3; axis++)
            ck_assert_int_eq(p.mg->level[l].grid.axis[axis].points, expected[l][axis]);
    close_problem(&p);
    fur_context_destroy(context);
}
END_TEST

/* --- kernels ---------------------------------------------------------------------------------- */

static double table_entry(const fur_grid *g, int axis, fur_grid_weight kind, int64_t i)
{
    const fur_grid_axis *a = &g->axis[axis];
    return entry_get(g->value_type, a->weights, (int64_t)kind * a->points + i).re;
}

/* A level with random b and x in separate arrays. */
typedef struct trial {
    const fur_grid *g;
    int64_t n[3];
    int64_t points;
    void *b;
    void *x;
} trial;

static int64_t entry_of(const trial *t, int64_t i, int64_t j, int64_t k)
{
    int64_t at[3] = {i, j, k};
    for (int axis = 0; axis < 3; axis++)
        at[axis] = fur_grid_inside(t->g->axis[axis].periodic, t->n[axis], at[axis]);
    return at[0] + t->n[0] * (at[1] + t->n[1] * at[2]);
}

static double fma_in(fur_value_type value, double a, double b, double c)
{
    return value == FUR_F32 ? fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static double round_to(fur_value_type value, double a)
{
    return value == FUR_F32 ? (float)a : a;
}

static double diagonal(const trial *t, const int64_t at[3])
{
    double across = round_to(t->g->value_type, table_entry(t->g, 1, FUR_GRID_DIAGONAL, at[1]) +
                                                   table_entry(t->g, 2, FUR_GRID_DIAGONAL, at[2]));
    return round_to(t->g->value_type, table_entry(t->g, 0, FUR_GRID_DIAGONAL, at[0]) + across);
}

/* Returns the residual at a point. Adds the neighbours by rising entry, then the point itself. */
static double residual_at(const trial *t, const int64_t at[3])
{
    static const int axes[] = {2, 1, 0, 0, 1, 2};
    fur_value_type value = t->g->value_type;
    double sum = entry_get(value, t->b, entry_of(t, at[0], at[1], at[2])).re;
    for (int n = 0; n < 6; n++) {
        int64_t to[3] = {at[0], at[1], at[2]};
        to[axes[n]] += n < 3 ? -1 : 1;
        double w = table_entry(t->g, axes[n], n < 3 ? FUR_GRID_LOWER : FUR_GRID_UPPER, at[axes[n]]);
        sum = fma_in(value, w, entry_get(value, t->x, entry_of(t, to[0], to[1], to[2])).re, sum);
    }
    double own = entry_get(value, t->x, entry_of(t, at[0], at[1], at[2])).re;
    return fma_in(value, -diagonal(t, at), own, sum);
}

typedef void (*visit)(trial *t, const int64_t at[3], int64_t entry, void *out);

/* Visits all points of one parity. -1: all points. */
static void each_point(trial *t, int parity, visit visit_point, void *out)
{
    for (int64_t k = 0, entry = 0; k < t->n[2]; k++)
        for (int64_t j = 0; j < t->n[1]; j++)
            for (int64_t i = 0; i < t->n[0]; i++, entry++)
                if (parity < 0 || (i + j + k) % 2 == parity)
                    visit_point(t, (const int64_t[3]){i, j, k}, entry, out);
}

static void relax_point(trial *t, const int64_t at[3], int64_t entry, void *out)
{
    (void)out;
    fur_value_type value = t->g->value_type;
    double step = round_to(value, residual_at(t, at) / diagonal(t, at));
    double own = entry_get(value, t->x, entry).re;
    entry_set(value, t->x, entry, fur_real(fma_in(value, t->g->omega, step, own)));
}

static void store_residual(trial *t, const int64_t at[3], int64_t entry, void *out)
{
    entry_set(t->g->value_type, out, entry, fur_real(residual_at(t, at)));
}

static void check_same(const trial *t, fur_context *context, const char *what, const void *is,
                       const void *should)
{
    int64_t entry = first_difference(t->g->value_type, t->points, is, should);
    ck_assert_msg(entry == -1,
                  "%s of %lld x %lld x %lld %s, isa %s, %d threads: entry %lld differs", what,
                  (long long)t->n[0], (long long)t->n[1], (long long)t->n[2],
                  fur_value_name(t->g->value_type), fur_context_isa(context),
                  fur_context_threads(context), (long long)entry);
}

static void check_relax(trial *t, fur_context *context, rng *r)
{
    size_t bytes = (size_t)t->points * fur_value_size(t->g->value_type);
    fur_colour first = (fur_colour)rng_below(r, 2);
    int sweeps = 1 + (int)rng_below(r, 2);
    void *x = guard_allocate(bytes);
    void *spare = guard_allocate(bytes);
    memcpy(x, t->x, bytes);
    ck_ok(context,
          context->backend->multigrid->relax(&context->env, t->g, first, sweeps, t->b, x, spare));
    for (int i = 0; i < sweeps; i++) {
        each_point(t, first == FUR_RED ? 0 : 1, relax_point, NULL);
        each_point(t, first == FUR_RED ? 1 : 0, relax_point, NULL);
    }
    check_same(t, context, "a sweep", x, t->x);
    guard_release(spare, bytes);
    guard_release(x, bytes);
}

/* Returns a coefficient along an axis. If `up`: of P, for x(i) and coarse point c. Otherwise of R,
 * for coarse point c and x(i). */
static double along(const fur_grid *g, int axis, bool up, int64_t i, int64_t c)
{
    const fur_grid_axis *a = &g->axis[axis];
    double sum = 0;
    if (up) {
        int64_t right = place(a, FUR_GRID_RIGHT, i);
        sum += c == around(a->coarse, right - 1) ? table_entry(g, axis, FUR_GRID_FROM_LEFT, i) : 0;
        sum += c == around(a->coarse, right) ? table_entry(g, axis, FUR_GRID_FROM_RIGHT, i) : 0;
    } else {
        int64_t at = place(a, FUR_GRID_CENTRE, c);
        sum += i == around(a->points, at - 1) ? table_entry(g, axis, FUR_GRID_BEFORE, c) : 0;
        sum += i == at ? table_entry(g, axis, FUR_GRID_AT, c) : 0;
        sum += i == around(a->points, at + 1) ? table_entry(g, axis, FUR_GRID_AFTER, c) : 0;
    }
    return sum;
}

/* Computes to = R from, or to += P from if `up`, over all pairs of points. *size becomes the
 * largest sum of moduli. */
static void transfer(const trial *t, bool up, const void *from, double *to, double *size)
{
    const fur_grid *g = t->g;
    const int64_t c[3] = {g->axis[0].coarse, g->axis[1].coarse, g->axis[2].coarse};
    int64_t coarse_points = c[0] * c[1] * c[2];
    double *sizes = calloc((size_t)t->points, sizeof *sizes);
    ck_assert_ptr_nonnull(sizes);
    *size = 0;
    for (int64_t f = 0; f < t->points; f++)
        for (int64_t e = 0; e < coarse_points; e++) {
            double w = along(g, 0, up, f % t->n[0], e % c[0]);
            w *= w == 0 ? 0 : along(g, 1, up, f / t->n[0] % t->n[1], e / c[0] % c[1]);
            w *= w == 0 ? 0 : along(g, 2, up, f / t->n[0] / t->n[1], e / c[0] / c[1]);
            int64_t out = up ? f : e;
            double term = w == 0 ? 0 : w * entry_get(g->value_type, from, up ? e : f).re;
            to[out] += term;
            sizes[out] += fabs(term);
            *size = fmax(*size, sizes[out]);
        }
    free(sizes);
}

/* Checks that a transfer errs by at most 32 eps of the sum of moduli. It adds at most 27 terms,
 * each rounded at most six times. */
static void check_near(const trial *t, const char *what, int64_t n, const void *is,
                       const double *should, double size)
{
    double bound = 32 * value_epsilon(t->g->value_type) * size;
    for (int64_t i = 0; i < n; i++) {
        double entry = entry_get(t->g->value_type, is, i).re;
        ck_assert_msg(fabs(entry - should[i]) <= bound, "%s of %lld x %lld x %lld: %g, expected %g",
                      what, (long long)t->n[0], (long long)t->n[1], (long long)t->n[2], entry,
                      should[i]);
    }
}

static void check_restriction(trial *t, fur_context *context, int64_t coarse_points)
{
    void *is = entries_make(t->g->value_type, coarse_points);
    void *residual = entries_make(t->g->value_type, t->points);
    double *should = calloc((size_t)coarse_points, sizeof *should);
    double size = 0;
    each_point(t, -1, store_residual, residual);
    transfer(t, false, residual, should, &size);
    ck_ok(context, context->backend->multigrid->restriction(&context->env, t->g, t->b, t->x, is));
    check_near(t, "restriction", coarse_points, is, should, size);
    free(is);
    free(residual);
    free(should);
}

static void check_correction(trial *t, fur_context *context, rng *r, int64_t coarse_points)
{
    fur_value_type value = t->g->value_type;
    void *coarse = entries_random(r, value, coarse_points);
    double *should = calloc((size_t)t->points, sizeof *should);
    double size = 0;
    ck_assert_ptr_nonnull(should);
    double before = 0;
    for (int64_t i = 0; i < t->points; i++) {
        should[i] = entry_get(value, t->x, i).re;
        before = fmax(before, fabs(should[i]));
    }
    transfer(t, true, coarse, should, &size);
    ck_ok(context, context->backend->multigrid->correction(&context->env, t->g, coarse, t->x));
    check_near(t, "correction", t->points, t->x, should, size + before);
    free(coarse);
    free(should);
}

static void check_level(const fur_grid *g, const fur_grid *next, fur_context *context, rng *r)
{
    trial t = {.g = g, .points = fur_grid_points(g)};
    for (int axis = 0; axis < 3; axis++)
        t.n[axis] = g->axis[axis].points;
    t.b = entries_random(r, g->value_type, t.points);
    t.x = entries_random(r, g->value_type, t.points);
    check_relax(&t, context, r);
    if (next) {
        check_restriction(&t, context, fur_grid_points(next));
        check_correction(&t, context, r, fur_grid_points(next));
    }
    free(t.b);
    free(t.x);
}

static const int64_t small_extents[][3] = {{1, 1, 1}, {9, 1, 1},  {4, 7, 1},   {5, 6, 7},
                                           {8, 4, 6}, {2, 10, 3}, {18, 1, 5},  {530, 2, 1},
                                           {1, 2, 6}, {10, 6, 2}, {1100, 1, 2}};

static bool is_drawable(const fur_stencil_definition *d)
{
    bool held = false;
    for (int axis = 0; axis < 3; axis++) {
        held = held || d->boundary[axis] == FUR_BOUNDARY_DIRICHLET;
        if (d->boundary[axis] == FUR_BOUNDARY_PERIODIC && d->extent[axis] % 2 == 1 &&
            d->extent[axis] > 1)
            return false;
    }
    return held;
}

/* Loops over combinations of boundaries. */
START_TEST(kernels_are_those_of_the_contract)
{
    rng r = rng_stream((uint64_t)_i);
    for (int isa = 0; isa_name(isa); isa++) {
        fur_context *context = context_make(isa_name(isa), 3);
        for (int n = TEST_SLOW ? _i % 3 : 0; n < COUNT_OF(small_extents); n += TEST_SLOW ? 3 : 1) {
            const int64_t *e = small_extents[n];
            fur_stencil_definition d = poisson(n % 2 ? FUR_F32 : FUR_F64, e[0], e[1], e[2]);
            set_boundaries(&d, _i);
            if (!is_drawable(&d))
                continue;
            problem p = open_problem(context, &d, NULL);
            for (int l = 0; l < p.mg->levels; l++)
                check_level(&p.mg->level[l].grid,
                            l + 1 < p.mg->levels ? &p.mg->level[l + 1].grid : NULL, context, &r);
            close_problem(&p);
        }
        fur_context_destroy(context);
    }
}
END_TEST

static void small_integers(fur_vector *x, rng *r)
{
    double *entries = fur_vector_data(x);
    for (int64_t i = 0; i < fur_vector_size(x); i++)
        entries[i] = (double)(rng_below(r, 17) - 8);
}

/* R is P^T / 8 if all axes halve evenly, so 8 y.R x = x.P y. All terms are multiples of 1/8, so the
 * sums are exact. */
START_TEST(full_weighting_is_the_transpose_of_interpolation)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(1);
    fur_stencil_definition d = poisson(FUR_F64, 31, 7, 15);
    problem p = open_problem(context, &d, NULL);
    const fur_grid *g = &p.mg->level[0].grid;
    const fur_multigrid_kernels *k = context->backend->multigrid;
    fur_vector *v[4] = {zeros(&p, FUR_F64), zeros(&p, FUR_F64), NULL, NULL};
    for (int i = 2; i < 4; i++)
        ck_ok(context, fur_vector_create(context, FUR_F64, (int64_t)15 * 3 * 7, &v[i]));
    small_integers(v[0], &r);
    small_integers(v[2], &r);
    ck_ok(context, k->restriction(&context->env, g, fur_vector_data(v[0]), fur_vector_data(v[1]),
                                  fur_vector_data(v[3])));
    ck_ok(context, k->correction(&context->env, g, fur_vector_data(v[2]), fur_vector_data(v[1])));
    ck_assert_double_eq(8 * dot(v[3], v[2]), dot(v[0], v[1]));
    for (int i = 0; i < 4; i++)
        fur_vector_destroy(v[i]);
    close_problem(&p);
    fur_context_destroy(context);
}
END_TEST

/* --- convergence ------------------------------------------------------------------------------ */

/* Returns the largest ratio of the residuals of two successive cycles. Stops when the residual is
 * 1e-11 times the first one. */
static double factor(const fur_stencil_definition *d, const fur_multigrid_options *options)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(1);
    problem p = open_problem(context, d, options);
    fur_vector *b = vector_random(context, &r, FUR_F64, p.rows);
    fur_vector *x = zeros(&p, FUR_F64);
    double first = residual_norm(&p, b, x);
    double before = first;
    double worst = 0;
    while (before > 1e-11 * first) {
        ck_ok(context, fur_multigrid_cycle(p.mg, b, x));
        double after = residual_norm(&p, b, x);
        ck_assert_double_lt(after, before);
        worst = fmax(worst, after / before);
        before = after;
    }
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    close_problem(&p);
    fur_context_destroy(context);
    return worst;
}

static const struct {
    int points;
    int64_t extent[3];
    int boundaries;
} sizes[] = {
    {7, {16, 16, 16}, 0},  {7, {32, 32, 32}, 0},    {7, {31, 31, 31}, 0},    {7, {17, 18, 19}, 0},
    {7, {30, 40, 34}, 21}, {7, {24, 26, 28}, 1},    {7, {64, 64, 64}, 0},    {7, {65, 130, 33}, 0},
    {7, {50, 66, 46}, 8},  {7, {100, 100, 100}, 0}, {7, {128, 128, 128}, 0}, {7, {3, 200, 100}, 0},
    {5, {300, 257, 1}, 0}, {5, {64, 511, 1}, 3},    {3, {1000, 1, 1}, 0},
};

/* Loops over sizes. */
START_TEST(a_cycle_makes_the_residual_ten_times_smaller)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64};
    memcpy(d.extent, sizes[_i].extent, sizeof d.extent);
    ck_assert(fur_stencil_named(sizes[_i].points, &d));
    set_boundaries(&d, sizes[_i].boundaries);
    if (TEST_SLOW && d.extent[0] * d.extent[1] * d.extent[2] > 100000)
        return;
    for (int cycle = 0; cycle < 2; cycle++) {
        const fur_multigrid_options options = {.size = sizeof options, .cycle = (fur_cycle)cycle};
        double f = factor(&d, &options);
        ck_assert_msg(f <= 0.1, "%d points, %lld x %lld x %lld, boundaries %d, cycle %d: %.3f",
                      d.points, (long long)d.extent[0], (long long)d.extent[1],
                      (long long)d.extent[2], sizes[_i].boundaries, cycle, f);
    }
}
END_TEST

START_TEST(convergence_does_not_depend_on_the_size)
{
    double least = 1;
    double most = 0;
    for (int64_t n = 32; n <= (TEST_SLOW ? 48 : 96); n += 16) {
        fur_stencil_definition d = poisson(FUR_F64, n, n, n);
        double f = factor(&d, NULL);
        least = fmin(least, f);
        most = fmax(most, f);
    }
    ck_assert_double_lt(most, 1.5 * least);
}
END_TEST

/* --- solutions -------------------------------------------------------------------------------- */

static fur_vector *sine_product(const problem *p, int n)
{
    fur_vector *u = zeros(p, FUR_F64);
    double *entries = fur_vector_data(u);
    double pi = acos(-1);
    for (int64_t e = 0; e < p->rows; e++) {
        const int64_t at[3] = {e % n, e / n % n, e / n / n};
        entries[e] = 1;
        for (int axis = 0; axis < 3; axis++)
            entries[e] *= sin(pi * (double)(at[axis] + 1) / (n + 1));
    }
    return u;
}

static double largest(const fur_vector *x)
{
    double size = 0;
    ck_ok(fur_vector_context(x), fur_norm_max(x, &size));
    return size;
}

/* Returns the largest error for u = sin(pi x) sin(pi y) sin(pi z), -Laplace u = 3 pi^2 u, on n^3
 * points, relative to the largest u. Runs `cycles` F cycles from 0. If `cycles` is 0, solves to
 * 1e-12. */
static double solution_error(int n, int cycles)
{
    fur_context *context = context_make(NULL, 2);
    fur_stencil_definition d = poisson(FUR_F64, n, n, n);
    const fur_multigrid_options options = {.size = sizeof options, .cycle = FUR_CYCLE_F};
    double pi = acos(-1);
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    problem p = open_problem(context, &d, &options);
    fur_vector *exact = sine_product(&p, n);
    fur_vector *b = zeros(&p, FUR_F64);
    fur_vector *x = zeros(&p, FUR_F64);
    ck_ok(context, fur_axpby(fur_real(3 * pi * pi / (n + 1) / (n + 1)), exact, fur_real(0), b));
    for (int i = 0; i < cycles; i++)
        ck_ok(context, fur_multigrid_cycle(p.mg, b, x));
    if (cycles == 0) {
        ck_ok(context, fur_multigrid_solve(p.mg, b, x, 1e-12, 0, &report));
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    }
    ck_ok(context, fur_axpby(fur_real(-1), exact, fur_real(1), x));
    double error = largest(x) / largest(exact);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_vector_destroy(exact);
    close_problem(&p);
    fur_context_destroy(context);
    return error;
}

/* u is also an eigenvector of the discrete operator. The discrete solution is therefore u times the
 * quotient of the eigenvalues, a^2 / sin^2 a with a = pi h / 2. */
START_TEST(errors_fall_with_the_square_of_the_distance)
{
    double errors[2];
    for (int i = 0; i < 2; i++) {
        double a = acos(-1) / (16 << i) / 2;
        errors[i] = solution_error((16 << i) - 1, 0);
        ck_assert_double_eq_tol(errors[i], a * a / sin(a) / sin(a) - 1, 1e-9);
    }
    ck_assert_double_eq_tol(errors[0] / errors[1], 4, 0.01);
}
END_TEST

/* F cycles from 0 are full multigrid. The first F cycle starts from the solution of the next
 * coarser level. The error of this solution is four times the discretization error, and
 * interpolation adds to it. The second cycle removes most of both. */
START_TEST(two_f_cycles_reach_the_error_of_the_discretization)
{
    for (int n = 15; n <= 63; n = 2 * n + 1) {
        double discretization = solution_error(n, 0);
        ck_assert_double_lt(solution_error(n, 1), 8 * discretization);
        ck_assert_double_lt(solution_error(n, 2), 1.1 * discretization);
    }
}
END_TEST

static fur_solver_report solve_by_cg(const problem *p, const fur_operator *m, const fur_vector *b)
{
    fur_operator *a = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_vector *x = zeros(p, fur_vector_value_type(b));
    const fur_solver_options options = {.size = sizeof options, .preconditioner = m};
    ck_ok(p->context, fur_operator_from_stencil(p->a, &a));
    ck_ok(p->context, fur_solver_create(a, &options, &solver));
    ck_ok(p->context, fur_solver_solve(solver, b, x, &report));
    fur_vector_destroy(x);
    fur_solver_destroy(solver);
    fur_operator_destroy(a);
    return report;
}

START_TEST(conjugate_gradients_need_few_iterations_with_it)
{
    rng r = rng_stream(1);
    fur_context *context = context_make(NULL, 2);
    for (int n = 0; n < 6; n++) {
        fur_stencil_definition d = {.size = sizeof d, .value_type = n % 2 ? FUR_F32 : FUR_F64};
        memcpy(d.extent, sizes[n].extent, sizeof d.extent);
        ck_assert(fur_stencil_named(sizes[n].points, &d));
        set_boundaries(&d, sizes[n].boundaries);
        problem p = open_problem(context, &d, NULL);
        fur_operator *m = NULL;
        fur_vector *b = vector_random(context, &r, d.value_type, p.rows);
        ck_ok(context, fur_operator_from_multigrid(p.mg, &m));
        fur_solver_report report = solve_by_cg(&p, m, b);
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_int_le(report.iterations, d.value_type == FUR_F32 ? 5 : 10);
        fur_vector_destroy(b);
        fur_operator_destroy(m);
        close_problem(&p);
    }
    fur_context_destroy(context);
}
END_TEST

/* y.M x = x.M y up to rounding. An entry is rounded fewer than 200 times on each level. The steps
 * between roundings do not enlarge the energy norm of the error. So M x errs on each level by at
 * most 200 eps ||x|| / lambda, where lambda is the smallest eigenvalue of A. */
START_TEST(the_preconditioner_is_symmetric_and_positive)
{
    rng r = rng_stream(1);
    fur_context *context = context_make(NULL, 2);
    fur_stencil_definition d = poisson(FUR_F64, 17, 18, 20);
    const fur_multigrid_options options = {
        .size = sizeof options, .pre_sweeps = 1, .post_sweeps = 1};
    double sine = sin(acos(-1) / 42);
    for (int n = 0; n < 4; n++) {
        set_boundaries(&d, n % 2 ? 21 : 0);
        problem p = open_problem(context, &d, n / 2 ? &options : NULL);
        fur_operator *m = NULL;
        fur_vector *x = vector_random(context, &r, FUR_F64, p.rows);
        fur_vector *y = vector_random(context, &r, FUR_F64, p.rows);
        fur_vector *mx = zeros(&p, FUR_F64);
        fur_vector *my = zeros(&p, FUR_F64);
        ck_ok(context, fur_operator_from_multigrid(p.mg, &m));
        ck_ok(context, fur_operator_apply(m, x, mx));
        ck_ok(context, fur_operator_apply(m, y, my));
        double bound = 200 * value_epsilon(FUR_F64) * p.mg->levels * sqrt(dot(x, x) * dot(y, y)) /
                       (4 * sine * sine);
        ck_assert_double_eq_tol(dot(y, mx), dot(x, my), bound);
        ck_assert(dot(x, mx) > 0 && dot(y, my) > 0);
        fur_vector_destroy(my);
        fur_vector_destroy(mx);
        fur_vector_destroy(y);
        fur_vector_destroy(x);
        fur_operator_destroy(m);
        close_problem(&p);
    }
    fur_context_destroy(context);
}
END_TEST

/* --- threads ---------------------------------------------------------------------------------- */

/* Returns the entries of x after an F cycle and a V cycle from 0. */
static void *entries_after_cycles(const char *isa, int threads, const fur_stencil_definition *d)
{
    fur_context *context = context_make(isa, threads);
    rng r = rng_stream(1);
    fur_multigrid_options options = {.size = sizeof options, .cycle = FUR_CYCLE_F};
    fur_vector *x = NULL;
    for (int cycle = 0; cycle < 2; cycle++, options.cycle = FUR_CYCLE_V) {
        problem p = open_problem(context, d, &options);
        fur_vector *b = vector_random(context, &r, d->value_type, p.rows);
        x = x ? x : zeros(&p, d->value_type);
        ck_ok(context, fur_multigrid_cycle(p.mg, b, x));
        fur_vector_destroy(b);
        close_problem(&p);
    }
    void *entries = vector_entries(x);
    fur_vector_destroy(x);
    fur_context_destroy(context);
    return entries;
}

/* Loops over value types f32 and f64, with and without a periodic last axis. */
START_TEST(threads_and_instruction_sets_do_not_show)
{
    fur_stencil_definition d = poisson((fur_value_type)(_i % 2), 65, 70, 62);
    set_boundaries(&d, _i / 2 * 21);
    void *expected = entries_after_cycles("portable", 1, &d);
    for (int i = 0; isa_name(i); i++)
        for (int threads = TEST_SLOW ? 3 : 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
            void *is = entries_after_cycles(isa_name(i), threads, &d);
            int64_t entry = first_difference(d.value_type, (int64_t)65 * 70 * 62, is, expected);
            ck_assert_msg(entry == -1, "isa %s, %d threads: entry %lld differs", isa_name(i),
                          threads, (long long)entry);
            free(is);
        }
    free(expected);
}
END_TEST

/* --- the object ------------------------------------------------------------------------------- */

START_TEST(a_multigrid_describes_itself)
{
    fur_context *context = context_make(NULL, 1);
    fur_stencil_definition d = poisson(FUR_F64, 31, 15, 16);
    fur_multigrid_options options = {.size = sizeof options, .coarsest = 27};
    problem p = open_problem(context, &d, NULL);
    fur_multigrid_report report = *fur_multigrid_describe(p.mg);
    ck_assert_int_eq(report.levels, 5);
    ck_assert_int_eq(report.points, 31 * 15 * 16 + 15 * 7 * 8 + 7 * 3 * 4 + 3 * 1 * 2 + 1);
    ck_assert_int_eq(report.coarsest, 1);
    close_problem(&p);
    p = open_problem(context, &d, &options);
    ck_assert_int_eq(fur_multigrid_describe(p.mg)->coarsest, 6);
    close_problem(&p);
    options.levels = 2;
    p = open_problem(context, &d, &options);
    ck_assert_int_eq(fur_multigrid_describe(p.mg)->levels, 2);
    ck_assert_double_lt(factor(&d, &options), 0.1);
    close_problem(&p);
    fur_multigrid_destroy(NULL);
    fur_context_destroy(context);
}
END_TEST

START_TEST(solves_end_as_they_say)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(1);
    fur_stencil_definition d = poisson(FUR_F64, 20, 21, 22);
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    problem p = open_problem(context, &d, NULL);
    fur_vector *b = vector_random(context, &r, FUR_F64, p.rows);
    fur_vector *x = vector_random(context, &r, FUR_F64, p.rows);
    double norm = 0;
    ck_ok(context, fur_norm2(b, &norm));
    ck_ok(context, fur_multigrid_solve(p.mg, b, x, 0, 0, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert(report.residual <= 1e-10 && report.residual_recurrence == report.residual);
    ck_assert(report.iterations > 0 && report.iterations <= 10);
    ck_assert_double_eq(residual_norm(&p, b, x) / norm, report.residual);
    ck_ok(context, fur_multigrid_solve(p.mg, b, x, 1e-10, 0, &report));
    ck_assert(report.outcome == FUR_OUTCOME_CONVERGED && report.iterations == 0);
    ck_ok(context, fur_vector_fill(x, fur_real(0)));
    ck_ok(context, fur_multigrid_solve(p.mg, b, x, 1e-10, 2, &report));
    ck_assert(report.outcome == FUR_OUTCOME_MAX_ITERATIONS && report.iterations == 2);
    ck_ok(context, fur_multigrid_solve(p.mg, b, x, 1e-30, 0, &report));
    ck_assert(report.outcome == FUR_OUTCOME_STAGNATED && report.residual < 1e-13);
    ((double *)fur_vector_data(x))[7] = NAN;
    ck_ok(context, fur_multigrid_solve(p.mg, b, x, 0, 0, &report));
    ck_assert(report.outcome == FUR_OUTCOME_BREAKDOWN && report.iterations == 0);
    ck_ok(context, fur_vector_fill(b, fur_real(0)));
    ck_ok(context, fur_multigrid_solve(p.mg, b, x, 0, 0, NULL));
    ck_assert_double_eq(largest(x), 0);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    close_problem(&p);
    fur_context_destroy(context);
}
END_TEST

/* Solves a line for b of ones. Its centre is 2 plus `units` units in the last place. Checks that
 * the reported residual is the residual that fur_stencil_apply gives, and that the outcome follows
 * from it. */
static fur_solver_report solve_line(fur_context *context, fur_value_type value, int64_t n,
                                    int units, double rtol)
{
    const fur_scalar c[3] = {fur_real(-1), fur_real(2 + 2 * units * value_epsilon(value)),
                             fur_real(-1)};
    fur_stencil_definition d = {.size = sizeof d, .value_type = value, .extent = {n}};
    static const fur_stencil_offset offsets[3] = {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    double norm = 0;
    ck_assert(fur_stencil_named(3, &d));
    d.offsets = offsets;
    d.coefficients = c;
    problem p = open_problem(context, &d, NULL);
    fur_vector *b = zeros(&p, value);
    fur_vector *x = zeros(&p, value);
    ck_ok(context, fur_vector_fill(b, fur_real(1)));
    ck_ok(context, fur_norm2(b, &norm));
    ck_ok(context, fur_multigrid_solve(p.mg, b, x, rtol, 0, &report));
    ck_assert_double_eq(report.residual, residual_norm(&p, b, x) / norm);
    ck_assert_int_eq(report.outcome == FUR_OUTCOME_CONVERGED, report.residual <= rtol);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    close_problem(&p);
    return report;
}

/* Reported residuals are the stencil's residuals if the centre is nearly the sum of its neighbours
 * and x is therefore large. Rounding of x changes the residual by some eps ||A|| ||x||, and ||x||
 * is about n^2 / 10. */
START_TEST(residuals_are_those_of_the_stencil)
{
    static const struct {
        fur_value_type value;
        int64_t n;
        double rtol;
    } lines[] = {
        {FUR_F32, 200, 1e-3}, {FUR_F64, 100000, 1e-8}, {FUR_F32, 30, 1e-5}, {FUR_F64, 2000, 1e-8}};
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < COUNT_OF(lines); i++) {
        double n = (double)lines[i].n;
        double floor = 4 * value_epsilon(lines[i].value) * 4 * n * n / 10;
        for (int units = -2; units <= 8; units += TEST_SLOW ? 5 : 1) {
            fur_solver_report report =
                solve_line(context, lines[i].value, lines[i].n, units, lines[i].rtol);
            ck_assert_msg(report.residual <= fmax(lines[i].rtol, floor), "%s, %g points, %d: %g",
                          fur_value_name(lines[i].value), n, units, report.residual);
        }
    }
    fur_context_destroy(context);
}
END_TEST

/* A stencil that rounding made indefinite is refused. The neighbours along x cancel the centre, and
 * the neighbours along y are lost when f32 rounds the centre. */
START_TEST(what_rounding_has_made_indefinite_is_refused)
{
    static const fur_stencil_offset offsets[] = {
        {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const fur_scalar c[] = {{-1e-9, 0}, {-0.3, 0}, {2 * (0.3 + 1e-9), 0}, {-0.3, 0}, {-1e-9, 0}};
    fur_context *context = context_make(NULL, 1);
    fur_stencil_definition d = {.size = sizeof d,
                                .axes = 2,
                                .extent = {1, 10},
                                .boundary = {FUR_BOUNDARY_NEUMANN, FUR_BOUNDARY_DIRICHLET},
                                .points = 5,
                                .offsets = offsets,
                                .coefficients = c};
    fur_stencil *a = NULL;
    fur_multigrid *mg = NULL;
    ck_ok(context, fur_stencil_create(context, &d, &a));
    ck_fails(context, FUR_UNSUPPORTED,
             "the stencil is not positive definite: by rounding the centre is 2.0e-09 below the "
             "sum of the neighbours, and the boundaries add only 8.1e-11; use f64, or increase the "
             "centre's coefficient",
             fur_multigrid_create(a, NULL, &mg));
    ck_assert_ptr_null(mg);
    fur_stencil_destroy(a);
    d.value_type = FUR_F64;
    problem p = open_problem(context, &d, NULL);
    fur_vector *b = zeros(&p, FUR_F64);
    fur_vector *x = zeros(&p, FUR_F64);
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_vector_fill(b, fur_real(1)));
    ck_ok(context, fur_multigrid_solve(p.mg, b, x, 1e-4, 0, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_double_eq(report.residual, residual_norm(&p, b, x) / sqrt(10));
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    close_problem(&p);
    fur_context_destroy(context);
}
END_TEST

static const fur_scalar *spoilt(int at, double value)
{
    static fur_scalar coefficients[7];
    for (int n = 0; n < 7; n++)
        coefficients[n] = fur_real(n == 0 ? 6 : -1);
    coefficients[at] = fur_real(value);
    return coefficients;
}

/* Checks that multigrid refuses the stencil and releases everything that it allocated. */
static void check_refusal(fur_context *context, const memory *m, const fur_stencil_definition *d,
                          const fur_multigrid_options *options, fur_status status,
                          const char *sentence)
{
    fur_stencil *a = NULL;
    fur_multigrid *mg = NULL;
    ck_ok(context, fur_stencil_create(context, d, &a));
    int64_t outstanding = m->outstanding;
    ck_fails(context, status, sentence, fur_multigrid_create(a, options, &mg));
    ck_assert_ptr_null(mg);
    ck_assert_int_eq(m->outstanding, outstanding);
    fur_stencil_destroy(a);
}

#define REFUSED(status, sentence) check_refusal(context, &m, &d, &options, status, sentence)
#define CANNOT "multigrid does not support this stencil: "

START_TEST(other_stencils_are_refused)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_multigrid_options options = {.size = sizeof options};
    fur_stencil_definition d = poisson(FUR_C128, 4, 4, 4);
    REFUSED(FUR_UNSUPPORTED, CANNOT "its values are complex");
    d.value_type = FUR_F64;
    ck_assert(fur_stencil_named(27, &d));
    REFUSED(FUR_UNSUPPORTED,
            CANNOT "it has offsets that are not the nearest neighbours along an axis");
    d = poisson(FUR_F64, 4, 4, 4);
    d.coefficients = spoilt(3, -2);
    REFUSED(FUR_UNSUPPORTED, CANNOT "the coefficients at -1 and +1 along an axis differ");
    d.coefficients = spoilt(0, 5.9);
    REFUSED(FUR_UNSUPPORTED, CANNOT
            "the coefficient of the centre must be at least the sum of the neighbours' moduli");
    d.coefficients = spoilt(0, NAN);
    REFUSED(FUR_UNSUPPORTED, CANNOT
            "the coefficient of the centre must be at least the sum of the neighbours' moduli");
    d = poisson(FUR_F64, 4, 4, 4);
    d.points = 5;
    REFUSED(FUR_UNSUPPORTED, CANNOT "each axis needs both neighbours, with negative coefficients");
    d = poisson(FUR_F64, 4, 5, 6);
    d.boundary[1] = FUR_BOUNDARY_PERIODIC;
    REFUSED(FUR_UNSUPPORTED, "axis 1 is periodic and has 5 points; red-black relaxation needs an "
                             "even number of points on a periodic axis");
    d = poisson(FUR_F64, 4, 4, 5);
    set_boundaries(&d, 1 + 3 * 2 + 9);
    REFUSED(FUR_UNSUPPORTED, "the stencil is singular: A maps constants to 0; use a Dirichlet "
                             "boundary on an axis, or increase the centre's coefficient");
    fur_context_destroy(context);
}
END_TEST

/* A grid too large for memory is refused. No size overflows before the allocation fails. */
START_TEST(a_grid_of_any_size_is_refused_in_words)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_multigrid_options options = {.size = sizeof options};
    fur_stencil_definition d = {
        .size = sizeof d, .value_type = FUR_F64, .extent = {((int64_t)1 << 59) - 1}};
    ck_assert(fur_stencil_named(3, &d));
    REFUSED(FUR_OUT_OF_MEMORY, "out of memory: 4611686018427387896 bytes could not be allocated");
    fur_context_destroy(context);
}
END_TEST

START_TEST(stencils_with_fields_are_refused)
{
    static const fur_stencil_offset centre = {0, 0, 0};
    fur_context *context = context_make(NULL, 1);
    fur_vector *field = NULL;
    fur_stencil *a = NULL;
    fur_multigrid *mg = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 8, &field));
    const fur_vector *fields[] = {field};
    const fur_stencil_definition d = {.size = sizeof d,
                                      .value_type = FUR_F64,
                                      .axes = 1,
                                      .extent = {8},
                                      .points = 1,
                                      .offsets = &centre,
                                      .fields = fields};
    ck_ok(context, fur_stencil_create(context, &d, &a));
    ck_fails(context, FUR_UNSUPPORTED, CANNOT "its coefficients differ from point to point",
             fur_multigrid_create(a, NULL, &mg));
    fur_stencil_destroy(a);
    fur_vector_destroy(field);
    fur_context_destroy(context);
}
END_TEST

/* A stencil whose centre is the rounded sum of its neighbours is accepted. */
START_TEST(a_rounded_centre_is_the_sum)
{
    fur_context *context = context_make(NULL, 1);
    for (int value = 0; value < 2; value++) {
        fur_stencil_definition d = poisson((fur_value_type)value, 8, 8, 8);
        fur_scalar c[7] = {
            {0.2 + 0.6 + 1.4, 0}, {-0.1, 0}, {-0.1, 0}, {-0.3, 0}, {-0.3, 0}, {-0.7, 0}, {-0.7, 0}};
        d.coefficients = c;
        for (int ulps = -1; ulps <= 1; ulps++) {
            c[0].re = (0.2 + 0.6 + 1.4) * (1 + ulps * value_epsilon(d.value_type));
            problem p = open_problem(context, &d, NULL);
            close_problem(&p);
        }
    }
    fur_context_destroy(context);
}
END_TEST

/* Returns the number of cycles from 0 until the error is a millionth. The exact solution is the
 * eigenvector of sine_product. */
static int cycles_with(fur_context *context, int before, int after)
{
    enum { N = 31, MAX = 200 };
    fur_stencil_definition d = poisson(FUR_F64, N, N, N);
    const fur_multigrid_options options = {
        .size = sizeof options, .pre_sweeps = before, .post_sweeps = after};
    double half = acos(-1) / (N + 1) / 2;
    problem p = open_problem(context, &d, &options);
    fur_vector *exact = sine_product(&p, N);
    fur_vector *b = zeros(&p, FUR_F64);
    fur_vector *x = zeros(&p, FUR_F64);
    fur_vector *error = zeros(&p, FUR_F64);
    int cycles = 0;
    ck_ok(context, fur_axpby(fur_real(12 * sin(half) * sin(half)), exact, fur_real(0), b));
    do {
        ck_ok(context, fur_multigrid_cycle(p.mg, b, x));
        ck_ok(context, fur_vector_copy(x, error));
        ck_ok(context, fur_axpby(fur_real(-1), exact, fur_real(1), error));
    } while (++cycles < MAX && largest(error) > 1e-6);
    ck_assert_int_lt(cycles, MAX);
    fur_vector_destroy(error);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_vector_destroy(exact);
    close_problem(&p);
    return cycles;
}

START_TEST(sweeps_can_be_left_out_on_one_way)
{
    fur_context *context = context_make(NULL, 2);
    int both = cycles_with(context, 1, 1);
    ck_assert_int_gt(cycles_with(context, FUR_MULTIGRID_NO_SWEEPS, 1), both);
    ck_assert_int_gt(cycles_with(context, 1, FUR_MULTIGRID_NO_SWEEPS), both);
    fur_context_destroy(context);
}
END_TEST

START_TEST(wrong_options_and_vectors_are_refused)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_multigrid_options options = {.size = sizeof options, .cycle = (fur_cycle)2};
    fur_stencil_definition d = poisson(FUR_F64, 3, 4, 5);
    REFUSED(FUR_INVALID, "2 is not a cycle; use FUR_CYCLE_V or FUR_CYCLE_F");
    options.cycle = FUR_CYCLE_F;
    options.levels = -1;
    REFUSED(FUR_INVALID,
            "pre_sweeps, post_sweeps, levels and coarsest must not be negative, except "
            "FUR_MULTIGRID_NO_SWEEPS for pre_sweeps and post_sweeps");
    options.levels = 0;
    options.pre_sweeps = options.post_sweeps = FUR_MULTIGRID_NO_SWEEPS;
    REFUSED(FUR_INVALID,
            "a cycle needs at least one sweep; set options.pre_sweeps or options.post_sweeps");
    options.pre_sweeps = options.post_sweeps = 0;
    problem p = open_problem(context, &d, &options);
    fur_operator *op = NULL;
    fur_vector *x = zeros(&p, FUR_F64);
    fur_vector *single = zeros(&p, FUR_F32);
    fur_context *other = context_make(NULL, 1);
    fur_vector *foreign = NULL;
    ck_ok(other, fur_vector_create(other, FUR_F64, 60, &foreign));
    ck_fails(context, FUR_UNSUPPORTED,
             "the multigrid operator must be symmetric: use a V cycle with pre_sweeps equal to "
             "post_sweeps; "
             "this one is F(2, 2)",
             fur_operator_from_multigrid(p.mg, &op));
    ck_fails(context, FUR_INVALID,
             "b has 60 entries of type f32, but the grid needs 60 of type f64",
             fur_multigrid_cycle(p.mg, single, x));
    ck_fails(context, FUR_INVALID, "x belongs to another context than the multigrid",
             fur_multigrid_cycle(p.mg, x, foreign));
    ck_fails(context, FUR_INVALID, "b and x overlap in memory; give each a separate array",
             fur_multigrid_cycle(p.mg, x, x));
    fur_solver_report report = {.size = sizeof report, .outcome = FUR_OUTCOME_CONVERGED};
    ck_fails(context, FUR_INVALID, "rtol and max_cycles must not be negative",
             fur_multigrid_solve(p.mg, x, x, -1, 0, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_UNSOLVED);
    fur_vector_destroy(foreign);
    fur_context_destroy(other);
    fur_vector_destroy(single);
    fur_vector_destroy(x);
    close_problem(&p);
    fur_context_destroy(context);
}
END_TEST

/* Creates the multigrid and its operator while allocation 1 fails, then allocation 2, and so on. */
START_TEST(memory_that_runs_out_is_reported_and_released)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_stencil_definition d = poisson(FUR_F64, 5, 6, 8);
    d.boundary[2] = FUR_BOUNDARY_PERIODIC;
    fur_stencil *a = NULL;
    fur_multigrid *mg = NULL;
    fur_operator *op = NULL;
    ck_ok(context, fur_stencil_create(context, &d, &a));
    int64_t outstanding = m.outstanding;
    int64_t failures = 0;
    while (!op) {
        m.fail_at = m.calls + failures + 1;
        fur_status status = fur_multigrid_create(a, NULL, &mg);
        if (status == FUR_OK)
            status = fur_operator_from_multigrid(mg, &op);
        m.fail_at = 0;
        if (status == FUR_OK)
            break;
        ck_assert_int_eq(status, FUR_OUT_OF_MEMORY);
        ck_assert_ptr_null(op);
        fur_multigrid_destroy(mg);
        mg = NULL;
        ck_assert_int_eq(m.outstanding, outstanding);
        failures++;
    }
    ck_assert_int_gt(failures, 30);
    fur_operator_destroy(op);
    fur_multigrid_destroy(mg);
    ck_assert_int_eq(m.outstanding, outstanding);
    fur_stencil_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, coarse_axes_are_those_of_galerkin, 0, FUR_BOUNDARY_COUNT);
    tcase_add_test(tests, weak_axes_wait);
    tcase_add_loop_test(tests, kernels_are_those_of_the_contract, 0, BOUNDARIES);
    tcase_add_test(tests, full_weighting_is_the_transpose_of_interpolation);
    tcase_add_loop_test(tests, a_cycle_makes_the_residual_ten_times_smaller, 0, COUNT_OF(sizes));
    tcase_add_test(tests, convergence_does_not_depend_on_the_size);
    tcase_add_test(tests, errors_fall_with_the_square_of_the_distance);
    tcase_add_test(tests, two_f_cycles_reach_the_error_of_the_discretization);
    tcase_add_test(tests, conjugate_gradients_need_few_iterations_with_it);
    tcase_add_test(tests, the_preconditioner_is_symmetric_and_positive);
    tcase_add_loop_test(tests, threads_and_instruction_sets_do_not_show, 0, 4);
    tcase_add_test(tests, a_multigrid_describes_itself);
    tcase_add_test(tests, solves_end_as_they_say);
    tcase_add_test(tests, residuals_are_those_of_the_stencil);
    tcase_add_test(tests, what_rounding_has_made_indefinite_is_refused);
    tcase_add_test(tests, other_stencils_are_refused);
    tcase_add_test(tests, a_grid_of_any_size_is_refused_in_words);
    tcase_add_test(tests, stencils_with_fields_are_refused);
    tcase_add_test(tests, a_rounded_centre_is_the_sum);
    tcase_add_test(tests, sweeps_can_be_left_out_on_one_way);
    tcase_add_test(tests, wrong_options_and_vectors_are_refused);
    tcase_add_test(tests, memory_that_runs_out_is_reported_and_released);
}

int main(void)
{
    return run_tests("multigrid", add_tests);
}
