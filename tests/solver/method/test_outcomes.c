/* How methods for square matrices end if a system has no solution or the method does not find it.
 * The report is correct in long double arithmetic, and x is no worse than the initial guess. */
#include "dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const names[] = {"bicgstab", "minres", "gmres", "fgmres", "idrs"};

/* Solves from the guess x and stores the solution in x. */
static fur_solver_report solve_from(const dense *d, fur_solver_options options, void *x)
{
    fur_context *context = context_make(NULL, 1);
    dense_problem p = dense_open(d, context);
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    options.size = sizeof options;
    ck_ok(context, fur_vector_upload(x, p.x));
    ck_ok(context, fur_solver_create(p.a, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, p.b, p.x, &report));
    ck_ok(context, fur_vector_download(p.x, x));
    fur_solver_destroy(solver);
    dense_close(&p);
    fur_context_destroy(context);
    return report;
}

static fur_solver_report solve(const dense *d, const char *method, int restart)
{
    void *x = entries_make(d->value, d->n);
    fur_solver_report report =
        solve_from(d, (fur_solver_options){.method = method, .restart = restart}, x);
    free(x);
    return report;
}

#define ck_outcome(report, expected)                                                               \
    ck_assert_msg((report).outcome == (expected), "%s: %s after %lld, residual %g",                \
                  (report).method, fur_outcome_name((report).outcome),                             \
                  (long long)(report).iterations, (report).residual)

/* Returns Laplace's matrix on a circle. All vectors in its range have the mean 0. */
static dense circle(fur_value_type value, int64_t n)
{
    dense d = dense_make(value, n);
    for (int64_t k = 0; k < n; k++) {
        dense_set(&d, k, k, fur_real(2));
        dense_set(&d, k, (k + 1) % n, fur_real(-1));
        dense_set(&d, k, (k + n - 1) % n, fur_real(-1));
    }
    return d;
}

/* Sets b = (1, 0, 0, ...). */
static void set_first(dense *d)
{
    for (int64_t i = 0; i < d->n; i++)
        d->b[i] = fur_real(i == 0);
}

/* Every method reports that a zero matrix is singular. Loops over value types. */
START_TEST(a_zero_matrix_is_singular)
{
    for (int64_t n = 1; n <= 9; n += 4)
        for (int i = 0; i < COUNT_OF(names); i++) {
            dense d = dense_make((fur_value_type)_i, n);
            set_first(&d);
            fur_solver_report report = solve(&d, names[i], 0);
            ck_outcome(report, FUR_OUTCOME_SINGULAR);
            ck_assert_double_eq(report.residual, 1);
            dense_release(&d);
        }
}
END_TEST

/* A system without a solution is never reported as solved: b has the mean 1 / n. minres and gmres
 * minimise the residual, so their residual is exactly the mean part of b. */
START_TEST(a_system_without_a_solution_is_not_solved)
{
    for (int64_t n = 5; n <= 40; n += 7)
        for (int i = 0; i < COUNT_OF(names); i++) {
            dense d = circle((fur_value_type)_i, n);
            set_first(&d);
            fur_solver_report report = solve(&d, names[i], 0);
            ck_assert(report.outcome != FUR_OUTCOME_CONVERGED);
            ck_assert(report.outcome != FUR_OUTCOME_ASYMMETRIC);
            double distance = 1 / sqrt((double)n);
            ck_assert_double_ge(report.residual, 0.999 * distance);
            if (strcmp(names[i], "minres") == 0)
                ck_outcome(report, FUR_OUTCOME_SINGULAR);
            if (strcmp(names[i], "minres") == 0 || strstr(names[i], "gmres"))
                ck_assert_double_le(report.residual, 1.01 * distance);
            dense_release(&d);
        }
}
END_TEST

/* Keeps the circle of d, or draws random entries with an empty row, or a triangle without its
 * diagonal. Each has a vector u with u^H A = 0: all ones, or a row of the identity. b is random.
 * Returns |u^H b| / ||u||, the least residual of any x. */
static long double draw_singular(dense *d, rng *r)
{
    int64_t n = d->n;
    int64_t kind = rng_below(r, 3);
    int64_t empty = kind == 1 ? n / 2 : n - 1;
    for (int64_t k = 0; kind > 0 && k < n * n; k++)
        dense_set(d, k / n, k % n, rng_scalar(r, d->value));
    for (int64_t k = 0; kind > 0 && k < n * n; k++)
        if (kind == 1 ? k / n == empty : k % n <= k / n)
            dense_set(d, k / n, k % n, fur_real(0));
    dense_draw_b(d, r);
    long double re = 0;
    long double im = 0;
    for (int64_t i = 0; i < n; i++)
        if (kind == 0 || i == empty) {
            re += (long double)d->b[i].re;
            im += (long double)d->b[i].im;
        }
    return hypotl(re, im) / (kind == 0 ? sqrtl((long double)n) : 1);
}

