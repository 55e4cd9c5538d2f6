/* Eigenvalues. Laplacians are compared with their closed form, random matrices with Jacobi's method
 * in long double. The tests also cover multiple eigenvalues, all eigenvalues of a small matrix, and
 * matrices of any scale. Reported residuals are true. A pair that has not converged is not reported
 * as converged. The bits are the same for any number of threads. */
#include "spectrum.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

static found find(const fur_operator *a, const fur_eigs_options *options)
{
    found f = found_open(a, options->count);
    ck_ok(fur_operator_context(a),
          fur_eigs(a, options, f.values, f.residuals, f.vectors, &f.report));
    return f;
}

/* Returns the index of result i among all n eigenvalues in rising order. */
static int64_t index_of(const fur_eigs_options *o, int64_t n, int i)
{
    int low = (o->count + 1) / 2;
    if (o->which == FUR_EIGS_SMALLEST || (o->which == FUR_EIGS_BOTH_ENDS && i < low))
        return i;
    return o->which == FUR_EIGS_LARGEST ? n - 1 - i : n - o->count + i;
}

/* Checks the results. An eigenvalue is within ||A v - lambda v|| of lambda, and each result has a
 * different eigenvalue. Rounding changes the residuals by some epsilon ||A||. */
static void check_found(const fur_eigs_options *o, const found *f, int64_t n, fur_value_type value,
                        const long double *all)
{
    double norm = fmax(fabs((double)all[0]), fabs((double)all[n - 1]));
    double tolerance = value_epsilon(value) == DBL_EPSILON ? 1e-10 : 1e-5;
    ck_assert_msg(f->report.outcome == FUR_OUTCOME_CONVERGED, "%lld rows, %s: %s, %d of %d",
                  (long long)n, fur_value_name(value), fur_outcome_name(f->report.outcome),
                  f->report.converged, o->count);
    ck_assert_int_eq(f->report.converged, o->count);
    ck_assert_double_le(f->report.norm, norm * (1 + 1e3 * value_epsilon(value)));
    ck_assert_double_ge(f->report.norm, 0.5 * norm);
    for (int i = 0; i < o->count; i++) {
        double error = (double)fabsl(f->values[i] - all[index_of(o, n, i)]);
        ck_assert_double_le(f->residuals[i], tolerance * f->report.norm);
        ck_assert_msg(error <= f->residuals[i] + 100 * value_epsilon(value) * norm,
                      "%lld rows, %s, value %d: %.17g, not %.17Lg; residual %g", (long long)n,
                      fur_value_name(value), i, f->values[i], all[index_of(o, n, i)],
                      f->residuals[i]);
    }
}

static void check_dense(fur_context *context, const dense *d, const fur_eigs_options *options)
{
    dense_problem p = dense_open(d, context);
    long double *all = spectrum_of(d);
    found f = find(p.a, options);
    check_found(options, &f, d->n, d->value, all);
    for (int i = 0; i < options->count; i++) {
        double rounding = 100 * (double)d->n * value_epsilon(d->value) * f.report.norm;
        double norm;
        ck_assert_double_le(fabs(spectrum_residual(d, f.vectors[i], f.values[i]) - f.residuals[i]),
                            rounding);
        ck_ok(context, fur_norm2(f.vectors[i], &norm));
        /* In each of about ten sweeps, each of n rotations rounds the vector's coefficients in the
         * basis. */
        ck_assert_double_le(fabs(norm - 1), 100 * (double)d->n * value_epsilon(d->value));
    }
    found_release(&f);
    free(all);
    dense_close(&p);
}

/* The requested eigenvalues of random matrices are found. Loops over value types. */
START_TEST(random_matrices)
{
    static const int64_t sizes[] = {1, 2, 3, 10, 60};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream((uint64_t)_i);
    for (int size = 0; size < COUNT_OF(sizes); size++)
        for (int which = 0; which < 3; which++) {
            dense d = dense_dominant(&r, (fur_value_type)_i, sizes[size], true, which == 0);
            int64_t most = sizes[size] < 7 ? sizes[size] : 7;
            fur_eigs_options options = {.size = sizeof options,
                                        .count = 1 + (int)rng_below(&r, most),
                                        .which = (fur_eigs_which)which};
            check_dense(context, &d, &options);
            options.basis = options.count + 15;
            check_dense(context, &d, &options);
            dense_release(&d);
        }
    fur_context_destroy(context);
}
END_TEST

