/* Conjugate gradients on Poisson problems of every value type, with and without Jacobi. The tests
 * cover every way a solve can end, monitors, failing operators and refusals. A solve allocates
 * nothing. It has the same bits for any thread count, instruction set, exact kernel and interval
 * between reads by the host. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A matrix, its operator, and vectors of its size. */
typedef struct problem {
    fur_context *context;
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *op;
    fur_vector *b;
    fur_vector *x;
} problem;

/* Entries of a matrix that is being assembled. */
typedef struct builder {
    fur_value_type value;
    int64_t entries;
    int32_t rows[40000];
    int32_t cols[40000];
    double values[80000];
} builder;

static void add(builder *m, int64_t row, int64_t col, fur_scalar entry)
{
    m->rows[m->entries] = (int32_t)row;
    m->cols[m->entries] = (int32_t)col;
    entry_set(m->value, m->values, m->entries++, entry);
}

static problem problem_of(fur_context *context, const builder *m, int64_t n, const char *kernel)
{
    problem p = {.context = context};
    fur_spmv_options options = {.size = sizeof options, .kernel = kernel};
    fur_coo_view coo = {sizeof coo, n, n, m->entries, m->value, m->rows, m->cols, m->values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &p.a));
    ck_ok(context, fur_spmv_plan(p.a, &options, &p.plan));
    ck_ok(context, fur_operator_from_spmv(p.plan, &p.op));
    ck_ok(context, fur_vector_create(context, m->value, n, &p.b));
    ck_ok(context, fur_vector_create(context, m->value, n, &p.x));
    return p;
}

static void problem_release(problem *p)
{
    fur_vector_destroy(p->x);
    fur_vector_destroy(p->b);
    fur_operator_destroy(p->op);
    fur_spmv_destroy(p->plan);
    fur_csr_destroy(p->a);
}

/* Returns Poisson's problem on an nx x ny grid; ny = 1 gives a line. Complex matrices have a factor
 * u of modulus 1 on the entries right of the diagonal and conj(u) left of it, which keeps the
 * eigenvalues. */
static problem poisson(fur_context *context, fur_value_type value, int64_t nx, int64_t ny,
                       const char *kernel)
{
    static builder m;
    fur_scalar right = value_is_complex(value) ? fur_complex(-0.6, 0.8) : fur_real(-1);
    fur_scalar left = {right.re, -right.im};
    m.value = value;
    m.entries = 0;
    ck_assert_int_le(5 * nx * ny, COUNT_OF(m.rows));
    for (int64_t i = 0; i < nx * ny; i++) {
        add(&m, i, i, fur_real(ny > 1 ? 4 : 2));
        if (i % nx > 0)
            add(&m, i, i - 1, left);
        if (i % nx + 1 < nx)
            add(&m, i, i + 1, right);
        if (i >= nx)
            add(&m, i, i - nx, left);
        if (i + nx < nx * ny)
            add(&m, i, i + nx, right);
    }
    return problem_of(context, &m, nx * ny, kernel);
}

static problem diagonal_problem(fur_context *context, const double *entries, int64_t n)
{
    static builder m;
    m.value = FUR_F64;
    m.entries = 0;
    for (int64_t i = 0; i < n; i++)
        add(&m, i, i, fur_real(entries[i]));
    return problem_of(context, &m, n, NULL);
}

static void set_random(fur_vector *x, uint64_t stream)
{
    rng r = rng_stream(stream);
    for (int64_t i = 0; i < fur_vector_size(x); i++)
        entry_set(fur_vector_value_type(x), fur_vector_data(x), i,
                  rng_scalar(&r, fur_vector_value_type(x)));
}

static fur_solver *solver_make(const problem *p, const fur_solver_options *options)
{
    fur_solver *solver = NULL;
    ck_ok(p->context, fur_solver_create(p->op, options, &solver));
    return solver;
}

static fur_solver_report solve(const problem *p, const fur_solver_options *options)
{
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_solver *solver = solver_make(p, options);
    ck_ok(p->context, fur_solver_solve(solver, p->b, p->x, &report));
    fur_solver_destroy(solver);
    return report;
}

static double norm2(const fur_vector *x)
{
    double norm;
    ck_ok(fur_vector_context(x), fur_norm2(x, &norm));
    return norm;
}

/* Returns ||b - A x|| / ||b||, computed in long double. */
static double relative_residual(const problem *p)
{
    fur_csr_view a = *fur_csr_get(p->a);
    long double sum = 0;
    for (int64_t i = 0; i < a.rows; i++) {
        fur_scalar b = entry_get(a.value_type, fur_vector_data(p->b), i);
        long double re = b.re;
        long double im = b.im;
        for (int64_t k = offset_at(&a, i); k < offset_at(&a, i + 1); k++) {
            fur_scalar e = entry_get(a.value_type, a.values, k);
            fur_scalar x = entry_get(a.value_type, fur_vector_data(p->x), a.columns[k]);
            re -= (long double)e.re * x.re - (long double)e.im * x.im;
            im -= (long double)e.re * x.im + (long double)e.im * x.re;
        }
        sum += re * re + im * im;
    }
    return (double)(sqrtl(sum) / norm2(p->b));
}

/* Returns a bound of the difference between b - A x and the recurrence residual after k iterations,
 * relative to b. Every iteration rounds A p (entries of a row + 2 times), x and r, by eps ||A||
 * ||x|| at most (Greenbaum 1997, theorem 2.2). The iterates of CG from 0 grow monotonically to x.
 * Rows have 5 entries and ||A|| <= 8. Complex arithmetic doubles the bound. */
static double residual_gap(const problem *p, int64_t iterations)
{
    double eps = value_epsilon(fur_vector_value_type(p->b));
    double rounds = 2 * (5 + 2 + 2);
    return (double)(iterations + 1) * rounds * eps * 8 * norm2(p->x) / norm2(p->b);
}

/* Returns the iterations of CG to rtol on a matrix of condition c, from the bound ||r_k|| <= 2
 * sqrt(c) q^k ||r_0|| with q = (sqrt(c) - 1) / (sqrt(c) + 1) (Saad 2003, section 6.11.3). */
static double iteration_bound(double condition, double rtol)
{
    double root = sqrt(condition);
    double q = (root - 1) / (root + 1);
    return q > 0 ? ceil(log(rtol / (2 * root)) / log(q)) : 1;
}

/* Returns the condition of a line of n points. Its eigenvalues are 4 sin^2(k pi / (2 (n + 1))). */
static double poisson_condition(int64_t n)
{
    double angle = acos(-1) / (2 * (double)(n + 1));
    return pow(sin((double)n * angle) / sin(angle), 2);
}

