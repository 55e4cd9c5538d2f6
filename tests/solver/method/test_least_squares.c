/* Least squares by lsqr, lsmr and cgnr, compared with a QR factorisation in long double. The
 * systems are random, tall, square and wide, consistent or not, damped, preconditioned, with an
 * initial guess, in every value type. Also: outcomes of singular, zero and unsolvable problems;
 * refusals; the same bits for any number of threads. */
#include "support.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define MAX 96 /* most columns, and most rows including the rows for damping */

typedef long double _Complex number;

static const char *const methods[] = {"lsqr", "lsmr", "cgnr"};

/* A dense problem, and the objects of the library for it. */
typedef struct problem {
    fur_context *context;
    fur_value_type value;
    int rows;
    int cols;
    number a[MAX][MAX];
    fur_csr *matrix;
    fur_spmv *plans[2];
    fur_operator *op;
    fur_operator *adjoint;
    fur_vector *b;
    fur_vector *x;
} problem;

static number number_of(fur_scalar s)
{
    return s.re + s.im * (number)I;
}

static fur_csr *dense_matrix(fur_context *context, fur_value_type value, int rows, int cols,
                             number a[MAX][MAX])
{
    static int32_t at[2][MAX * MAX];
    static double values[2 * MAX * MAX];
    fur_csr *matrix = NULL;
    int64_t entries = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            if (a[i][j] == 0)
                continue;
            at[0][entries] = i;
            at[1][entries] = j;
            entry_set(value, values, entries++,
                      fur_complex((double)creall(a[i][j]), (double)cimagl(a[i][j])));
        }
    fur_coo_view coo = {sizeof coo, rows, cols, entries, value, at[0], at[1], values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &matrix));
    return matrix;
}

static void plan(problem *p)
{
    fur_spmv_options options = FUR_DEFAULT(fur_spmv_options);
    ck_ok(p->context, fur_spmv_plan(p->matrix, NULL, &p->plans[0]));
    options.op = FUR_OP_H;
    ck_ok(p->context, fur_spmv_plan(p->matrix, &options, &p->plans[1]));
    ck_ok(p->context, fur_operator_from_spmv(p->plans[0], &p->op));
    ck_ok(p->context, fur_operator_from_spmv(p->plans[1], &p->adjoint));
    ck_ok(p->context, fur_vector_create(p->context, p->value, p->rows, &p->b));
    ck_ok(p->context, fur_vector_create(p->context, p->value, p->cols, &p->x));
}

/* Makes a random, well-conditioned matrix with a dominant diagonal. Only the first `rank` columns
 * are independent; later columns repeat them. */
static problem *problem_make(fur_context *context, rng *r, fur_value_type value, int rows, int cols,
                             int rank)
{
    problem *p = calloc(1, sizeof *p);
    p->context = context;
    p->value = value;
    p->rows = rows;
    p->cols = cols;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            fur_scalar entry = rng_scalar(r, value);
            entry.re += i == j ? 8 : 0;
            p->a[i][j] = j < rank ? number_of(entry_round(value, entry)) : p->a[i][j - rank];
        }
    p->matrix = dense_matrix(context, value, rows, cols, p->a);
    plan(p);
    return p;
}

static void problem_release(problem *p)
{
    fur_vector_destroy(p->x);
    fur_vector_destroy(p->b);
    fur_operator_destroy(p->adjoint);
    fur_operator_destroy(p->op);
    fur_spmv_destroy(p->plans[1]);
    fur_spmv_destroy(p->plans[0]);
    fur_csr_destroy(p->matrix);
    free(p);
}

static void set_random(rng *r, fur_vector *x)
{
    fur_value_type value = fur_vector_value_type(x);
    for (int64_t i = 0; i < fur_vector_size(x); i++)
        entry_set(value, fur_vector_data(x), i, rng_scalar(r, value));
}

static void take(const fur_vector *x, number *out)
{
    for (int64_t i = 0; i < fur_vector_size(x); i++)
        out[i] = number_of(entry_get(fur_vector_value_type(x), fur_vector_const_data(x), i));
}

static long double norm_of(int n, const number *x)
{
    long double sum = 0;
    for (int i = 0; i < n; i++)
        sum += creall(x[i]) * creall(x[i]) + cimagl(x[i]) * cimagl(x[i]);
    return sqrtl(sum);
}

/* The factors Q R of an m x n matrix, m >= n, computed by modified Gram-Schmidt with
 * reorthogonalisation. */
