/* Tests of incomplete factorisations. Their values equal the plain serial algorithm's bit for bit,
 * for any number of threads. They are within a bound of exact factors and take a known number of
 * iterations. Also: breakdowns, new values, refusals. */
#include "duplicates.h"
#include "plain_factors.h"
#include "poisson.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const form forms[] = {{"ic0", 0, true, true, 0},    {"ic0", 1, false, true, 0},
                             {"ilu0", 0, false, false, 0}, {"ilu0", 1, false, false, 0},
                             {"ilu", 0, false, false, 1},  {"ilu", 1, false, false, 3}};

static fur_scalar conjugate(fur_scalar a)
{
    return fur_complex(a.re, -a.im);
}

/* Makes a random matrix with a dominant diagonal and a symmetric pattern. It has the neighbours of
 * a grid, and `most` of 1000 other entries. If `hermitian`, it is Hermitian. */
static fur_csr *make(fur_context *context, rng *r, int64_t n, int most, bool hermitian,
                     fur_value_type value, fur_offset_type offset)
{
    size_t all = (size_t)(n * n) + 1;
    int32_t *row = malloc(all * sizeof *row);
    int32_t *col = malloc(all * sizeof *col);
    void *values = entries_make(value, n * n + 1);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            fur_scalar v = rng_scalar(r, value);
            bool near = i - j == 1 || i - j == 13;
            if (i != j && !near && rng_below(r, 1000) >= most)
                continue;
            row[count] = (int32_t)i;
            col[count] = (int32_t)j;
            double largest = most > 500 ? (double)n : 12;
            fur_scalar d = {largest + v.re, hermitian ? 0 : v.im};
            entry_set(value, values, count++, i == j ? d : v);
            if (i == j)
                continue;
            row[count] = (int32_t)j;
            col[count] = (int32_t)i;
            entry_set(value, values, count++, hermitian ? conjugate(v) : rng_scalar(r, value));
        }
    fur_coo_view coo = {sizeof coo, n, n, count, value, row, col, values};
    fur_csr *a = NULL;
    fur_csr *wide = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_csr_convert(a, value, offset, &wide));
    fur_csr_destroy(a);
    free(values);
    free(col);
    free(row);
    return wide;
}

static fur_factor_options factors_of(const form *f, double shift)
{
    return (fur_factor_options){.size = sizeof(fur_factor_options),
                                .fill = f->fill,
                                .modified = f->modified,
                                .shift = shift};
}

static fur_precond *precond_make(const fur_csr *a, const form *f, double shift)
{
    fur_factor_options factors = factors_of(f, shift);
    fur_precond_options o = {.size = sizeof o, .kind = f->kind, .factors = &factors};
    fur_precond *p = NULL;
    ck_ok(fur_csr_context(a), fur_precond_create(a, &o, &p));
    return p;
}

/* Factors have the bits of the plain algorithm. Loops over value types and forms. Small sizes use
 * one task, large sizes several. */
START_TEST(factors_have_the_bits_of_the_plain_algorithm)
{
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    const form *f = &forms[_i / FUR_VALUE_COUNT];
    static const int64_t sizes[] = {0, 1, 40, 200};
    rng r = rng_stream(920 + (uint64_t)_i);
    for (int s = 0; s < (TEST_SLOW ? 3 : 4); s++)
        for (int threads = 1; threads <= 8; threads += 7) {
            fur_context *context = context_make(NULL, threads);
            int64_t n = sizes[s];
            fur_csr *a =
                make(context, &r, n, 5, f->hermitian, value, (fur_offset_type)(threads > 1));
            fur_vector *b = vector_random(context, &r, value, n);
            fur_vector *z = vector_random(context, &r, value, n);
            fur_precond *p = precond_make(a, f, 0);
            ck_ok(context, fur_precond_apply(p, b, z));
            apply_plainly(a, f, b);
            ck_same_bits(b, z);
            ck_assert(fur_precond_describe(p)->shift == 0);
            ck_assert_int_eq(fur_precond_describe(p)->symmetric, f->hermitian);
            fur_precond_destroy(p);
            fur_vector_destroy(z);
            fur_vector_destroy(b);
            fur_csr_destroy(a);
            fur_context_destroy(context);
        }
}
END_TEST

