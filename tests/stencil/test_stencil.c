/* Stencils. Every exact kernel is compared with the formula, added up here, on the named stencils
 * and on random ones. This holds for all value types, boundaries, small extents, thread counts and
 * instruction sets. Also: the matrix of a stencil, operators, refused definitions. Vectors end at
 * unmapped pages. */
#include "stencil_trial.h"

#include <math.h>

#define SEGMENT 128 /* length of a segment in docs/numerics.md */
#define MAX_CONTEXTS 12

static const int named_points[] = {3, 5, 7, 9, 13, 19, 27};

/* Returns a * b. Adding -0 to a product changes nothing. */
static fur_scalar multiply_entries(fur_value_type value, fur_scalar a, fur_scalar b)
{
    return entry_fma(value, a, b, fur_complex(-0.0, -0.0));
}

/* The rule for rows of more than SEGMENT entries. Replaces s by the sums of its segments and
 * returns their number. A segment sums products c_k s_k, or s_k if c is NULL, in eight lanes that
 * are folded in halves. `count` is the number of terms. */
static int fold_segments(fur_value_type value, const fur_scalar *c, fur_scalar *s, int count)
{
    int segments = 0;
    for (int first = 0; first < count; first += SEGMENT) {
        fur_scalar lane[8] = {{0, 0}};
        for (int k = first; k < count && k < first + SEGMENT; k++)
            lane[k % 8] =
                c ? entry_fma(value, c[k], s[k], lane[k % 8]) : entry_add(value, lane[k % 8], s[k]);
        for (int half = 4; half > 0; half /= 2)
            for (int l = 0; l < half; l++)
                lane[l] = entry_add(value, lane[l], lane[l + half]);
        s[segments++] = lane[0];
    }
    return segments;
}

/* Returns the documented sum of row p. `order` has the offsets by z, then y, then x. */
static fur_scalar expected_sum(const stencil_trial *t, const int *order, int64_t p)
{
    fur_value_type value = t->d.value_type;
    fur_scalar c[9 * 9 * 9];
    fur_scalar x[9 * 9 * 9];
    fur_scalar sum = {0, 0};
    int terms = 0;
    for (int n = 0; n < t->d.points; n++) {
        int64_t from = trial_neighbour(t, p, order[n]);
        if (from < 0)
            continue;
        c[terms] = trial_coefficient(t, p, order[n]);
        x[terms++] = entry_get(value, t->x, from);
    }
    if (terms > SEGMENT) {
        for (terms = fold_segments(value, c, x, terms); terms > 1;)
            terms = fold_segments(value, NULL, x, terms);
        return x[0];
    }
    for (int n = 0; n < terms; n++)
        sum = entry_fma(value, c[n], x[n], sum);
    return sum;
}

static int rank_of(fur_stencil_offset o)
{
    return o.x + 10 * (o.y + 10 * o.z);
}

static void sort_offsets(const stencil_trial *t, int *order)
{
    for (int n = 0; n < t->d.points; n++) {
        int place = n;
        for (; place > 0 && rank_of(t->offsets[order[place - 1]]) > rank_of(t->offsets[n]); place--)
            order[place] = order[place - 1];
        order[place] = n;
    }
}

static void expect(stencil_trial *t)
{
    int order[MAX_POINTS];
    fur_value_type value = t->d.value_type;
    sort_offsets(t, order);
    trial_release(t, t->expected);
    t->expected = trial_zeros(t);
    for (int64_t p = 0; p < t->rows; p++) {
        fur_scalar sum = expected_sum(t, order, p);
        fur_scalar scaled = multiply_entries(value, t->beta, entry_get(value, t->y, p));
        entry_set(value, t->expected, p,
                  trial_overwrites(t) ? multiply_entries(value, t->alpha, sum)
                                      : entry_fma(value, t->alpha, sum, scaled));
    }
}

static void draw_extents(stencil_trial *t, rng *r, int64_t most)
{
    static const int64_t extents[] = {1, 2, 3, 5, 7, 8, 17, 33};
    trial_draw_extents(t, r, extents, COUNT_OF(extents), most);
}

