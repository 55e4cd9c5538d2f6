/* LOBPCG. Random matrices are compared with Jacobi's method in long double. The tests also cover
 * multiple and clustered eigenvalues, matrices as small as the block, singular matrices, and
 * constraints that are eigenvectors or other vectors. With multigrid, LOBPCG needs few iterations,
 * as other codes do. Reported residuals are true. A pair that has not converged is not reported as
 * converged. The bits are the same for any number of threads, with and without products of
 * blocks. */
#include "spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX 16 /* eigenvalues */

static found find(const fur_operator *a, const fur_lobpcg_options *options)
{
    found f = found_open(a, options->count);
    ck_ok(fur_operator_context(a),
          fur_lobpcg(a, options, f.values, f.residuals, f.vectors, &f.report));
    return f;
}

/* Checks the results. An eigenvalue is within ||A v - lambda v|| of lambda. Each result has a
 * different eigenvalue, counted from the requested end of `all`. Vectors have norm 1 and the
 * reported residuals. */
static void check_found(const dense *d, const fur_lobpcg_options *o, const found *f,
                        const long double *all)
{
    double epsilon = value_epsilon(d->value);
    double norm = fmax(fabs((double)all[0]), fabs((double)all[d->n - 1]));
    double rounding = 100 * (double)d->n * epsilon * norm;
    double tolerance = epsilon == DBL_EPSILON ? 1e-10 : 1e-5;
    ck_assert_msg(f->report.outcome == FUR_OUTCOME_CONVERGED, "%lld rows, %s: %s, %d of %d",
                  (long long)d->n, fur_value_name(d->value), fur_outcome_name(f->report.outcome),
                  f->report.converged, o->count);
    ck_assert_int_eq(f->report.converged, o->count);
    ck_assert_double_le(f->report.norm, norm * (1 + 1e3 * epsilon));
    for (int i = 0; i < o->count; i++) {
        int64_t place = o->which == FUR_EIGS_LARGEST ? d->n - 1 - i : i;
        double error = (double)fabsl(f->values[i] - all[place]);
        double length;
        ck_assert_double_le(f->residuals[i], tolerance * f->report.norm);
        ck_assert_msg(error <= f->residuals[i] + rounding,
                      "%lld rows, %s, value %d of %d: %.17g, not %.17Lg; residual %g",
                      (long long)d->n, fur_value_name(d->value), i, o->count, f->values[i],
                      all[place], f->residuals[i]);
        ck_assert_double_le(
            fabs(spectrum_residual(d, f->vectors[i], f->values[i]) - f->residuals[i]), rounding);
        ck_ok(fur_vector_context(f->vectors[i]), fur_norm2(f->vectors[i], &length));
        ck_assert_double_le(fabs(length - 1), 100 * (double)d->n * epsilon);
    }
}

static void check_dense(fur_context *context, const dense *d, const fur_lobpcg_options *options)
{
    dense_problem p = dense_open(d, context);
    long double *all = spectrum_of(d);
    fur_lobpcg_options o = *options;
    found f = find(p.a, &o);
    check_found(d, &o, &f, all);
    found_release(&f);
    if (all[0] > 0 && o.which == FUR_EIGS_SMALLEST) {
        fur_operator *jacobi = NULL;
        ck_ok(context, fur_operator_jacobi(p.a, &jacobi));
        o.preconditioner = jacobi;
        f = find(p.a, &o);
        check_found(d, &o, &f, all);
        found_release(&f);
        fur_operator_destroy(jacobi);
    }
    free(all);
    dense_close(&p);
}

/* All sizes work, also if the block has more columns than the matrix has rows. Loops over value
 * types. */
START_TEST(random_matrices)
{
    static const int64_t sizes[] = {1, 2, 3, 10, 30, 90};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream((uint64_t)_i);
    for (int size = 0; size < COUNT_OF(sizes); size++)
        for (int which = 0; which < 2; which++) {
            dense d = dense_dominant(&r, (fur_value_type)_i, sizes[size], true, which == 0);
            int64_t most = sizes[size] < MAX ? sizes[size] : MAX;
            fur_lobpcg_options options = {.size = sizeof options,
                                          .count = 1 + (int)rng_below(&r, most),
                                          .which = (fur_eigs_which)which};
            check_dense(context, &d, &options);
            dense_release(&d);
        }
    fur_context_destroy(context);
}
END_TEST

