/* Singular systems with a known null space: the parts removed from b and x, refusals, and the
 * report. Residuals and means are computed again here. */
#include "support.h"

#include <math.h>
#include <string.h>

#define N 60

/* Returns a tridiagonal matrix of N points with Neumann ends; each row sums to 0. */
static fur_csr *neumann(fur_context *context, fur_value_type value)
{
    int32_t rows[3 * N];
    int32_t cols[3 * N];
    double values[2 * 3 * N];
    int64_t count = 0;
    for (int32_t i = 0; i < N; i++)
        for (int32_t j = i - 1; j <= i + 1; j++) {
            if (j < 0 || j >= N)
                continue;
            rows[count] = i;
            cols[count] = j;
            entry_set(value, values, count++, fur_real(i != j ? -1 : i == 0 || i == N - 1 ? 1 : 2));
        }
    fur_coo_view coo = {sizeof coo, N, N, count, value, rows, cols, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    return a;
}

typedef struct problem {
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *op;
    fur_vector *b;
    fur_vector *x;
    double mean; /* mean of b */
    double b_norm;
} problem;

/* Makes a system with b_i = sin(i) minus the mean of all sin(i) plus `mean`. The guess is 5
 * everywhere. */
static problem make(fur_context *context, fur_value_type value, double mean)
{
    problem s = {.a = neumann(context, value), .mean = mean};
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += sin(i) / N;
    ck_ok(context, fur_spmv_plan(s.a, NULL, &s.plan));
    ck_ok(context, fur_operator_from_spmv(s.plan, &s.op));
    ck_ok(context, fur_vector_create(context, value, N, &s.b));
    ck_ok(context, fur_vector_create(context, value, N, &s.x));
    ck_ok(context, fur_vector_fill(s.x, fur_real(5)));
    for (int i = 0; i < N; i++)
        entry_set(value, fur_vector_data(s.b), i, fur_real(sin(i) - sum + mean));
    ck_ok(context, fur_norm2(s.b, &s.b_norm));
    return s;
}

static void release(problem *s)
{
    fur_vector_destroy(s->x);
    fur_vector_destroy(s->b);
    fur_operator_destroy(s->op);
    fur_spmv_destroy(s->plan);
    fur_csr_destroy(s->a);
}

static double entry(const fur_vector *v, int i)
{
    return entry_get(fur_vector_value_type(v), fur_vector_const_data(v), i).re;
}

/* Checks that A x = b - mean in every row and that x has the mean 0, up to the tolerance. */
static void check_solution(const problem *s, double rtol)
{
    double sum = 0;
    double square = 0;
    for (int i = 0; i < N; i++) {
        double left = i > 0 ? entry(s->x, i) - entry(s->x, i - 1) : 0;
        double right = i + 1 < N ? entry(s->x, i) - entry(s->x, i + 1) : 0;
        double r = entry(s->b, i) - s->mean - left - right;
        square += r * r;
        sum += entry(s->x, i);
    }
    double scale = value_epsilon(fur_vector_value_type(s->x));
    double largest;
    ck_ok(fur_vector_context(s->x), fur_norm_max(s->x, &largest));
    ck_assert_double_le(sqrt(square), 1.01 * rtol * s->b_norm + 64 * scale * largest * sqrt(N));
    ck_assert_double_le(fabs(sum / N), 64 * scale * largest);
}

static const char *const methods[] = {"cg", "minres", "gmres", "bicgstab", "cg_single"};
enum { METHODS = sizeof methods / sizeof *methods };

START_TEST(constants_are_removed)
{
    fur_context *context = context_make(NULL, 2);
    for (int part = 0; part < 2; part++)
        for (fur_value_type value = FUR_F32; value <= FUR_C128; value++) {
            problem s = make(context, value, part ? 0.25 : 0);
            fur_solver_options options = {.size = sizeof options,
                                          .method = methods[_i],
                                          .null_constant = 1,
                                          .max_iterations = 5000};
            fur_solver_report report = FUR_DEFAULT(fur_solver_report);
            fur_solver *solver = NULL;
            double rtol = value_epsilon(value) > 1e-10 ? 1e-5 : 1e-10;
            ck_ok(context, fur_solver_create(s.op, &options, &solver));
            ck_ok(context, fur_solver_solve(solver, s.b, s.x, &report));
            fur_solver_destroy(solver);
            double outside = part ? 0.25 * sqrt(N) / s.b_norm : 0;
            if (part)
                ck_assert_int_eq(report.outcome, FUR_OUTCOME_LEAST_SQUARES);
            else
                ck_assert_msg(fur_outcome_solved(report.outcome), "%s: %s", methods[_i],
                              fur_outcome_name(report.outcome));
            ck_assert_double_eq_tol(report.outside, outside, 16 * value_epsilon(value));
            check_solution(&s, rtol);
            release(&s);
        }
    fur_context_destroy(context);
}
END_TEST

/* The report's residual, bound and scaled residual refer to the caller's b, not to its part in the
 * range. All rows have scales of 2^-1 or 2^0 here. */
START_TEST(a_report_is_of_the_whole_right_hand_side)
{
    fur_context *context = context_make(NULL, 1);
    for (fur_value_type value = FUR_F32; value <= FUR_C128; value++) {
        problem s = make(context, value, 0.25);
        fur_solver_options options = {
            .size = sizeof options, .method = "minres", .null_constant = 1, .bounds = 1};
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        fur_solver *solver = NULL;
        ck_ok(context, fur_solver_create(s.op, &options, &solver));
        ck_ok(context, fur_solver_solve(solver, s.b, s.x, &report));
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_LEAST_SQUARES);
        ck_assert_double_ge(report.residual_bound, report.residual * (1 - 1e-5));
        ck_assert_double_ge(report.residual_scaled, report.residual / 2);
        ck_assert_double_ge(report.backward_error_rows, 1e-3);
        fur_solver_destroy(solver);
        release(&s);
    }
    fur_context_destroy(context);
}
END_TEST