/* Larger factors, with several tasks for each thread, have the bits of one thread. */
START_TEST(factors_have_the_same_bits_by_any_number_of_threads)
{
    const form *f = &forms[_i];
    int64_t n = TEST_SLOW ? 12 : 24;
    void *first = NULL;
    for (int threads = 1; threads <= 8; threads = threads < 4 ? threads + 1 : threads + 4) {
        fur_context *context = context_make(NULL, threads);
        fur_csr *a = poisson_make(context, n);
        fur_vector *b = NULL;
        fur_vector *z = NULL;
        ck_ok(context, fur_vector_create(context, FUR_F64, n * n * n, &b));
        ck_ok(context, fur_vector_create(context, FUR_F64, n * n * n, &z));
        ck_ok(context, fur_vector_fill(b, fur_real(0.3)));
        fur_precond *p = precond_make(a, f, 0);
        ck_ok(context, fur_precond_apply(p, b, z));
        void *own = vector_entries(z);
        if (first)
            ck_assert_int_eq(first_difference(FUR_F64, n * n * n, first, own), -1);
        free(first);
        first = own;
        fur_precond_destroy(p);
        fur_vector_destroy(z);
        fur_vector_destroy(b);
        fur_csr_destroy(a);
        fur_context_destroy(context);
    }
    free(first);
}
END_TEST

/* The factors of a full matrix are complete, and M is its inverse: |A z - b| <= c n^2 u |A| |z|. c
 * includes the growth of the factors, which is at most 2 if the diagonal dominates. */
START_TEST(factors_of_a_full_matrix_solve)
{
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    const form *f = &forms[_i / FUR_VALUE_COUNT];
    rng r = rng_stream(970 + (uint64_t)_i);
    fur_context *context = context_make(NULL, 2);
    int64_t n = 30;
    fur_csr *a = make(context, &r, n, 1000, f->hermitian, value, FUR_I32);
    fur_vector *b = vector_random(context, &r, value, n);
    fur_vector *z = vector_random(context, &r, value, n);
    fur_precond *p = precond_make(a, f, 0);
    fur_spmv *plan = NULL;
    double norm;
    ck_ok(context, fur_precond_apply(p, b, z));
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_spmv_apply(plan, fur_real(-1), z, fur_real(1), b));
    ck_ok(context, fur_norm2(b, &norm));
    /* |A|_inf <= n + 1 + 1.5 n, |z| <= 3 |b| / n, and 8 n u for each triangle, twice for complex */
    ck_assert_msg(norm <= 200 * (double)n * value_epsilon(value), "%g", norm);
    fur_spmv_destroy(plan);
    fur_precond_destroy(p);
    fur_vector_destroy(z);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Modified factors keep row sums: M^-1 e = A e, so M (A e) = e. */
START_TEST(modified_factors_keep_row_sums)
{
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = poisson_make(context, 8);
    const form *f = &forms[_i == 0 ? 1 : 3];
    fur_precond *p = precond_make(a, f, 0);
    fur_spmv *plan = NULL;
    fur_vector *e = NULL;
    fur_vector *sums = NULL;
    double norm;
    ck_ok(context, fur_vector_create(context, FUR_F64, 512, &e));
    ck_ok(context, fur_vector_create(context, FUR_F64, 512, &sums));
    ck_ok(context, fur_vector_fill(e, fur_real(1)));
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), e, fur_real(0), sums));
    ck_ok(context, fur_precond_apply(p, sums, e));
    ck_ok(context, fur_vector_fill(sums, fur_real(1)));
    ck_ok(context, fur_axpby(fur_real(-1), sums, fur_real(1), e));
    ck_ok(context, fur_norm_max(e, &norm));
    ck_assert_msg(norm <= 1e-10, "%g", norm); /* its condition is below 100 */
    fur_vector_destroy(sums);
    fur_vector_destroy(e);
    fur_spmv_destroy(plan);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Iterations are as known: of PCG to 1e-8 for N = 10, 20, 32, and of stationary iterations with LU
 * factors, as in the tests of another library. */