typedef struct factors {
    int m;
    int n;
    number q[MAX][MAX]; /* q[j] is column j */
    number r[MAX][MAX];
} factors;

static number inner(int m, const number *x, const number *y)
{
    number sum = 0;
    for (int i = 0; i < m; i++)
        sum += conjl(x[i]) * y[i];
    return sum;
}

static void factor(factors *f)
{
    memset(f->r, 0, sizeof f->r);
    for (int j = 0; j < f->n; j++) {
        for (int k = 0; k < 2 * j; k++) {
            number projection = inner(f->m, f->q[k % j], f->q[j]);
            f->r[k % j][j] += projection;
            for (int i = 0; i < f->m; i++)
                f->q[j][i] -= projection * f->q[k % j][i];
        }
        f->r[j][j] = norm_of(f->m, f->q[j]);
        for (int i = 0; i < f->m; i++)
            f->q[j][i] /= f->r[j][j];
    }
}

/* solve_upper solves R x = y in place, solve_lower R^H x = y. */
static void solve_upper(const factors *f, number *x)
{
    for (int i = f->n - 1; i >= 0; i--) {
        for (int j = i + 1; j < f->n; j++)
            x[i] -= f->r[i][j] * x[j];
        x[i] /= f->r[i][i];
    }
}

static void solve_lower(const factors *f, number *x)
{
    for (int i = 0; i < f->n; i++) {
        for (int j = 0; j < i; j++)
            x[i] -= conjl(f->r[j][i]) * x[j];
        x[i] /= f->r[i][i];
    }
}

/* Returns ||R^-1||_F, which is at least 1 / the least singular value. */
static long double inverse_norm(const factors *f)
{
    long double sum = 0;
    for (int j = 0; j < f->n; j++) {
        number x[MAX] = {0};
        x[j] = 1;
        solve_upper(f, x);
        sum += norm_of(f->n, x) * norm_of(f->n, x);
    }
    return sqrtl(sum);
}

/* Stores the solution in x; if A has more columns than rows, the solution of least norm. Returns
 * ||A^+||_F, an upper bound of the norm of A^+. */
static long double reference(const problem *p, const number *b, double damp, number *x)
{
    static factors f;
    bool wide = p->rows < p->cols && damp == 0;
    f.m = wide ? p->cols : p->rows + (damp > 0 ? p->cols : 0);
    f.n = wide ? p->rows : p->cols;
    for (int j = 0; j < f.n; j++)
        for (int i = 0; i < f.m; i++)
            f.q[j][i] = wide          ? conjl(p->a[j][i])
                        : i < p->rows ? p->a[i][j]
                                      : (i - p->rows == j) * damp;
    factor(&f);
    if (wide) {
        number y[MAX];
        memcpy(y, b, sizeof y);
        solve_lower(&f, y);
        for (int i = 0; i < p->cols; i++) {
            x[i] = 0;
            for (int j = 0; j < f.n; j++)
                x[i] += f.q[j][i] * y[j];
        }
    } else {
        for (int j = 0; j < f.n; j++)
            x[j] = inner(p->rows, f.q[j], b);
        solve_upper(&f, x);
    }
    return inverse_norm(&f);
}

static long double frobenius(const problem *p)
{
    long double sum = 0;
    for (int i = 0; i < p->rows; i++)
        sum += norm_of(p->cols, p->a[i]) * norm_of(p->cols, p->a[i]);
    return sqrtl(sum);
}

/* Returns a tridiagonal matrix, Hermitian and positive definite if `symmetric`, else upper
 * triangular. */
static fur_csr *line(const problem *p, bool symmetric)
{
    static number m[MAX][MAX];
    memset(m, 0, sizeof m);
    number beside = value_is_complex(p->value) ? 0.5L + 0.25L * (number)I : 0.5L;
    for (int i = 0; i < p->cols; i++) {
        m[i][i] = symmetric ? 2 : i % 2 ? 1 : -1;
        if (i > 0)
            m[i - 1][i] = symmetric ? beside : 3;
        if (i > 0 && symmetric)
            m[i][i - 1] = conjl(beside);
    }
    return dense_matrix(p->context, p->value, p->cols, p->cols, m);
}

typedef struct trial {
    const char *method;
    double damp;
    bool guess;
    bool preconditioned;
} trial;

static fur_solver_report solve(const problem *p, const fur_solver_options *options)
{
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(p->context, fur_solver_create(p->op, options, &solver));
    ck_ok(p->context, fur_solver_solve(solver, p->b, p->x, &report));
    fur_solver_destroy(solver);
    return report;
}