/* The eigenvalues are 1, 1, 1, 2, 2, 3, 4, ..., or the first six are a cluster. Loops over value
 * types. */
START_TEST(multiple_and_clustered_eigenvalues)
{
    static const double first[] = {2, 1, 3, 1, 2, 1};
    fur_context *context = context_make(NULL, 2);
    for (int cluster = 0; cluster < 2; cluster++) {
        dense d = dense_make((fur_value_type)_i, 80);
        for (int k = 0; k < 80; k++)
            dense_set(&d, k, k,
                      fur_real(k >= 6    ? k - 2
                               : cluster ? 1 + 1e-7 * first[k]
                                         : first[k]));
        fur_lobpcg_options options = {.size = sizeof options, .count = 6};
        check_dense(context, &d, &options);
        options.count = 2; /* fewer than the equal eigenvalues */
        check_dense(context, &d, &options);
        dense_release(&d);
    }
    fur_context_destroy(context);
}
END_TEST

/* A grid's matrix as an operator, and a preconditioner for it. */
typedef struct problem {
    fur_stencil *stencil;
    fur_csr *matrix;
    fur_spmv *plan;
    fur_operator *a;
    fur_precond *precond;
    fur_operator *m;
} problem;

static problem problem_open(fur_context *context, int points, const int64_t *extent,
                            fur_value_type value, fur_boundary boundary, const char *kind)
{
    problem p = {.matrix = NULL};
    fur_csr *made = NULL;
    fur_stencil_definition definition = FUR_DEFAULT(fur_stencil_definition);
    fur_precond_options options = {.size = sizeof options, .kind = kind};
    fur_stencil_named(points, &definition);
    definition.value_type = FUR_F64;
    for (int axis = 0; axis < 2; axis++) {
        definition.extent[axis] = extent[axis];
        definition.boundary[axis] = boundary;
    }
    ck_ok(context, fur_stencil_create(context, &definition, &p.stencil));
    ck_ok(context, fur_stencil_assemble(p.stencil, &made));
    ck_ok(context, fur_csr_convert(made, value, FUR_I32, &p.matrix));
    fur_csr_destroy(made);
    ck_ok(context, fur_spmv_plan(p.matrix, NULL, &p.plan));
    ck_ok(context, fur_operator_from_spmv(p.plan, &p.a));
    ck_ok(context, fur_precond_create(p.matrix, &options, &p.precond));
    ck_ok(context, fur_operator_from_precond(p.precond, &p.m));
    return p;
}

static void problem_close(problem *p)
{
    fur_operator_destroy(p->m);
    fur_precond_destroy(p->precond);
    fur_operator_destroy(p->a);
    fur_spmv_destroy(p->plan);
    fur_csr_destroy(p->matrix);
    fur_stencil_destroy(p->stencil);
}

/* 4 pairs on 64^2 points are found to 1e-6, where ||A|| < 8. SciPy's lobpcg with PyAMG's smoothed
 * aggregation needs 18 iterations. The eigenvalues are 4 sin^2(i pi / 130) + 4 sin^2(j pi /
 * 130). */
START_TEST(multigrid_needs_few_iterations)
{
    static const int64_t extent[] = {64, 64};
    static const int pairs[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}};
    fur_context *context = context_make(NULL, 2);
    problem p = problem_open(context, 5, extent, FUR_F64, FUR_BOUNDARY_DIRICHLET, "amg");
    fur_lobpcg_options options = {
        .size = sizeof options, .count = 4, .tolerance = 1e-6 / 8, .preconditioner = p.m};
    found f = find(p.a, &options);
    ck_assert_int_eq(f.report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_le(f.report.iterations, 18);
    for (int k = 0; k < 4; k++) {
        double x = sin(pairs[k][0] * acos(-1) / 130);
        double y = sin(pairs[k][1] * acos(-1) / 130);
        ck_assert_double_le(f.residuals[k], 1e-6);
        ck_assert_double_le(fabs(f.values[k] - 4 * (x * x + y * y)), f.residuals[k]);
    }
    found_release(&f);
    problem_close(&p);
    fur_context_destroy(context);
}
END_TEST