/* A context for every instruction set, with one thread and with three. */
typedef struct bench {
    fur_context *contexts[MAX_CONTEXTS];
    int count;
} bench;

static bench bench_open(void)
{
    bench b = {.count = 0};
    for (int i = 0; isa_name(i); i++)
        for (int threads = 1; threads <= 3; threads += 2)
            b.contexts[b.count++] = context_make(isa_name(i), threads);
    return b;
}

static void bench_close(bench *b)
{
    for (int c = 0; c < b->count; c++)
        fur_context_destroy(b->contexts[c]);
}

static void check_kernel(const stencil_trial *t, fur_context *context, const char *kernel)
{
    made m = trial_make(t, context, kernel);
    void *y = trial_product(t, context, m.s);
    ck_assert_str_eq(fur_stencil_describe(m.s)->kernel, kernel);
    trial_check(t, context, kernel, y, t->expected);
    trial_release(t, y);
    made_destroy(&m);
}

static fur_kernel_info kernel_info(fur_context *context, int kernel)
{
    return *fur_stencil_kernel_at(context, kernel);
}

static void check_kernels(const stencil_trial *t, const bench *b)
{
    for (int c = 0; c < b->count; c++)
        for (int kernel = 0; kernel < kernel_count(fur_stencil_kernel_at, b->contexts[c]);
             kernel++) {
            fur_kernel_info info = kernel_info(b->contexts[c], kernel);
            if (info.exact)
                check_kernel(t, b->contexts[c], info.name);
        }
}

static bool is_dirichlet(const stencil_trial *t)
{
    bool all = true;
    for (int axis = 0; axis < t->d.axes; axis++)
        all = all && t->d.boundary[axis] == FUR_BOUNDARY_DIRICHLET;
    return all;
}

/* Checks a product with the matrix. If the columns are in another order than the offsets, rows
 * agree with the stencil's up to the rounding of two sums of the same terms. The terms of a row are
 * n products. A matrix adds the terms of one column first, so each term is rounded at most n times
 * more than in the stencil's sum. With test_spmv.c's g, both err by at most g(2 n + 2) times the
 * sum of moduli, and together by twice that. */
static void check_product_of_matrix(const stencil_trial *t, fur_context *context, const fur_csr *a)
{
    fur_value_type value = t->d.value_type;
    void *entries = trial_copy(t, t->y);
    fur_vector *x = trial_vector(t, context, t->x);
    fur_vector *y = trial_vector(t, context, entries);
    fur_spmv *plan = NULL;
    double g = (value_is_complex(value) ? 2 : 1) * 2 * (2 * t->d.points + 2);
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_spmv_apply(plan, t->alpha, x, t->beta, y));
    if (is_dirichlet(t))
        trial_check(t, context, "of the matrix", entries, t->expected);
    trial_check_near(t, context, "of the matrix", entries, t->expected, g * value_epsilon(value),
                     g * value_tiny(value));
    fur_spmv_destroy(plan);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    trial_release(t, entries);
}

static void check_diagonal(const stencil_trial *t, fur_context *context, const fur_stencil *s,
                           const fur_csr *a)
{
    fur_operator *op = NULL;
    fur_vector *of_matrix = NULL;
    fur_vector *own = NULL;
    ck_ok(context, fur_operator_from_stencil(s, &op));
    ck_ok(context, fur_vector_create(context, t->d.value_type, t->rows, &own));
    ck_ok(context, fur_operator_diagonal(op, own));
    ck_ok(context, fur_csr_diagonal(a, &of_matrix));
    ck_assert_int_eq(first_difference(t->d.value_type, t->rows, fur_vector_data(own),
                                      fur_vector_data(of_matrix)),
                     -1);
    fur_vector_destroy(of_matrix);
    fur_vector_destroy(own);
    fur_operator_destroy(op);
}