/* With the gradient g = A^H (b - A x) - damp^2 x, the error is exactly (A^H A + damp^2)^-1 g. It is
 * at most ||A^+||^2 ||g||, or ||A^+|| ||b - A x|| for a consistent problem. The driver promises
 * ||g|| <= 10 rtol ||A|| max(||r||, damp ||x - x0||), or ||r|| <= rtol ||b||. It computes r and g
 * in the value type, with 2 (rows + cols) roundings of terms that ||A||_F (||b|| + ||A||_F ||x||)
 * bounds. */
static void check_solution(const problem *p, const trial *t, const fur_solver_report *report,
                           const number *guess)
{
    number b[MAX] = {0};
    number x[MAX] = {0};
    number right[MAX] = {0};
    number exact[MAX];
    take(p->b, b);
    take(p->x, x);
    for (int i = 0; i < p->rows; i++) {
        right[i] = b[i];
        for (int j = 0; j < p->cols; j++)
            right[i] -= p->a[i][j] * guess[j];
    }
    long double inverse = reference(p, right, t->damp, exact);
    for (int j = 0; j < p->cols; j++)
        exact[j] += guess[j];

    bool consistent = report->outcome == FUR_OUTCOME_CONVERGED;
    long double a_norm = frobenius(p);
    long double rounds = 8 * (p->rows + p->cols + 4) * value_epsilon(p->value);
    long double b_norm = norm_of(p->rows, b);
    long double rounding = rounds * (b_norm + (a_norm + t->damp) * norm_of(p->cols, x));
    long double rtol = value_epsilon(p->value) == DBL_EPSILON ? 1e-10L : 1e-5L;
    number change[MAX];
    for (int j = 0; j < p->cols; j++)
        change[j] = x[j] - guess[j];
    long double residual = fmaxl(report->residual * b_norm, t->damp * norm_of(p->cols, change));
    long double bound = consistent
                            ? inverse * (rtol * b_norm + rounding) + rounds * a_norm * inverse
                            : inverse * inverse * a_norm * (10 * rtol * residual + rounding);
    for (int j = 0; j < p->cols; j++)
        exact[j] -= x[j];
    long double error = norm_of(p->cols, exact);
    ck_assert_msg(error <= bound, "%s %dx%d: error %Lg, allowed %Lg", t->method, p->rows, p->cols,
                  error, bound);
    ck_assert_double_le(report->norm, (double)(a_norm * (1 + rounds)));
    ck_assert_double_gt(report->norm, 0);
    ck_assert_double_gt(report->bytes, 0);
}

static void check_trial(problem *p, rng *r, const trial *t, bool consistent)
{
    number guess[MAX] = {0};
    fur_csr *m = line(p, true);
    fur_spmv *m_plan = NULL;
    fur_operator *m_op = NULL;
    ck_ok(p->context, fur_spmv_plan(m, NULL, &m_plan));
    ck_ok(p->context, fur_operator_from_spmv(m_plan, &m_op));
    set_random(r, p->x);
    if (consistent)
        ck_ok(p->context, fur_operator_apply(p->op, p->x, p->b));
    else
        set_random(r, p->b);
    /* A guess of 2 is far from the solutions. */
    ck_ok(p->context, fur_vector_fill(p->x, fur_real(t->guess ? 2 : 0)));
    take(p->x, guess);
    fur_solver_options options = {.size = sizeof options,
                                  .method = t->method,
                                  .adjoint = p->adjoint,
                                  .damp = t->damp,
                                  .preconditioner = t->preconditioned ? m_op : NULL};
    fur_solver_report report = solve(p, &options);
    bool zero = (consistent || p->rows <= p->cols) && t->damp == 0;
    ck_assert_msg(report.outcome == (zero ? FUR_OUTCOME_CONVERGED : FUR_OUTCOME_LEAST_SQUARES),
                  "%s %dx%d %s damp %g guess %d M %d: %s after %lld", t->method, p->rows, p->cols,
                  fur_value_name(p->value), t->damp, t->guess, t->preconditioned,
                  fur_outcome_name(report.outcome), (long long)report.iterations);
    /* Otherwise the preconditioner changes which norm is least. */
    if (!t->preconditioned || p->rows >= p->cols || t->damp > 0)
        check_solution(p, t, &report, guess);
    fur_operator_destroy(m_op);
    fur_spmv_destroy(m_plan);
    fur_csr_destroy(m);
}