/* All copies of multiple eigenvalues are found: of 1, 1, 1, 2, 2, 3, 4, ..., and if all but three
 * eigenvalues are 1. */
START_TEST(multiple_eigenvalues)
{
    static const double first[] = {2, 1, 3, 1, 2, 1};
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < 8; i++) {
        dense d = dense_make((fur_value_type)(i % 4), 80);
        for (int k = 0; k < 80; k++)
            dense_set(&d, k, k, fur_real(k < 6 ? first[k] : i < 4 ? k - 2 : 1));
        fur_eigs_options options = {.size = sizeof options, .count = 6, .basis = 20};
        check_dense(context, &d, &options);
        options.which = FUR_EIGS_BOTH_ENDS;
        check_dense(context, &d, &options);
        dense_release(&d);
    }
    fur_context_destroy(context);
}
END_TEST

static int compare(const void *a, const void *b)
{
    long double x = *(const long double *)a;
    long double y = *(const long double *)b;
    return (x > y) - (x < y);
}

/* The eigenvalues are 4 sin^2(i pi / (2 (nx + 1))) + 4 sin^2(j pi / (2 (ny + 1))). On a square most
 * of them are double. */
START_TEST(laplacians_on_a_grid)
{
    static const int64_t extents[][2] = {{50, 1}, {20, 20}, {30, 17}};
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < 3 * 3; i++) {
        int64_t nx = extents[i / 3][0];
        int64_t ny = extents[i / 3][1];
        long double *all = malloc((size_t)(nx * ny) * sizeof *all);
        for (int64_t k = 0; k < nx * ny; k++) {
            int64_t row = k / nx;
            long double x =
                sinl(acosl(-1) * (long double)(k % nx + 1) / (2 * (long double)(nx + 1)));
            long double y = sinl(acosl(-1) * (long double)(row + 1) / (2 * (long double)(ny + 1)));
            all[k] = 4 * x * x + (ny > 1 ? 4 * y * y : 0);
        }
        qsort(all, (size_t)(nx * ny), sizeof *all, compare);
        fur_stencil *stencil = NULL;
        fur_operator *a = NULL;
        fur_stencil_definition definition = FUR_DEFAULT(fur_stencil_definition);
        fur_stencil_named(ny > 1 ? 5 : 3, &definition);
        definition.value_type = FUR_F64;
        definition.extent[0] = nx;
        definition.extent[1] = ny;
        ck_ok(context, fur_stencil_create(context, &definition, &stencil));
        ck_ok(context, fur_operator_from_stencil(stencil, &a));
        fur_eigs_options options = {
            .size = sizeof options, .count = 9, .which = (fur_eigs_which)(i % 3)};
        found f = find(a, &options);
        check_found(&options, &f, nx * ny, FUR_F64, all);
        found_release(&f);
        fur_operator_destroy(a);
        fur_stencil_destroy(stencil);
        free(all);
    }
    fur_context_destroy(context);
}
END_TEST

/* All eigenvalues are found. Scaling the matrix by a power of two scales them exactly. */
START_TEST(all_of_a_small_matrix_of_any_scale)
{
    static const double scales[] = {1, 0x1p-900, 0x1p900, 0};
    fur_context *context = context_make(NULL, 1);
    double values[4][20];
    for (int i = 0; i < COUNT_OF(scales); i++) {
        rng r = rng_stream(50);
        dense d = dense_make(FUR_F64, 20);
        for (int row = 0; row < 20; row++)
            for (int col = 0; col <= row; col++) {
                fur_scalar entry = fur_real(scales[i] * rng_unit(&r));
                dense_set(&d, row, col, entry);
                dense_set(&d, col, row, entry);
            }
        dense_problem p = dense_open(&d, context);
        fur_eigs_options options = {.size = sizeof options, .count = 20};
        found f = find(p.a, &options);
        ck_assert_int_eq(f.report.outcome, FUR_OUTCOME_CONVERGED);
        memcpy(values[i], f.values, sizeof values[i]);
        for (int k = 0; k < 20; k++)
            ck_assert_double_eq(values[i][k], scales[i] * values[0][k]);
        found_release(&f);
        dense_close(&p);
        dense_release(&d);
    }
    fur_context_destroy(context);
}
END_TEST

static int stop_at(void *user, const fur_eigs_progress *progress)
{
    (void)progress;
    return ++*(int *)user == 2;
}