/* Checks that the matrix is valid, multiplies as the stencil does, and has its diagonal. */
static void check_matrix(const stencil_trial *t, fur_context *context)
{
    made m = trial_make(t, context, NULL);
    fur_csr *a = NULL;
    ck_ok(context, fur_stencil_assemble(m.s, &a));
    fur_csr_view view = *fur_csr_get(a);
    ck_ok(context, fur_csr_check(context, &view));
    ck_assert(view.rows == t->rows && view.cols == t->rows && view.value_type == t->d.value_type);
    check_product_of_matrix(t, context, a);
    check_diagonal(t, context, m.s, a);
    fur_csr_destroy(a);
    made_destroy(&m);
}

/* Runs a trial with finite numbers, also for the matrix, and then with infinity and NaN. */
static void run_trial(stencil_trial *t, rng *r, const bench *b)
{
    expect(t);
    check_kernels(t, b);
    check_matrix(t, b->contexts[rng_below(r, b->count)]);
    trial_poison(t, r);
    expect(t);
    check_kernels(t, b);
    trial_close(t);
}

/* Named stencils have the documented sums. Loops over value types times combinations of boundaries.
 */
START_TEST(named_stencils_are_added_up_by_the_formula)
{
    bench b = bench_open();
    rng r = rng_stream((uint64_t)_i);
    for (int n = _i % (TEST_SLOW ? 3 : 1); n < COUNT_OF(named_points); n += TEST_SLOW ? 3 : 1) {
        stencil_trial *t = trial_open((fur_value_type)(_i % FUR_VALUE_COUNT), _i / FUR_VALUE_COUNT);
        trial_take_named(t, &r, named_points[n]);
        draw_extents(t, &r, TEST_SLOW ? 700 : 10000);
        trial_draw_product(t, &r);
        run_trial(t, &r, &b);
    }
    bench_close(&b);
}
END_TEST

/* Number of points, radius, whether there are fields, largest number of rows. */
static const struct {
    int points;
    int radius;
    bool fields;
    int64_t rows;
} drawn[] = {{1, 4, false, 5000}, {2, 1, false, 5000},  {6, 2, true, 3000},   {11, 3, false, 3000},
             {27, 1, true, 3000}, {40, 4, false, 3000}, {128, 4, false, 400}, {129, 4, false, 400},
             {300, 4, true, 300}, {729, 4, false, 300}};

/* Random stencils have the documented sums. Loops over value types times combinations of
 * boundaries. */
START_TEST(random_stencils_are_added_up_by_the_formula)
{
    bench b = bench_open();
    rng r = rng_stream((uint64_t)_i);
    for (int n = _i % (TEST_SLOW ? 4 : 1); n < COUNT_OF(drawn); n += TEST_SLOW ? 4 : 1) {
        stencil_trial *t = trial_open((fur_value_type)(_i % FUR_VALUE_COUNT), _i / FUR_VALUE_COUNT);
        t->d.axes = 1 + (int)rng_below(&r, 3);
        t->fields = drawn[n].fields;
        trial_draw_offsets(t, &r, drawn[n].points, drawn[n].radius);
        draw_extents(t, &r, TEST_SLOW ? drawn[n].rows / 4 : drawn[n].rows);
        trial_draw_product(t, &r);
        run_trial(t, &r, &b);
    }
    bench_close(&b);
}
END_TEST

/* Grids for which lines are split into pieces, planes into blocks, and work among threads. One
 * result is larger than the caches. */
static const struct {
    int points; /* 0: random points of radius 4 */
    int axes;
    int64_t extent[3];
    fur_value_type value;
} large[] = {
    {3, 1, {70001, 0, 0}, FUR_F64},    {0, 1, {40000, 0, 0}, FUR_C128},
    {5, 2, {1100, 61, 0}, FUR_F64},    {9, 2, {7, 9001, 0}, FUR_F32},
    {7, 3, {513, 90, 3}, FUR_C128},    {27, 3, {41, 37, 35}, FUR_F64},
    {13, 3, {600, 3, 40}, FUR_F32},    {0, 3, {33, 40, 31}, FUR_F32},
    {0, 2, {1025, 67, 0}, FUR_C64},    {7, 3, {161, 163, 165}, FUR_F64},
    {5, 2, {2100, 1003, 0}, FUR_C128},
};