/* Random systems of all shapes, with damping, guess and preconditioner, are solved. Loops over
 * value types. */
START_TEST(random_systems_are_solved)
{
    static const int sizes[][2] = {{1, 1}, {40, 12}, {20, 20}, {12, 40}, {12, 3}};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream((uint64_t)_i);
    for (int size = 0; size < COUNT_OF(sizes); size++) {
        int rows = sizes[size][0];
        int cols = sizes[size][1];
        problem *p = problem_make(context, &r, (fur_value_type)_i, rows, cols, cols);
        for (int bits = 0; bits < 3 * 16; bits++) {
            trial t = {methods[bits / 16], bits & 1 ? 0.7 : 0, bits & 2, bits & 4};
            if (t.damp == 0 || !t.preconditioned || strcmp(t.method, "cgnr") == 0)
                check_trial(p, &r, &t, bits & 8);
        }
        problem_release(p);
    }
    fur_context_destroy(context);
}
END_TEST

/* A singular matrix gives the solution of least norm, in which repeated columns have equal entries.
 * If A = 0, x = 0. */
START_TEST(a_singular_matrix_has_a_least_squares_solution)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(20);
    for (int value = 0; value < FUR_VALUE_COUNT; value++)
        for (int k = 0; k < COUNT_OF(methods); k++)
            for (int zero = 0; zero < 2; zero++) {
                problem *p = problem_make(context, &r, (fur_value_type)value, 30, 20, 10);
                fur_solver_options options = {
                    .size = sizeof options, .method = methods[k], .adjoint = p->adjoint};
                number x[MAX];
                set_random(&r, p->b);
                if (zero) {
                    void *zeros = entries_make(p->value, 30 * 20);
                    ck_ok(context, fur_csr_set_values(p->matrix, zeros, FUR_OWNERSHIP_COPY));
                    free(zeros);
                }
                fur_solver_report report = solve(p, &options);
                ck_assert_msg(report.outcome == FUR_OUTCOME_LEAST_SQUARES, "%s: %s", methods[k],
                              fur_outcome_name(report.outcome));
                take(p->x, x);
                for (int j = 0; j < 10; j++)
                    ck_assert_double_le((double)cabsl(x[j] - x[j + 10]),
                                        1e3 * value_epsilon(p->value));
                problem_release(p);
            }
    fur_context_destroy(context);
}
END_TEST

/* A guess that is a least-squares solution is accepted almost at once, whatever its residual. */
START_TEST(a_solution_needs_no_more_steps)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(21);
    problem *p = problem_make(context, &r, FUR_F64, 30, 20, 20);
    for (int k = 0; k < COUNT_OF(methods); k++) {
        fur_solver_options options = {
            .size = sizeof options, .method = methods[k], .adjoint = p->adjoint, .rtol = 1e-13};
        set_random(&r, p->b);
        ck_assert_int_eq(solve(p, &options).outcome, FUR_OUTCOME_LEAST_SQUARES);
        options.rtol = 1e-10;
        fur_solver_report report = solve(p, &options);
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_LEAST_SQUARES);
        ck_assert_int_le(report.iterations, 2);
    }
    problem_release(p);
    fur_context_destroy(context);
}
END_TEST

/* If b is scaled by a power of two, the solves end alike and x scales with b. */
START_TEST(any_magnitude_of_b_is_solved)
{
    static const double scales[] = {0x1p-1000, 0x1p900};
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(22);
    problem *p = problem_make(context, &r, FUR_F64, 30, 20, 20);
    for (int k = 0; k < COUNT_OF(methods); k++)
        for (int i = 0; i < COUNT_OF(scales); i++)
            for (int damped = 0; damped < 2; damped++) {
                fur_solver_options options = {.size = sizeof options,
                                              .method = methods[k],
                                              .adjoint = p->adjoint,
                                              .damp = damped};
                set_random(&r, p->b);
                ck_ok(context, fur_vector_scale(p->b, fur_real(scales[i])));
                ck_ok(context, fur_vector_fill(p->x, fur_real(0)));
                fur_solver_report report = solve(p, &options);
                ck_assert_msg(report.outcome == FUR_OUTCOME_LEAST_SQUARES, "%s: %s", methods[k],
                              fur_outcome_name(report.outcome));
                double x_norm;
                ck_ok(context, fur_norm2(p->x, &x_norm));
                ck_assert_double_gt(x_norm / scales[i], 0.01);
                ck_assert_double_lt(x_norm / scales[i], 10);
            }
    problem_release(p);
    fur_context_destroy(context);
}
END_TEST