/* Returns the largest residual of working precision: 8 epsilon (||A||_F ||x|| + ||b||). */
static long double working_precision(const dense *d, const void *x)
{
    long double a = 0;
    long double squares = 0;
    for (int64_t k = 0; k < d->n * d->n; k++)
        a = hypotl(a, hypotl((long double)d->a[k].re, (long double)d->a[k].im));
    for (int64_t i = 0; i < d->n; i++) {
        fur_scalar e = entry_get(d->value, x, i);
        squares += (long double)e.re * e.re + (long double)e.im * e.im;
    }
    return 8 * value_epsilon(d->value) * (a * sqrtl(squares) + dense_b_norm(d));
}

/* gmres with a cycle as long as A has rows finds that A is singular. A solve may succeed only if
 * the part of b outside A's range is small. It may be within the tolerance. It may also be within
 * the rounding of A times a large x, which is working precision. */
START_TEST(gmres_without_a_restart_knows_a_singular_matrix)
{
    fur_value_type value = (fur_value_type)_i;
    rng r = rng_stream(12);
    double rtol = value_epsilon(value) == DBL_EPSILON ? 1e-10 : 1e-5;
    for (int trial = 0; trial < (TEST_SLOW ? 100 : 500); trial++) {
        dense d = circle(value, 3 + rng_below(&r, 30));
        long double least = draw_singular(&d, &r);
        void *x = entries_make(value, d.n);
        fur_solver_options options = {.method = names[2 + trial % 2], .restart = 10000};
        fur_solver_report report = solve_from(&d, options, x);
        long double goal = rtol * dense_b_norm(&d) + dense_rounding(&d, x);
        if (report.outcome == FUR_OUTCOME_WORKING_PRECISION)
            goal = working_precision(&d, x) + dense_rounding(&d, x);
        if (fur_outcome_solved(report.outcome) && least <= goal)
            ck_assert_double_le((double)dense_residual(&d, x), (double)goal);
        else
            ck_outcome(report, FUR_OUTCOME_SINGULAR);
        free(x);
        dense_release(&d);
    }
}
END_TEST

/* bicgstab continues with another shadow vector if the first one is orthogonal to A p. The matrix
 * exchanges two numbers. */
START_TEST(bicgstab_goes_on_with_another_shadow_vector)
{
    dense d = dense_make((fur_value_type)_i, 2);
    set_first(&d);
    dense_set(&d, 0, 1, fur_real(1));
    dense_set(&d, 1, 0, fur_real(1));
    fur_solver_report report = solve(&d, "bicgstab", 0);
    ck_outcome(report, FUR_OUTCOME_CONVERGED);
    ck_assert_int_le(report.iterations, 2);
    dense_set(&d, 1, 0, fur_real(-1));
    ck_outcome(solve(&d, "bicgstab", 0), FUR_OUTCOME_CONVERGED);
    ck_outcome(solve(&d, "idrs", 0), FUR_OUTCOME_CONVERGED);
    dense_release(&d);
}
END_TEST

/* gmres reports stagnation if a restart makes no progress. A matrix that shifts n numbers in a
 * circle gives no progress before direction n. */
START_TEST(a_restart_without_progress_is_stagnation)
{
    for (int64_t n = 2; n <= 23; n += 7) {
        dense d = dense_make((fur_value_type)_i, n);
        set_first(&d);
        for (int64_t i = 0; i < n; i++)
            dense_set(&d, i, (i + 1) % n, fur_real(1));
        for (int i = 2; i <= 3; i++) {
            fur_solver_report report = solve(&d, names[i], (int)n - 1);
            ck_outcome(report, FUR_OUTCOME_STAGNATED);
            ck_assert_int_eq(report.iterations, n - 1);
            ck_assert_double_eq(report.residual, 1);
            report = solve(&d, names[i], 10000);
            ck_outcome(report, FUR_OUTCOME_CONVERGED);
            ck_assert_int_eq(report.iterations, n);
        }
        dense_release(&d);
    }
}
END_TEST

/* gmres and idrs solve skew systems, whose eigenvalues are imaginary. minres reports the asymmetry.
 */