static fur_vector *product(fur_context *context, const stencil_trial *t, const char *kernel)
{
    made m = trial_make(t, context, kernel);
    fur_vector *x = trial_vector(t, context, t->x);
    fur_vector *y = NULL;
    ck_ok(context, fur_vector_create(context, t->d.value_type, t->rows, &y));
    ck_ok(context, fur_stencil_apply(m.s, t->alpha, x, t->beta, y));
    fur_vector_destroy(x);
    made_destroy(&m);
    return y;
}

static void check_threads(const stencil_trial *t, const char *isa, const void *expected)
{
    for (int threads = 1; threads <= 8; threads += TEST_SLOW ? 7 : threads < 3 ? 1 : 5) {
        fur_context *context = context_make(isa, threads);
        fur_vector *y = product(context, t, NULL);
        trial_check(t, context, "auto", fur_vector_data(y), expected);
        fur_vector_destroy(y);
        fur_context_destroy(context);
    }
}

/* The bits do not depend on threads and blocks. Loops over the large grids. */
START_TEST(threads_and_blocks_do_not_show)
{
    rng r = rng_stream((uint64_t)_i);
    stencil_trial *t = trial_open(large[_i].value, (int)rng_below(&r, BOUNDARIES));
    t->d.axes = large[_i].axes;
    if (large[_i].points)
        trial_take_named(t, &r, large[_i].points);
    else
        trial_draw_offsets(t, &r, 20, 4);
    trial_set_extents(t, large[_i].extent);
    trial_draw_product(t, &r);
    t->beta = fur_real(0);
    fur_context *context = context_make(NULL, 1);
    fur_vector *y = product(context, t, "reference");
    for (int i = 0; isa_name(i); i++)
        check_threads(t, isa_name(i), fur_vector_data(y));
    fur_vector_destroy(y);
    fur_context_destroy(context);
    trial_close(t);
}
END_TEST

static void small_integers(fur_vector *x, rng *r)
{
    double *entries = fur_vector_data(x);
    for (int64_t p = 0; p < fur_vector_size(x); p++)
        entries[p] = (double)(rng_below(r, 17) - 8);
}

static double dot(const fur_vector *x, const fur_vector *y)
{
    fur_scalar sum;
    ck_ok(fur_vector_context(x), fur_dot(x, y, &sum));
    return sum.re;
}

static void check_symmetry(fur_context *context, rng *r, const stencil_trial *t)
{
    made m = trial_make(t, context, NULL);
    fur_vector *v[4] = {NULL};
    for (int i = 0; i < COUNT_OF(v); i++)
        ck_ok(context, fur_vector_create(context, FUR_F64, t->rows, &v[i]));
    small_integers(v[0], r);
    small_integers(v[1], r);
    ck_ok(context, fur_stencil_apply(m.s, fur_real(1), v[0], fur_real(0), v[2]));
    ck_ok(context, fur_stencil_apply(m.s, fur_real(1), v[1], fur_real(0), v[3]));
    ck_assert_double_eq(dot(v[1], v[2]), dot(v[0], v[3]));
    for (int i = 0; i < COUNT_OF(v); i++)
        fur_vector_destroy(v[i]);
    made_destroy(&m);
}

/* x.Sy = y.Sx holds for a symmetric stencil, in integers that are added exactly. Loops over
 * combinations of boundaries. */
START_TEST(symmetric_stencils_stay_symmetric_at_every_boundary)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream((uint64_t)_i);
    for (int n = 0; n < COUNT_OF(named_points); n++)
        for (int i = 0; i < 4; i++) {
            stencil_trial *t = trial_open(FUR_F64, _i);
            trial_take_named(t, &r, named_points[n]);
            draw_extents(t, &r, 5000);
            check_symmetry(context, &r, t);
            trial_close(t);
        }
    fur_context_destroy(context);
}
END_TEST

static fur_stencil *make_stencil(fur_context *context, const fur_stencil_definition *d)
{
    fur_stencil *s = NULL;
    ck_ok(context, fur_stencil_create(context, d, &s));
    return s;
}

