/* Rows and columns of different scales: auto's solutions, its messages, and the numbers of the
 * report, compared with sums in long double. */
#include "support.h"

#include <math.h>
#include <string.h>

#define MAX 12

/* A small dense matrix, its right-hand side and the exact solution. */
typedef struct problem {
    int n;
    double a[MAX][MAX];
    double b[MAX];
    double exact[MAX];
} problem;

/* Dirichlet conditions by a penalty (symmetric and not), mixed units, and an unsymmetric matrix. */
static const problem problems[] = {
    {3, {{1e20, -1}, {-1, 2, -1}, {0, -1, 2}}, {1e20, 1, 1}, {1, 5.0 / 3, 4.0 / 3}},
    {3, {{1e20}, {-1, 2, -1}, {0, -1, 2}}, {1e20, 1, 2}, {1, 2, 2}},
    {2, {{1e9, 2e-3}, {2e-3, 3e-9}}, {1e9 + 2e-3, 2e-3 + 3e-9}, {1, 1}},
    {3, {{1e-12, 2e-12, 0}, {1, 3, 1}, {0, 1e12, 4e12}}, {3e-12, 5, 5e12}, {1, 1, 1}},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static fur_csr *make(fur_context *context, const problem *p)
{
    int32_t rows[MAX * MAX];
    int32_t cols[MAX * MAX];
    double values[MAX * MAX];
    int64_t count = 0;
    for (int32_t i = 0; i < p->n; i++)
        for (int32_t j = 0; j < p->n; j++)
            if (p->a[i][j] != 0) {
                rows[count] = i;
                cols[count] = j;
                values[count++] = p->a[i][j];
            }
    fur_coo_view coo = {sizeof coo, p->n, p->n, count, FUR_F64, rows, cols, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    return a;
}

typedef struct figures {
    double scaled;
    double rows;
} figures;

/* Returns ||R r|| / ||R b|| and the largest |r|_i / (|A| |x| + |b|)_i. */
static figures figures_of(const problem *p, const double *x)
{
    long double of_r = 0;
    long double of_b = 0;
    figures f = {0, 0};
    for (int i = 0; i < p->n; i++) {
        long double r = p->b[i];
        long double terms = fabs(p->b[i]);
        double most = 0;
        for (int j = 0; j < p->n; j++) {
            r -= (long double)p->a[i][j] * x[j];
            terms += fabsl((long double)p->a[i][j] * x[j]);
            most = fmax(most, fabs(p->a[i][j]));
        }
        double scale = scalbn(1, -ilogb(most));
        of_r += r * scale * r * scale;
        of_b += (long double)p->b[i] * scale * p->b[i] * scale;
        f.rows = fmax(f.rows, (double)(fabsl(r) / terms));
    }
    f.scaled = (double)sqrtl(of_r / of_b);
    return f;
}

static fur_solver_report solve(const problem *p, const fur_solve_options *options, double *x)
{
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = make(context, p);
    fur_vector *b = NULL;
    fur_vector *solution = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_vector_create(context, FUR_F64, p->n, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, p->n, &solution));
    ck_ok(context, fur_vector_upload(p->b, b));
    ck_ok(context, fur_solve(a, b, solution, options, &report));
    ck_ok(context, fur_vector_download(solution, x));
    fur_vector_destroy(solution);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    return report;
}

START_TEST(auto_solves_every_row)
{
    const problem *p = &problems[_i];
    double x[MAX];
    fur_solver_report report = solve(p, NULL, x);
    ck_assert_msg(fur_outcome_solved(report.outcome), "%s", fur_outcome_name(report.outcome));
    ck_assert_str_ne(report.scale, "none");
    for (int i = 0; i < p->n; i++)
        ck_assert_double_eq_tol(x[i], p->exact[i], 1e-6 * fabs(p->exact[i]));
    ck_assert_double_le(report.residual_scaled, 1e-10);
}
END_TEST

/* If a method is named, rows are not scaled. The report then shows errors that the norm of b hides.
 * Sums of at most three terms are exact within 4 epsilon. */
START_TEST(a_named_method_reports_the_rows)
{
    const problem *p = &problems[_i];
    fur_solver_options solver = {.size = sizeof solver, .method = "gmres"};
    fur_solve_options options = {.size = sizeof options, .solver = &solver};
    double x[MAX];
    fur_solver_report report = solve(p, &options, x);
    figures f = figures_of(p, x);
    ck_assert_str_eq(report.scale, "none");
    ck_assert_double_eq_tol(report.residual_scaled, f.scaled, 1e-14 + 1e-10 * f.scaled);
    ck_assert_double_eq_tol(report.backward_error_rows, f.rows, 4 * DBL_EPSILON + 1e-10 * f.rows);
}
END_TEST

START_TEST(scales_are_what_is_asked_for)
{
    static const char *const names[] = {
        [FUR_SCALE_NONE] = "none", [FUR_SCALE_ROWS] = "rows", [FUR_SCALE_SYMMETRIC] = "symmetric"};
    const problem *p = &problems[0];
    for (fur_scale scale = FUR_SCALE_NONE; scale <= FUR_SCALE_SYMMETRIC; scale++) {
        fur_solver_options solver = {.size = sizeof solver, .method = "gmres"};
        fur_solve_options options = {.size = sizeof options, .solver = &solver, .scale = scale};
        double x[MAX];
        fur_solver_report report = solve(p, &options, x);
        ck_assert_str_eq(report.scale, names[scale]);
        if (scale != FUR_SCALE_NONE)
            ck_assert_double_eq_tol(x[1], p->exact[1], 1e-6);
    }
}
END_TEST

/* Stiff systems are accepted with the right x, although rounding prevents a residual of 1e-10. */
START_TEST(stiff_systems_are_solved_to_working_precision)
{
    static const problem stiff[] = {
        {2, {{1e10 + 1, -1e10}, {-1e10, 1e10 + 1}}, {0.5, 0.5}, {0.5, 0.5}},
        {3,
         {{1e10 + 1, -1e10, 0}, {-1e10, 1e10 + 1, -1}, {0, -1, 2}},
         {1, 0, 3},
         {5.0 / 3, 5.0 / 3, 7.0 / 3}},
        {3, {{1e9, -1e9, 1}, {-1e9, 1e9, 0}, {1, 0, 0}}, {0, 0, 5}, {5, 5, 0}},
    };
    for (size_t k = 0; k < sizeof stiff / sizeof *stiff; k++) {
        double x[MAX];
        fur_solver_report report = solve(&stiff[k], NULL, x);
        ck_assert_msg(fur_outcome_solved(report.outcome), "%zu: %s", k,
                      fur_outcome_name(report.outcome));
        for (int i = 0; i < stiff[k].n; i++)
            ck_assert_double_eq_tol(x[i], stiff[k].exact[i], 2e-5);
    }
}
END_TEST

static void expect_refusal(const fur_solve_options *options, const char *part)
{
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = make(context, &problems[0]);
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 3, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, 3, &x));
    ck_assert_int_eq(fur_solve(a, b, x, options, NULL), FUR_INVALID);
    ck_assert_msg(strstr(fur_context_error(context), part), "%s", fur_context_error(context));
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}

