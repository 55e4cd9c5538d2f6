/* Methods for square matrices. Every method solves random systems of every value type with every
 * kind of preconditioner; the results agree with elimination in long double. The bits are the same
 * for any number of threads. The iterations equal those of SciPy, hypre and an independent code. */
#include "dense.h"

#include <math.h>

/* A method and the matrices that it can solve. */
typedef struct entrant {
    const char *name;
    bool hermitian;
    bool positive;
} entrant;

static const entrant entrants[] = {
    {"cg", true, true},         {"cg_single", true, true}, {"bicgstab", false, false},
    {"gmres", false, false},    {"fgmres", false, false},  {"chebyshev", true, true},
    {"richardson", true, true}, {"minres", true, false},   {"idrs", false, false},
};

enum { PLAIN, JACOBI, GENERAL, PRECONDITIONERS };

/* Returns a preconditioner near the inverse of the diagonal, with small entries off the diagonal.
 */
static dense near_inverse(const dense *d, rng *r, bool hermitian)
{
    dense m = dense_make(d->value, d->n);
    for (int64_t i = 0; i < d->n; i++) {
        int64_t j = rng_below(r, d->n);
        double size = fabs(d->a[i * d->n + i].re);
        double other = fabs(d->a[j * d->n + j].re);
        fur_scalar entry = rng_scalar(r, d->value);
        double scale = 0.1 / (size > other ? size : other);
        entry = fur_complex(scale * entry.re, scale * entry.im);
        if (!hermitian || m.a[j * d->n + i].re == 0) {
            dense_set(&m, i, j, entry);
            if (hermitian)
                dense_set(&m, j, i, fur_complex(entry.re, -entry.im));
        }
    }
    for (int64_t i = 0; i < d->n; i++) {
        double diagonal = d->a[i * d->n + i].re;
        dense_set(&m, i, i, fur_real(1 / (hermitian ? fabs(diagonal) : diagonal)));
    }
    return m;
}

/* Checks the residual and the error of each entry. An error is at most the sum of a row of the
 * inverse, which is at most 1, times ||b - A x||. */
static void check_solution(const entrant *e, const dense *d, const dense_problem *p,
                           const fur_solver_report *report, double rtol)
{
    void *x = vector_entries(p->x);
    long double complex *exact = dense_solution(d);
    long double bound = rtol * dense_b_norm(d) + dense_rounding(d, x);
    ck_assert_msg(report->outcome == FUR_OUTCOME_CONVERGED, "%s, %lld rows, %s: %s after %lld",
                  e->name, (long long)d->n, fur_value_name(d->value),
                  fur_outcome_name(report->outcome), (long long)report->iterations);
    ck_assert_double_le((double)dense_residual(d, x), (double)bound);
    for (int64_t i = 0; i < d->n; i++) {
        fur_scalar entry = entry_get(d->value, x, i);
        long double error = cabsl(exact[i] - entry.re - entry.im * (long double complex)I);
        ck_assert_double_le((double)error, (double)bound);
    }
    free(exact);
    free(x);
}

static void check_random(fur_context *context, const entrant *e, fur_value_type value, int64_t n,
                         int kind)
{
    rng r = rng_stream((uint64_t)(1000 * n + 10 * value + kind));
    /* Jacobi's preconditioner is positive definite if the diagonal is. */
    dense d =
        dense_dominant(&r, value, n, e->hermitian, e->positive || (e->hermitian && kind == JACOBI));
    dense m = near_inverse(&d, &r, e->hermitian);
    dense_problem p = dense_open(&d, context);
    dense_problem mp = dense_open(&m, context);
    fur_operator *jacobi = NULL;
    ck_ok(context, fur_operator_jacobi(p.a, &jacobi));
    double rtol = value_epsilon(value) == DBL_EPSILON ? 1e-11 : 1e-5;
    fur_solver_options options = {.size = sizeof options,
                                  .method = e->name,
                                  .rtol = rtol,
                                  .preconditioner = kind == JACOBI    ? jacobi
                                                    : kind == GENERAL ? mp.a
                                                                      : NULL};
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_solver_create(p.a, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, p.b, p.x, &report));
    check_solution(e, &d, &p, &report, rtol);
    ck_assert_str_eq(report.method, e->name);
    fur_solver_destroy(solver);
    fur_operator_destroy(jacobi);
    dense_close(&mp);
    dense_close(&p);
    dense_release(&m);
    dense_release(&d);
}

