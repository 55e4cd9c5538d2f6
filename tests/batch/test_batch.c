/* Batches: products, conjugate gradients and elimination of many systems. Each system has the bits
 * of its single solve on the CPU, for all value types, shapes, counts, threads, instruction sets
 * and devices. Elimination is also compared with a solution in long double. Wrong arguments are
 * refused. */
#include "batch_trial.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Only a GPU uses the last count. */
static const int64_t counts[] = {1, 3, 8, 31, 33, 2, 7, 9, 16, 70, 300};

static int64_t draw_count(rng *r)
{
    return counts[rng_below(r, TEST_SHORT ? 5 : COUNT_OF(counts) - !on_gpu())];
}

/* Each product has the bits of a single product. Like the next two tests, it loops over value
 * types. */
START_TEST(products_have_the_bits_of_single_ones)
{
    const fur_scalar coefficients[] = {{1, 0}, {-0.75, 0.5}, {0, 0}};
    rng r = rng_stream((uint64_t)_i);
    for (int isa = 0; isa_name(isa); isa++) {
        fur_context *context = context_make(isa_name(isa), 1 + isa);
        for (int s = 0; s < shape_count; s++) {
            fur_csr *a = matrix_random(fur_context_host(context), &r, &shapes[s], FUR_F32,
                                       (fur_offset_type)(s % 2));
            int64_t count = fur_csr_get(a)->entries > 20000 ? 9 : draw_count(&r);
            fur_scalar alpha = coefficients[rng_below(&r, 3)];
            fur_scalar beta = coefficients[rng_below(&r, 3)];
            batch_trial t = batch_random(a, (fur_value_type)_i, count, alpha, beta, &r);
            batch_check_product(context, &t, alpha, beta, s % 3 == 0, shapes[s].name);
            batch_release(&t);
            fur_csr_destroy(a);
        }
        fur_context_destroy(context);
    }
}
END_TEST

static void check_cg(fur_context *context, fur_value_type value, int64_t count,
                     const fur_batch_solver_options *o, const char *name, rng *r)
{
    fur_context *host = fur_context_host(context);
    fur_csr *a = matrix_random(host, r, &shapes[shape_find(name)], FUR_F64, FUR_I32);
    batch_trial t = batch_definite(a, value, count, o, r);
    batch_check_solve(context, &t, o, count % 2 == 1, name);
    batch_release(&t);
    fur_csr_destroy(a);
}

START_TEST(cg_ends_as_alone)
{
    fur_value_type value = (fur_value_type)_i;
    const fur_batch_solver_options options[] = {
        {.size = sizeof *options},
        {.size = sizeof *options, .max_iterations = 20},
        {.size = sizeof *options, .rtol = value_epsilon(value)}, /* stagnates */
        {.size = sizeof *options, .rtol = 1e-3, .atol = 1e-2},
    };
    rng r = rng_stream(20 + (uint64_t)_i);
    for (int isa = 0; isa_name(isa); isa++) {
        fur_context *context = context_make(isa_name(isa), 2);
        for (int k = 0; k < (TEST_SHORT ? 4 : 8); k++) {
            int64_t count = k == 0 ? 33 : k == 4 && on_gpu() ? 300 : draw_count(&r);
            check_cg(context, value, count, &options[k % 4], k % 2 ? "band" : "small grid", &r);
        }
        fur_context_destroy(context);
    }
}
END_TEST

/* The vectors are so long that their sums have several leaves. */
START_TEST(cg_ends_as_alone_with_thousands_of_rows)
{
    const fur_batch_solver_options o = {
        .size = sizeof o, .rtol = 1e-4, .max_iterations = TEST_SLOW ? 12 : 60};
    rng r = rng_stream(30 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 3);
    check_cg(context, (fur_value_type)_i, 9, &o, test_small() ? "band" : "grid", &r);
    fur_context_destroy(context);
}
END_TEST

/* A guess that is not finite ends a system as a breakdown. Loops over value types. */
START_TEST(a_guess_that_is_not_finite_is_a_breakdown)
{
    rng r = rng_stream(50);
    fur_context *context = context_make(NULL, 2);
    batch_check_nonfinite_guess(context, (fur_value_type)_i, &r);
    fur_context_destroy(context);
}
END_TEST