START_TEST(skew_symmetric_systems_are_solved)
{
    rng r = rng_stream(3);
    dense d = dense_make((fur_value_type)_i, 16);
    dense_draw_b(&d, &r);
    for (int64_t i = 0; i + 1 < d.n; i++) {
        dense_set(&d, i, i + 1, fur_real(1));
        dense_set(&d, i + 1, i, fur_real(-1));
    }
    for (int i = 2; i <= 4; i++)
        ck_outcome(solve(&d, names[i], 16), FUR_OUTCOME_CONVERGED);
    fur_solver_report report = solve(&d, "minres", 0);
    ck_outcome(report, FUR_OUTCOME_ASYMMETRIC);
    ck_assert_int_le(report.iterations, 4);
    dense_release(&d);
}
END_TEST

/* minres finds that upwind differences on a line are not symmetric. */
START_TEST(minres_finds_out_that_a_matrix_is_not_symmetric)
{
    rng r = rng_stream(4);
    dense d = dense_make((fur_value_type)_i, 60);
    dense_draw_b(&d, &r);
    for (int64_t i = 0; i < d.n; i++) {
        dense_set(&d, i, i, fur_real(3));
        if (i > 0)
            dense_set(&d, i, i - 1, fur_real(-2));
        if (i + 1 < d.n)
            dense_set(&d, i, i + 1, fur_real(-1));
    }
    ck_outcome(solve(&d, "minres", 0), FUR_OUTCOME_ASYMMETRIC);
    dense_release(&d);
}
END_TEST

START_TEST(minres_finds_out_that_a_preconditioner_is_indefinite)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(5);
    dense d = dense_dominant(&r, (fur_value_type)_i, 40, true, false);
    dense_problem p = dense_open(&d, context);
    fur_operator *jacobi = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_operator_jacobi(p.a, &jacobi));
    fur_solver_options options = {
        .size = sizeof options, .method = "minres", .preconditioner = jacobi};
    ck_ok(context, fur_solver_create(p.a, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, p.b, p.x, &report));
    ck_outcome(report, FUR_OUTCOME_INDEFINITE_PRECONDITIONER);
    fur_solver_destroy(solver);
    fur_operator_destroy(jacobi);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* Returns the largest power of two by which a matrix may be larger or smaller than 1. Its square
 * overflows or underflows, but the method's vectors still have room. The vectors of minres and
 * gmres have unit length or fall with the residual. The vectors of bicgstab and idrs may grow in
 * proportion to the residual. A solve ends when the residual is 1 / epsilon times the first one.
 * Single precision allows the same factor again. */
static int far_magnitude(const char *method, fur_value_type value)
{
    bool grows = strcmp(method, "bicgstab") == 0 || strcmp(method, "idrs") == 0;
    bool single = value == FUR_F32 || value == FUR_C64;
    return single ? (grows ? 80 : 100) : grows ? 600 : 830;
}

/* A matrix times a power of two gives the same outcome, iterations and residual. minres and gmres
 * without a restart solve any Hermitian system that is well conditioned. */
START_TEST(the_magnitude_of_the_matrix_does_not_matter)
{
    fur_value_type value = (fur_value_type)_i;
    rng r = rng_stream(6);
    dense d = dense_dominant(&r, value, 30, true, false);
    dense far = dense_make(value, d.n);
    memcpy(far.b, d.b, (size_t)d.n * sizeof *d.b);
    for (int i = 0; i < COUNT_OF(names); i++) {
        fur_solver_report near = solve(&d, names[i], 0);
        if (strcmp(names[i], "minres") == 0 || strstr(names[i], "gmres"))
            ck_outcome(near, FUR_OUTCOME_CONVERGED);
        for (int sign = -1; sign <= 1; sign += 2) {
            double scale = ldexp(1, sign * far_magnitude(names[i], value));
            for (int64_t k = 0; k < d.n * d.n; k++)
                dense_set(&far, k / d.n, k % d.n,
                          fur_complex(scale * d.a[k].re, scale * d.a[k].im));
            fur_solver_report report = solve(&far, names[i], 0);
            ck_outcome(report, near.outcome);
            ck_assert_int_eq(report.iterations, near.iterations);
            ck_assert_double_eq(report.residual, near.residual);
        }
    }
    dense_release(&far);
    dense_release(&d);
}
END_TEST

START_TEST(a_system_without_unknowns_is_solved)
{
    for (int i = 0; i < COUNT_OF(names); i++) {
        dense d = dense_make((fur_value_type)_i, 0);
        ck_outcome(solve(&d, names[i], 0), FUR_OUTCOME_CONVERGED);
        dense_release(&d);
    }
}
END_TEST

/* A monitor that counts its calls, checks that iterations come one by one, and may stop the solve.
 */
typedef struct watch {
    int64_t last;
    int64_t stop_at;
} watch;

