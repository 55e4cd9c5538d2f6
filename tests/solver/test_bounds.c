/* Bounds that options.bounds asks for. The bound of the residual is compared with sums in fourfold
 * precision, for entries of any magnitude and for sums that cancel except for rounding. The
 * estimate of the error is compared with elimination in long double. */
#include "dense.h"

#include <float.h>
#include <math.h>

/* In fourfold precision, products of doubles are exact. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;
#else
typedef long double quad;
#endif

static quad quad_modulus(quad a)
{
    return a < 0 ? -a : a;
}

/* A row of b - A x, and the sum of the moduli of its terms. */
typedef struct quad_row {
    quad re;
    quad im;
    quad moduli;
} quad_row;

static void quad_subtract(quad_row *r, fur_scalar a, fur_scalar x)
{
    quad terms[] = {(quad)a.re * x.re, (quad)a.im * x.im, (quad)a.re * x.im, (quad)a.im * x.re};
    r->re -= terms[0] - terms[1];
    r->im -= terms[2] + terms[3];
    for (int k = 0; k < 4; k++)
        r->moduli += quad_modulus(terms[k]);
}

static quad_row quad_residual(const dense *d, const void *x, int64_t i)
{
    quad_row r = {d->b[i].re, d->b[i].im, 0};
    r.moduli = quad_modulus(r.re) + quad_modulus(r.im);
    for (int64_t j = 0; j < d->n; j++)
        quad_subtract(&r, d->a[i * d->n + j], entry_get(d->value, x, j));
    return r;
}

/* Checks that the bound holds. It may exceed the true residual by a factor 1 + 2^-40 and the
 * rounding of the terms in twofold precision. All numbers are divided by b's largest entry to avoid
 * overflow. */
static void check_bound(const dense *d, const void *x, double bound)
{
    quad largest = 0;
    quad squares = 0;
    quad terms = 0;
    quad b = 0;
    for (int64_t i = 0; i < d->n; i++)
        largest = fmax(fmax(fabs(d->b[i].re), fabs(d->b[i].im)), (double)largest);
    for (int64_t i = 0; i < d->n; i++) {
        quad_row r = quad_residual(d, x, i);
        squares += r.re / largest * (r.re / largest) + r.im / largest * (r.im / largest);
        terms += r.moduli / largest;
        b += (quad)d->b[i].re / largest * (d->b[i].re / largest) +
             (quad)d->b[i].im / largest * (d->b[i].im / largest);
    }
    long double norm = sqrtl((long double)b);
    long double exact = sqrtl((long double)squares) / norm;
    long double rest = (long double)terms / norm;
    long double n = (long double)d->n;
    ck_assert_msg(bound * (1 + 0x1p-50L) + 4 * n * 0x1p-112L * rest >= exact,
                  "%s, %lld rows: %.17g is below %.17Lg", fur_value_name(d->value), (long long)d->n,
                  bound, exact);
    /* Products that underflow have an error of at most the smallest number. */
    long double tiny = 4 * n * n * (DBL_TRUE_MIN / (long double)largest) / norm;
    ck_assert_msg(bound <=
                      exact * (1 + 0x1p-40L) + 8 * n * n * 0x1p-104L * rest + tiny + DBL_TRUE_MIN,
                  "%s, %lld rows: %.17g is far above %.17Lg", fur_value_name(d->value),
                  (long long)d->n, bound, exact);
}

/* Draws entries of magnitudes around 10^power, up to `spread` decimals apart. If `cancels`, b is A
 * x rounded; otherwise b is random. */
static void draw_system(dense *d, rng *r, double power, double spread, bool cancels, void *x)
{
    for (int64_t k = 0; k < d->n * d->n; k++) {
        double scale = pow(10, power + spread * rng_unit(r));
        fur_scalar e = rng_scalar(r, d->value);
        if (rng_below(r, 3) > 0)
            dense_set(d, k / d->n, k % d->n, fur_complex(scale * e.re, scale * e.im));
    }
    for (int64_t i = 0; i < d->n; i++) {
        fur_scalar e = rng_scalar(r, d->value);
        double scale = pow(10, power + spread * rng_unit(r));
        entry_set(d->value, x, i, fur_complex(scale * e.re, scale * e.im));
        e = rng_scalar(r, d->value);
        d->b[i] = entry_round(d->value, fur_complex(scale * e.re, scale * e.im));
    }
    for (int64_t i = 0; cancels && i < d->n; i++) {
        quad_row row = quad_residual(d, x, i);
        d->b[i] = entry_round(
            d->value, fur_complex(d->b[i].re - (double)row.re, d->b[i].im - (double)row.im));
    }
}