static const struct {
    int64_t rows;
    int64_t lower;
    int64_t upper;
} bands[] = {{1, 0, 0},  {40, 0, 0}, {90, 1, 1}, {2, 1, 1},  {1, 1, 1},   {60, 2, 2},
             {50, 0, 3}, {50, 3, 0}, {77, 1, 4}, {64, 5, 2}, {80, 16, 16}};

/* Elimination has the bits of its documented order. Loops over the value types. */
START_TEST(elimination_has_its_order)
{
    const fur_batch_solver_options o = {.size = sizeof o, .method = "band"};
    rng r = rng_stream(40 + (uint64_t)_i);
    for (int isa = 0; isa_name(isa); isa++) {
        fur_context *context = context_make(isa_name(isa), 2);
        for (int k = 0; k < COUNT_OF(bands); k++) {
            int64_t count = draw_count(&r);
            fur_csr *a = batch_band_pattern(fur_context_host(context), &r, bands[k].rows,
                                            bands[k].lower, bands[k].upper);
            batch_trial t =
                batch_banded(a, (fur_value_type)_i, count, bands[k].lower, bands[k].upper, &r);
            batch_check_solve(context, &t, &o, k % 2 == 1, "band");
            batch_release(&t);
            fur_csr_destroy(a);
        }
        fur_context_destroy(context);
    }
}
END_TEST

typedef long double complex wide;

static wide widen(fur_value_type value, const void *entries, int64_t i)
{
    fur_scalar a = entry_get(value, entries, i);
    return (long double)a.re + (long double)a.im * I;
}

/* Computes the inverse of a dense matrix in long double, by elimination with pivoting. */
static void invert(int64_t n, wide *a, wide *inverse)
{
    for (int64_t i = 0; i < n * n; i++)
        inverse[i] = i % (n + 1) == 0;
    for (int64_t j = 0; j < n; j++) {
        int64_t pivot = j;
        for (int64_t i = j; i < n; i++)
            pivot = cabsl(a[i * n + j]) > cabsl(a[pivot * n + j]) ? i : pivot;
        for (int64_t k = 0; k < n; k++) {
            wide one = a[pivot * n + k];
            wide two = inverse[pivot * n + k];
            a[pivot * n + k] = a[j * n + k];
            inverse[pivot * n + k] = inverse[j * n + k];
            a[j * n + k] = one;
            inverse[j * n + k] = two;
        }
        for (int64_t i = 0; i < n; i++) {
            wide factor = a[i * n + j] / a[j * n + j];
            for (int64_t k = 0; i != j && k < n; k++) {
                a[i * n + k] -= factor * a[j * n + k];
                inverse[i * n + k] -= factor * inverse[j * n + k];
            }
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            inverse[i * n + k] /= a[i * n + i];
}

/* Checks the error of elimination in a band. To first order, (A + E) x = b with |E| <= 3 w u |L|
 * |U| and w = lower + upper + 1 (Higham 2002, theorem 9.3: a row of U takes part in w of a row's
 * sums). |L| <= 1, and pivoting within a band makes entries of U at most 2^(2 lower) times the
 * entries of A (Higham 2002, section 9.4). So an entry of E is at most 4 w^2 u 2^(2 lower) max |A|,
 * and |x - A^-1 b| <= |A^-1| |E| |x|. Complex pivots are the largest by |re| + |im|, so |L| <=
 * sqrt(2). Entries of U grow by (1 + sqrt(2))^2 < 6 for a diagonal, and an operation rounds by up
 * to 2 sqrt(2) u. Then E is at most 32 w^2 u 6^lower max |A|. */
static void check_solution(const batch_trial *t, int64_t lower, int64_t upper, int64_t s,
                           const void *x)
{
    bool is_complex = value_is_complex(t->value);
    const fur_csr_view *v = fur_csr_get(t->matrix);
    int64_t n = v->rows;
    double w = (double)(lower + upper + 1);
    wide *a = calloc((size_t)(n * n), sizeof *a);
    wide *inverse = calloc((size_t)(n * n), sizeof *inverse);
    long double most = 0;
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += cabsl(widen(t->value, x, i * t->count + s));
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++) {
            wide entry = widen(t->value, t->values, k * t->count + s);
            a[i * n + v->columns[k]] = entry;
            most = fmaxl(most, cabsl(entry));
        }
    }
    long double error = (is_complex ? 32 : 4) * w * w * value_epsilon(t->value) / 2 *
                        pow(is_complex ? 6 : 4, (double)lower) * most * sum;
    invert(n, a, inverse);
    for (int64_t i = 0; i < n; i++) {
        wide exact = 0;
        long double norm = 0;
        for (int64_t j = 0; j < n; j++) {
            exact += inverse[i * n + j] * widen(t->value, t->b, j * t->count + s);
            norm += cabsl(inverse[i * n + j]);
        }
        long double off = cabsl(exact - widen(t->value, x, i * t->count + s));
        ck_assert_msg(off <= norm * error, "row %lld of system %lld is off by %Lg, may be by %Lg",
                      (long long)i, (long long)s, off, norm * error);
    }
    free(inverse);
    free(a);
}