/* Every method solves random systems. Loops over methods and value types. */
START_TEST(random_systems_are_solved)
{
    static const int64_t sizes[] = {1, 2, 3, 17, 60, 150};
    fur_context *context = context_make(NULL, 2);
    const entrant *e = &entrants[_i / FUR_VALUE_COUNT];
    for (int i = 0; i < COUNT_OF(sizes) - TEST_SLOW; i++)
        for (int kind = 0; kind < PRECONDITIONERS; kind++)
            check_random(context, e, (fur_value_type)(_i % FUR_VALUE_COUNT), sizes[i], kind);
    fur_context_destroy(context);
}
END_TEST

/* An operator that applies Jacobi's preconditioner at odd calls and multiplies by 100 at even
 * calls. */
typedef struct fickle {
    const fur_operator *jacobi;
    int calls;
} fickle;

static fur_status fickle_apply(void *user, const fur_vector *x, fur_vector *y)
{
    fickle *f = user;
    return ++f->calls % 2 ? fur_operator_apply(f->jacobi, x, y)
                          : fur_axpby(fur_real(100), x, fur_real(0), y);
}

/* fgmres converges with a preconditioner that changes, and its recurrence residual stays true.
 * Loops over value types. */
START_TEST(a_preconditioner_may_change)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(11);
    dense d = dense_dominant(&r, (fur_value_type)_i, 100, false, false);
    dense_problem p = dense_open(&d, context);
    fickle f = {NULL, 0};
    fur_operator *jacobi = NULL;
    fur_operator *m = NULL;
    fur_solver *solver = NULL;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    ck_ok(context, fur_operator_jacobi(p.a, &jacobi));
    f.jacobi = jacobi;
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = d.n,
                                          .cols = d.n,
                                          .value_type = d.value,
                                          .user = &f,
                                          .apply = fickle_apply};
    ck_ok(context, fur_operator_create(context, &definition, &m));
    fur_solver_options options = {.size = sizeof options,
                                  .method = "fgmres",
                                  .preconditioner = m,
                                  .restart = 100,
                                  .rtol = value_epsilon(d.value) == DBL_EPSILON ? 1e-11 : 1e-5};
    ck_ok(context, fur_solver_create(p.a, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, p.b, p.x, &report));
    check_solution(&(entrant){"fgmres", false, false}, &d, &p, &report, options.rtol);
    /* Other products: the first residual, those at the ends of two cycles, and the last. */
    ck_assert_int_le(report.products, report.iterations + 4);
    fur_solver_destroy(solver);
    fur_operator_destroy(m);
    fur_operator_destroy(jacobi);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* --- grids ------------------------------------------------------------------------------------ */

/* Returns diffusion and convection by upwind differences on an n x n grid, minus `less` times the
 * identity. Upstream neighbours have the weight -1 - c. */
static fur_csr *upwind(fur_context *context, fur_value_type value, int64_t n, double c, double less)
{
    int32_t *rows = malloc((size_t)(5 * n * n) * sizeof *rows);
    int32_t *cols = malloc((size_t)(5 * n * n) * sizeof *cols);
    void *values = entries_make(value, 5 * n * n);
    int64_t entries = 0;
    for (int64_t i = 0; i < n * n; i++) {
        const int64_t steps[] = {0, -1, -n, 1, n};
        const bool there[] = {true, i % n > 0, i >= n, i % n + 1 < n, i + n < n * n};
        const double weights[] = {4 + 2 * c - less, -1 - c, -1 - c, -1, -1};
        for (int k = 0; k < 5; k++)
            if (there[k]) {
                rows[entries] = (int32_t)i;
                cols[entries] = (int32_t)(i + steps[k]);
                entry_set(value, values, entries++, fur_real(weights[k]));
            }
    }
    fur_coo_view coo = {sizeof coo, n * n, n * n, entries, value, rows, cols, values};
    fur_csr *matrix = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &matrix));
    free(rows);
    free(cols);
    free(values);
    return matrix;
}

/* Solves for a right-hand side of ones from x = 0. Returns the entries of x, which the caller
 * frees. */
static void *solve_ones(fur_csr *matrix, const fur_solver_options *options, bool jacobi,
                        fur_solver_report *report)
{
    fur_context *context = fur_csr_context(matrix);
    fur_csr_view view = *fur_csr_get(matrix);
    fur_solver_options o = *options;
    fur_spmv_options plan_options = {.size = sizeof plan_options, .kernel = "rows"};
    fur_spmv *plan = NULL;
    fur_operator *a = NULL;
    fur_operator *m = NULL;
    fur_solver *solver = NULL;
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    ck_ok(context, fur_spmv_plan(matrix, &plan_options, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &a));
    ck_ok(context, fur_operator_jacobi(a, &m));
    ck_ok(context, fur_vector_create(context, view.value_type, view.rows, &b));
    ck_ok(context, fur_vector_create(context, view.value_type, view.rows, &x));
    ck_ok(context, fur_vector_fill(b, fur_real(1)));
    o.preconditioner = jacobi ? m : NULL;
    ck_ok(context, fur_solver_create(a, &o, &solver));
    ck_ok(context, fur_solver_solve(solver, b, x, report));
    void *entries = vector_entries(x);
    fur_solver_destroy(solver);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_operator_destroy(m);
    fur_operator_destroy(a);
    fur_spmv_destroy(plan);
    return entries;
}