static int look(void *user, const fur_solver_progress *progress)
{
    watch *w = user;
    ck_assert_int_eq(progress->iteration, w->last + 1);
    w->last = progress->iteration;
    return progress->iteration == w->stop_at;
}

START_TEST(a_monitor_sees_every_iteration_and_can_stop)
{
    rng r = rng_stream(7);
    dense d = dense_dominant(&r, (fur_value_type)_i, 60, true, true);
    void *x = entries_make(d.value, d.n);
    for (int i = 0; i < COUNT_OF(names); i++)
        for (int64_t stop = 1; stop <= 7; stop++) {
            watch w = {-1, stop};
            fur_solver_options options = {.method = names[i],
                                          .restart = 3,
                                          .rtol = 1e-30,
                                          .monitor = look,
                                          .monitor_user = &w};
            fur_solver_report report = solve_from(&d, options, x);
            ck_outcome(report, FUR_OUTCOME_STOPPED);
            ck_assert_int_eq(report.iterations, stop);
        }
    free(x);
    dense_release(&d);
}
END_TEST

START_TEST(a_solve_does_not_allocate)
{
    rng r = rng_stream(8);
    dense d = dense_dominant(&r, (fur_value_type)_i, 40, true, true);
    for (int i = 0; i < COUNT_OF(names); i++) {
        memory m = {0};
        fur_context *context = context_counting(&m, NULL, 2);
        dense_problem p = dense_open(&d, context);
        fur_solver *solver = NULL;
        fur_solver_options options = {.size = sizeof options, .method = names[i], .restart = 3};
        ck_ok(context, fur_solver_create(p.a, &options, &solver));
        int64_t calls = m.calls;
        ck_ok(context, fur_solver_solve(solver, p.b, p.x, NULL));
        ck_assert_int_eq(m.calls, calls);
        fur_solver_destroy(solver);
        dense_close(&p);
        fur_context_destroy(context);
        ck_assert_int_eq(m.outstanding, 0);
    }
    dense_release(&d);
}
END_TEST

/* --- matrices that methods fail on ------------------------------------------------------------ */

/* Draws one of five kinds: random entries; a triangle, far from normal; rows that are nearly equal;
 * a shift with small entries added; a diagonal with very different entries. */
static void draw_bad(dense *d, rng *r)
{
    int64_t kind = rng_below(r, 5);
    double little = pow(10, -1 - 16 * fabs(rng_unit(r)));
    int64_t n = d->n;
    for (int64_t k = 0; k < n * n; k++) {
        int64_t i = k / n;
        int64_t j = k % n;
        fur_scalar e = rng_scalar(r, d->value);
        bool zero = (kind == 1 && j < i) || (kind == 4 && i != j);
        double scale = zero ? 0 : kind == 3 || (kind == 2 && i > 0) ? little : 1;
        e = kind == 4 ? fur_real(pow(10, -12 * fabs(e.re))) : e;
        fur_scalar top = kind == 2 && i > 0 ? d->a[j] : fur_real(kind == 3 && j == (i + 1) % n);
        dense_set(d, i, j, fur_complex(top.re + scale * e.re, top.im + scale * e.im));
    }
}

/* Checks the report and that x is no worse than the guess. Each residual, the library's and the one
 * here, may have the error of one computed residual. */
static void check_bad(const dense *d, fur_solver_options options, void *x)
{
    long double before = dense_residual(d, x);
    long double rounding = dense_rounding(d, x);
    fur_solver_report report = solve_from(d, options, x);
    long double after = dense_residual(d, x);
    long double b = dense_b_norm(d);
    rounding += dense_rounding(d, x);
    ck_assert(report.outcome != FUR_OUTCOME_UNSOLVED);
    if (report.outcome == FUR_OUTCOME_CONVERGED)
        ck_assert_double_le((double)after, (double)(options.rtol * b * (1 + 1e-13L) + rounding));
    ck_assert_double_le((double)fabsl(after - report.residual * b),
                        (double)(rounding + 1e-13L * after));
    ck_assert_double_le((double)after, (double)(before * (1 + 1e-13L) + rounding));
}

START_TEST(what_is_said_of_bad_matrices_is_true)
{
    rng r = rng_stream(9);
    for (int trial = 0; trial < (TEST_SLOW ? 100 : 600); trial++) {
        dense d = dense_make((fur_value_type)_i, 1 + rng_below(&r, 24));
        void *x = rng_below(&r, 2) ? entries_random(&r, d.value, d.n) : entries_make(d.value, d.n);
        draw_bad(&d, &r);
        dense_draw_b(&d, &r);
        fur_solver_options options = {.method = names[rng_below(&r, COUNT_OF(names))],
                                      .restart = (int)rng_below(&r, 12),
                                      .rtol = pow(10, -1 - 14 * fabs(rng_unit(&r)))};
        check_bad(&d, options, x);
        free(x);
        dense_release(&d);
    }
}
END_TEST