/* Returns a row-major block: the vectors times factors, a sum of two of them, and a column of
 * zeros. */
static fur_vectors *block_of(fur_context *context, fur_vector *const *vectors, int count)
{
    fur_vectors *block = NULL;
    fur_value_type value = fur_vector_value_type(vectors[0]);
    int64_t n = fur_vector_size(vectors[0]);
    ck_ok(context, fur_vectors_create(context, value, n, count + 2, FUR_LAYOUT_ROWS, &block));
    for (int j = 0; j <= count; j++) {
        fur_vectors *column = NULL;
        fur_vectors *one = NULL;
        ck_ok(context, fur_vectors_columns(block, j, 1, &column));
        ck_ok(context, fur_vectors_from_vector(vectors[j % count], &one));
        ck_ok(context, fur_vectors_axpby(fur_real(j + 0.5), one, fur_real(0), column));
        if (j == count && count > 1) {
            fur_vectors_destroy(one);
            ck_ok(context, fur_vectors_from_vector(vectors[1], &one));
            ck_ok(context, fur_vectors_axpby(fur_real(1), one, fur_real(1), column));
        }
        fur_vectors_destroy(one);
        fur_vectors_destroy(column);
    }
    return block;
}

static void check_orthogonal(const found *f, int count, fur_vector *const *y, int constraints)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < constraints; j++) {
            double length;
            fur_scalar dot;
            fur_context *context = fur_vector_context(y[j]);
            double epsilon = value_epsilon(fur_vector_value_type(y[j]));
            ck_ok(context, fur_norm2(y[j], &length));
            ck_ok(context, fur_dot(y[j], f->vectors[i], &dot));
            ck_assert_double_le(hypot(dot.re, dot.im), 1000 * epsilon * length);
        }
}

/* With the first three eigenvectors as constraints, the next five are found. Loops over value
 * types. */
START_TEST(constraints_that_are_eigenvectors)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(60 + (uint64_t)_i);
    dense d = dense_dominant(&r, (fur_value_type)_i, 60, true, true);
    dense_problem p = dense_open(&d, context);
    long double *all = spectrum_of(&d);
    double epsilon = value_epsilon(d.value);
    fur_lobpcg_options options = {.size = sizeof options, .count = 3};
    found first = find(p.a, &options);
    fur_vectors *y = block_of(context, first.vectors, 3);
    options.count = 5;
    options.constraints = y;
    found f = find(p.a, &options);
    ck_assert_int_eq(f.report.outcome, FUR_OUTCOME_CONVERGED);
    check_orthogonal(&f, 5, first.vectors, 3);
    double off = first.residuals[0] + first.residuals[1] + first.residuals[2];
    for (int i = 0; i < 5; i++)
        ck_assert_double_le((double)fabsl(f.values[i] - all[i + 3]),
                            f.residuals[i] + off + 1e4 * epsilon * f.report.norm);
    found_release(&f);
    found_release(&first);
    fur_vectors_destroy(y);
    free(all);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* Returns (I - Q) A (I - Q) + shift Q. Q is the projection on v. */
static dense projected(const dense *d, const fur_vector *v, double shift)
{
    int64_t n = d->n;
    dense out = dense_make(d->value, n);
    long double complex *q = calloc((size_t)n, sizeof *q);
    long double complex *aq = calloc((size_t)n, sizeof *aq);
    void *entries = vector_entries(v);
    long double square = 0;
    long double complex qaq = 0;
    for (int64_t i = 0; i < n; i++) {
        fur_scalar own = entry_get(d->value, entries, i);
        q[i] = own.re + own.im * (long double complex)I;
        square += creall(q[i] * conjl(q[i]));
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            fur_scalar a = d->a[i * n + j];
            aq[i] += (a.re + a.im * (long double complex)I) * q[j] / square;
        }
    for (int64_t i = 0; i < n; i++)
        qaq += conjl(q[i]) * aq[i] / square;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            fur_scalar a = d->a[i * n + j];
            long double complex own = a.re + a.im * (long double complex)I;
            own += (qaq + shift / square) * q[i] * conjl(q[j]) - aq[i] * conjl(q[j]) -
                   q[i] * conjl(aq[j]);
            out.a[i * n + j] = fur_complex((double)creall(own), (double)cimagl(own));
        }
    free(entries);
    free(aq);
    free(q);
    return out;
}