static double *sine_product(int n)
{
    double pi = acos(-1);
    double *u = malloc((size_t)n * (size_t)n * (size_t)n * sizeof *u);
    ck_assert_ptr_nonnull(u);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                u[i + n * (j + n * k)] = sin(pi * (i + 1) / (n + 1)) * sin(pi * (j + 1) / (n + 1)) *
                                         sin(pi * (k + 1) / (n + 1));
    return u;
}

/* Returns the largest error of the solution of -Laplace u = 3 pi^2 u on n^3 points of the unit
 * cube, in units of the largest u. u = 0 around the cube, and the exact u is sin(pi x) sin(pi y)
 * sin(pi z). */
static double solution_error(int n)
{
    fur_context *context = context_make(NULL, 2);
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {n, n, n}};
    ck_assert(fur_stencil_named(7, &d));
    int64_t rows = (int64_t)n * n * n;
    double pi = acos(-1);
    double *u = sine_product(n);
    fur_stencil *s = make_stencil(context, &d);
    fur_operator *op = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_vector *exact = vector_from(context, FUR_F64, rows, u);
    fur_vector *b = vector_from(context, FUR_F64, rows, u);
    rng r = rng_stream(1);
    fur_vector *x = vector_random(context, &r, FUR_F64, rows);
    fur_solver_options options = {.size = sizeof options, .rtol = 1e-12};
    ck_ok(context, fur_axpby(fur_real(0), exact, fur_real(3 * pi * pi / (n + 1) / (n + 1)), b));
    ck_ok(context, fur_operator_from_stencil(s, &op));
    ck_ok(context, fur_solver_create(op, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, b, x, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_ok(context, fur_axpby(fur_real(-1), exact, fur_real(1), x));
    double error = 0;
    double size = 0;
    ck_ok(context, fur_norm_max(x, &error));
    ck_ok(context, fur_norm_max(exact, &size));
    fur_solver_destroy(solver);
    fur_operator_destroy(op);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_vector_destroy(exact);
    fur_stencil_destroy(s);
    free(u);
    fur_context_destroy(context);
    return error / size;
}

/* The error falls with the square of the grid distance. With h = 1 / (n + 1), u is an eigenvector
 * of the discrete operator too. Its eigenvalue is 3 (2 / h)^2 sin^2(pi h / 2) instead of 3 pi^2.
 * The solution is u times their quotient, 1 + pi^2 h^2 / 12 + O(h^4). This is the smallest
 * eigenvalue, so a residual of 1e-12 leaves an error of at most 1e-12 in norm 2. The norm of u is
 * sqrt((n + 1)^3 / 8) < 64. The initial guess is random. */
START_TEST(errors_fall_with_the_square_of_the_distance)
{
    double pi = acos(-1);
    double errors[2];
    for (int i = 0; i < 2; i++) {
        double h = 1.0 / (16 << i);
        double angle = pi * h / 2;
        errors[i] = solution_error((16 << i) - 1);
        ck_assert_double_eq_tol(errors[i], angle * angle / sin(angle) / sin(angle) - 1, 1e-9);
    }
    /* The quotient is 4 (1 + O(h^2)): the next term is h^4 pi^4 / 240. */
    ck_assert_double_eq_tol(errors[0] / errors[1], 4, 4 * pi * pi / 20 / 256);
}
END_TEST

START_TEST(named_stencils_have_the_documented_coefficients)
{
    static const struct {
        int points, axes;
        double centre, face, edge, corner, second;
    } expected[] = {{3, 1, 2, -1, 0, 0, 0},    {5, 2, 4, -1, 0, 0, 0},    {9, 2, 8, -1, -1, 0, 0},
                    {7, 3, 6, -1, 0, 0, 0},    {13, 3, 90, -16, 0, 0, 1}, {19, 3, 24, -2, -1, 0, 0},
                    {27, 3, 26, -1, -1, -1, 0}};
    for (int n = 0; n < COUNT_OF(expected); n++) {
        fur_stencil_definition d = {.size = 0};
        double sum = 0;
        ck_assert(fur_stencil_named(expected[n].points, &d));
        ck_assert(d.points == expected[n].points && d.axes == expected[n].axes && !d.fields);
        for (int k = 0; k < d.points; k++) {
            fur_stencil_offset o = d.offsets[k];
            int far = o.x * o.x + o.y * o.y + o.z * o.z;
            const double by_distance[] = {expected[n].centre, expected[n].face, expected[n].edge,
                                          expected[n].corner, expected[n].second};
            ck_assert_int_le(far, 4);
            ck_assert_double_eq(d.coefficients[k].re, by_distance[far]);
            sum += d.coefficients[k].re;
        }
        ck_assert_double_eq(sum, 0);
    }
    fur_stencil_definition d = {.points = -5};
    ck_assert(!fur_stencil_named(0, &d) && !fur_stencil_named(8, &d) && d.points == -5);
}
END_TEST

START_TEST(a_stencil_describes_itself)
{
    fur_context *context = context_make(NULL, 1);
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_C64, .extent = {5, 6, 7}};
    ck_assert(fur_stencil_named(7, &d));
    fur_stencil *s = make_stencil(context, &d);
    fur_stencil_report report = *fur_stencil_describe(s);
    ck_assert_str_eq(report.kernel, "blocked");
    ck_assert_str_eq(report.reason, "the fastest kernel that supports the stencil");
    ck_assert(report.rows == 210 && report.points == 7 && report.bytes == INT64_C(2) * 210 * 8);
    fur_stencil_destroy(s);
    d.kernel = "reference";
    d.coefficients = NULL;
    fur_vector *field = NULL;
    ck_ok(context, fur_vector_create(context, FUR_C64, 210, &field));
    const fur_vector *fields[] = {field, field, field, field, field, field, field};
    d.fields = fields;
    s = make_stencil(context, &d);
    report = *fur_stencil_describe(s);
    ck_assert_str_eq(report.kernel, "reference");
    ck_assert_str_eq(report.reason, "asked for by name");
    ck_assert(report.bytes == INT64_C(9) * 210 * 8);
    fur_stencil_destroy(s);
    d.kernel = NULL;
    s = make_stencil(context, &d);
    ck_assert_ptr_nonnull(strstr(fur_stencil_describe(s)->reason, "its matrix may be faster"));
    fur_stencil_destroy(s);
    fur_stencil_destroy(NULL);
    fur_vector_destroy(field);
    fur_context_destroy(context);
}
END_TEST