/* Returns the residual bound of a solve that ends at the given x, because its tolerance is huge. */
static double bound_of(const dense *d, const void *x, int threads)
{
    fur_context *context = context_make(NULL, threads);
    dense_problem p = dense_open(d, context);
    fur_solver_options options = {
        .size = sizeof options, .method = "gmres", .rtol = 1e300, .bounds = 1};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_solver *solver = NULL;
    ck_ok(context, fur_vector_upload(x, p.x));
    ck_ok(context, fur_solver_create(p.a, &options, &solver));
    ck_ok(context, fur_solver_solve(solver, p.b, p.x, &report));
    ck_assert_int_eq(report.iterations, 0);
    fur_solver_destroy(solver);
    dense_close(&p);
    fur_context_destroy(context);
    return report.residual_bound;
}

/* The bound of the residual holds. Loops over value types. */
START_TEST(the_bound_of_the_residual_holds)
{
    static const double powers[] = {0, 0, 10, -10, 70, -70, -80};
    fur_value_type value = (fur_value_type)_i;
    bool single = value_epsilon(value) != DBL_EPSILON;
    rng r = rng_stream(41);
    for (int trial = 0; trial < (TEST_SLOW ? 100 : 1000); trial++) {
        dense d = dense_make(value, 1 + rng_below(&r, 24));
        void *x = entries_make(value, d.n);
        double power = single ? 0 : powers[rng_below(&r, COUNT_OF(powers))];
        draw_system(&d, &r, power, (single ? 8 : 80) * fabs(rng_unit(&r)), rng_below(&r, 2), x);
        double b_norm = (double)dense_b_norm(&d);
        if (b_norm > 0 && b_norm < HUGE_VAL)
            check_bound(&d, x, bound_of(&d, x, 1));
        free(x);
        dense_release(&d);
    }
}
END_TEST

START_TEST(an_exact_solution_has_the_bound_0)
{
    dense d = dense_make(FUR_C64, 3);
    void *x = entries_make(FUR_C64, 3);
    for (int k = 0; k < 3; k++) {
        entry_set(FUR_C64, x, k, fur_complex(k, 2));
        dense_set(&d, k, k, fur_complex(0, 3));
        d.b[k] = fur_complex(-6, 3 * k);
    }
    ck_assert(bound_of(&d, x, 1) == 0);
    free(x);
    dense_release(&d);
}
END_TEST

/* Returns a tridiagonal matrix of n points whose least eigenvalue is above 0.01. */
static dense line(fur_value_type value, int64_t n, uint64_t stream)
{
    rng r = rng_stream(stream);
    fur_scalar beside = value_is_complex(value) ? fur_complex(-0.6, 0.8) : fur_real(-1);
    dense d = dense_make(value, n);
    for (int64_t i = 0; i < n; i++) {
        dense_set(&d, i, i, fur_real(2.01));
        if (i + 1 < n) {
            dense_set(&d, i, i + 1, beside);
            dense_set(&d, i + 1, i, fur_complex(beside.re, -beside.im));
        }
    }
    dense_draw_b(&d, &r);
    return d;
}

/* Returns v.A v for the Hermitian A. */
static long double energy(const dense *d, const long double complex *v)
{
    long double sum = 0;
    for (int64_t i = 0; i < d->n; i++)
        for (int64_t j = 0; j < d->n; j++) {
            fur_scalar a = d->a[i * d->n + j];
            sum += creall(conjl(v[i]) * (a.re + (long double)a.im * I) * v[j]);
        }
    return sum;
}

/* Returns the relative error ||x' - x||_A / ||x'||_A. `rounding`: how much the rounding of the
 * first residual of an estimate may change it, since sqrt(r.A^-1 r) <= 10 ||r||. */
static double error_of(const dense *d, const fur_vector *x, double *rounding)
{
    long double complex *exact = dense_solution(d);
    void *entries = vector_entries(x);
    long double whole = energy(d, exact);
    for (int64_t i = 0; i < d->n; i++) {
        fur_scalar entry = entry_get(d->value, entries, i);
        exact[i] -= entry.re + (long double)entry.im * I;
    }
    long double error = energy(d, exact);
    *rounding = (double)(10 * dense_rounding(d, entries) / sqrtl(whole));
    free(entries);
    free(exact);
    return (double)sqrtl(error / whole);
}