/* If the constraints are arbitrary vectors, the results are eigenvalues of the projected matrix.
 * Loops over value types, each with small and larger matrices. */
START_TEST(constraints_that_are_not_eigenvectors)
{
    static const int64_t sizes[] = {4, 9, 60};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(70 + (uint64_t)_i);
    for (int size = 0; size < COUNT_OF(sizes); size++) {
        dense d = dense_dominant(&r, (fur_value_type)_i, sizes[size], true, true);
        dense_problem p = dense_open(&d, context);
        fur_vector *v = vector_random(context, &r, d.value, d.n);
        dense rest = projected(&d, v, 1e3);
        long double *all = spectrum_of(&rest);
        fur_vectors *y = block_of(context, &v, 1);
        fur_lobpcg_options options = {.size = sizeof options, .count = 3, .constraints = y};
        found f = find(p.a, &options);
        ck_assert_int_eq(f.report.outcome, FUR_OUTCOME_CONVERGED);
        check_orthogonal(&f, 3, &v, 1);
        for (int i = 0; i < 3; i++)
            ck_assert_double_le((double)fabsl(f.values[i] - all[i]),
                                f.residuals[i] + 1e4 * value_epsilon(d.value) * f.report.norm);
        found_release(&f);
        fur_vectors_destroy(y);
        fur_vector_destroy(v);
        free(all);
        dense_release(&rest);
        dense_close(&p);
        dense_release(&d);
    }
    fur_context_destroy(context);
}
END_TEST

/* With Neumann boundaries, 0 is the eigenvalue of the constant vector. If this vector is a
 * constraint, the smallest eigenvalue is 4 sin^2(pi / 80), for 40 points. */