/* If the singular values are 1, ..., c, the estimate of c is a close lower bound. */
START_TEST(the_condition_is_estimated_from_below)
{
    static number a[MAX][MAX];
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(23);
    problem *p = calloc(1, sizeof *p);
    *p = (problem){.context = context, .value = FUR_F64, .rows = 40, .cols = 40};
    for (int i = 0; i < 40; i++)
        a[i][i] = 1 + i;
    p->matrix = dense_matrix(context, FUR_F64, 40, 40, a);
    plan(p);
    for (int k = 0; k < COUNT_OF(methods); k++) {
        fur_solver_options options = {
            .size = sizeof options, .method = methods[k], .adjoint = p->adjoint};
        set_random(&r, p->b);
        ck_ok(context, fur_vector_fill(p->x, fur_real(0)));
        fur_solver_report report = solve(p, &options);
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        printf("%s: condition 40, estimated %g; norm 40, %g\n", methods[k], report.condition,
               report.norm);
        ck_assert_double_le(report.condition, 40 * (1 + 1e-5));
        ck_assert_double_ge(report.condition, 39);
        ck_assert_double_le(report.norm, 40 * (1 + 1e-10));
        ck_assert_double_ge(report.norm, 20);
    }
    problem_release(p);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_preconditioner_that_is_not_symmetric_is_found_out)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(24);
    problem *p = problem_make(context, &r, FUR_F64, 30, 20, 20);
    fur_csr *m = line(p, false);
    fur_spmv *m_plan = NULL;
    fur_operator *m_op = NULL;
    ck_ok(context, fur_spmv_plan(m, NULL, &m_plan));
    ck_ok(context, fur_operator_from_spmv(m_plan, &m_op));
    for (int k = 0; k < COUNT_OF(methods); k++) {
        fur_solver_options options = {.size = sizeof options,
                                      .method = methods[k],
                                      .adjoint = p->adjoint,
                                      .preconditioner = m_op};
        set_random(&r, p->b);
        ck_assert_int_eq(solve(p, &options).outcome, FUR_OUTCOME_ASYMMETRIC);
    }
    fur_operator_destroy(m_op);
    fur_spmv_destroy(m_plan);
    fur_csr_destroy(m);
    problem_release(p);
    fur_context_destroy(context);
}
END_TEST

/* Any outcome leaves an x that is no worse than 0. Jacobi's preconditioner is not Hermitian here,
 * because the diagonal is complex. */
START_TEST(x_is_never_worse_than_the_guess)
{
    static const int32_t rows[] = {0, 0, 0, 1, 1, 2};
    static const int32_t cols[] = {0, 1, 2, 1, 2, 2};
    static const double a[] = {1,
                               -0.41815424461852646,
                               -0.32105949173853776,
                               -0.84938710830661635,
                               0.51688366514302186,
                               -0.94033854525290561,
                               1,
                               0.20843957644606562,
                               0.64414486554619932,
                               0.4984186120970065,
                               1,
                               -0.040456010787481234};
    static const double b[] = {0.0024628296732367048, -0.026173729695038589, -0.026853869229700303,
                               0.065250865220343152,  0.01552931345448768,   0.060219382154939306};
    fur_context *context = context_make(NULL, 1);
    fur_coo_view coo = {sizeof coo, 3, 3, 6, FUR_C128, rows, cols, a};
    problem p = {.context = context, .value = FUR_C128, .rows = 3, .cols = 3};
    fur_operator *m = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &p.matrix));
    plan(&p);
    ck_ok(context, fur_vector_upload(b, p.b));
    ck_ok(context, fur_operator_jacobi(p.op, &m));
    for (int k = 0; k < COUNT_OF(methods); k++) {
        fur_solver_options options = {.size = sizeof options,
                                      .method = methods[k],
                                      .adjoint = p.adjoint,
                                      .preconditioner = m};
        ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
        fur_solver_report report = solve(&p, &options);
        ck_assert_msg(report.residual <= 1 + 1e-12, "%s: %s, residual %g", methods[k],
                      fur_outcome_name(report.outcome), report.residual);
    }
    fur_operator_destroy(m);
    fur_vector_destroy(p.b);
    fur_vector_destroy(p.x);
    fur_operator_destroy(p.op);
    fur_operator_destroy(p.adjoint);
    fur_spmv_destroy(p.plans[0]);
    fur_spmv_destroy(p.plans[1]);
    fur_csr_destroy(p.matrix);
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_a_method_cannot_do_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(25);
    problem *p = problem_make(context, &r, FUR_F64, 30, 20, 20);
    problem *square = problem_make(context, &r, FUR_F64, 20, 20, 20);
    fur_solver *solver = NULL;
    fur_solver_options options = {.size = sizeof options, .method = "lsqr"};
    ck_fails(
        context, FUR_INVALID,
        "lsqr needs A^H; set options.adjoint, for example to the operator of a plan with FUR_OP_H",
        fur_solver_create(p->op, &options, &solver));
    options.adjoint = p->adjoint;
    options.preconditioner = square->op;
    options.damp = 1;
    ck_fails(context, FUR_UNSUPPORTED,
             "lsqr accepts a preconditioner or damping, not both; cgnr accepts both",
             fur_solver_create(p->op, &options, &solver));
    options = (fur_solver_options){.size = sizeof options, .damp = 1};
    ck_fails(context, FUR_UNSUPPORTED,
             "cg solves A x = b without damping; lsqr, lsmr and cgnr have it",
             fur_solver_create(square->op, &options, &solver));
    problem_release(square);
    problem_release(p);
    fur_context_destroy(context);
}
END_TEST