/* The iterations equal those of SciPy 1.17 on the 64 x 64 grid. BiCGStab may end after half an
 * iteration, which SciPy does not count. Rounding in another order changes its iterations by one or
 * two. */
START_TEST(iterations_are_those_of_an_independent_code)
{
    static const struct {
        const char *method;
        int restart;
        int iterations;
        int slack;
    } cases[] = {{"gmres", 10, 203, 0},  {"gmres", 30, 327, 0},  {"gmres", 60, 389, 0},
                 {"gmres", 400, 153, 0}, {"fgmres", 10, 203, 0}, {"fgmres", 30, 327, 0},
                 {"bicgstab", 0, 122, 2}};
    fur_context *context = context_make(NULL, 2);
    fur_csr *matrix = upwind(context, FUR_F64, 64, 0.5, 0);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_solver_options options = {.size = sizeof options,
                                      .method = cases[i].method,
                                      .restart = cases[i].restart,
                                      .rtol = 1e-8};
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        free(solve_ones(matrix, &options, false, &report));
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_msg(llabs(report.iterations - cases[i].iterations) <= cases[i].slack,
                      "%s(%d): %lld", cases[i].method, cases[i].restart,
                      (long long)report.iterations);
    }
    fur_csr_destroy(matrix);
    fur_context_destroy(context);
}
END_TEST

/* Returns the negated Laplacian of 7 points on an n x n x n grid. */
static fur_csr *laplacian(fur_context *context, int64_t n)
{
    fur_stencil_definition definition = {
        .size = sizeof definition, .value_type = FUR_F64, .extent = {n, n, n}};
    fur_stencil *stencil = NULL;
    fur_csr *matrix = NULL;
    ck_assert(fur_stencil_named(7, &definition));
    ck_ok(context, fur_stencil_create(context, &definition, &stencil));
    ck_ok(context, fur_stencil_assemble(stencil, &matrix));
    fur_stencil_destroy(stencil);
    return matrix;
}

/* cg with Jacobi to 1e-8 on n^3 points takes the iterations of SciPy and of an independent code.
 * Only the independent code counts those of the reduced system, and not for n = 10. */
START_TEST(poisson_in_three_dimensions_takes_its_iterations)
{
    static const struct {
        int n;
        int whole;
        int reduced;
    } cases[] = {{10, 23, 0}, {20, 49, 26}, {32, 79, 41}};
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < 2 * COUNT_OF(cases); i++) {
        int whole = i % 2;
        int expected = whole ? cases[i / 2].whole : cases[i / 2].reduced;
        fur_csr *matrix = laplacian(context, cases[i / 2].n);
        fur_solver_options options = {.size = sizeof options, .rtol = 1e-8, .no_reduction = whole};
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        free(solve_ones(matrix, &options, true, &report));
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_int_eq(report.reduced, !whole);
        ck_assert_msg(expected == 0 || report.iterations == expected, "%d^3, %s: %lld, not %d",
                      cases[i / 2].n, whole ? "whole" : "reduced", (long long)report.iterations,
                      expected);
        fur_csr_destroy(matrix);
    }
    fur_context_destroy(context);
}
END_TEST

/* The iterations and the residual equal those that hypre saved (src/test/TEST_ij/fsai.saved: ij -n
 * 10 10 10 -solver 2, with b = 1 and x0 = 0). hypre's PCG ends when r.r / b.b of the recurrence
 * residual is below 1e-16, because ij asks for the 2-norm. Its default, r.Mr / b.Mb, gives the same
 * here because the diagonal is constant. */
START_TEST(the_residual_is_that_of_hypre)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *matrix = laplacian(context, 10);
    fur_solver_options options = {.size = sizeof options, .rtol = 1e-8, .no_reduction = 1};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    char digits[32];
    free(solve_ones(matrix, &options, true, &report));
    ck_assert_int_eq(report.iterations, 23);
    snprintf(digits, sizeof digits, "%.6e", report.residual_recurrence);
    ck_assert_str_eq(digits, "8.691352e-09");
    fur_csr_destroy(matrix);
    fur_context_destroy(context);
}
END_TEST