/* No convergence is reported after too few steps, after a stop, or for a tolerance below
 * rounding. */
START_TEST(what_has_not_converged_is_not_called_so)
{
    fur_context *context = context_make(NULL, 1);
    dense d = dense_make(FUR_F64, 300);
    for (int k = 0; k < 300; k++)
        dense_set(&d, k, k, fur_real(1 + 1e-6 * k * k));
    dense_problem p = dense_open(&d, context);
    int calls = 0;
    fur_eigs_options options = {
        .size = sizeof options, .count = 3, .max_iterations = 30, .tolerance = 1e-12};
    fur_eigs_options stopping = {
        .size = sizeof options, .count = 3, .monitor = stop_at, .monitor_user = &calls};
    fur_eigs_options hopeless = {
        .size = sizeof options, .count = 3, .which = FUR_EIGS_LARGEST, .tolerance = 1e-18};
    const struct {
        const fur_eigs_options *options;
        fur_outcome outcome;
        fur_outcome other;
    } cases[] = {
        {&options, FUR_OUTCOME_MAX_ITERATIONS, FUR_OUTCOME_MAX_ITERATIONS},
        {&stopping, FUR_OUTCOME_STOPPED, FUR_OUTCOME_STOPPED},
        {&hopeless, FUR_OUTCOME_STAGNATED, FUR_OUTCOME_MAX_ITERATIONS},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        found f = find(p.a, cases[i].options);
        ck_assert_msg(f.report.outcome == cases[i].outcome || f.report.outcome == cases[i].other,
                      "%s", fur_outcome_name(f.report.outcome));
        ck_assert_int_lt(f.report.converged, 3);
        for (int k = 0; k < 3; k++)
            ck_assert_double_le(
                fabs(spectrum_residual(&d, f.vectors[k], f.values[k]) - f.residuals[k]), 1e-12);
        found_release(&f);
    }
    ck_assert_int_eq(calls, 2);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

static found find_two(const fur_operator *a)
{
    fur_eigs_options options = {.size = sizeof options, .count = 2};
    return find(a, &options);
}

START_TEST(an_operator_that_is_not_symmetric_is_found_out)
{
    rng r = rng_stream(51);
    check_asymmetric(&r, find_two);
}
END_TEST

START_TEST(wrong_options_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(52);
    dense d = dense_dominant(&r, FUR_F64, 10, true, true);
    dense_problem p = dense_open(&d, context);
    double values[10];
    fur_vector *vector = NULL;
    ck_ok(context, fur_vector_create(context, FUR_F32, 10, &vector));
    fur_vector *vectors[] = {vector};
    static const char negative[] = "tolerance and max_iterations must not be negative";
    const struct {
        fur_eigs_options options;
        const char *sentence;
    } cases[] = {
        {{.count = 11},
         "11 eigenvalues were requested; the matrix has 10, and at most 1000 can be found"},
        {{.count = 3, .basis = 4}, "the basis must have at least 5 vectors for 3 eigenvalues"},
        {{.which = (fur_eigs_which)7}, "options.which must be a value of fur_eigs_which"},
        {{.tolerance = -1}, negative},
        {{.tolerance = NAN}, negative},
        {{.max_iterations = -1}, negative},
        {{.count = 1}, "vector 0 must have 10 entries of type f64 in the matrix's context"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_eigs_options options = cases[i].options;
        options.size = sizeof options;
        ck_fails(context, FUR_INVALID, cases[i].sentence,
                 fur_eigs(p.a, &options, values, NULL, vectors, NULL));
    }
    ck_ok(context, fur_eigs(p.a, NULL, values, NULL, NULL, NULL));
    fur_vector_destroy(vector);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* The bits are the same for any number of threads. Loops over value types. */
START_TEST(results_have_the_same_bits_for_any_number_of_threads)
{
    static const int threads[] = {1, 2, 3, 8};
    found first = {{0}, {0}, {NULL}, {0}};
    fur_context *contexts[COUNT_OF(threads)];
    fur_value_type value = (fur_value_type)_i;
    for (int i = 0; i < COUNT_OF(threads); i++) {
        fur_context *context = contexts[i] = context_make(NULL, threads[i]);
        fur_stencil *stencil = NULL;
        fur_csr *matrix[2] = {NULL, NULL};
        fur_spmv *plan = NULL;
        fur_operator *a = NULL;
        fur_stencil_definition definition = FUR_DEFAULT(fur_stencil_definition);
        fur_stencil_named(5, &definition);
        definition.value_type = FUR_F64;
        definition.extent[0] = 100;
        definition.extent[1] = 61;
        ck_ok(context, fur_stencil_create(context, &definition, &stencil));
        ck_ok(context, fur_stencil_assemble(stencil, &matrix[0]));
        ck_ok(context, fur_csr_convert(matrix[0], value, FUR_I32, &matrix[1]));
        ck_ok(context, fur_spmv_plan(matrix[1], NULL, &plan));
        ck_ok(context, fur_operator_from_spmv(plan, &a));
        fur_eigs_options options = {
            .size = sizeof options, .count = 3, .which = FUR_EIGS_LARGEST, .max_iterations = 40};
        found f = find(a, &options);
        if (i == 0)
            first = f;
        for (int k = 0; k < 3; k++) {
            ck_assert(f.values[k] == first.values[k] && f.residuals[k] == first.residuals[k]);
            ck_assert_int_eq(first_difference(value, 6100, fur_vector_data(f.vectors[k]),
                                              fur_vector_data(first.vectors[k])),
                             -1);
        }
        if (i > 0)
            found_release(&f);
        fur_operator_destroy(a);
        fur_spmv_destroy(plan);
        fur_csr_destroy(matrix[1]);
        fur_csr_destroy(matrix[0]);
        fur_stencil_destroy(stencil);
    }
    found_release(&first);
    for (int i = 0; i < COUNT_OF(threads); i++)
        fur_context_destroy(contexts[i]);
}
END_TEST

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        if ((at == text || at[-1] == ' ') && !isalnum((unsigned char)at[length]))
            return true;
    return false;
}

/* The search ends long before its iteration limit. If it has not converged, its advice names nearly
 * equal eigenvalues. */
START_TEST(nearly_equal_eigenvalues_end_a_search)
{
    fur_context *context = context_make(NULL, 1);
    nearly_equal p = nearly_equal_open(context);
    double values[2];
    fur_eigs_report report = FUR_DEFAULT(fur_eigs_report);
    fur_eigs_options options = {.size = sizeof options, .count = 2, .max_iterations = 50000};
    ck_ok(context, fur_eigs(p.op, &options, values, NULL, NULL, &report));
    ck_assert(report.outcome != FUR_OUTCOME_MAX_ITERATIONS);
    if (report.outcome != FUR_OUTCOME_CONVERGED)
        ck_assert(strstr(fur_eigs_advice(report.outcome), "nearly equal") != NULL);
    nearly_equal_close(&p);
    fur_context_destroy(context);
}
END_TEST

/* Eigenvalue methods share the outcomes of the solvers of A x = b, but their advice must not name
 * these solvers. */
START_TEST(advice_names_no_solver)
{
    for (int outcome = 0; outcome <= FUR_OUTCOME_DIVERGED; outcome++) {
        const char *advice = fur_eigs_advice((fur_outcome)outcome);
        const fur_method_info *method;
        for (int i = 0; (method = fur_solver_method_at(i)) != NULL; i++)
            ck_assert_msg(!has_word(advice, method->name), "%s: %s",
                          fur_outcome_name((fur_outcome)outcome), advice);
    }
    ck_assert_str_eq(fur_eigs_advice(FUR_OUTCOME_CONVERGED), "");
    ck_assert_ptr_nonnull(strstr(fur_eigs_advice(FUR_OUTCOME_ASYMMETRIC), "symmetric"));
    ck_assert_ptr_nonnull(strstr(fur_eigs_advice(FUR_OUTCOME_MAX_ITERATIONS), "iterations"));
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, advice_names_no_solver);
    tcase_add_test(tests, nearly_equal_eigenvalues_end_a_search);
    tcase_add_turns(tests, random_matrices, FUR_VALUE_COUNT, 2);
    tcase_add_test(tests, multiple_eigenvalues);
    tcase_add_test(tests, laplacians_on_a_grid);
    tcase_add_test(tests, all_of_a_small_matrix_of_any_scale);
    tcase_add_test(tests, what_has_not_converged_is_not_called_so);
    tcase_add_test(tests, an_operator_that_is_not_symmetric_is_found_out);
    tcase_add_test(tests, wrong_options_are_refused);
    tcase_add_turns(tests, results_have_the_same_bits_for_any_number_of_threads, FUR_VALUE_COUNT,
                    2);
}

int main(void)
{
    return run_tests("eigs", add_tests);
}