/* A grid too large for any vector still has a stencil, unless its kernel needs memory for a line.
 * Its report has finite numbers. Loops over value types. */
START_TEST(figures_of_a_grid_beyond_memory_stay_numbers)
{
    const int64_t most = (INT64_C(1) << 59) - 1;
    const int64_t bytes =
        _i == FUR_C128 ? INT64_MAX : 2 * most * (int64_t)fur_value_size((fur_value_type)_i);
    static const char *const kernels[] = {"reference", "blocked", "symmetric"};
    fur_context *context = context_make(NULL, 1);
    for (int n = 0; n < 3 * COUNT_OF(kernels); n++) {
        fur_stencil_definition d = {
            .size = sizeof d, .value_type = (fur_value_type)_i, .extent = {1, 1, 1}};
        fur_stencil *s = NULL;
        ck_assert(fur_stencil_named(27, &d));
        d.kernel = kernels[n / 3];
        d.extent[n % 3] = most;
        fur_status status = fur_stencil_create(context, &d, &s);
        ck_assert_int_eq(status, s ? FUR_OK : FUR_OUT_OF_MEMORY);
        if (s)
            ck_assert(fur_stencil_describe(s)->bytes == bytes);
        fur_stencil_destroy(s);
    }
    fur_context_destroy(context);
}
END_TEST

/* Returns a valid definition, which tests then make invalid. */
static fur_stencil_definition sound(void)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {3, 4, 5}};
    ck_assert(fur_stencil_named(7, &d));
    return d;
}

#define REFUSED(status, sentence)                                                                  \
    ck_fails(context, status, sentence, fur_stencil_create(context, &d, &s))