static fur_solver_report solve(const dense_problem *p, fur_solver_options options)
{
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_solver *solver = NULL;
    options.size = sizeof options;
    ck_ok(p->context, fur_vector_fill(p->x, fur_real(0)));
    ck_ok(p->context, fur_solver_create(p->a, &options, &solver));
    ck_ok(p->context, fur_solver_solve(solver, p->b, p->x, &report));
    fur_solver_destroy(solver);
    return report;
}

/* Checks that the estimate is a lower bound of the error and at least half of it. */
static void check_error(const dense *d, const dense_problem *p, fur_solver_options options)
{
    options.bounds = 1;
    fur_solver_report report = solve(p, options);
    double rounding;
    double error = error_of(d, p->x, &rounding);
    ck_assert_msg(report.error_a_norm <= 1.0001 * error + rounding &&
                      report.error_a_norm >= error / 2 - rounding,
                  "%s, %lld rows, rtol %g, %s: %g, not %g", fur_value_name(d->value),
                  (long long)d->n, options.rtol, fur_outcome_name(report.outcome),
                  report.error_a_norm, error);
}

/* The estimate of the error of cg is a lower bound. Loops over value types. */
START_TEST(the_error_of_cg_is_estimated_from_below)
{
    static const double rtols[] = {1e-1, 1e-2, 1e-3, 1e-7};
    fur_context *context = context_make(NULL, 2);
    fur_value_type value = (fur_value_type)_i;
    bool single = value_epsilon(value) != DBL_EPSILON;
    dense systems[] = {line(value, 30, 42), line(value, single ? 40 : 150, 43)};
    for (int k = 0; k < COUNT_OF(systems); k++) {
        dense_problem p = dense_open(&systems[k], context);
        fur_operator *jacobi = NULL;
        ck_ok(context, fur_operator_jacobi(p.a, &jacobi));
        for (int i = 0; i < COUNT_OF(rtols) - single; i++)
            for (int whole = 0; whole < 2; whole++)
                for (int scaled = 0; scaled < 2; scaled++)
                    check_error(&systems[k], &p,
                                (fur_solver_options){.rtol = rtols[i],
                                                     .no_reduction = whole,
                                                     .preconditioner = scaled ? jacobi : NULL});
        fur_operator_destroy(jacobi);
        dense_close(&p);
        dense_release(&systems[k]);
    }
    fur_context_destroy(context);
}
END_TEST

/* A solve that max_iterations ends has an estimate, too. Loops over all limits below 40. */
START_TEST(a_solve_that_is_not_done_has_an_error)
{
    fur_context *context = context_make(NULL, 1);
    dense d = line(FUR_F64, 100, 44);
    dense_problem p = dense_open(&d, context);
    for (int most = 1; most < 40; most++) {
        fur_solver_report report =
            solve(&p, (fur_solver_options){.max_iterations = most, .bounds = 1, .no_reduction = 1});
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_MAX_ITERATIONS);
        ck_assert_int_eq(report.iterations, most);
        ck_assert_double_gt(report.error_a_norm, 0);
        double rounding;
        double error = error_of(&d, p.x, &rounding);
        ck_assert_double_le(report.error_a_norm, 1.0001 * error + rounding);
    }
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* Bound and estimate are relative: if b is scaled by a power of two, they do not change. */
START_TEST(the_magnitude_of_b_does_not_matter)
{
    fur_context *context = context_make(NULL, 1);
    double expected[2] = {0};
    for (int exponent = 0; exponent < 3; exponent++) {
        dense d = line(FUR_F64, 60, 45);
        for (int64_t i = 0; i < d.n; i++)
            d.b[i].re = scalbn(d.b[i].re, exponent == 0 ? 0 : exponent == 1 ? 700 : -700);
        dense_problem p = dense_open(&d, context);
        fur_solver_report report =
            solve(&p, (fur_solver_options){.rtol = 1e-6, .bounds = 1, .no_reduction = 1});
        if (exponent == 0) {
            expected[0] = report.residual_bound;
            expected[1] = report.error_a_norm;
        }
        ck_assert_double_eq_tol(report.residual_bound, expected[0], 1e-9 * expected[0]);
        ck_assert_double_eq_tol(report.error_a_norm, expected[1], 1e-3 * expected[1]);
        dense_close(&p);
        dense_release(&d);
    }
    fur_context_destroy(context);
}
END_TEST

/* A monitor that records the last iteration it is called with. */
static int count_calls(void *user, const fur_solver_progress *progress)
{
    *(int64_t *)user = progress->iteration;
    return 0;
}