START_TEST(known_iterations_are_taken)
{
    static const int64_t extent[] = {10, 20, 32};
    static const int64_t ic0[] = {14, 24, 36};
    fur_context *context = context_make(NULL, 2);
    for (int i = 0; i < (TEST_SLOW ? 1 : 3); i++) {
        fur_precond_options o = {.size = sizeof o, .kind = "ic0"};
        fur_csr *a = poisson_make(context, extent[i]);
        ck_assert_int_eq(poisson_iterations(a, "cg", &o, NULL), ic0[i]);
        o.kind = "ic0:modified";
        /* the condition number grows as 1 / h, not 1 / h^2, which pays on fine grids */
        ck_assert_int_le(poisson_iterations(a, "cg", &o, NULL), ic0[i] + (i == 0));
        fur_csr_destroy(a);
    }
    fur_csr *a = poisson_make(context, 10);
    fur_precond_options o = {.size = sizeof o, .kind = "ilu0"};
    double residual;
    ck_assert_int_eq(poisson_stationary(a, &o, &residual), 85);
    ck_assert_msg(fabs(residual - 9.266244e-9) < 1e-15, "%.7g", residual);
    o.kind = "ilu"; /* one level of fill-in */
    ck_assert_int_eq(poisson_stationary(a, &o, &residual), 40);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* The option `coloured` factors in the order of the colours. With red-black order, cg takes the
 * known number of iterations. M is P^T M' P, where M' is made from the permuted matrix. This holds
 * before and after new values. */
START_TEST(colours_are_an_order)
{
    static const int64_t extent[] = {10, 20, 32};
    static const int64_t red_black[] = {13, 26, 41};
    fur_context *context = context_make(NULL, 3);
    rng r = rng_stream(1090);
    for (int i = 0; i < (TEST_SLOW ? 1 : 3); i++) {
        fur_precond_options o = {.size = sizeof o, .kind = "ic0:coloured"};
        fur_csr *a = poisson_make(context, extent[i]);
        fur_precond *p = NULL;
        ck_assert_int_eq(poisson_iterations(a, "cg", &o, NULL), red_black[i]);
        ck_ok(context, fur_precond_create(a, &o, &p));
        ck_assert_int_eq(fur_precond_describe(p)->levels, 2);
        fur_precond_destroy(p);
        fur_csr_destroy(a);
    }
    for (int k = 0; k < COUNT_OF(forms); k++) {
        const form *f = &forms[k];
        fur_factor_options factors = factors_of(f, 0);
        fur_precond_options o = {.size = sizeof o, .kind = f->kind, .factors = &factors};
        factors.coloured = 1;
        fur_csr *a = make(context, &r, 90, 30, f->hermitian, FUR_C128, FUR_I32);
        fur_vector *b = vector_random(context, &r, FUR_C128, 90);
        fur_vector *x = vector_random(context, &r, FUR_C128, 90);
        fur_vector *z = vector_random(context, &r, FUR_C128, 90);
        fur_vector *d = vector_random(context, &r, FUR_C128, 90);
        fur_classes *colours = NULL;
        fur_permutation *order = NULL;
        fur_precond *p = NULL;
        ck_ok(context, fur_precond_create(a, &o, &p));
        ck_ok(context, fur_classes_from_colours(a, NULL, &colours));
        ck_ok(context, fur_classes_order(colours, &order));
        for (int turn = 0; turn < 2; turn++) {
            fur_csr *permuted = NULL;
            ck_ok(context, fur_csr_permute(a, order, order, &permuted));
            ck_ok(context, fur_vector_permute(order, b, x));
            apply_plainly(permuted, f, x);
            ck_ok(context, fur_vector_unpermute(order, x, z));
            ck_ok(context, fur_precond_apply(p, b, x));
            ck_same_bits(x, z);
            fur_csr_destroy(permuted);
            ck_ok(context, fur_vector_fill(d, fur_real(3)));
            ck_ok(context, fur_csr_scale(a, d, d));
            ck_ok(context, fur_precond_update(p));
        }
        fur_permutation_destroy(order);
        fur_classes_destroy(colours);
        fur_precond_destroy(p);
        fur_vector_destroy(d);
        fur_vector_destroy(z);
        fur_vector_destroy(x);
        fur_vector_destroy(b);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

/* A matrix with a negative pivot gets a shift. [1 2; 2 1] has a pivot of -3, so it is not positive
 * definite. */
START_TEST(breakdowns_are_shifted)
{
    const double values[] = {1, 2, 2, 1};
    const int32_t offsets[] = {0, 2, 4};
    const int32_t columns[] = {0, 1, 0, 1};
    const double zero_pivot[] = {2, 4, 1, 2};
    fur_csr_view view = {sizeof view, 2, 2, 4, FUR_F64, FUR_I32, offsets, columns, values};
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    fur_precond *p = precond_make(a, &forms[0], 0);
    /* the first 0.001 2^k with (1 + s)^2 > 4 */
    ck_assert(fabs(fur_precond_describe(p)->shift - 1.024) < 1e-12);
    fur_precond_destroy(p);
    p = precond_make(a, &forms[2], 0);
    ck_assert(fur_precond_describe(p)->shift == 0);
    ck_ok(context, fur_csr_set_values(a, zero_pivot, FUR_OWNERSHIP_COPY));
    ck_ok(context, fur_precond_update(p));
    ck_assert(fabs(fur_precond_describe(p)->shift - 0.001) < 1e-12);
    fur_precond_destroy(p);
    p = precond_make(a, &forms[2], 0.5);
    ck_assert(fur_precond_describe(p)->shift == 0.5);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* Factors of old values are used until the update. Afterwards the factors have the bits of the new
 * values. */
START_TEST(new_values_wait_for_the_update)
{
    memory m = {0};
    rng r = rng_stream(990 + (uint64_t)_i);
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    const form *f = &forms[_i / FUR_VALUE_COUNT];
    fur_context *context = context_counting(&m, NULL, 2);
    fur_csr *a = make(context, &r, 120, 20, f->hermitian, value, FUR_I32);
    fur_vector *b = vector_random(context, &r, value, 120);
    fur_vector *before = vector_random(context, &r, value, 120);
    fur_vector *z = vector_random(context, &r, value, 120);
    fur_vector *twos = vector_random(context, &r, value, 120);
    fur_precond *p = precond_make(a, f, 0);
    ck_ok(context, fur_vector_fill(twos, fur_real(1.5)));
    ck_ok(context, fur_precond_apply(p, b, before));
    ck_ok(context, fur_csr_scale(a, twos, twos));
    int64_t calls = m.calls;
    ck_ok(context, fur_precond_apply(p, b, z));
    ck_same_bits(before, z);
    ck_ok(context, fur_precond_update(p));
    ck_ok(context, fur_precond_apply(p, b, z));
    ck_assert_int_eq(m.calls, calls);
    apply_plainly(a, f, b);
    ck_same_bits(b, z);
    fur_precond_destroy(p);
    fur_vector_destroy(twos);
    fur_vector_destroy(z);
    fur_vector_destroy(before);
    fur_vector_destroy(b);
    fur_csr_destroy(a);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* Makes a matrix from coordinates. */
static fur_csr *from(fur_context *context, int64_t n, int64_t count, const int32_t *row,
                     const int32_t *col, const double *values, fur_duplicates duplicates)
{
    fur_coo_view coo = {sizeof coo, n, n, count, FUR_F64, row, col, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, duplicates, &a));
    return a;
}

START_TEST(useless_rows_are_named)
{
    static const int32_t at[] = {0, 1, 2};
    static const int32_t right[] = {0, 1, 1};
    static const double zero[] = {1, 0, 3};
    static const double minus[] = {1, -2, 3};
    static const double nan[] = {1, NAN, 3};
    fur_context *context = context_make(NULL, 1);
    const form *f = &forms[_i];
    fur_factor_options factors = {.size = sizeof factors, .modified = f->modified};
    fur_precond_options o = {.size = sizeof o, .kind = f->kind, .factors = &factors};
    fur_precond *p = NULL;
    fur_csr *a = from(context, 3, 3, at, right, minus, FUR_DUPLICATES_ERROR);
    ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "row 3, counting from 1, has no"));
    fur_csr_destroy(a);
    const double *const bad[] = {zero, nan, minus};
    for (int i = 0; i < (f->hermitian ? 3 : 2); i++) {
        a = from(context, 3, 3, at, at, bad[i], FUR_DUPLICATES_ERROR);
        ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
        ck_assert_ptr_nonnull(strstr(fur_context_error(context), "row 2, counting from 1"));
        fur_csr_destroy(a);
    }
    a = from(context, 3, 3, at, at, (const double[]){1, 2, 3}, FUR_DUPLICATES_ERROR);
    factors.shift = -1;
    ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "shift"));
    factors.shift = 0;
    factors.fill = -1;
    ck_assert_int_eq(fur_precond_create(a, &o, &p), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "fill"));
    factors.fill = 0;
    ck_assert_ptr_null(p);
    ck_ok(context, fur_precond_create(a, &o, &p));
    ck_ok(context, fur_csr_set_values(a, zero, FUR_OWNERSHIP_COPY));
    fur_vector *x = vector_from(context, FUR_F64, 3, minus);
    fur_vector *y = vector_from(context, FUR_F64, 3, minus);
    ck_ok(context, fur_precond_apply(p, x, y));
    ck_assert_int_eq(fur_precond_update(p), FUR_INVALID);
    ck_assert_int_eq(fur_precond_apply(p, x, y), FUR_INVALID);
    ck_assert_ptr_nonnull(strstr(fur_context_error(context), "row 2"));
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_precond_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(duplicates_count)
{
    const form *f = &forms[_i];
    fur_factor_options factors = factors_of(f, 0);
    fur_precond_options o = {.size = sizeof o, .kind = f->kind, .factors = &factors};
    rng r = rng_stream(995);
    check_duplicates(&r, &o);
}
END_TEST

static void add_tests(TCase *tests)
{
    int all = COUNT_OF(forms) * FUR_VALUE_COUNT;
    tcase_add_loop_test(tests, factors_have_the_bits_of_the_plain_algorithm, 0, all);
    tcase_add_loop_test(tests, factors_have_the_same_bits_by_any_number_of_threads, 0,
                        COUNT_OF(forms));
    tcase_add_loop_test(tests, factors_of_a_full_matrix_solve, 0, all);
    tcase_add_loop_test(tests, modified_factors_keep_row_sums, 0, 2);
    tcase_add_test(tests, known_iterations_are_taken);
    tcase_add_test(tests, colours_are_an_order);
    tcase_add_test(tests, breakdowns_are_shifted);
    tcase_add_loop_test(tests, new_values_wait_for_the_update, 0, all);
    tcase_add_loop_test(tests, useless_rows_are_named, 0, COUNT_OF(forms));
    tcase_add_loop_test(tests, duplicates_count, 0, COUNT_OF(forms));
}

int main(void)
{
    return run_tests("factors", add_tests);
}
