/* Tests of geometric multigrid for the nearest constant coefficients: few iterations if
 * coefficients are smooth, symmetry, equal bits everywhere, new values, refusals. */
#include "support.h"

#include <math.h>
#include <stdio.h>

static const fur_precond_options grid = {.size = sizeof grid, .kind = "grid"};

/* A diffusion on points in a box. c = range^(sin(3 x) cos(2 y + z)), or 1 and range alternately if
 * `jumps`. */
typedef struct problem {
    int extent[3];
    double range;
    bool jumps;
    bool neumann;
    double shift; /* added to the diagonal */
} problem;

static double coefficient(const problem *p, double x, double y, double z)
{
    if (p->jumps)
        return ((int)(4 * x) + (int)(4 * y) + (int)(4 * z)) % 2 ? p->range : 1;
    return pow(p->range, sin(3 * x) * cos(2 * y + z));
}

static double coupling(const problem *p, const int *at, int axis, int step)
{
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = (at[i] + 1 + (i == axis ? step / 2.0 : 0)) / (p->extent[i] + 1);
    return coefficient(p, x[0], x[1], x[2]);
}

typedef struct entries {
    int32_t *row;
    int32_t *col;
    double *value;
    int64_t count;
} entries;

static void add(entries *e, int64_t i, int64_t j, double value)
{
    e->row[e->count] = (int32_t)i;
    e->col[e->count] = (int32_t)j;
    e->value[e->count++] = value;
}

static void add_row(const problem *p, const int *at, int64_t i, entries *e)
{
    double diagonal = p->shift;
    int64_t stride = 1;
    for (int axis = 0; axis < 3; axis++) {
        for (int step = -1; step <= 1 && p->extent[axis] > 1; step += 2) {
            double k = coupling(p, at, axis, step);
            bool inside = at[axis] + step >= 0 && at[axis] + step < p->extent[axis];
            diagonal += inside || !p->neumann ? k : 0;
            if (inside)
                add(e, i, i + step * stride, -k);
        }
        stride *= p->extent[axis];
    }
    add(e, i, i, diagonal);
}

static fur_csr *make(fur_context *context, const problem *p, fur_value_type value,
                     fur_offset_type offset)
{
    int64_t n = (int64_t)p->extent[0] * p->extent[1] * p->extent[2];
    entries e = {malloc((size_t)n * 7 * sizeof *e.row), malloc((size_t)n * 7 * sizeof *e.col),
                 malloc((size_t)n * 7 * sizeof *e.value), 0};
    fur_csr *a = NULL;
    fur_csr *out = NULL;
    for (int64_t i = 0; i < n; i++) {
        int64_t line = i / p->extent[0];
        const int at[] = {(int)(i % p->extent[0]), (int)(line % p->extent[1]),
                          (int)(line / p->extent[1])};
        add_row(p, at, i, &e);
    }
    fur_coo_view coo = {sizeof coo, n, n, e.count, FUR_F64, e.row, e.col, e.value};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_csr_convert(a, value, offset, &out));
    fur_csr_destroy(a);
    free(e.value);
    free(e.col);
    free(e.row);
    return out;
}