/* Preconditioners work with a null space: multigrid, whose coarsest matrix is singular, and
 * factors. */
START_TEST(preconditioners_work_with_a_null_space)
{
    static const char *const kinds[] = {"amg", "ic0:shift=1e-3", "ssor",
                                        "schwarz:symmetric,shift=1e-3", "jacobi"};
    fur_context *context = context_make(NULL, 2);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        problem s = make(context, FUR_F64, 0);
        fur_precond_options of = {.size = sizeof of, .kind = kinds[k]};
        fur_precond *m = NULL;
        fur_operator *op = NULL;
        fur_solver *solver = NULL;
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        ck_ok(context, fur_precond_create(s.a, &of, &m));
        ck_ok(context, fur_operator_from_precond(m, &op));
        fur_solver_options options = {
            .size = sizeof options, .preconditioner = op, .null_constant = 1};
        ck_ok(context, fur_solver_create(s.op, &options, &solver));
        ck_ok(context, fur_solver_solve(solver, s.b, s.x, &report));
        ck_assert_msg(fur_outcome_solved(report.outcome), "%s: %s", kinds[k],
                      fur_outcome_name(report.outcome));
        check_solution(&s, 1e-10);
        fur_solver_destroy(solver);
        fur_operator_destroy(op);
        fur_precond_destroy(m);
        release(&s);
    }
    fur_context_destroy(context);
}
END_TEST

/* A column of ones in options.null_space gives the same bits as options.null_constant. */
START_TEST(columns_are_as_good_as_the_constant)
{
    fur_context *context = context_make(NULL, 1);
    problem s = make(context, FUR_F64, 0);
    problem t = make(context, FUR_F64, 0);
    fur_vectors *ones = NULL;
    fur_solver *solver = NULL;
    ck_ok(context, fur_vectors_create(context, FUR_F64, N, 1, FUR_LAYOUT_ROWS, &ones));
    ck_ok(context, fur_vectors_fill(ones, fur_real(1)));
    fur_solver_options options = {.size = sizeof options, .null_space = ones};
    ck_ok(context, fur_solver_create(s.op, &options, &solver));
    fur_vectors_destroy(ones);
    ck_ok(context, fur_solver_solve(solver, s.b, s.x, NULL));
    fur_solver_destroy(solver);
    options = (fur_solver_options){.size = sizeof options, .null_constant = 1};
    ck_ok(context, fur_solver_create(t.op, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, t.b, t.x, NULL));
    fur_solver_destroy(solver);
    for (int i = 0; i < N; i++)
        ck_assert_double_eq(entry(s.x, i), entry(t.x, i));
    release(&t);
    release(&s);
    fur_context_destroy(context);
}
END_TEST

static void expect_refusal(const problem *s, const fur_solver_options *options, fur_status status,
                           const char *part)
{
    fur_solver *solver = NULL;
    fur_context *context = fur_csr_context(s->a);
    ck_assert_int_eq(fur_solver_create(s->op, options, &solver), status);
    ck_assert_ptr_null(solver);
    ck_assert_msg(strstr(fur_context_error(context), part), "%s", fur_context_error(context));
}