START_TEST(scales_that_mean_nothing_are_refused)
{
    fur_solver_options solver = {.size = sizeof solver, .method = "lsmr"};
    fur_solve_options options = {
        .size = sizeof options, .solver = &solver, .scale = FUR_SCALE_ROWS};
    expect_refusal(&options, "scaling would change the least-squares solution");
    options = (fur_solve_options){.size = sizeof options, .scale = (fur_scale)9};
    expect_refusal(&options, "scale is 9; use");
}
END_TEST

/* If R b overflows, the system is solved without scales and x stays finite. */
START_TEST(scales_never_overflow)
{
    static const problem far = {2, {{1e-25, 1e-292}, {1e-292, 1e-169}}, {1e-42, 1e294}, {0, 0}};
    double x[MAX];
    fur_solver_report report = solve(&far, NULL, x);
    ck_assert_str_eq(report.scale, "none");
    ck_assert(isfinite(x[0]) && isfinite(x[1]));
}
END_TEST

/* If R b underflows to 0, the system is solved without scales. x = 0 does not solve it. */
START_TEST(scales_never_underflow)
{
    static const problem small = {2, {{1e200, 1}, {1e200, -1}}, {1e-200, -1e-200}, {0, 0}};
    double x[MAX];
    fur_solver_report report = solve(&small, NULL, x);
    ck_assert_str_eq(report.scale, "none");
    if (fur_outcome_solved(report.outcome))
        ck_assert_double_le(report.residual, 1e-9);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, auto_solves_every_row, 0, PROBLEMS);
    tcase_add_loop_test(tests, a_named_method_reports_the_rows, 0, PROBLEMS);
    tcase_add_test(tests, scales_are_what_is_asked_for);
    tcase_add_test(tests, stiff_systems_are_solved_to_working_precision);
    tcase_add_test(tests, scales_never_overflow);
    tcase_add_test(tests, scales_never_underflow);
    tcase_add_test(tests, scales_that_mean_nothing_are_refused);
}

int main(void)
{
    return run_tests("scales", add_tests);
}