/* Returns the number of iterations of cg from 0 for b = 1. */
static int64_t iterations(const fur_csr *a, double rtol)
{
    fur_context *context = fur_csr_context(a);
    const fur_csr_view *v = fur_csr_get(a);
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    fur_solver_options solver = {.size = sizeof solver, .method = "cg", .rtol = rtol};
    fur_solve_options o = {.size = sizeof o, .solver = &solver, .precond = "grid"};
    ck_ok(context, fur_vector_create(context, v->value_type, v->rows, &b));
    ck_ok(context, fur_vector_create(context, v->value_type, v->rows, &x));
    ck_ok(context, fur_vector_fill(b, fur_real(1)));
    ck_ok(context, fur_vector_fill(x, fur_real(0)));
    ck_ok(context, fur_solve(a, b, x, &o, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    return report.iterations;
}

static const struct {
    problem p;
    int most;
    double spread;
} trials[] = {
    {{{200, 1, 1}, 1, false, false, 0}, 8, 1.001},
    {{{61, 64, 1}, 1, false, false, 0}, 8, 1.001},
    {{{61, 64, 1}, 1e4, false, false, 0}, 20, 1.1},
    {{{21, 18, 20}, 1, false, false, 0}, 8, 1.001},
    {{{21, 18, 20}, 100, false, false, 0}, 12, 1.1},
    {{{21, 18, 20}, 1e4, false, false, 0}, 20, 1.2},
    {{{40, 41, 1}, 10, false, true, 1e-3}, 40, 2},
    {{{21, 18, 20}, 10, false, true, 1e-3}, 40, 2},
};
/* Solutions of the last two are too large for single precision. */
enum { TRIALS = sizeof trials / sizeof *trials, SINGLE_TRIALS = TRIALS - 2 };

/* Smooth coefficients need few iterations in both precisions. The limits are somewhat above the
 * measured counts. */
START_TEST(smooth_coefficients_take_few_iterations)
{
    fur_context *context = context_make(NULL, 2);
    fur_value_type value = _i < TRIALS ? FUR_F64 : FUR_F32;
    fur_csr *a = make(context, &trials[_i % TRIALS].p, value, FUR_I32);
    fur_precond *p = NULL;
    ck_ok(context, fur_precond_create(a, &grid, &p));
    ck_assert_double_le(fur_precond_describe(p)->spread, trials[_i % TRIALS].spread);
    ck_assert_int_ge(fur_precond_describe(p)->levels, 2);
    int64_t count = iterations(a, value == FUR_F64 ? 1e-8 : 1e-4);
    ck_assert_msg(count <= trials[_i % TRIALS].most, "%d iterations", (int)count);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(jumps_are_seen)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = make(context, &(problem){{32, 33, 1}, 10, true, false, 0}, FUR_F64, FUR_I32);
    fur_precond *p = NULL;
    ck_ok(context, fur_precond_create(a, &grid, &p));
    ck_assert_double_ge(fur_precond_describe(p)->spread, 2.4);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static double dot(const fur_vector *x, const fur_vector *y)
{
    fur_scalar sum;
    ck_ok(fur_vector_context(x), fur_dot(x, y, &sum));
    return sum.re;
}

/* M is symmetric: y.M x = x.M y up to the rounding of a cycle. A cycle makes about 100 operations
 * for each point, with results of the size of M x. */
START_TEST(it_is_symmetric)
{
    rng r = rng_stream(4000);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = make(context, &(problem){{17, 18, 13}, 50, false, false, 0}, FUR_F64, FUR_I64);
    int64_t n = fur_csr_get(a)->rows;
    fur_vector *x = vector_random(context, &r, FUR_F64, n);
    fur_vector *y = vector_random(context, &r, FUR_F64, n);
    fur_vector *mx = vector_random(context, &r, FUR_F64, n);
    fur_vector *my = vector_random(context, &r, FUR_F64, n);
    fur_precond *p = NULL;
    ck_ok(context, fur_precond_create(a, &grid, &p));
    ck_ok(context, fur_precond_apply(p, x, mx));
    ck_ok(context, fur_precond_apply(p, y, my));
    double size = sqrt(dot(mx, mx) * dot(y, y));
    ck_assert_double_le(fabs(dot(y, mx) - dot(x, my)), 1e4 * value_epsilon(FUR_F64) * size);
    ck_assert_double_gt(dot(x, mx), 0);
    fur_precond_destroy(p);
    fur_vector_destroy(my);
    fur_vector_destroy(mx);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Returns the entries of z = M r for a fixed r. The caller frees them. */
static void *apply(int threads, fur_value_type value, fur_offset_type offset, bool updated)
{
    rng r = rng_stream(4001);
    fur_context *context = context_make(NULL, threads);
    problem p = {{40, 31, 29}, 30, false, false, 0.1};
    fur_csr *a = make(context, &p, value, offset);
    fur_vector *x = vector_random(context, &r, value, fur_csr_get(a)->rows);
    fur_vector *z = vector_random(context, &r, value, fur_csr_get(a)->rows);
    fur_precond *m = NULL;
    if (updated) { /* M is made from other values, then updated */
        p.range = 3;
        fur_csr *other = make(context, &p, value, offset);
        fur_csr *kept = a;
        a = other;
        ck_ok(context, fur_precond_create(a, &grid, &m));
        ck_ok(context, fur_csr_set_values(a, fur_csr_get(kept)->values, FUR_OWNERSHIP_COPY));
        ck_ok(context, fur_precond_update(m));
        fur_csr_destroy(kept);
    } else {
        ck_ok(context, fur_precond_create(a, &grid, &m));
    }
    ck_ok(context, fur_precond_apply(m, x, z));
    void *found = vector_entries(z);
    fur_precond_destroy(m);
    fur_vector_destroy(z);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    return found;
}

/* The bits are the same for any number of threads, any width of offsets, and after new values. */
START_TEST(bits_are_the_same_everywhere)
{
    fur_value_type value = _i ? FUR_F64 : FUR_F32;
    void *expected = apply(1, value, FUR_I32, false);
    for (int threads = 1; threads <= 8; threads += TEST_SLOW ? 7 : 1) {
        void *found = apply(threads, value, threads % 2 ? FUR_I64 : FUR_I32, threads % 3 == 0);
        ck_assert_int_lt(first_difference(value, 40 * 31 * 29, found, expected), 0);
        free(found);
    }
    free(expected);
}
END_TEST

static void refused(fur_context *context, fur_csr *a, fur_status status, const char *sentence)
{
    fur_precond *p = NULL;
    ck_fails(context, status, sentence, fur_precond_create(a, &grid, &p));
    ck_assert_ptr_null(p);
    fur_csr_destroy(a);
}

START_TEST(what_does_not_suit_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(4002);
    problem p = {{12, 12, 1}, 1, false, false, 0};
    fur_precond *m = NULL;
    refused(context, make(context, &p, FUR_C64, FUR_I32), FUR_UNSUPPORTED,
            "\"grid\" needs a real matrix; this one has type c64");
    p.shift = -4;
    refused(context, make(context, &p, FUR_F64, FUR_I32), FUR_INVALID,
            "the diagonal entry of row 1, counting from 1, is not positive");
    p = (problem){{12, 12, 1}, 2, false, true, 0};
    refused(context, make(context, &p, FUR_F64, FUR_I32), FUR_UNSUPPORTED,
            "the stencil is singular: A maps constants to 0; use a Dirichlet boundary on an axis, "
            "or increase the centre's coefficient");
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("empty rows")], FUR_F64, FUR_I32);
    ck_assert_int_eq(fur_precond_create(a, &grid, &m), FUR_UNSUPPORTED);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(every_failing_allocation_is_survived)
{
    memory m = {.calls = 0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_csr *a = make(context, &(problem){{9, 8, 7}, 5, false, false, 0}, FUR_F64, FUR_I32);
    int64_t before = m.outstanding;
    int failures = 0;
    bool failed = true;
    for (int64_t n = 1; failed; n++) {
        fur_precond *p = NULL;
        m.fail_at = m.calls + n;
        fur_status status = fur_precond_create(a, &grid, &p);
        failed = m.calls >= m.fail_at;
        ck_assert_int_eq(status, failed ? FUR_OUT_OF_MEMORY : FUR_OK);
        failures += failed;
        fur_precond_destroy(p);
        ck_assert_int_eq(m.outstanding, before);
    }
    m.fail_at = 0;
    ck_assert_int_ge(failures, 20);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Stores the first method and preconditioner that auto tries. */
static void note_first(void *user, const fur_choice *choice, const fur_solver_report *report)
{
    char *first = user;
    if (!report && !*first)
        snprintf(first, 32, "%s %s", choice->method, choice->precond);
}

/* auto begins with "grid" for large matrices with smooth coefficients. It does not for jumps,
 * singular matrices and small ones. All are solved. */
START_TEST(auto_takes_it_where_coefficients_are_smooth)
{
    static const struct {
        problem p;
        const char *first;
    } cases[] = {{{{101, 102, 1}, 100, false, false, 0}, "cg grid"},
                 {{{23, 22, 21}, 100, false, false, 0}, "cg grid"},
                 {{{101, 102, 1}, 10, true, false, 0}, "cg jacobi"},
                 {{{101, 102, 1}, 1, false, true, 0}, "cg jacobi"},
                 {{{50, 51, 1}, 100, false, false, 0}, "cg jacobi"}};
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = make(context, &cases[_i].p, FUR_F64, FUR_I32);
    char first[32] = "";
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_solver_options solver = {.size = sizeof solver, .rtol = 1e-8};
    fur_solve_options o = {
        .size = sizeof o, .solver = &solver, .watch = note_first, .watch_user = first};
    fur_spmv *plan = NULL;
    fur_vector *x[3] = {NULL};
    for (int i = 0; i < 3; i++)
        ck_ok(context, fur_vector_create(context, FUR_F64, fur_csr_get(a)->rows, &x[i]));
    rng r = rng_stream(4003);
    fur_vector *known = vector_random(context, &r, FUR_F64, fur_csr_get(a)->rows);
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), known, fur_real(0), x[0]));
    ck_ok(context, fur_vector_fill(x[1], fur_real(0)));
    ck_ok(context, fur_solve(a, x[0], x[1], &o, &report));
    ck_assert_str_eq(first, cases[_i].first);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    fur_spmv_destroy(plan);
    fur_vector_destroy(known);
    for (int i = 0; i < 3; i++)
        fur_vector_destroy(x[i]);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, smooth_coefficients_take_few_iterations, 0, TRIALS + SINGLE_TRIALS);
    tcase_add_test(tests, jumps_are_seen);
    tcase_add_test(tests, it_is_symmetric);
    tcase_add_turns(tests, bits_are_the_same_everywhere, 2, 2);
    tcase_add_test(tests, what_does_not_suit_is_refused);
    tcase_add_test(tests, every_failing_allocation_is_survived);
    tcase_add_loop_test(tests, auto_takes_it_where_coefficients_are_smooth, 0, 5);
}

int main(void)
{
    return run_tests("grid", add_tests);
}