static void check_poisson(fur_context *context, fur_value_type value, int64_t nx, int64_t ny,
                          bool jacobi)
{
    problem p = poisson(context, value, nx, ny, NULL);
    fur_operator *m = NULL;
    if (jacobi)
        ck_ok(context, fur_operator_jacobi(p.op, &m));
    fur_solver_options options = {.size = sizeof options, .preconditioner = m};
    double rtol = value_epsilon(value) == DBL_EPSILON ? 1e-10 : 1e-5;
    set_random(p.b, 1);
    fur_solver_report report = solve(&p, &options);
    ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED, "%s", fur_outcome_name(report.outcome));
    double gap = residual_gap(&p, report.iterations);
    ck_assert_double_le(report.residual_recurrence, rtol);
    ck_assert_double_le(report.residual, rtol + gap);
    ck_assert_double_le(relative_residual(&p), rtol + gap);
    ck_assert_double_ge(report.seconds, 0);
    ck_assert_double_le((double)report.iterations,
                        iteration_bound(poisson_condition(nx > ny ? nx : ny), rtol));
    fur_operator_destroy(m);
    problem_release(&p);
}

/* CG solves Poisson problems within the expected iterations. Loops over value types. */
START_TEST(poisson_problems_are_solved)
{
    static const int64_t sizes[][2] = {{1, 1}, {2, 1}, {50, 1}, {7, 5}, {80, 70}};
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < COUNT_OF(sizes); i++)
        for (int jacobi = 0; jacobi < 2; jacobi++)
            check_poisson(context, (fur_value_type)_i, sizes[i][0], sizes[i][1], jacobi);
    fur_context_destroy(context);
}
END_TEST

/* CG takes one iteration for each distinct eigenvalue, and one with the exact inverse as
 * preconditioner. */