/* An operator A that returns NaN after `left` more products. */
typedef struct failing {
    const fur_operator *a;
    int left;
} failing;

static fur_status failing_apply(void *user, const fur_vector *x, fur_vector *y)
{
    failing *f = user;
    return f->left-- > 0 ? fur_operator_apply(f->a, x, y) : fur_vector_fill(y, fur_real(NAN));
}

/* Solves with an operator that returns NaN after `products` products with A, or with A and A^H. */
static fur_solver_report solve_failing(const dense_problem *p, const char *method, double damp,
                                       int products)
{
    failing f = {p->a, products};
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = fur_operator_rows(p->a),
                                          .cols = fur_operator_cols(p->a),
                                          .value_type = fur_operator_value_type(p->a),
                                          .user = &f,
                                          .apply = failing_apply};
    fur_operator *a = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(p->context, fur_operator_create(p->context, &definition, &a));
    fur_solver_options options = {
        .size = sizeof options, .method = method, .adjoint = a, .damp = damp};
    ck_ok(p->context, fur_solver_create(a, &options, &solver));
    ck_ok(p->context, fur_vector_fill(p->x, fur_real(0)));
    ck_ok(p->context, fur_solver_solve(solver, p->b, p->x, &report));
    fur_solver_destroy(solver);
    fur_operator_destroy(a);
    return report;
}

/* A nonfinite product ends every method with a breakdown. Loops over value types. */
START_TEST(a_product_that_is_not_finite_is_a_breakdown)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(31);
    dense d = dense_dominant(&r, (fur_value_type)_i, 40, true, true);
    dense_problem p = dense_open(&d, context);
    const fur_method_info *info;
    for (int i = 0; (info = method_at(i)); i++) {
        bool damps = strncmp(info->name, "ls", 2) == 0 || strcmp(info->name, "cgnr") == 0;
        for (int damp = 0; damp <= damps; damp++)
            for (int products = 1; products <= 5; products++) {
                fur_solver_report report = solve_failing(&p, info->name, damp, products);
                ck_outcome(report, FUR_OUTCOME_BREAKDOWN);
                ck_assert_int_le(report.iterations, products);
            }
    }
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* chebyshev ends if r.Mr = 0 at the start, here r = (1, 1) and M = diag(1, -1). Loops over value
 * types. */
START_TEST(a_residual_that_the_preconditioner_turns_by_a_right_angle_ends_chebyshev)
{
    fur_context *context = context_make(NULL, 1);
    dense d = dense_make((fur_value_type)_i, 2);
    dense m = dense_make((fur_value_type)_i, 2);
    for (int k = 0; k < 2; k++) {
        d.b[k] = fur_real(1);
        dense_set(&d, k, k, fur_real(2));
        dense_set(&m, k, k, fur_real(k == 0 ? 1 : -1));
    }
    dense_problem p = dense_open(&d, context);
    dense_problem q = dense_open(&m, context);
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_solver_options options = {
        .size = sizeof options, .method = "chebyshev", .preconditioner = q.a};
    ck_ok(context, fur_solver_create(p.a, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, p.b, p.x, &report));
    ck_outcome(report, FUR_OUTCOME_BREAKDOWN);
    fur_solver_destroy(solver);
    dense_close(&q);
    dense_close(&p);
    dense_release(&m);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, a_zero_matrix_is_singular, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_system_without_a_solution_is_not_solved, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, gmres_without_a_restart_knows_a_singular_matrix, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, bicgstab_goes_on_with_another_shadow_vector, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_restart_without_progress_is_stagnation, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, skew_symmetric_systems_are_solved, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, minres_finds_out_that_a_matrix_is_not_symmetric, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, minres_finds_out_that_a_preconditioner_is_indefinite, 0,
                        FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, the_magnitude_of_the_matrix_does_not_matter, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_system_without_unknowns_is_solved, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_monitor_sees_every_iteration_and_can_stop, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_solve_does_not_allocate, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, what_is_said_of_bad_matrices_is_true, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_product_that_is_not_finite_is_a_breakdown, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests,
                        a_residual_that_the_preconditioner_turns_by_a_right_angle_ends_chebyshev, 0,
                        FUR_VALUE_COUNT);
}

int main(void)
{
    return run_tests("outcomes", add_tests);
}