/* Returns a sparse matrix that is large enough for several threads. */
static fur_csr *tall_matrix(fur_context *context, fur_value_type value, int64_t cols)
{
    rng r = rng_stream(26);
    int64_t rows = 3 * cols / 2;
    int32_t *at = malloc((size_t)(8 * rows) * sizeof *at);
    void *values = entries_make(value, 4 * rows);
    fur_csr *matrix = NULL;
    for (int64_t k = 0; k < 4 * rows; k++) {
        fur_scalar entry = rng_scalar(&r, value);
        entry.re += k % 4 ? 0 : 5;
        at[k] = (int32_t)(k / 4);
        at[4 * rows + k] = (int32_t)(k % 4 ? rng_below(&r, cols) : k / 4 % cols);
        entry_set(value, values, k, entry);
    }
    fur_coo_view coo = {sizeof coo, rows, cols, 4 * rows, value, at, at + 4 * rows, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &matrix));
    free(values);
    free(at);
    return matrix;
}

/* Solutions have the same bits for any number of threads. Loops over value types. */
START_TEST(solutions_have_the_same_bits_for_any_number_of_threads)
{
    static const int threads[] = {1, 2, 3, 8};
    int64_t cols = TEST_SLOW ? 3000 : 9000;
    for (int k = 0; k < COUNT_OF(methods); k++) {
        void *first = NULL;
        for (int i = 0; i < COUNT_OF(threads); i++) {
            fur_context *context = context_make(NULL, threads[i]);
            problem *p = calloc(1, sizeof *p);
            rng r = rng_stream(27);
            *p = (problem){.context = context,
                           .value = (fur_value_type)_i,
                           .rows = (int)(3 * cols / 2),
                           .cols = (int)cols,
                           .matrix = tall_matrix(context, (fur_value_type)_i, cols)};
            plan(p);
            set_random(&r, p->b);
            fur_solver_options options = {
                .size = sizeof options, .method = methods[k], .adjoint = p->adjoint, .damp = k};
            fur_solver_report report = solve(p, &options);
            ck_assert_int_eq(report.outcome, FUR_OUTCOME_LEAST_SQUARES);
            void *entries = vector_entries(p->x);
            if (first) {
                ck_assert_int_eq(first_difference(p->value, cols, first, entries), -1);
                free(entries);
            } else
                first = entries;
            problem_release(p);
            fur_context_destroy(context);
        }
        free(first);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, random_systems_are_solved, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, a_singular_matrix_has_a_least_squares_solution);
    tcase_add_test(tests, a_solution_needs_no_more_steps);
    tcase_add_test(tests, any_magnitude_of_b_is_solved);
    tcase_add_test(tests, the_condition_is_estimated_from_below);
    tcase_add_test(tests, a_preconditioner_that_is_not_symmetric_is_found_out);
    tcase_add_test(tests, x_is_never_worse_than_the_guess);
    tcase_add_test(tests, what_a_method_cannot_do_is_refused);
    tcase_add_loop_test(tests, solutions_have_the_same_bits_for_any_number_of_threads, 0,
                        FUR_VALUE_COUNT);
}

int main(void)
{
    return run_tests("least_squares", add_tests);
}