/* With bounds, x and the rest of the report do not change. Loops over value types. */
START_TEST(bounds_change_nothing_else)
{
    fur_context *context = context_make(NULL, 1);
    dense d = line((fur_value_type)_i, 60, 46);
    dense_problem p = dense_open(&d, context);
    int64_t last = 0;
    fur_solver_options options = {.monitor = count_calls, .monitor_user = &last, .rtol = 1e-3};
    fur_solver_report without = solve(&p, options);
    void *x = vector_entries(p.x);
    options.bounds = 1;
    fur_solver_report with = solve(&p, options);
    void *same = vector_entries(p.x);
    ck_assert_int_eq(first_difference(d.value, d.n, x, same), -1);
    ck_assert_int_eq(last, without.iterations);
    ck_assert(isnan(without.residual_bound) && isnan(without.error_a_norm));
    ck_assert(with.residual_bound > 0 && with.error_a_norm > 0);
    ck_assert_int_eq(with.outcome, without.outcome);
    ck_assert_int_eq(with.iterations, without.iterations);
    ck_assert_int_eq(with.products, without.products);
    ck_assert_int_eq(with.execution, without.execution);
    ck_assert_int_eq(with.reduced, without.reduced);
    ck_assert_str_eq(with.method, without.method);
    ck_assert_str_eq(with.scale, without.scale);
    const double *const numbers[][2] = {
        {&with.residual, &without.residual},
        {&with.residual_recurrence, &without.residual_recurrence},
        {&with.condition, &without.condition},
        {&with.norm, &without.norm},
        {&with.bytes, &without.bytes},
        {&with.normal_residual, &without.normal_residual},
        {&with.backward_error, &without.backward_error},
        {&with.residual_scaled, &without.residual_scaled},
        {&with.backward_error_rows, &without.backward_error_rows},
        {&with.outside, &without.outside},
    };
    for (int i = 0; i < COUNT_OF(numbers); i++)
        ck_assert_int_lt(first_difference(FUR_F64, 1, numbers[i][0], numbers[i][1]), 0);
    free(same);
    free(x);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* Bounds have the same bits for any number of threads. Loops over value types. */
START_TEST(bounds_have_the_same_bits_for_any_threads)
{
    static const int threads[] = {1, 2, 3, 8};
    rng r = rng_stream(47);
    fur_value_type value = (fur_value_type)_i;
    dense d = dense_dominant(&r, value, 1100, true, true);
    fur_solver_report first = FUR_DEFAULT(fur_solver_report);
    for (int t = 0; t < COUNT_OF(threads); t++) {
        fur_context *context = context_make(NULL, threads[t]);
        dense_problem p = dense_open(&d, context);
        fur_solver_report report = solve(&p, (fur_solver_options){.rtol = 1e-3, .bounds = 1});
        first = t == 0 ? report : first;
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        ck_assert(report.residual_bound == first.residual_bound);
        ck_assert(report.error_a_norm == first.error_a_norm);
        dense_close(&p);
        fur_context_destroy(context);
    }
    dense_release(&d);
}
END_TEST

/* A solve with bounds that cannot allocate memory fails, and a later solve succeeds. */
START_TEST(memory_that_runs_out_is_survived)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    dense d = line(FUR_C64, 20, 51);
    dense_problem p = dense_open(&d, context);
    fur_solver_options options = {.size = sizeof options, .bounds = 1, .rtol = 1e-3};
    fur_solver *solver = NULL;
    ck_ok(context, fur_solver_create(p.a, &options, &solver));
    int64_t outstanding = m.outstanding;
    fur_status status = FUR_OUT_OF_MEMORY;
    int failures = -1;
    for (; status == FUR_OUT_OF_MEMORY; failures++) {
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        m.fail_at = m.calls + failures + 2;
        status = fur_solver_solve(solver, p.b, p.x, &report);
        ck_assert_int_eq(report.outcome,
                         status == FUR_OK ? FUR_OUTCOME_CONVERGED : FUR_OUTCOME_UNSOLVED);
        ck_assert_int_eq(m.outstanding, outstanding);
    }
    ck_assert_int_eq(status, FUR_OK);
    ck_assert_int_gt(failures, 0);
    fur_solver_destroy(solver);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

static fur_status apply_other(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_operator_apply(user, x, y);
}

/* An unknown number is NaN in the report. An operator defined by the user has no rows unless its
 * matrix is given, so there is no bound. Methods other than cg have no estimate of the error. */
START_TEST(what_is_not_known_is_not_a_number)
{
    fur_context *context = context_make(NULL, 1);
    dense d = line(FUR_F64, 20, 48);
    dense_problem p = dense_open(&d, context);
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = 20,
                                          .cols = 20,
                                          .value_type = FUR_F64,
                                          .user = p.a,
                                          .apply = apply_other};
    dense_problem other = p;
    ck_ok(context, fur_operator_create(context, &definition, &other.a));
    fur_solver_options options = {.bounds = 1, .no_reduction = 1};
    fur_solver_report plan = solve(&p, options);
    fur_solver_report report = solve(&other, options);
    ck_assert(isnan(report.residual_bound) && isnan(report.error_a_norm));
    options.matrix = p.matrix;
    report = solve(&other, options);
    ck_assert(report.residual_bound == plan.residual_bound && plan.residual_bound > 0);
    ck_assert(report.error_a_norm == plan.error_a_norm && plan.error_a_norm > 0);
    options.method = "minres";
    report = solve(&p, options);
    ck_assert(isnan(report.error_a_norm) && report.residual_bound > 0);
    fur_operator_destroy(other.a);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

START_TEST(another_matrix_is_refused)
{
    fur_context *context = context_make(NULL, 1);
    dense d = line(FUR_F64, 20, 49);
    dense e = line(FUR_F64, 21, 49);
    dense_problem p = dense_open(&d, context);
    dense_problem q = dense_open(&e, context);
    fur_solver_options options = {.size = sizeof options, .bounds = 1, .matrix = q.matrix};
    fur_solver *solver = NULL;
    ck_fails(context, FUR_INVALID,
             "options.matrix differs from the operator in size, value type or context; it must be "
             "A, of 20 x 20",
             fur_solver_create(p.a, &options, &solver));
    dense_close(&q);
    dense_close(&p);
    dense_release(&e);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* auto gives bounds from the matrix, also if it uses a stencil or another order. */
START_TEST(a_solve_that_chooses_knows_the_rows)
{
    fur_context *context = context_make(NULL, 2);
    fur_stencil_definition definition = {
        .size = sizeof definition, .value_type = FUR_F64, .extent = {20, 20, 20}};
    fur_stencil *stencil = NULL;
    fur_csr *matrix = NULL;
    fur_vector *x = NULL;
    rng r = rng_stream(50);
    ck_assert(fur_stencil_named(7, &definition));
    ck_ok(context, fur_stencil_create(context, &definition, &stencil));
    ck_ok(context, fur_stencil_assemble(stencil, &matrix));
    fur_vector *b = vector_random(context, &r, FUR_F64, 8000);
    ck_ok(context, fur_vector_create(context, FUR_F64, 8000, &x));
    for (int k = 0; k < 2; k++) {
        fur_product_options product_options = {.size = sizeof product_options,
                                               .kernel = k == 0 ? "stencil" : NULL,
                                               .order = k == 0 ? NULL : "rcm"};
        fur_product *product = NULL;
        ck_ok(context, fur_product_create(matrix, &product_options, &product));
        fur_solver_options solver = {.size = sizeof solver, .bounds = 1};
        fur_solve_options options = {.size = sizeof options, .solver = &solver, .product = product};
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        ck_ok(context, fur_vector_fill(x, fur_real(0)));
        ck_ok(context, fur_solve(matrix, b, x, &options, &report));
        ck_assert_int_eq(report.outcome, FUR_OUTCOME_CONVERGED);
        ck_assert_double_eq_tol(report.residual_bound, report.residual, 1e-14);
        ck_assert(report.error_a_norm > 0 && report.error_a_norm < 1e-9);
        fur_product_destroy(product);
    }
    fur_vector_destroy(x);
    fur_vector_destroy(b);
    fur_csr_destroy(matrix);
    fur_stencil_destroy(stencil);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, the_bound_of_the_residual_holds, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, an_exact_solution_has_the_bound_0);
    tcase_add_loop_test(tests, the_error_of_cg_is_estimated_from_below, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, a_solve_that_is_not_done_has_an_error);
    tcase_add_test(tests, the_magnitude_of_b_does_not_matter);
    tcase_add_loop_test(tests, bounds_change_nothing_else, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, bounds_have_the_same_bits_for_any_threads, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, memory_that_runs_out_is_survived);
    tcase_add_test(tests, what_is_not_known_is_not_a_number);
    tcase_add_test(tests, another_matrix_is_refused);
    tcase_add_test(tests, a_solve_that_chooses_knows_the_rows);
}

int main(void)
{
    return run_tests("bounds", add_tests);
}