/* Elimination is close to the exact solution. Loops over f64 and c128. */
START_TEST(elimination_is_near_the_solution)
{
    rng r = rng_stream(50 + (uint64_t)_i);
    fur_context *context = context_cpu(NULL, 2);
    for (int k = 0; k < COUNT_OF(bands) - 1; k++) {
        fur_csr *a = batch_band_pattern(context, &r, bands[k].rows, bands[k].lower, bands[k].upper);
        batch_trial t = batch_banded(a, _i ? FUR_C128 : FUR_F64, _i ? 3 : 9, bands[k].lower,
                                     bands[k].upper, &r);
        for (int64_t s = 0; s < t.count; s++)
            if (t.results[s].outcome == FUR_OUTCOME_CONVERGED)
                check_solution(&t, bands[k].lower, bands[k].upper, s, t.expected);
        batch_release(&t);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

/* Two systems with two unknowns. */
typedef struct pair {
    fur_context *context;
    fur_csr *a;
    fur_vectors *values;
    fur_vectors *b;
    fur_vectors *x;
    fur_batch *batch;
} pair;

static pair pair_open(void)
{
    const int32_t offsets[] = {0, 2, 4};
    const int32_t columns[] = {0, 1, 0, 1};
    const double ones[] = {1, 1, 1, 1};
    const double values[] = {2, 1, 1, 1, 1, 1, 2, 1}; /* [2 1; 1 2] and [1 1; 1 1] */
    const double right[] = {3, 1, 3, 1};
    fur_csr_view view = {sizeof view, 2, 2, 4, FUR_F64, FUR_I32, offsets, columns, ones};
    pair p = {.context = context_make(NULL, 1)};
    ck_ok(p.context, fur_csr_create(p.context, &view, FUR_OWNERSHIP_COPY, &p.a));
    ck_ok(p.context, fur_vectors_create(p.context, FUR_F64, 4, 2, FUR_LAYOUT_ROWS, &p.values));
    ck_ok(p.context, fur_vectors_create(p.context, FUR_F64, 2, 2, FUR_LAYOUT_ROWS, &p.b));
    ck_ok(p.context, fur_vectors_create(p.context, FUR_F64, 2, 2, FUR_LAYOUT_ROWS, &p.x));
    ck_ok(p.context, fur_vectors_upload(values, p.values));
    ck_ok(p.context, fur_vectors_upload(right, p.b));
    ck_ok(p.context, fur_batch_create(p.a, p.values, &p.batch));
    return p;
}

static void pair_close(pair *p)
{
    fur_batch_destroy(p->batch);
    fur_vectors_destroy(p->x);
    fur_vectors_destroy(p->b);
    fur_vectors_destroy(p->values);
    fur_csr_destroy(p->a);
    fur_context_destroy(p->context);
}

START_TEST(a_singular_system_is_named)
{
    pair p = pair_open();
    const fur_batch_solver_options o = {.size = sizeof o, .method = "band"};
    fur_batch_solver *solver = NULL;
    fur_batch_result results[2];
    fur_batch_report report = FUR_DEFAULT(fur_batch_report);
    double x[4];
    ck_ok(p.context, fur_batch_solver_create(p.batch, &o, &solver));
    ck_ok(p.context, fur_batch_solve(solver, p.b, p.x, results, &report));
    ck_ok(p.context, fur_vectors_download(p.x, x));
    ck_assert_int_eq(report.solved, 1);
    ck_assert_int_eq(report.first_unsolved, 1);
    ck_assert_int_eq(report.outcome, FUR_OUTCOME_SINGULAR);
    ck_assert_int_eq(results[0].outcome, FUR_OUTCOME_CONVERGED);
    ck_assert(x[0] == 1 && x[2] == 1 && isnan(x[1]) && isnan(x[3]));
    ck_ok(p.context, fur_batch_solve(solver, p.b, p.b, NULL, NULL)); /* in place */
    ck_ok(p.context, fur_vectors_download(p.b, x));
    ck_assert(x[0] == 1 && x[2] == 1);
    fur_batch_solver_destroy(solver);
    pair_close(&p);
}
END_TEST

/* A batch reads its values at every use, so it uses new values. */
START_TEST(new_values_are_used)
{
    pair p = pair_open();
    const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1};
    double y[4];
    ck_ok(p.context, fur_batch_apply(p.batch, fur_real(1), p.b, fur_real(0), p.x));
    ck_ok(p.context, fur_vectors_download(p.x, y));
    ck_assert(y[0] == 9 && y[1] == 2);
    ck_ok(p.context, fur_vectors_upload(ones, p.values));
    ck_ok(p.context, fur_batch_apply(p.batch, fur_real(1), p.b, fur_real(0), p.x));
    ck_ok(p.context, fur_vectors_download(p.x, y));
    ck_assert(y[0] == 6 && y[1] == 2);
    pair_close(&p);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    pair p = pair_open();
    fur_vectors *other = NULL;
    fur_batch *batch = NULL;
    fur_batch_solver *solver = NULL;
    fur_batch_solver_options o = {.size = sizeof o, .method = "lu"};
    ck_ok(p.context, fur_vectors_create(p.context, FUR_F64, 4, 2, FUR_LAYOUT_COLUMNS, &other));
    ck_fails(p.context, FUR_INVALID,
             "the block of values is in column-major order; a batch needs row-major order: copy it "
             "to a row-major block by fur_vectors_copy",
             fur_batch_create(p.a, other, &batch));
    ck_fails(p.context, FUR_INVALID,
             "the values have 2 rows, but the pattern has 4 entries; give one row for each entry "
             "and one column for each system",
             fur_batch_create(p.a, p.b, &batch));
    ck_fails(p.context, FUR_INVALID, "X has 4 x 2 entries, but 2 systems need 2 x 2",
             fur_batch_apply(p.batch, fur_real(1), other, fur_real(0), p.x));
    ck_fails(p.context, FUR_INVALID, "X and Y overlap in memory; give each a separate array",
             fur_batch_apply(p.batch, fur_real(1), p.x, fur_real(0), p.x));
    ck_fails(p.context, FUR_UNSUPPORTED, "there is no method \"lu\" for batches; use cg or band",
             fur_batch_solver_create(p.batch, &o, &solver));
    o = (fur_batch_solver_options){.size = sizeof o, .rtol = -1};
    ck_fails(p.context, FUR_INVALID, "rtol, atol and max_iterations must not be negative",
             fur_batch_solver_create(p.batch, &o, &solver));
    ck_assert_ptr_null(batch);
    ck_assert_ptr_null(solver);
    fur_vectors_destroy(other);
    pair_close(&p);
}
END_TEST

START_TEST(a_wide_band_is_refused)
{
    rng r = rng_stream(60);
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = batch_band_pattern(context, &r, 40, 17, 2);
    const fur_batch_solver_options o = {.size = sizeof o, .method = "band"};
    fur_vectors *values = NULL;
    fur_batch *batch = NULL;
    fur_batch_solver *solver = NULL;
    ck_ok(context, fur_vectors_create(context, FUR_F64, fur_csr_get(a)->entries, 3, FUR_LAYOUT_ROWS,
                                      &values));
    ck_ok(context, fur_batch_create(a, values, &batch));
    ck_fails(context, FUR_UNSUPPORTED,
             "the pattern has 17 diagonals below and 2 above the main diagonal; method \"band\" "
             "accepts at most 16 on each side: reorder the rows by fur_reorder, or use cg",
             fur_batch_solver_create(batch, &o, &solver));
    fur_batch_destroy(batch);
    fur_vectors_destroy(values);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(without_its_pattern_a_batch_refuses)
{
    pair p = pair_open();
    fur_batch_solver *solver = NULL;
    ck_ok(p.context, fur_batch_solver_create(p.batch, NULL, &solver));
    fur_csr_destroy(p.a);
    p.a = NULL;
    ck_fails(
        p.context, FUR_INVALID,
        "the batch cannot be used any more, because an object that it was created from has been "
        "destroyed",
        fur_batch_apply(p.batch, fur_real(1), p.b, fur_real(0), p.x));
    ck_fails(
        p.context, FUR_INVALID,
        "the solver cannot be used any more, because an object that it was created from has been "
        "destroyed",
        fur_batch_solve(solver, p.b, p.x, NULL, NULL));
    fur_batch_destroy(p.batch);
    p.batch = NULL;
    ck_fails(
        p.context, FUR_INVALID,
        "the solver cannot be used any more, because an object that it was created from has been "
        "destroyed",
        fur_batch_solve(solver, p.b, p.x, NULL, NULL));
    fur_batch_solver_destroy(solver);
    pair_close(&p);
}
END_TEST

START_TEST(no_systems_are_solved)
{
    pair p = pair_open();
    fur_vectors *none = NULL;
    fur_vectors *x = NULL;
    fur_vectors *y = NULL;
    fur_batch *batch = NULL;
    fur_batch_solver *solver = NULL;
    fur_batch_report report = FUR_DEFAULT(fur_batch_report);
    ck_ok(p.context, fur_vectors_columns(p.values, 0, 0, &none));
    ck_ok(p.context, fur_vectors_columns(p.b, 0, 0, &x));
    ck_ok(p.context, fur_vectors_columns(p.x, 0, 0, &y));
    ck_ok(p.context, fur_batch_create(p.a, none, &batch));
    ck_assert_int_eq(fur_batch_count(batch), 0);
    ck_ok(p.context, fur_batch_apply(batch, fur_real(1), x, fur_real(0), y));
    ck_ok(p.context, fur_batch_solver_create(batch, NULL, &solver));
    ck_ok(p.context, fur_batch_solve(solver, x, y, NULL, &report));
    ck_assert_int_eq(report.solved, 0);
    ck_assert_int_eq(report.first_unsolved, -1);
    fur_batch_solver_destroy(solver);
    fur_batch_destroy(batch);
    fur_vectors_destroy(y);
    fur_vectors_destroy(x);
    fur_vectors_destroy(none);
    pair_close(&p);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_turns(tests, products_have_the_bits_of_single_ones, FUR_VALUE_COUNT, 2);
    tcase_add_turns(tests, cg_ends_as_alone, FUR_VALUE_COUNT, 2);
    tcase_add_turns(tests, cg_ends_as_alone_with_thousands_of_rows, FUR_VALUE_COUNT, 2);
    tcase_add_loop_test(tests, elimination_has_its_order, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_guess_that_is_not_finite_is_a_breakdown, 0, FUR_VALUE_COUNT);
    if (!on_gpu())
        tcase_add_loop_test(tests, elimination_is_near_the_solution, 0, 2);
    tcase_add_test(tests, a_singular_system_is_named);
    tcase_add_test(tests, new_values_are_used);
    tcase_add_test(tests, what_does_not_fit_is_refused);
    tcase_add_test(tests, a_wide_band_is_refused);
    tcase_add_test(tests, without_its_pattern_a_batch_refuses);
    tcase_add_test(tests, no_systems_are_solved);
}

int main(void)
{
    return run_tests("batch", add);
}