START_TEST(definitions_that_break_the_contract_are_refused)
{
    static const fur_stencil_offset far[] = {{0, 0, 0}, {0, -5, 0}};
    static const fur_stencil_offset twice[] = {{1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    int64_t outstanding = m.outstanding;
    fur_stencil *s = NULL;
    fur_stencil_definition d = sound();
    d.value_type = (fur_value_type)4;
    REFUSED(FUR_INVALID, "4 is not a value type");
    d = sound();
    d.axes = 4;
    REFUSED(FUR_INVALID, "a grid has 1, 2 or 3 axes, not 4");
    d = sound();
    d.extent[1] = 0;
    REFUSED(FUR_INVALID, "axis 1 has 0 points; a grid needs at least 1");
    d = sound();
    d.boundary[2] = (fur_boundary)3;
    REFUSED(FUR_INVALID, "3 is not a boundary; use FUR_BOUNDARY_DIRICHLET, FUR_BOUNDARY_NEUMANN or "
                         "FUR_BOUNDARY_PERIODIC");
    d = sound();
    d.extent[0] = d.extent[1] = d.extent[2] = INT64_C(1) << 21;
    REFUSED(FUR_OVERFLOW, "the grid has 2^59 points or more, which is too large for a vector");
    d = sound();
    d.points = 0;
    REFUSED(FUR_INVALID, "a stencil needs at least one offset");
    d = sound();
    d.offsets = NULL;
    REFUSED(FUR_INVALID, "a stencil needs at least one offset");
    d = sound();
    d.coefficients = NULL;
    REFUSED(FUR_INVALID, "a stencil needs either coefficients or fields; none were given");
    d = sound();
    d.offsets = far;
    d.points = 2;
    REFUSED(FUR_INVALID, "offset 1 is (0, -5, 0); it must be at most 4 along each of 3 axes");
    d = sound();
    d.axes = 2;
    REFUSED(FUR_INVALID, "offset 5 is (0, 0, -1); it must be at most 4 along each of 2 axes");
    d = sound();
    d.offsets = twice;
    d.points = 3;
    REFUSED(FUR_INVALID, "offsets 0 and 2 are the same");
    d = sound();
    d.kernel = "fast";
    REFUSED(FUR_UNSUPPORTED,
            "there is no stencil kernel \"fast\" on device cpu; it has auto, reference, blocked, "
            "symmetric");
    ck_assert_ptr_null(s);
    ck_assert_int_eq(m.outstanding, outstanding);
    fur_context_destroy(context);
}
END_TEST

START_TEST(fields_that_do_not_fit_are_refused)
{
    static const fur_stencil_offset offsets[] = {{0, 0, 0}, {1, 0, 0}};
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_context *other = context_make(NULL, 1);
    fur_vector *good = NULL;
    fur_vector *shorter = NULL;
    fur_vector *foreign = NULL;
    fur_stencil *s = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 10, &good));
    ck_ok(context, fur_vector_create(context, FUR_F64, 9, &shorter));
    ck_ok(other, fur_vector_create(other, FUR_F64, 10, &foreign));
    int64_t outstanding = m.outstanding;
    const fur_vector *fields[] = {good, NULL};
    fur_stencil_definition d = {.size = sizeof d,
                                .value_type = FUR_F64,
                                .axes = 1,
                                .extent = {10},
                                .points = 2,
                                .offsets = offsets,
                                .fields = fields};
    REFUSED(FUR_INVALID, "field 1 is NULL");
    fields[1] = shorter;
    REFUSED(FUR_INVALID, "field 1 has 9 entries of type f64, but the grid needs 10 of type f64");
    fields[1] = foreign;
    REFUSED(FUR_INVALID, "field 1 belongs to another context than the stencil");
    d.value_type = FUR_F32;
    REFUSED(FUR_INVALID, "field 0 has 10 entries of type f64, but the grid needs 10 of type f32");
    const fur_scalar coefficients[] = {{1, 0}, {1, 0}};
    d.coefficients = coefficients;
    REFUSED(FUR_INVALID, "a stencil needs either coefficients or fields; both were given");
    ck_assert_ptr_null(s);
    ck_assert_int_eq(m.outstanding, outstanding);
    fur_vector_destroy(foreign);
    fur_vector_destroy(shorter);
    fur_vector_destroy(good);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

START_TEST(vectors_that_do_not_fit_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    fur_stencil_definition d = sound();
    fur_stencil *s = make_stencil(context, &d);
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    fur_vector *shorter = NULL;
    fur_vector *foreign = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 60, &x));
    ck_ok(context, fur_vector_create(context, FUR_F32, 60, &y));
    ck_ok(context, fur_vector_create(context, FUR_F64, 59, &shorter));
    ck_ok(other, fur_vector_create(other, FUR_F64, 60, &foreign));
    ck_fails(context, FUR_INVALID,
             "y has 60 entries of type f32, but the grid needs 60 of type f64",
             fur_stencil_apply(s, fur_real(1), x, fur_real(0), y));
    ck_fails(context, FUR_INVALID,
             "x has 59 entries of type f64, but the grid needs 60 of type f64",
             fur_stencil_apply(s, fur_real(1), shorter, fur_real(0), x));
    ck_fails(context, FUR_INVALID, "y belongs to another context than the stencil",
             fur_stencil_apply(s, fur_real(1), x, fur_real(0), foreign));
    ck_fails(context, FUR_INVALID, "x and y overlap in memory; give each a separate array",
             fur_stencil_apply(s, fur_real(1), x, fur_real(0), x));
    fur_vector_destroy(foreign);
    fur_vector_destroy(shorter);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_stencil_destroy(s);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_grid_beyond_a_matrix_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_stencil_definition d = sound();
    fur_csr *a = NULL;
    d.extent[0] = d.extent[1] = d.extent[2] = 1291;
    fur_stencil *s = make_stencil(context, &d);
    ck_fails(
        context, FUR_OVERFLOW,
        "a grid of 2151685171 points is too large for a matrix, which has at most 2147483647 rows",
        fur_stencil_assemble(s, &a));
    ck_assert_ptr_null(a);
    fur_stencil_destroy(s);
    fur_context_destroy(context);
}
END_TEST