START_TEST(singular_matrices)
{
    static const int64_t extent[] = {40, 23};
    fur_context *context = context_make(NULL, 2);
    problem p = problem_open(context, 5, extent, FUR_F64, FUR_BOUNDARY_NEUMANN, "jacobi");
    double next = 4 * sin(acos(-1) / 80) * sin(acos(-1) / 80);
    fur_vectors *ones = NULL;
    fur_lobpcg_options options = {.size = sizeof options, .count = 2, .preconditioner = p.m};
    found f = find(p.a, &options);
    ck_assert_int_eq(f.report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_double_le(fabs(f.values[0]), f.residuals[0] + 1e-13);
    ck_assert_double_le(fabs(f.values[1] - next), f.residuals[1] + 1e-13);
    found_release(&f);
    ck_ok(context, fur_vectors_create(context, FUR_F64, 40 * 23, 1, FUR_LAYOUT_ROWS, &ones));
    ck_ok(context, fur_vectors_fill(ones, fur_real(1)));
    options.constraints = ones;
    options.count = 1;
    f = find(p.a, &options);
    ck_assert_int_eq(f.report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_double_le(fabs(f.values[0] - next), f.residuals[0] + 1e-13);
    found_release(&f);
    fur_vectors_destroy(ones);
    problem_close(&p);
    fur_context_destroy(context);
}
END_TEST

/* Eigenvalues from 1e-6 to 1e12 are each found to six digits. */
START_TEST(tolerances_relative_to_the_values)
{
    fur_context *context = context_make(NULL, 1);
    dense d = dense_make(FUR_F64, 90);
    for (int k = 0; k < 90; k++)
        dense_set(&d, k, k, fur_real(pow(10, -6 + 0.2 * k)));
    dense_problem p = dense_open(&d, context);
    fur_operator *jacobi = NULL;
    ck_ok(context, fur_operator_jacobi(p.a, &jacobi));
    fur_lobpcg_options options = {
        .size = sizeof options, .count = 3, .relative = 1e-6, .preconditioner = jacobi};
    found f = find(p.a, &options);
    ck_assert_int_eq(f.report.outcome, FUR_OUTCOME_CONVERGED);
    for (int k = 0; k < 3; k++)
        ck_assert_double_le(fabs(f.values[k] / pow(10, -6 + 0.2 * k) - 1), 2e-6);
    found_release(&f);
    fur_operator_destroy(jacobi);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* Scaling the matrix by a power of two scales values and residuals exactly. */
START_TEST(matrices_of_any_scale)
{
    static const double scales[] = {1, 0x1p-900, 0x1p900, 0};
    fur_context *context = context_make(NULL, 1);
    double first[3];
    for (int i = 0; i < COUNT_OF(scales); i++) {
        rng r = rng_stream(53);
        dense d = dense_make(FUR_F64, 40);
        for (int row = 0; row < 40; row++)
            for (int col = 0; col <= row; col++) {
                fur_scalar entry = fur_real(scales[i] * (rng_unit(&r) + 4 * (row == col) * row));
                dense_set(&d, row, col, entry);
                dense_set(&d, col, row, entry);
            }
        dense_problem p = dense_open(&d, context);
        fur_lobpcg_options options = {.size = sizeof options, .count = 3};
        found f = find(p.a, &options);
        ck_assert_int_eq(f.report.outcome, FUR_OUTCOME_CONVERGED);
        if (i == 0)
            memcpy(first, f.values, sizeof first);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq(f.values[k], scales[i] * first[k]);
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

/* Computes y = -x. */
static fur_status negate(void *user, const fur_vector *x, fur_vector *y)
{
    (void)user;
    return fur_axpby(fur_real(-1), x, fur_real(0), y);
}

/* Sets y to NaN. */
static fur_status spoil(void *user, const fur_vector *x, fur_vector *y)
{
    (void)user;
    (void)x;
    return fur_vector_fill(y, fur_real(NAN));
}

static fur_operator *operator_of(fur_context *context, int64_t n,
                                 fur_status (*apply)(void *, const fur_vector *, fur_vector *),
                                 void *user)
{
    fur_operator *op = NULL;
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = n,
                                          .cols = n,
                                          .value_type = FUR_F64,
                                          .user = user,
                                          .apply = apply};
    ck_ok(context, fur_operator_create(context, &definition, &op));
    return op;
}

/* No convergence is reported after too few iterations, after a stop, for a tolerance below
 * rounding, for an indefinite M, or for NaN in M or A. */
START_TEST(what_has_not_converged_is_not_called_so)
{
    fur_context *context = context_make(NULL, 1);
    dense d = dense_make(FUR_F64, 300);
    for (int k = 0; k < 300; k++)
        dense_set(&d, k, k, fur_real(1 + 1e-6 * k * k));
    dense_problem p = dense_open(&d, context);
    int calls = 0;
    fur_operator *minus = operator_of(context, 300, negate, NULL);
    fur_operator *nan = operator_of(context, 300, spoil, NULL);
    const struct {
        fur_lobpcg_options options;
        const fur_operator *a;
        fur_outcome outcome;
    } cases[] = {
        {{.max_iterations = 3, .tolerance = 1e-12}, p.a, FUR_OUTCOME_MAX_ITERATIONS},
        {{.monitor = stop_at, .monitor_user = &calls}, p.a, FUR_OUTCOME_STOPPED},
        {{.which = FUR_EIGS_LARGEST, .tolerance = 1e-18}, p.a, FUR_OUTCOME_STAGNATED},
        {{.preconditioner = minus}, p.a, FUR_OUTCOME_INDEFINITE_PRECONDITIONER},
        {{.preconditioner = nan}, p.a, FUR_OUTCOME_BREAKDOWN},
        {{.count = 3}, nan, FUR_OUTCOME_BREAKDOWN},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_lobpcg_options options = cases[i].options;
        options.size = sizeof options;
        options.count = 3;
        found f = find(cases[i].a, &options);
        ck_assert_msg(f.report.outcome == cases[i].outcome, "case %d: %s", i,
                      fur_outcome_name(f.report.outcome));
        ck_assert_int_lt(f.report.converged, 3);
        for (int k = 0; k < 3 && f.report.outcome != FUR_OUTCOME_BREAKDOWN; k++)
            ck_assert_double_le(
                fabs(spectrum_residual(&d, f.vectors[k], f.values[k]) - f.residuals[k]), 1e-12);
        found_release(&f);
    }
    ck_assert_int_eq(calls, 2);
    fur_operator_destroy(nan);
    fur_operator_destroy(minus);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

/* The search stagnates long before its limit. Its advice names nearly equal eigenvalues. */
START_TEST(nearly_equal_eigenvalues_end_a_search)
{
    fur_context *context = context_make(NULL, 1);
    nearly_equal p = nearly_equal_open(context);
    fur_lobpcg_options options = {.size = sizeof options, .count = 4};
    found f = find(p.op, &options);
    ck_assert_msg(f.report.outcome == FUR_OUTCOME_STAGNATED, "%s after %lld iterations",
                  fur_outcome_name(f.report.outcome), (long long)f.report.iterations);
    ck_assert_int_le(f.report.iterations, 700);
    ck_assert_ptr_nonnull(strstr(fur_eigs_advice(f.report.outcome), "nearly equal"));
    found_release(&f);
    nearly_equal_close(&p);
    fur_context_destroy(context);
}
END_TEST

static found find_two(const fur_operator *a)
{
    fur_lobpcg_options options = {.size = sizeof options, .count = 2};
    return find(a, &options);
}

START_TEST(an_operator_that_is_not_symmetric_is_found_out)
{
    rng r = rng_stream(54);
    check_asymmetric(&r, find_two);
}
END_TEST

START_TEST(wrong_options_are_refused)
{
    fur_context *context = context_make(NULL, 1);
    rng r = rng_stream(55);
    dense d = dense_dominant(&r, FUR_F64, 10, true, true);
    dense_problem p = dense_open(&d, context);
    double values[10];
    fur_vector *vector = NULL;
    fur_vectors *narrow = NULL;
    fur_vectors *full = NULL;
    fur_operator *small = operator_of(context, 9, negate, NULL);
    ck_ok(context, fur_vector_create(context, FUR_F32, 10, &vector));
    ck_ok(context, fur_vectors_create(context, FUR_F32, 10, 1, FUR_LAYOUT_ROWS, &narrow));
    ck_ok(context, fur_vectors_create(context, FUR_F64, 10, 8, FUR_LAYOUT_ROWS, &full));
    double identity[80] = {0};
    for (int i = 0; i < 8; i++)
        identity[9 * i] = 1;
    ck_ok(context, fur_vectors_upload(identity, full));
    fur_vector *vectors[] = {vector};
    static const char negative[] = "tolerance, relative and max_iterations must not be negative";
    static const char block[] =
        "the block must have at least 3 vectors, one for each eigenvalue, and at most 85";
    const struct {
        fur_lobpcg_options options;
        const char *sentence;
    } cases[] = {
        {{.count = 11},
         "11 eigenvalues were requested; the matrix has 10, and at most 50 can be found"},
        {{.which = FUR_EIGS_BOTH_ENDS},
         "lobpcg finds eigenvalues at one end only; options.which must be FUR_EIGS_SMALLEST or "
         "FUR_EIGS_LARGEST"},
        {{.tolerance = -1}, negative},
        {{.relative = NAN}, negative},
        {{.max_iterations = -1}, negative},
        {{.count = 3, .block = 2}, block},
        {{.count = 3, .block = 86}, block},
        {{.preconditioner = small},
         "the preconditioner differs from the matrix in size, value "
         "type or context; it must be 10 x 10"},
        {{.constraints = narrow},
         "the constraints must be at most 10000 vectors of 10 entries of "
         "type f64 in the matrix's context"},
        {{.count = 1}, "vector 0 must have 10 entries of type f64 in the matrix's context"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_lobpcg_options options = cases[i].options;
        options.size = sizeof options;
        ck_fails(context, FUR_INVALID, cases[i].sentence,
                 fur_lobpcg(p.a, &options, values, NULL, vectors, NULL));
    }
    fur_lobpcg_options options = {.size = sizeof options, .count = 3, .constraints = full};
    ck_fails(context, FUR_INVALID,
             "3 eigenvalues were requested, but only 2 vectors are orthogonal to the constraints",
             fur_lobpcg(p.a, &options, values, NULL, NULL, NULL));
    ck_ok(context, fur_lobpcg(p.a, NULL, values, NULL, NULL, NULL));
    fur_operator_destroy(small);
    fur_vectors_destroy(full);
    fur_vectors_destroy(narrow);
    fur_vector_destroy(vector);
    dense_close(&p);
    dense_release(&d);
    fur_context_destroy(context);
}
END_TEST

static void check_same(const found *f, const found *first, int count)
{
    ck_assert_int_eq(f->report.iterations, first->report.iterations);
    for (int k = 0; k < count; k++) {
        ck_assert(f->values[k] == first->values[k] && f->residuals[k] == first->residuals[k]);
        ck_same_bits(f->vectors[k], first->vectors[k]);
    }
}

/* Returns the smallest eigenvalues on a grid. If `constrained` is set, the constraint is the vector
 * of ones and the search converges. Otherwise the search ends after some iterations. */
static found find_on_grid(fur_context *context, fur_value_type value, bool constrained)
{
    static const int64_t extents[2][2] = {{100, 61}, {23, 17}};
    const int64_t *extent = extents[constrained];
    problem p = problem_open(context, 5, extent, value, FUR_BOUNDARY_DIRICHLET, "ic0");
    fur_vectors *ones = NULL;
    fur_lobpcg_options options = {.size = sizeof options, .count = 3, .preconditioner = p.m};
    ck_ok(context,
          fur_vectors_create(context, value, extent[0] * extent[1], 1, FUR_LAYOUT_ROWS, &ones));
    ck_ok(context, fur_vectors_fill(ones, fur_real(1)));
    if (constrained) {
        options.constraints = ones;
        options.tolerance = 1e-4;
    } else {
        options.max_iterations = TEST_SHORT ? 4 : 12;
    }
    found f = find(p.a, &options);
    if (constrained)
        ck_assert_int_eq(f.report.outcome, FUR_OUTCOME_CONVERGED);
    fur_vectors_destroy(ones);
    problem_close(&p);
    return f;
}

/* Results have the bits of one CPU thread. Loops over value types, without and with a
 * constraint. */
START_TEST(results_have_the_same_bits_everywhere)
{
    static const int threads[] = {1, 2, 3, 8};
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    bool constrained = _i >= FUR_VALUE_COUNT;
    fur_context *host = context_cpu(NULL, 1);
    found first = find_on_grid(host, value, constrained);
    for (int i = 0; i < (on_gpu() ? 1 : COUNT_OF(threads)); i++) {
        fur_context *context = context_make(NULL, threads[i]);
        found f = find_on_grid(context, value, constrained);
        check_same(&f, &first, 3);
        found_release(&f);
        fur_context_destroy(context);
    }
    found_release(&first);
    fur_context_destroy(host);
}
END_TEST

static fur_status apply_inner(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_operator_apply(user, x, y);
}

/* An operator that hides its plan is applied to one column at a time. The results have the bits of
 * products with blocks. */
START_TEST(products_of_blocks_have_the_bits_of_single_ones)
{
    static const int64_t extent[] = {31, 27};
    fur_context *context = context_make(NULL, 2);
    problem p = problem_open(context, 9, extent, FUR_F64, FUR_BOUNDARY_DIRICHLET, "jacobi");
    fur_operator *hidden = operator_of(context, 31 * 27, apply_inner, p.a);
    fur_lobpcg_options options = {.size = sizeof options, .count = 5, .preconditioner = p.m};
    found first = find(p.a, &options);
    found f = find(hidden, &options);
    check_same(&f, &first, 5);
    found_release(&f);
    found_release(&first);
    fur_operator_destroy(hidden);
    problem_close(&p);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_turns(tests, results_have_the_same_bits_everywhere, 2 * FUR_VALUE_COUNT, 2);
    if (on_gpu())
        return;
    tcase_add_turns(tests, random_matrices, FUR_VALUE_COUNT, 2);
    tcase_add_loop_test(tests, multiple_and_clustered_eigenvalues, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, multigrid_needs_few_iterations);
    tcase_add_loop_test(tests, constraints_that_are_eigenvectors, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, constraints_that_are_not_eigenvectors, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, singular_matrices);
    tcase_add_test(tests, tolerances_relative_to_the_values);
    tcase_add_test(tests, matrices_of_any_scale);
    tcase_add_test(tests, nearly_equal_eigenvalues_end_a_search);
    tcase_add_test(tests, what_has_not_converged_is_not_called_so);
    tcase_add_test(tests, an_operator_that_is_not_symmetric_is_found_out);
    tcase_add_test(tests, wrong_options_are_refused);
    tcase_add_test(tests, products_of_blocks_have_the_bits_of_single_ones);
}

int main(void)
{
    return run_tests("lobpcg", add_tests);
}