START_TEST(what_is_no_null_space_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    problem s = make(context, FUR_F64, 0);
    fur_vectors *vectors = NULL;
    fur_solver_options options = {.size = sizeof options};
    ck_ok(context, fur_vectors_create(context, FUR_F64, N, 2, FUR_LAYOUT_COLUMNS, &vectors));
    ck_ok(context, fur_vectors_fill(vectors, fur_real(1)));
    options.null_space = vectors;
    expect_refusal(&s, &options, FUR_INVALID, "vector 2 of null_space");
    ((double *)fur_vectors_get(vectors)->data)[3] = 2;
    expect_refusal(&s, &options, FUR_INVALID, "vector 1 of null_space, counting from 1, is not");
    fur_vectors_destroy(vectors);
    ck_ok(context, fur_vectors_create(context, FUR_F32, N, 1, FUR_LAYOUT_COLUMNS, &vectors));
    options.null_space = vectors;
    expect_refusal(&s, &options, FUR_INVALID, "it needs 60 rows");
    fur_vectors_destroy(vectors);
    options = (fur_solver_options){
        .size = sizeof options, .method = "lsqr", .adjoint = s.op, .null_constant = 1};
    expect_refusal(&s, &options, FUR_UNSUPPORTED, "lsqr does not accept null_space");
    release(&s);
    fur_context_destroy(context);
}
END_TEST

/* auto finds the constant vector automatically, with b inside and outside the range. */
START_TEST(auto_finds_constants)
{
    fur_context *context = context_make(NULL, 2);
    for (int part = 0; part < 2; part++) {
        problem s = make(context, FUR_F64, part ? 0.25 : 0);
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        ck_ok(context, fur_solve(s.a, s.b, s.x, NULL, &report));
        ck_assert_int_eq(report.outcome, part ? FUR_OUTCOME_LEAST_SQUARES : FUR_OUTCOME_CONVERGED);
        check_solution(&s, 1e-10);
        release(&s);
    }
    fur_context_destroy(context);
}
END_TEST

/* A singular system with a large b is solved. The matrix is a chain of springs of strength 1 / 3.
 * The part of b outside the range is rounding. The square of the tolerance overflows. */
START_TEST(a_large_right_hand_side_is_solved)
{
    enum { POINTS = 6 };
    fur_context *context = context_make(NULL, 1);
    int32_t at[2][3 * POINTS];
    double values[3 * POINTS];
    double b[POINTS] = {0};
    double large = 1e170;
    int64_t count = 0;
    for (int32_t i = 0; i < POINTS; i++)
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < POINTS; j++) {
            at[0][count] = i;
            at[1][count] = j;
            values[count] = (i != j ? -1 : i == 0 || i == POINTS - 1 ? 1 : 2) / 3.0;
            b[i] += values[count++] * sin(1 + j) * large;
        }
    fur_coo_view coo = {sizeof coo, POINTS, POINTS, count, FUR_F64, at[0], at[1], values};
    fur_csr *a = NULL;
    fur_spmv *plan = NULL;
    fur_operator *op = NULL;
    fur_vector *right = NULL;
    fur_vector *x = NULL;
    fur_solver *solver = NULL;
    fur_solver_options options = {.size = sizeof options, .method = "minres", .null_constant = 1};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &op));
    ck_ok(context, fur_vector_create(context, FUR_F64, POINTS, &right));
    ck_ok(context, fur_vector_create(context, FUR_F64, POINTS, &x));
    ck_ok(context, fur_vector_upload(b, right));
    ck_ok(context, fur_solver_create(op, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, right, x, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_double_le(report.residual, 1e-10);
    fur_solver_destroy(solver);
    fur_vector_destroy(x);
    fur_vector_destroy(right);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, a_report_is_of_the_whole_right_hand_side);
    tcase_add_loop_test(tests, constants_are_removed, 0, METHODS);
    tcase_add_test(tests, preconditioners_work_with_a_null_space);
    tcase_add_test(tests, columns_are_as_good_as_the_constant);
    tcase_add_test(tests, what_is_no_null_space_is_refused);
    tcase_add_test(tests, auto_finds_constants);
    tcase_add_test(tests, a_large_right_hand_side_is_solved);
}

int main(void)
{
    return run_tests("null_space", add_tests);
}