START_TEST(iterations_are_the_distinct_eigenvalues)
{
    static const double entries[] = {1, 2, 4, 1, 2, 4, 4, 2, 1, 1};
    fur_context *context = context_make(NULL, 1);
    problem p = diagonal_problem(context, entries, COUNT_OF(entries));
    fur_operator *jacobi = NULL;
    fur_solver_options options = {.size = sizeof options};
    ck_ok(context, fur_operator_jacobi(p.op, &jacobi));
    set_random(p.b, 2);
    fur_solver_report report = solve(&p, &options);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_eq(report.iterations, 3);
    ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
    options.preconditioner = jacobi;
    report = solve(&p, &options);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_eq(report.iterations, 1);
    fur_operator_destroy(jacobi);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* A solve from the exact solution needs no iteration. All numbers are integers, so A x = b holds
 * exactly. */
START_TEST(an_exact_guess_needs_no_iteration)
{
    fur_context *context = context_make(NULL, 1);
    problem p = poisson(context, FUR_C128, 6, 1, NULL);
    ck_ok(context, fur_vector_fill(p.x, fur_complex(5, 10)));
    ck_ok(context, fur_operator_apply(p.op, p.x, p.b));
    fur_solver_report report = solve(&p, NULL);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_eq(report.iterations, 0);
    ck_assert_double_eq(report.residual, 0);
    fur_scalar entry = entry_get(FUR_C128, fur_vector_data(p.x), 3);
    ck_assert(entry.re == 5 && entry.im == 10);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_zero_right_side_has_the_solution_zero)
{
    fur_context *context = context_make(NULL, 1);
    problem p = poisson(context, FUR_F64, 9, 1, NULL);
    set_random(p.x, 3);
    fur_solver_report report = solve(&p, NULL);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_eq(report.iterations, 0);
    ck_assert_double_eq(report.residual, 0);
    ck_assert_double_eq(report.residual_recurrence, 0);
    ck_assert_double_eq(norm2(p.x), 0);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_system_without_unknowns_is_solved)
{
    fur_context *context = context_make(NULL, 1);
    problem p = diagonal_problem(context, NULL, 0);
    fur_solver_report report = solve(&p, NULL);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_eq(report.iterations, 0);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* Indefinite, negative and zero matrices are reported as indefinite. */
START_TEST(an_indefinite_matrix_is_reported)
{
    static const double diagonals[][3] = {{1, -1, 2}, {-1, -2, -3}, {0, 0, 0}, {3, 2, -1e-3}};
    fur_context *context = context_make(NULL, 1);
    for (int i = 0; i < COUNT_OF(diagonals); i++) {
        problem p = diagonal_problem(context, diagonals[i], 3);
        ck_ok(context, fur_vector_fill(p.b, fur_real(1)));
        fur_solver_report report = solve(&p, NULL);
        ck_assert_msg(report.outcome == FUR_OUTCOME_INDEFINITE, "%s",
                      fur_outcome_name(report.outcome));
        ck_assert_double_le(fabs(report.residual - relative_residual(&p)), 1e-12);
        problem_release(&p);
    }
    fur_context_destroy(context);
}
END_TEST

/* Returns convection and diffusion on an n x n grid. Upstream neighbours have the weight -1 - c,
 * downstream neighbours -1 + c. */
static problem convection(fur_context *context, fur_value_type value, int64_t n, double c)
{
    static builder m;
    m.value = value;
    m.entries = 0;
    for (int64_t i = 0; i < n * n; i++) {
        add(&m, i, i, fur_real(4));
        if (i % n > 0)
            add(&m, i, i - 1, fur_real(-1 - c));
        if (i % n + 1 < n)
            add(&m, i, i + 1, fur_real(-1 + c));
        if (i >= n)
            add(&m, i, i - n, fur_real(-1 - c));
        if (i + n < n * n)
            add(&m, i, i + n, fur_real(-1 + c));
    }
    return problem_of(context, &m, n * n, NULL);
}

/* CG finds that a matrix is not symmetric, even though x.Ax > 0 always holds: the symmetric part is
 * Poisson's matrix, which is positive definite. */
START_TEST(a_matrix_that_is_not_symmetric_is_found_out)
{
    fur_context *context = context_make(NULL, 1);
    for (int value = 0; value < FUR_VALUE_COUNT; value++)
        for (int jacobi = 0; jacobi < 2; jacobi++) {
            problem p = convection(context, (fur_value_type)value, 60, 2);
            fur_operator *m = NULL;
            if (jacobi)
                ck_ok(context, fur_operator_jacobi(p.op, &m));
            fur_solver_options options = {.size = sizeof options, .preconditioner = m};
            set_random(p.b, 16);
            fur_solver_report report = solve(&p, &options);
            ck_assert_msg(report.outcome == FUR_OUTCOME_ASYMMETRIC, "%s after %lld",
                          fur_outcome_name(report.outcome), (long long)report.iterations);
            ck_assert_int_le(report.iterations, 64);
            ck_assert_double_ge(report.residual, 1);
            fur_operator_destroy(m);
            problem_release(&p);
        }
    fur_context_destroy(context);
}
END_TEST

/* CG converges for a matrix that is symmetric only up to small differences. */
START_TEST(a_matrix_that_is_nearly_symmetric_is_solved)
{
    fur_context *context = context_make(NULL, 1);
    problem p = convection(context, FUR_F64, 40, 1e-3);
    set_random(p.b, 17);
    fur_solver_report report = solve(&p, NULL);
    ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED, "%s", fur_outcome_name(report.outcome));
    ck_assert_double_le(relative_residual(&p), 1e-10 + residual_gap(&p, 0));
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* An operator y = factor x that fails at call `fail_at`. */
typedef struct scaling {
    fur_context *context;
    double factor;
    int calls;
    int fail_at;
} scaling;

static fur_status scaling_apply(void *user, const fur_vector *x, fur_vector *y)
{
    scaling *s = user;
    if (++s->calls == s->fail_at)
        return fur_context_fail(s->context, FUR_IO_ERROR, "call %d went wrong", s->calls);
    return fur_axpby(fur_real(s->factor), x, fur_real(0), y);
}

static fur_operator *scaling_operator(scaling *s, fur_value_type value, int64_t rows, int64_t cols)
{
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = rows,
                                          .cols = cols,
                                          .value_type = value,
                                          .user = s,
                                          .apply = scaling_apply};
    fur_operator *op = NULL;
    ck_ok(s->context, fur_operator_create(s->context, &definition, &op));
    return op;
}

START_TEST(an_indefinite_preconditioner_is_reported)
{
    fur_context *context = context_make(NULL, 1);
    scaling s = {.context = context, .factor = -1};
    problem p = poisson(context, FUR_F64, 9, 1, NULL);
    fur_operator *m = scaling_operator(&s, FUR_F64, 9, 9);
    fur_solver_options options = {.size = sizeof options, .preconditioner = m};
    set_random(p.b, 4);
    fur_solver_report report = solve(&p, &options);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_INDEFINITE_PRECONDITIONER);
    ck_assert_int_eq(report.iterations, 0);
    fur_operator_destroy(m);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* Nonfinite entries of b, the guess or A are refused before the first iteration. The message names
 * the entry. */
START_TEST(what_is_not_finite_is_refused_by_name)
{
    static const double poison[] = {NAN, INFINITY, -INFINITY};
    static const char nonfinite[] =
        "entry 3 of b - A x of the initial guess x (A has NaN or infinity in that row, or the "
        "product overflows), counting from 1, is not finite; nothing was solved";
    static const char *const sentences[] = {
        "entry 3 of b, counting from 1, is not finite; nothing was solved",
        "entry 3 of the initial guess, counting from 1, is not finite; nothing was solved",
        nonfinite};
    fur_context *context = context_make(NULL, 1);
    for (int i = 0; i < 3 * COUNT_OF(poison); i++) {
        double entries[] = {1, 2, i / 3 == 2 ? poison[i % 3] : 3, 4};
        problem p = diagonal_problem(context, entries, 4);
        set_random(p.b, 5);
        if (i / 3 == 0)
            entry_set(FUR_F64, fur_vector_data(p.b), 2, fur_real(poison[i % 3]));
        if (i / 3 == 1)
            entry_set(FUR_F64, fur_vector_data(p.x), 2, fur_real(poison[i % 3]));
        fur_solver *solver = solver_make(&p, NULL);
        ck_fails(context, FUR_INVALID, sentences[i / 3], fur_solver_solve(solver, p.b, p.x, NULL));
        fur_solver_destroy(solver);
        problem_release(&p);
    }
    problem p = poisson(context, FUR_F64, 9, 1, NULL);
    fur_solver *solver = solver_make(&p, NULL);
    ck_ok(context, fur_vector_fill(p.b, fur_real(DBL_MAX)));
    ck_fails(context, FUR_INVALID, "the norm of b overflows; nothing was solved",
             fur_solver_solve(solver, p.b, p.x, NULL));
    fur_solver_destroy(solver);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* If a power of two scales b, x scales with b. */
START_TEST(the_magnitude_of_b_does_not_matter)
{
    static const int exponents[] = {0, -664, 664, -900, 900};
    fur_context *context = context_make(NULL, 1);
    double first[9];
    for (int i = 0; i < COUNT_OF(exponents); i++) {
        problem p = poisson(context, FUR_F64, 9, 1, NULL);
        set_random(p.b, 5);
        ck_ok(context, fur_vector_scale(p.b, fur_real(scalbn(1, exponents[i]))));
        fur_solver_report report = solve(&p, NULL);
        ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED, "2^%d: %s", exponents[i],
                      fur_outcome_name(report.outcome));
        ck_assert(relative_residual(&p) <= 1e-10);
        for (int j = 0; j < 9; j++) {
            double entry = scalbn(((double *)fur_vector_data(p.x))[j], -exponents[i]);
            first[j] = i == 0 ? entry : first[j];
            ck_assert_msg(fabs(entry - first[j]) <= 1e-8 * fabs(first[j]), "2^%d, entry %d: %a %a",
                          exponents[i], j, entry, first[j]);
        }
        problem_release(&p);
    }
    fur_context_destroy(context);
}
END_TEST

/* If rounding stops the true residual while the recurrence residual still falls, the outcome is
 * working precision. */
START_TEST(a_true_residual_that_stays_behind_is_working_precision)
{
    fur_context *context = context_make(NULL, 1);
    problem p = poisson(context, FUR_F64, 23, 17, NULL);
    fur_solver_options options = {.size = sizeof options, .rtol = 1e-30};
    set_random(p.b, 6);
    fur_solver_report report = solve(&p, &options);
    ck_assert_msg(report.outcome == FUR_OUTCOME_WORKING_PRECISION, "%s",
                  fur_outcome_name(report.outcome));
    ck_assert_double_lt(report.residual_recurrence, 1e-2 * report.residual);
    ck_assert_double_gt(report.residual, 1e-30);
    ck_assert_double_le(report.residual, residual_gap(&p, 0));
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* Sets numbers in (-1, 1) that do not depend on the seed. */
static void set_scattered(fur_vector *x)
{
    for (int64_t i = 0; i < fur_vector_size(x); i++) {
        uint32_t bits = (uint32_t)(2654435761U * (uint64_t)(i + 1));
        entry_set(fur_vector_value_type(x), fur_vector_data(x), i,
                  fur_real(bits / 2147483648.0 - 1));
    }
}

/* The outcome follows from the true residual. The tolerances are near the limit of the value type,
 * and the matrices are lines, whose condition grows with the square of their length. Computing a
 * residual rounds as much as one iteration. */
START_TEST(converged_is_what_the_true_residual_says)
{
    fur_context *context = context_make(NULL, 1);
    int count[2] = {0};
    fur_value_type value = (fur_value_type)_i;
    for (int64_t n = 10; n < 600; n = n * 3 / 2) {
        problem p = poisson(context, value, n, 1, NULL);
        set_scattered(p.b);
        for (double rtol = 4 * value_epsilon(value); rtol < 300 * value_epsilon(value); rtol *= 3) {
            fur_solver_options options = {.size = sizeof options, .rtol = rtol};
            ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
            fur_solver_report report = solve(&p, &options);
            bool met = report.residual <= rtol;
            bool exact = report.backward_error <= 8 * value_epsilon(value);
            ck_assert_msg(report.outcome == (met     ? FUR_OUTCOME_CONVERGED
                                             : exact ? FUR_OUTCOME_WORKING_PRECISION
                                                     : FUR_OUTCOME_STAGNATED),
                          "%s on %lld points: residual %g, tolerance %g",
                          fur_outcome_name(report.outcome), (long long)n, report.residual, rtol);
            ck_assert_double_le(fabs(report.residual - relative_residual(&p)), residual_gap(&p, 0));
            count[met]++;
        }
        problem_release(&p);
    }
    ck_assert(count[0] > 0 && count[1] > 0);
    fur_context_destroy(context);
}
END_TEST

/* The report has a lower bound of the condition that is close to it. The condition of a line's
 * matrix is (1 + c) / (1 - c) with c = cos(pi / (n + 1)). Jacobi's preconditioner does not change
 * it, because the diagonal is constant. */
START_TEST(a_solve_tells_the_condition)
{
    fur_context *context = context_make(NULL, 1);
    problem p = poisson(context, FUR_F64, 60, 1, NULL);
    fur_operator *jacobi = NULL;
    double c = cos(acos(-1) / 61);
    double condition = (1 + c) / (1 - c);
    ck_ok(context, fur_operator_jacobi(p.op, &jacobi));
    set_random(p.b, 31);
    for (int scaled = 0; scaled < 2; scaled++) {
        fur_solver_options options = {
            .size = sizeof options, .preconditioner = scaled ? jacobi : NULL, .no_reduction = 1};
        ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
        fur_solver_report report = solve(&p, &options);
        ck_assert_msg(report.condition <= 1.01 * condition && report.condition >= 0.98 * condition,
                      "%g, not %g", report.condition, condition);
        ck_assert_double_eq_tol(report.norm, (scaled ? 1 : 2) * (1 + c), 0.01 * (1 + c));
        ck_assert(report.bytes == 60 * 8 * 10); /* no bytes for the diagonal, which is constant */
    }
    fur_operator_destroy(jacobi);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

START_TEST(iterations_are_limited)
{
    fur_context *context = context_make(NULL, 1);
    problem p = poisson(context, FUR_F64, 40, 30, NULL);
    set_random(p.b, 6);
    for (int64_t limit = 1; limit <= 7; limit += 3) {
        fur_solver_options options = {.size = sizeof options, .max_iterations = limit};
        ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
        fur_solver_report report = solve(&p, &options);
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_MAX_ITERATIONS);
        ck_assert_int_eq(report.iterations, limit);
        ck_assert_double_le(fabs(report.residual - relative_residual(&p)), residual_gap(&p, limit));
    }
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* Record of a monitor. */
typedef struct history {
    int64_t seen;
    int64_t stop_at; /* -1: never */
    double residuals[1000];
} history;

static int monitor(void *user, const fur_solver_progress *progress)
{
    history *h = user;
    ck_assert_int_eq(progress->iteration, h->seen);
    h->residuals[h->seen++] = progress->residual;
    return progress->iteration == h->stop_at ? 17 : 0;
}

START_TEST(a_monitor_sees_every_iteration_and_can_stop)
{
    fur_context *context = context_make(NULL, 1);
    problem p = poisson(context, FUR_F64, 20, 20, NULL);
    set_random(p.b, 7);
    for (int64_t stop_at = -1; stop_at <= 10; stop_at += 11 - 6 * (stop_at >= 0)) {
        history h = {.stop_at = stop_at};
        fur_solver_options options = {
            .size = sizeof options, .monitor = monitor, .monitor_user = &h};
        ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
        fur_solver_report report = solve(&p, &options);
        ck_assert_int_eq(report.outcome, stop_at < 0 ? FUR_OUTCOME_CONVERGED : FUR_OUTCOME_STOPPED);
        ck_assert_int_eq(h.seen, report.iterations + 1);
        ck_assert(stop_at < 0 || report.iterations == stop_at);
        ck_assert_double_eq(h.residuals[0], 1);
        ck_assert_double_eq(h.residuals[h.seen - 1], report.residual_recurrence);
    }
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* A monitor's data to compare the residual of each iterate with the residual that the monitor gets.
 */
typedef struct iterates {
    const problem *p;
    const char *method;
    fur_vector *x;
    fur_vector *r;
    double tolerance; /* relative to the largest residual so far, at least 1 */
    double largest;
    int64_t refused;
    int64_t compared;
} iterates;

static int compare_iterate(void *user, const fur_solver_progress *progress)
{
    iterates *i = user;
    double norm;
    double b_norm;
    fur_status status = fur_solver_iterate(progress, i->x);
    if (status == FUR_UNSUPPORTED) {
        ck_assert_ptr_nonnull(
            strstr(fur_context_error(i->p->context), "does not store the x of each iteration"));
        i->refused++;
        return 0;
    }
    ck_ok(i->p->context, status);
    ck_ok(i->p->context, fur_operator_apply(i->p->op, i->x, i->r));
    ck_ok(i->p->context, fur_axpby(fur_real(1), i->p->b, fur_real(-1), i->r));
    ck_ok(i->p->context, fur_norm2(i->r, &norm));
    ck_ok(i->p->context, fur_norm2(i->p->b, &b_norm));
    i->largest = norm / b_norm > i->largest ? norm / b_norm : i->largest;
    ck_assert_msg(fabs(norm / b_norm - progress->residual) < i->tolerance * i->largest,
                  "%s, iteration %lld: %.17g, told %.17g", i->method,
                  (long long)progress->iteration, norm / b_norm, progress->residual);
    i->compared++;
    return 0;
}

/* A monitor may ask for the iterate. b and the guess have any magnitude. The rounding is that of
 * some tens of iterations with an x of up to 200 times the largest residual so far. */
START_TEST(a_monitor_may_have_the_iterate)
{
    fur_value_type value = (fur_value_type)_i;
    /* a pass scales the second */
    const double magnitudes[] = {1, value_epsilon(value) == DBL_EPSILON ? 0x1p-400 : 0x1p-60};
    fur_context *context = context_make(NULL, 2);
    problem p = poisson(context, value, 12, 11, NULL);
    iterates i = {.p = &p, .tolerance = 2e4 * value_epsilon(value)};
    ck_ok(context, fur_vector_create(context, value, fur_vector_size(p.x), &i.x));
    ck_ok(context, fur_vector_create(context, value, fur_vector_size(p.x), &i.r));
    for (int m = 0; method_at(m); m++) {
        const char *method = method_at(m)->name;
        bool behind = strncmp(method, "cg", 2) == 0 && strcmp(method, "cgnr") != 0;
        behind = behind || strstr(method, "gmres");
        for (int k = 0; k < COUNT_OF(magnitudes); k++) {
            fur_solver_options options = {.size = sizeof options,
                                          .method = method,
                                          .adjoint = p.op,
                                          .max_iterations = 60,
                                          .monitor = compare_iterate,
                                          .monitor_user = &i};
            i.method = method;
            i.largest = 1;
            i.refused = 0;
            i.compared = 0;
            set_random(p.b, 8);
            set_random(p.x, 9);
            ck_ok(context, fur_vector_scale(p.b, fur_real(magnitudes[k])));
            ck_ok(context, fur_vector_scale(p.x, fur_real(magnitudes[k])));
            fur_solver_report report = solve(&p, &options);
            ck_assert_msg(behind ? i.compared == 1 && i.refused > 1
                                 : i.compared > report.iterations && i.refused == 0,
                          "%s", method);
        }
    }
    fur_vector_destroy(i.x);
    fur_vector_destroy(i.r);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* If the true residual is just above the tolerance, the method corrects x with a tolerance low
 * enough to succeed. About one in a hundred of these solves needs this. The smooth part of b makes
 * x, and so its rounding, large. */
START_TEST(a_residual_just_above_the_goal_is_corrected)
{
    fur_context *context = context_make(NULL, 2);
    problem p = poisson(context, FUR_F32, 80, 70, NULL);
    float *b = fur_vector_data(p.b);
    set_scattered(p.b);
    for (int shift = 1; shift <= (TEST_SLOW ? 1 : 2); shift++) {
        for (int64_t i = 0; i < fur_vector_size(p.b); i++)
            b[i] += 0.02F;
        for (double rtol = 1e-5; rtol < 2e-5; rtol *= TEST_SLOW ? 1.1 : 1.005) {
            fur_solver_options options = {.size = sizeof options, .rtol = rtol};
            ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
            fur_solver_report report = solve(&p, &options);
            ck_assert_msg(report.outcome == FUR_OUTCOME_CONVERGED, "%s for %.17g: residual %.17g",
                          fur_outcome_name(report.outcome), rtol, report.residual);
        }
    }
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* If the recurrence residual meets the tolerance but the true residual does not, the method
 * continues unless max_iterations ends it. */
START_TEST(a_correction_begins_where_the_recursion_ends)
{
    fur_context *context = context_make(NULL, 1);
    problem p = poisson(context, FUR_F32, 100, 1, NULL);
    history h = {.stop_at = -1};
    fur_solver_options options = {.size = sizeof options,
                                  .rtol = 1.5e-6,
                                  .monitor = monitor,
                                  .monitor_user = &h,
                                  .no_reduction = 1};
    set_scattered(p.b);
    fur_solver_report report = solve(&p, &options);
    int64_t met = 0;
    while (met < h.seen && h.residuals[met] > options.rtol)
        met++;
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_double_le(report.residual, options.rtol);
    ck_assert_int_lt(met, report.iterations);
    ck_assert_int_eq(h.seen, report.iterations + 1);

    h = (history){.stop_at = met};
    ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
    report = solve(&p, &options);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_STOPPED);
    ck_assert_int_eq(report.iterations, met);
    h = (history){.stop_at = -1};
    options.max_iterations = met;
    ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
    report = solve(&p, &options);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_WORKING_PRECISION);
    ck_assert_int_eq(report.iterations, met);
    ck_assert_double_gt(report.residual, options.rtol);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

START_TEST(tolerances_end_a_solve)
{
    fur_context *context = context_make(NULL, 1);
    problem p = poisson(context, FUR_F64, 20, 20, NULL);
    set_random(p.b, 8);
    double b_norm = norm2(p.b);
    fur_solver_options absolute = {.size = sizeof absolute, .atol = 1e-3 * b_norm};
    fur_solver_options relative = {.size = sizeof relative, .rtol = 1e-3};
    fur_solver_options met = {.size = sizeof met, .atol = 2 * b_norm};
    fur_solver_report a = solve(&p, &absolute);
    ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
    fur_solver_report r = solve(&p, &relative);
    ck_assert_int_eq(a.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_eq(a.iterations, r.iterations);
    ck_assert_double_le(r.residual, 1e-3);
    ck_assert_double_eq(a.residual_recurrence, r.residual_recurrence);
    ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
    ck_assert_int_eq(solve(&p, &met).iterations, 0);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* Fails the first call of the matrix or of the preconditioner, then the second, and so on, until a
 * solve succeeds. */
static int calls_until_success(const problem *p, scaling *s, const fur_operator *a,
                               const fur_operator *m)
{
    fur_solver_options options = {.size = sizeof options, .preconditioner = m};
    fur_solver *solver = NULL;
    ck_ok(p->context, fur_solver_create(a, &options, &solver));
    for (s->fail_at = 1;; s->fail_at++) {
        char sentence[64];
        fur_solver_report report = {
            .size = sizeof report, .outcome = FUR_OUTCOME_CONVERGED, .iterations = -1};
        s->calls = 0;
        ck_ok(p->context, fur_vector_fill(p->x, fur_real(0)));
        fur_status status = fur_solver_solve(solver, p->b, p->x, &report);
        if (status == FUR_OK)
            break;
        snprintf(sentence, sizeof sentence, "call %d went wrong", s->fail_at);
        ck_assert_int_eq(status, FUR_IO_ERROR);
        ck_assert_str_eq(fur_context_error(p->context), sentence);
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_UNSOLVED);
        ck_assert_int_eq(report.iterations, -1);
        ck_assert_int_eq(s->calls, s->fail_at);
    }
    fur_solver_destroy(solver);
    return s->calls;
}

START_TEST(a_failing_operator_ends_the_solve_with_its_status)
{
    fur_context *context = context_make(NULL, 1);
    scaling s = {.context = context, .factor = 2};
    problem p = poisson(context, FUR_F64, 9, 1, NULL);
    fur_operator *scale = scaling_operator(&s, FUR_F64, 9, 9);
    set_random(p.b, 9);
    ck_assert_int_ge(calls_until_success(&p, &s, scale, NULL), 3);
    ck_assert_int_ge(calls_until_success(&p, &s, p.op, scale), 3);
    fur_operator_destroy(scale);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

START_TEST(a_solve_does_not_allocate)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    problem p = poisson(context, FUR_C64, 30, 20, NULL);
    fur_operator *jacobi = NULL;
    ck_ok(context, fur_operator_jacobi(p.op, &jacobi));
    fur_solver_options options = {.size = sizeof options, .preconditioner = jacobi};
    fur_solver *solver = solver_make(&p, &options);
    set_random(p.b, 10);
    int64_t calls = m.calls;
    for (int i = 0; i < 3; i++)
        ck_ok(context, fur_solver_solve(solver, p.b, p.x, NULL));
    ck_assert_int_eq(m.calls, calls);
    fur_solver_destroy(solver);
    fur_solver_destroy(NULL);
    fur_operator_destroy(jacobi);
    problem_release(&p);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* The solution after some iterations, and every residual until then. */
typedef struct run {
    history h;
    double x[2 * 6000];
} run;

static void record(fur_context *context, fur_value_type value, const char *kernel, run *out)
{
    problem p = poisson(context, value, 83, 61, kernel);
    fur_operator *jacobi = NULL;
    ck_ok(context, fur_operator_jacobi(p.op, &jacobi));
    memset(out, 0, sizeof *out);
    out->h.stop_at = 25;
    fur_solver_options options = {.size = sizeof options,
                                  .preconditioner = jacobi,
                                  .monitor = monitor,
                                  .monitor_user = &out->h};
    set_random(p.b, 11);
    solve(&p, &options);
    memcpy(out->x, fur_vector_data(p.x),
           (size_t)fur_vector_size(p.x) * fur_value_size(fur_vector_value_type(p.x)));
    fur_operator_destroy(jacobi);
    problem_release(&p);
}

static void check_run(const char *isa, int threads, fur_value_type value, run *first)
{
    static run own;
    fur_context *context = context_make(isa, threads);
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, context); kernel++) {
        fur_kernel_info info = *fur_spmv_kernel_at(context, kernel);
        if (!info.exact)
            continue;
        record(context, value, info.name, &own);
        if (first->h.seen == 0)
            *first = own;
        ck_assert_msg(memcmp(&own, first, sizeof own) == 0, "kernel %s, isa %s, %d threads",
                      info.name, isa, threads);
    }
    fur_context_destroy(context);
}

/* Solutions have the same bits for any instruction set, threads and exact kernel. Loops over value
 * types. */
START_TEST(solutions_have_the_same_bits_everywhere)
{
    static run first;
    first.h.seen = 0;
    for (int i = 0; isa_name(i); i++)
        for (int threads = 1; threads <= 8; threads += TEST_SLOW ? 7 : threads)
            check_run(isa_name(i), threads, (fur_value_type)_i, &first);
}
END_TEST

/* Checks that solves from 0 have the same bits for every interval between reads. */
static fur_solver_report check_intervals(const char *name, const problem *p, const fur_operator *a,
                                         fur_solver_options options)
{
    static const int64_t intervals[] = {1, 2, 7, 16, 1000, INT64_MAX};
    fur_value_type value = fur_vector_value_type(p->x);
    int64_t n = fur_vector_size(p->x);
    void *first = entries_make(value, n);
    fur_solver_report expected = {.size = sizeof expected};
    for (int i = 0; i < COUNT_OF(intervals); i++) {
        fur_solver *solver = NULL;
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        options.size = sizeof options;
        options.check_every = intervals[i];
        ck_ok(p->context, fur_vector_fill(p->x, fur_real(0)));
        ck_ok(p->context, fur_solver_create(a, &options, &solver));
        ck_ok(p->context, fur_solver_solve(solver, p->b, p->x, &report));
        fur_solver_destroy(solver);
        if (i == 0) {
            expected = report;
            memcpy(first, fur_vector_data(p->x), (size_t)n * fur_value_size(value));
        }
        ck_assert_msg(report.outcome == expected.outcome &&
                          report.iterations == expected.iterations,
                      "%s, every %d: %s after %d", name, (int)intervals[i],
                      fur_outcome_name(report.outcome), (int)report.iterations);
        ck_assert_int_eq(first_difference(value, n, first, fur_vector_data(p->x)), -1);
        ck_assert_int_eq(first_difference(FUR_F64, 1, &report.residual_recurrence,
                                          &expected.residual_recurrence),
                         -1);
    }
    free(first);
    return expected;
}

/* The interval between reads by the host changes no bit. Loops over value types. */
START_TEST(reads_of_the_host_change_no_bit)
{
    fur_context *context = context_make(NULL, 2);
    problem p = poisson(context, (fur_value_type)_i, 30, 20, NULL);
    fur_operator *jacobi = NULL;
    ck_ok(context, fur_operator_jacobi(p.op, &jacobi));
    set_random(p.b, 13);
    for (int64_t limit = 0; limit <= 14; limit++) {
        fur_solver_options options = {.preconditioner = limit % 2 ? jacobi : NULL,
                                      .max_iterations = limit};
        fur_solver_report report = check_intervals("poisson", &p, p.op, options);
        ck_assert_int_eq(report.outcome,
                         limit ? FUR_OUTCOME_MAX_ITERATIONS : FUR_OUTCOME_CONVERGED);
        ck_assert(limit == 0 || report.iterations == limit);
    }
    fur_operator_destroy(jacobi);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* Applies the diagonal preconditioner whose entries are the vector `user`. */
static fur_status diagonal_apply(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_multiply_elementwise(x, user, y);
}

/* The interval between reads changes no outcome, whether x is corrected or the solve fails. */
START_TEST(reads_of_the_host_change_no_outcome)
{
    fur_context *context = context_make(NULL, 1);
    problem p = poisson(context, FUR_F32, 100, 1, NULL);
    fur_solver_options options = {.rtol = 1.5e-6};
    set_scattered(p.b);
    ck_assert_int_eq(check_intervals("a correction", &p, p.op, options).outcome,
                     FUR_OUTCOME_CONVERGED);
    options.rtol = 1e-20;
    ck_assert_int_eq(check_intervals("stagnation", &p, p.op, options).outcome,
                     FUR_OUTCOME_WORKING_PRECISION);
    problem_release(&p);
    p = convection(context, FUR_F64, 60, 2);
    set_scattered(p.b);
    options.rtol = 0;
    ck_assert_int_eq(check_intervals("convection", &p, p.op, options).outcome,
                     FUR_OUTCOME_ASYMMETRIC);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* The interval between reads changes neither the outcome nor the iteration at which a method breaks
 * down. */
START_TEST(reads_of_the_host_change_no_failure)
{
    static const struct {
        const char *name;
        double a[4];
        double m[4];
        double b;
        fur_outcome outcome;
        int64_t iterations;
    } cases[] = {
        {"p.q < 0 at once", {-1, -2, -3, -4}, {1, 1, 1, 1}, 1, FUR_OUTCOME_INDEFINITE, 0},
        {"p.q < 0 later", {1, 2, 100, -1e-3}, {1, 1, 1, 1}, 1, FUR_OUTCOME_INDEFINITE, 3},
        {"p.q = 0", {0, 0, 0, 0}, {1, 1, 1, 1}, 1, FUR_OUTCOME_INDEFINITE, 0},
        {"p.q infinite below",
         {-1e308, -1e308, -1e308, -1e308},
         {1, 1, 1, 1},
         1,
         FUR_OUTCOME_INDEFINITE,
         0},
        {"p.q near overflow",
         {1e308, 1e308, 1e308, 1e308},
         {1, 1, 1, 1},
         1,
         FUR_OUTCOME_CONVERGED,
         1},
        {"step infinite",
         {1e-320, 1e-320, 1e-320, 1e-320},
         {1, 1, 1, 1},
         1,
         FUR_OUTCOME_BREAKDOWN,
         1},
        {"r.z < 0 at once",
         {1, 2, 3, 4},
         {-1, -1, -1, -1},
         1,
         FUR_OUTCOME_INDEFINITE_PRECONDITIONER,
         0},
        {"r.z < 0 later", {1, 2, 3, 4}, {9, 1, 1, -1}, 1, FUR_OUTCOME_INDEFINITE_PRECONDITIONER, 1},
        {"r.z NaN", {1, 2, 3, 4}, {1, NAN, 1, 1}, 1, FUR_OUTCOME_BREAKDOWN, 0},
    };
    fur_context *context = context_make(NULL, 1);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        problem p = diagonal_problem(context, cases[i].a, 4);
        fur_vector *m = vector_from(context, FUR_F64, 4, cases[i].m);
        fur_operator_definition definition = {.size = sizeof definition,
                                              .rows = 4,
                                              .cols = 4,
                                              .value_type = FUR_F64,
                                              .user = m,
                                              .apply = diagonal_apply};
        fur_operator *op = NULL;
        ck_ok(context, fur_operator_create(context, &definition, &op));
        ck_ok(context, fur_vector_fill(p.b, fur_real(cases[i].b)));
        fur_solver_options options = {.preconditioner = op};
        fur_solver_report report = check_intervals(cases[i].name, &p, p.op, options);
        ck_assert_msg(report.outcome == cases[i].outcome &&
                          report.iterations == cases[i].iterations,
                      "%s: %s after %d", cases[i].name, fur_outcome_name(report.outcome),
                      (int)report.iterations);
        fur_operator_destroy(op);
        fur_vector_destroy(m);
        problem_release(&p);
    }
    fur_context_destroy(context);
}
END_TEST

/* Record of a monitor that is called at some iterations only. */
typedef struct calls {
    int64_t seen;
    int64_t last;
    int64_t stop_from; /* -1: never */
} calls;

static int count_calls(void *user, const fur_solver_progress *progress)
{
    calls *l = user;
    ck_assert(l->seen == 0 ? progress->iteration == 0 : progress->iteration > l->last);
    l->seen++;
    l->last = progress->iteration;
    return l->stop_from >= 0 && progress->iteration >= l->stop_from;
}

START_TEST(a_monitor_is_called_at_reads)
{
    fur_context *context = context_make(NULL, 1);
    problem p = poisson(context, FUR_F64, 20, 20, NULL);
    set_random(p.b, 14);
    for (int64_t every = 1; every <= 9; every += 4) {
        calls l = {.stop_from = -1};
        fur_solver_options options = {.size = sizeof options,
                                      .monitor = count_calls,
                                      .monitor_user = &l,
                                      .check_every = every};
        ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
        fur_solver_report report = solve(&p, &options);
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_int_eq(l.last, report.iterations);
        ck_assert_int_eq(l.seen, 1 + (report.iterations + every - 1) / every);
        l = (calls){.stop_from = 7};
        ck_ok(context, fur_vector_fill(p.x, fur_real(0)));
        report = solve(&p, &options);
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_STOPPED);
        ck_assert_int_eq(report.iterations, (7 + every - 1) / every * every);
        ck_assert_double_le(fabs(report.residual - relative_residual(&p)), 1e-12);
    }
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

START_TEST(wrong_options_are_refused)
{
    char unknown[512] = "there is no method \"magic\"; there are: cg";
    for (int i = 1; fur_solver_method_at(i); i++) {
        size_t end = strlen(unknown);
        snprintf(unknown + end, sizeof unknown - end, ", %s", fur_solver_method_at(i)->name);
    }
    static const char negative[] = "rtol, atol and max_iterations must not be negative";
    static const char mismatch[] =
        "the preconditioner differs from the matrix in size, value type or context; it must be 5 x "
        "5";
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    scaling s = {.context = context};
    scaling foreign = {.context = other};
    problem p = poisson(context, FUR_F64, 5, 1, NULL);
    fur_operator *wide = scaling_operator(&s, FUR_F64, 5, 6);
    fur_operator *m[] = {scaling_operator(&s, FUR_F64, 6, 6), scaling_operator(&s, FUR_F32, 5, 5),
                         scaling_operator(&foreign, FUR_F64, 5, 5), wide};
    const struct {
        const fur_operator *a;
        fur_solver_options options;
        fur_status status;
        const char *sentence;
    } cases[] = {
        {wide,
         {0},
         FUR_INVALID,
         "cg needs a square matrix; this one is 5 x 6: for least squares use lsqr, lsmr or cgnr"},
        {p.op, {.method = "magic"}, FUR_UNSUPPORTED, unknown},
        {p.op, {.preconditioner = m[0]}, FUR_INVALID, mismatch},
        {p.op, {.preconditioner = m[1]}, FUR_INVALID, mismatch},
        {p.op, {.preconditioner = m[2]}, FUR_INVALID, mismatch},
        {p.op, {.preconditioner = m[3]}, FUR_INVALID, mismatch},
        {p.op, {.rtol = -1}, FUR_INVALID, negative},
        {p.op, {.rtol = NAN}, FUR_INVALID, negative},
        {p.op, {.atol = -1}, FUR_INVALID, negative},
        {p.op, {.atol = NAN}, FUR_INVALID, negative},
        {p.op, {.max_iterations = -1}, FUR_INVALID, negative},
        {p.op, {.check_every = -1}, FUR_INVALID, "check_every must not be negative"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_solver_options options = cases[i].options;
        fur_solver *solver = NULL;
        options.size = sizeof options;
        ck_fails(context, cases[i].status, cases[i].sentence,
                 fur_solver_create(cases[i].a, &options, &solver));
        ck_assert_ptr_null(solver);
    }
    for (int i = 0; i < COUNT_OF(m); i++)
        fur_operator_destroy(m[i]);
    problem_release(&p);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

/* An operator with the largest number of rows is refused with a message. Its vectors cannot be
 * allocated, and no size overflows before that. */
START_TEST(an_operator_of_any_size_is_refused_in_words)
{
    fur_context *context = context_make(NULL, 1);
    scaling s = {.context = context};
    fur_operator *op = scaling_operator(&s, FUR_F64, INT64_MAX, INT64_MAX);
    fur_solver *solver = NULL;
    ck_fails(context, FUR_OVERFLOW, "9223372036854775807 elements of 8 bytes do not fit in memory",
             fur_solver_create(op, NULL, &solver));
    ck_assert_ptr_null(solver);
    fur_operator_destroy(op);
    fur_context_destroy(context);
}
END_TEST

/* Options of an older program, a struct without the last members, are read up to their size. */
START_TEST(options_of_an_older_program_are_read_as_far_as_they_go)
{
    fur_context *context = context_make(NULL, 1);
    problem p = poisson(context, FUR_F64, 30, 1, NULL);
    fur_solver_options options = {
        .size = offsetof(fur_solver_options, max_iterations), .rtol = 1e-3, .max_iterations = 1};
    set_random(p.b, 12);
    fur_solver_report report = solve(&p, &options);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_gt(report.iterations, 1);
    problem_release(&p);
    fur_context_destroy(context);
}
END_TEST

START_TEST(vectors_that_do_not_fit_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    fur_context *other = context_make(NULL, 1);
    problem p = poisson(context, FUR_F64, 5, 1, NULL);
    fur_solver *solver = solver_make(&p, NULL);
    fur_vector *longer = NULL;
    fur_vector *single = NULL;
    fur_vector *foreign = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F64, 6, &longer));
    ck_ok(context, fur_vector_create(context, FUR_F32, 5, &single));
    ck_ok(context, fur_vector_create(other, FUR_F64, 5, &foreign));
    ck_fails(context, FUR_INVALID,
             "b has 6 entries of type f64, but the solver needs 5 of type f64",
             fur_solver_solve(solver, longer, p.x, NULL));
    ck_fails(context, FUR_INVALID,
             "x has 5 entries of type f32, but the solver needs 5 of type f64",
             fur_solver_solve(solver, p.b, single, NULL));
    ck_fails(context, FUR_INVALID, "b belongs to another context than the solver",
             fur_solver_solve(solver, foreign, p.x, NULL));
    ck_fails(context, FUR_INVALID, "x belongs to another context than the solver",
             fur_solver_solve(solver, p.b, foreign, NULL));
    ck_fails(context, FUR_INVALID, "b and x overlap in memory; give each a separate array",
             fur_solver_solve(solver, p.b, p.b, NULL));
    fur_vector_destroy(foreign);
    fur_vector_destroy(single);
    fur_vector_destroy(longer);
    fur_solver_destroy(solver);
    problem_release(&p);
    fur_context_destroy(other);
    fur_context_destroy(context);
}
END_TEST

START_TEST(methods_and_outcomes_have_names)
{
    static const char *const outcomes[] = {"not solved: it failed or was not begun",
                                           "converged",
                                           "iteration limit reached",
                                           "indefinite matrix",
                                           "indefinite preconditioner",
                                           "diverged: matrix or preconditioner is not symmetric",
                                           "breakdown: overflow, underflow or not a number",
                                           "stopped by the monitor",
                                           "stagnated: the true residual no longer falls",
                                           "least-squares solution",
                                           "singular matrix, as far as the method can tell",
                                           "diverged"};
    for (int i = 0; i < COUNT_OF(outcomes); i++)
        ck_assert_str_eq(fur_outcome_name((fur_outcome)i), outcomes[i]);
    ck_assert_str_eq(fur_outcome_name((fur_outcome)99), "unknown");
    ck_assert_str_eq(fur_outcome_name((fur_solver_report){0}.outcome), outcomes[0]);
    ck_assert_str_eq(fur_solver_method_at(0)->name, "cg");
    int count = 0;
    while (fur_solver_method_at(count))
        count++;
    ck_assert_ptr_null(fur_solver_method_at(-1));
    ck_assert_ptr_null(fur_solver_method_at(count + 1));
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_turns(tests, poisson_problems_are_solved, FUR_VALUE_COUNT, 2);
    tcase_add_test(tests, iterations_are_the_distinct_eigenvalues);
    tcase_add_test(tests, an_exact_guess_needs_no_iteration);
    tcase_add_test(tests, a_zero_right_side_has_the_solution_zero);
    tcase_add_test(tests, a_system_without_unknowns_is_solved);
    tcase_add_test(tests, an_indefinite_matrix_is_reported);
    tcase_add_test(tests, an_indefinite_preconditioner_is_reported);
    tcase_add_test(tests, what_is_not_finite_is_refused_by_name);
    tcase_add_test(tests, the_magnitude_of_b_does_not_matter);
    tcase_add_test(tests, a_true_residual_that_stays_behind_is_working_precision);
    tcase_add_loop_test(tests, converged_is_what_the_true_residual_says, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, a_matrix_that_is_not_symmetric_is_found_out);
    tcase_add_test(tests, a_matrix_that_is_nearly_symmetric_is_solved);
    tcase_add_test(tests, a_solve_tells_the_condition);
    tcase_add_test(tests, iterations_are_limited);
    tcase_add_test(tests, a_monitor_sees_every_iteration_and_can_stop);
    tcase_add_loop_test(tests, a_monitor_may_have_the_iterate, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, a_residual_just_above_the_goal_is_corrected);
    tcase_add_test(tests, a_correction_begins_where_the_recursion_ends);
    tcase_add_test(tests, tolerances_end_a_solve);
    tcase_add_test(tests, a_failing_operator_ends_the_solve_with_its_status);
    tcase_add_test(tests, a_solve_does_not_allocate);
    tcase_add_loop_test(tests, solutions_have_the_same_bits_everywhere, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, reads_of_the_host_change_no_bit, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, reads_of_the_host_change_no_outcome);
    tcase_add_test(tests, reads_of_the_host_change_no_failure);
    tcase_add_test(tests, a_monitor_is_called_at_reads);
    tcase_add_test(tests, wrong_options_are_refused);
    tcase_add_test(tests, an_operator_of_any_size_is_refused_in_words);
    tcase_add_test(tests, options_of_an_older_program_are_read_as_far_as_they_go);
    tcase_add_test(tests, vectors_that_do_not_fit_are_refused);
    tcase_add_test(tests, methods_and_outcomes_have_names);
}

int main(void)
{
    return run_tests("solver", add_tests);
}