START_TEST(kernels_are_listed)
{
    fur_context *context = context_make(NULL, 1);
    fur_kernel_info info;
    int count = kernel_count(fur_stencil_kernel_at, context);
    ck_assert_str_eq(kernel_info(context, 0).name, "reference");
    for (int i = 0; i < count; i++) {
        info = kernel_info(context, i);
        ck_assert(info.name[0] && info.summary[0] && info.source);
    }
    ck_assert_ptr_null(fur_stencil_kernel_at(context, count));
    ck_assert_ptr_null(fur_stencil_kernel_at(context, -1));
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, named_stencils_are_added_up_by_the_formula, 0,
                        FUR_VALUE_COUNT * BOUNDARIES);
    tcase_add_turns(tests, random_stencils_are_added_up_by_the_formula,
                    FUR_VALUE_COUNT * BOUNDARIES, 3);
    tcase_add_turns(tests, threads_and_blocks_do_not_show, COUNT_OF(large), 2);
    tcase_add_loop_test(tests, symmetric_stencils_stay_symmetric_at_every_boundary, 0, BOUNDARIES);
    tcase_add_test(tests, errors_fall_with_the_square_of_the_distance);
    tcase_add_test(tests, named_stencils_have_the_documented_coefficients);
    tcase_add_test(tests, a_stencil_describes_itself);
    tcase_add_loop_test(tests, figures_of_a_grid_beyond_memory_stay_numbers, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, definitions_that_break_the_contract_are_refused);
    tcase_add_test(tests, fields_that_do_not_fit_are_refused);
    tcase_add_test(tests, vectors_that_do_not_fit_are_refused);
    tcase_add_test(tests, a_grid_beyond_a_matrix_is_refused);
    tcase_add_test(tests, kernels_are_listed);
}

int main(void)
{
    return run_tests("stencil", add_tests);
}