/* minres solves a system on which cg reports an indefinite matrix. Laplace's matrix minus 0.1 has
 * 28 negative eigenvalues. SciPy's minres has a true residual of 1e-8 after 157 iterations, the
 * same recursion in NumPy after 162. By then the Lanczos vectors are no longer orthogonal, and
 * rounding decides. */
START_TEST(an_indefinite_matrix_is_for_minres)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *matrix = upwind(context, FUR_F64, 64, 0, 0.1);
    fur_solver_options options = {.size = sizeof options, .rtol = 1e-8};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    free(solve_ones(matrix, &options, false, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_INDEFINITE);
    options.method = "minres";
    for (int jacobi = 0; jacobi < 2; jacobi++) {
        free(solve_ones(matrix, &options, jacobi, &report));
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_int_ge(report.iterations, 150);
        ck_assert_int_le(report.iterations, 165);
        ck_assert_int_eq(report.products, report.iterations + 2); /* 2 more if there is one pass */
    }
    fur_csr_destroy(matrix);
    fur_context_destroy(context);
}
END_TEST

/* auto solves the same system with minres. Its eigenvalues are 3.9 - 2 cos(i h) - 2 cos(j h), h =
 * pi / 65. */
START_TEST(an_indefinite_matrix_is_solved_by_itself)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *matrix = upwind(context, FUR_F64, 64, 0, 0.1);
    fur_solve_options options = {.size = sizeof options};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_vector *b = NULL;
    fur_vector *x = NULL;
    double h = acos(-1) / 65;
    int negative = 0;
    for (int i = 1; i <= 64; i++)
        for (int j = 1; j <= 64; j++)
            negative += 3.9 - 2 * cos(i * h) - 2 * cos(j * h) < 0;
    ck_assert_int_eq(negative, 28);
    ck_ok(context, fur_vector_create(context, FUR_F64, 64 * 64, &b));
    ck_ok(context, fur_vector_create(context, FUR_F64, 64 * 64, &x));
    ck_ok(context, fur_vector_fill(b, fur_real(1)));
    ck_ok(context, fur_solve(matrix, b, x, &options, &report));
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_str_eq(report.method, "minres");
    ck_assert_double_le(report.residual, 1e-10);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(matrix);
    fur_context_destroy(context);
}
END_TEST

/* Solutions and reports have the same bits for any number of threads. Loops over methods and value
 * types. */
START_TEST(solutions_have_the_same_bits_for_any_threads)
{
    static const int threads[] = {1, 2, 3, 8};
    const entrant *e = &entrants[_i / FUR_VALUE_COUNT];
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    for (int jacobi = 0; jacobi < 2; jacobi++) {
        void *expected = NULL;
        fur_solver_report first = FUR_DEFAULT(fur_solver_report);
        for (int t = 0; t < COUNT_OF(threads); t++) {
            fur_context *context = context_make(NULL, threads[t]);
            fur_csr *matrix = upwind(context, value, 70, e->hermitian ? 0 : 0.5, 0);
            fur_solver_options options = {
                .size = sizeof options, .method = e->name, .restart = 5, .max_iterations = 14};
            fur_solver_report report = FUR_DEFAULT(fur_solver_report);
            void *x = solve_ones(matrix, &options, jacobi, &report);
            if (t == 0) {
                expected = x;
                first = report;
            } else {
                ck_assert_int_eq(first_difference(value, 70 * 70, x, expected), -1);
                ck_assert_int_eq(report.iterations, first.iterations);
                ck_assert(report.residual_recurrence == first.residual_recurrence);
                ck_assert(report.condition == first.condition && report.norm == first.norm);
                free(x);
            }
            fur_csr_destroy(matrix);
            fur_context_destroy(context);
        }
        free(expected);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    int count = COUNT_OF(entrants) * FUR_VALUE_COUNT;
    tcase_add_loop_test(tests, random_systems_are_solved, 0, count);
    tcase_add_loop_test(tests, a_preconditioner_may_change, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, iterations_are_those_of_an_independent_code);
    tcase_add_test(tests, poisson_in_three_dimensions_takes_its_iterations);
    tcase_add_test(tests, the_residual_is_that_of_hypre);
    tcase_add_test(tests, an_indefinite_matrix_is_for_minres);
    tcase_add_test(tests, an_indefinite_matrix_is_solved_by_itself);
    tcase_add_turns(tests, solutions_have_the_same_bits_for_any_threads, count, 2);
}

int main(void)
{
    return run_tests("methods", add_tests);
}
