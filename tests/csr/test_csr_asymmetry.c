/* Entries by position are compared with dense rows. The first pair that breaks a symmetry is
 * compared with the result of a simple search. */
#include "support.h"

#include <math.h>
#include <string.h>

/* ROWS is small enough for a simple search. LARGE is large enough for several threads. */
#define ROWS 40
#define LARGE 3000

static void check_entries(const fur_csr *a)
{
    const fur_csr_view *v = fur_csr_get(a);
    fur_scalar *row = malloc(((size_t)v->cols + 1) * sizeof *row);
    for (int64_t i = 0; i < v->rows; i++) {
        memset(row, 0, (size_t)v->cols * sizeof *row);
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++)
            row[v->columns[k]] = entry_get(v->value_type, v->values, k);
        for (int64_t j = 0; j < v->cols; j += 1 + v->cols / 50) {
            fur_scalar entry = {NAN, NAN};
            ck_ok(fur_csr_context(a), fur_csr_entry(a, i, j, &entry));
            if (entry.re != row[j].re || entry.im != row[j].im)
                ck_abort_msg("A(%lld, %lld) = %g", (long long)i, (long long)j, entry.re);
        }
    }
    free(row);
}

/* Every entry is found by its position. Loops over the shapes. */
START_TEST(entries_are_found_by_their_position)
{
    rng r = rng_stream((uint64_t)_i);
    fur_context *context = context_make(NULL, 1);
    fur_value_type value = (fur_value_type)(_i % FUR_VALUE_COUNT);
    fur_csr *a = matrix_random(context, &r, &shapes[_i], value, (fur_offset_type)(_i % 2));
    check_entries(a);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* A matrix as a list of random entries. The opposite of each entry is also in the list. */
typedef struct mirrored {
    int64_t n;
    int64_t count;
    int32_t *rows;
    int32_t *cols;
    double *values; /* pairs of real and imaginary parts */
} mirrored;

static void store(mirrored *m, int64_t i, int64_t j, double re, double im)
{
    m->rows[m->count] = (int32_t)i;
    m->cols[m->count] = (int32_t)j;
    m->values[2 * m->count] = re;
    m->values[2 * m->count++ + 1] = im;
}

/* Draws complex entries, each with its mirror image. An entry on the diagonal is its own mirror
 * image. */
static mirrored mirrored_make(rng *r, int64_t n, int64_t pairs, fur_symmetry symmetry)
{
    mirrored m = {.n = n};
    char *taken = calloc((size_t)(n * n), 1);
    double sign = symmetry == FUR_SYMMETRY_SKEW ? -1 : 1;
    double im_sign = symmetry == FUR_SYMMETRY_HERMITIAN ? -1 : sign;
    m.rows = malloc((size_t)(2 * pairs) * sizeof *m.rows);
    m.cols = malloc((size_t)(2 * pairs) * sizeof *m.cols);
    m.values = malloc((size_t)(4 * pairs) * sizeof *m.values);
    for (int64_t p = 0; p < pairs; p++) {
        int64_t i = rng_below(r, n);
        int64_t j = rng_below(r, n);
        double re = rng_unit(r);
        double im = rng_unit(r);
        if (taken[i * n + j]++ || (i != j && taken[j * n + i]++))
            continue;
        if (i != j)
            store(&m, j, i, sign * re, im_sign * im);
        store(&m, i, j, i == j && sign < 0 ? 0 : re, i == j && im_sign < 0 ? -0.0 : im);
    }
    free(taken);
    return m;
}

static void mirrored_release(mirrored *m)
{
    free(m->values);
    free(m->cols);
    free(m->rows);
}

static fur_csr *mirrored_matrix(fur_context *context, const mirrored *m)
{
    fur_coo_view coo = {sizeof coo, m->n, m->n, m->count, FUR_C128, m->rows, m->cols, m->values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    return a;
}

/* Returns 1 if the opposite of entry k fits the symmetry, 0 if it does not, and -1 if it is
 * missing. */
static int opposite_fits(const mirrored *m, int64_t k, fur_symmetry symmetry)
{
    for (int64_t l = 0; l < m->count; l++) {
        if (m->rows[l] != m->cols[k] || m->cols[l] != m->rows[k])
            continue;
        double sign = symmetry == FUR_SYMMETRY_SKEW ? -1 : 1;
        double im_sign = symmetry == FUR_SYMMETRY_HERMITIAN ? -1 : sign;
        const double *x = m->values + 2 * k;
        const double *y = m->values + 2 * l;
        return symmetry == FUR_SYMMETRY_PATTERN || (x[0] == sign * y[0] && x[1] == im_sign * y[1]);
    }
    return -1;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Returns the first pair that breaks the symmetry. Pairs are ordered by the smaller of their two
 * indices, then by the larger. */
static fur_csr_asymmetry naive(const mirrored *m, fur_symmetry symmetry)
{
    fur_csr_asymmetry found = {0};
    int64_t first = INT64_MAX;
    for (int64_t k = 0; k < m->count; k++) {
        int fits = opposite_fits(m, k, symmetry);
        int64_t i = m->rows[k];
        int64_t j = m->cols[k];
        int64_t place = smaller(i, j) * m->n + (i + j - smaller(i, j));
        if (fits == 1 || place > first || (place == first && i > j))
            continue;
        first = place;
        found.found = 1;
        found.row = i;
        found.col = j;
        found.missing = fits == -1;
    }
    return found;
}

static void check_found(const fur_csr *a, const mirrored *m, fur_symmetry symmetry)
{
    fur_csr_asymmetry expected = naive(m, symmetry);
    fur_csr_asymmetry found = FUR_DEFAULT(fur_csr_asymmetry);
    fur_scalar entry = {0, 0};
    fur_scalar opposite = {0, 0};
    fur_context *context = fur_csr_context(a);
    ck_ok(context, fur_csr_find_asymmetry(a, symmetry, &found));
    ck_assert_int_eq(found.found, expected.found);
    ck_assert_int_eq(found.row, expected.row);
    ck_assert_int_eq(found.col, expected.col);
    ck_assert_int_eq(found.missing, expected.missing);
    if (found.found) {
        ck_ok(context, fur_csr_entry(a, found.row, found.col, &entry));
        ck_ok(context, fur_csr_entry(a, found.col, found.row, &opposite));
    }
    ck_assert(found.entry.re == entry.re && found.entry.im == entry.im);
    ck_assert(found.opposite.re == opposite.re && found.opposite.im == opposite.im);
}

/* Changes the value of a random entry, or removes the entry. */
static void spoil(mirrored *m, rng *r)
{
    int64_t k = rng_below(r, m->count);
    if (rng_below(r, 2)) {
        m->values[2 * k + rng_below(r, 2)] += 1;
        return;
    }
    m->count--;
    m->rows[k] = m->rows[m->count];
    m->cols[k] = m->cols[m->count];
    memcpy(m->values + 2 * k, m->values + 2 * m->count, 2 * sizeof *m->values);
}

/* The first pair that breaks a symmetry is found. Loops over the symmetries. */
START_TEST(the_first_pair_that_breaks_a_symmetry_is_named)
{
    rng r = rng_stream(100 + (uint64_t)_i);
    for (int round = 0; round < 200; round++) {
        fur_context *context = context_make(NULL, 1 + round % 3);
        mirrored m = mirrored_make(&r, 1 + rng_below(&r, ROWS), 1 + rng_below(&r, 3 * ROWS),
                                   (fur_symmetry)_i);
        for (int spoilt = 0; spoilt < 4 && m.count > 0; spoilt++) {
            fur_csr *a = mirrored_matrix(context, &m);
            for (int symmetry = 0; symmetry <= FUR_SYMMETRY_SKEW; symmetry++)
                check_found(a, &m, (fur_symmetry)symmetry);
            fur_csr_destroy(a);
            spoil(&m, &r);
        }
        mirrored_release(&m);
        fur_context_destroy(context);
    }
}
END_TEST

/* Several threads find the first of several faults. Loops over numbers of threads. */
START_TEST(threads_find_the_first)
{
    fur_context *context = context_make(NULL, 1 + _i);
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {LARGE, 10}};
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    fur_csr_asymmetry found = FUR_DEFAULT(fur_csr_asymmetry);
    ck_assert_int_eq(fur_stencil_named(9, &d), 1);
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_stencil_assemble(s, &a));
    ck_ok(context, fur_csr_find_asymmetry(a, FUR_SYMMETRY_SYMMETRIC, &found));
    ck_assert_int_eq(found.found, 0);
    const fur_csr_view *v = fur_csr_get(a);
    double *values = (double *)(uintptr_t)v->values;
    for (int64_t row = 10 * LARGE - 5; row > 2 * LARGE; row -= LARGE / 2) {
        values[offset_at(v, row)] = 9; /* A(row, row - LARGE - 1) */
        fur_csr_values_changed(a);
        ck_ok(context, fur_csr_find_asymmetry(a, FUR_SYMMETRY_SYMMETRIC, &found));
        ck_assert_int_eq(found.row, v->columns[offset_at(v, row)]);
        ck_assert_int_eq(found.col, row);
        ck_assert_double_eq(found.entry.re, -1);
        ck_assert_double_eq(found.opposite.re, 9);
    }
    fur_csr_destroy(a);
    fur_stencil_destroy(s);
    fur_context_destroy(context);
}
END_TEST

/* Entries of one position are added in their order. A different order breaks the symmetry. */
START_TEST(kept_duplicates_are_summed_and_compared_in_their_order)
{
    static const int32_t rows[] = {0, 0, 1, 1}, cols[] = {1, 1, 0, 0};
    static const double same[] = {1, 2, 1, 2}, turned[] = {1, 2, 2, 1};
    fur_context *context = context_make(NULL, 1);
    for (int i = 0; i < 2; i++) {
        fur_coo_view coo = {sizeof coo, 2, 2, 4, FUR_F64, rows, cols, i ? turned : same};
        fur_csr *a = NULL;
        fur_csr_asymmetry found = FUR_DEFAULT(fur_csr_asymmetry);
        fur_scalar entry;
        ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
        ck_ok(context, fur_csr_entry(a, 0, 1, &entry));
        ck_assert_double_eq(entry.re, 3);
        ck_ok(context, fur_csr_find_asymmetry(a, FUR_SYMMETRY_SYMMETRIC, &found));
        ck_assert_int_eq(found.found, i);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
}
END_TEST

/* 0 equals -0, and a NaN equals a NaN. */
START_TEST(numbers_are_compared_not_bits)
{
    static const int32_t rows[] = {0, 0, 1, 1, 2, 2}, cols[] = {1, 2, 0, 2, 0, 1};
    static const float numbers[] = {0.0F, NAN, -0.0F, 5, -NAN, 5};
    fur_context *context = context_make(NULL, 1);
    fur_coo_view coo = {sizeof coo, 3, 3, 6, FUR_F32, rows, cols, numbers};
    fur_csr *a = NULL;
    fur_csr_asymmetry found = FUR_DEFAULT(fur_csr_asymmetry);
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_csr_find_asymmetry(a, FUR_SYMMETRY_HERMITIAN, &found));
    ck_assert_int_eq(found.found, 0);
    ck_ok(context, fur_csr_find_asymmetry(a, FUR_SYMMETRY_SKEW, &found));
    ck_assert(found.found && found.row == 1 && found.col == 2 && !found.missing);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(what_cannot_be_asked_is_refused)
{
    rng r = rng_stream(5);
    fur_context *context = context_make(NULL, 1);
    fur_csr *a = matrix_random(context, &r, &shapes[shape_find("full")], FUR_F64, FUR_I32);
    fur_csr_asymmetry found = FUR_DEFAULT(fur_csr_asymmetry);
    fur_scalar entry;
    ck_fails(context, FUR_INVALID, "the matrix is 23 x 29; only a square matrix can be symmetric",
             fur_csr_find_asymmetry(a, FUR_SYMMETRY_PATTERN, &found));
    ck_fails(context, FUR_INVALID, "9 is not a symmetry",
             fur_csr_find_asymmetry(a, (fur_symmetry)9, &found));
    ck_fails(
        context, FUR_INVALID,
        "(24, 1), counting from 1, is outside the 23 x 29 matrix; indices in memory count from 0",
        fur_csr_entry(a, 23, 0, &entry));
    ck_assert_int_eq(fur_csr_entry(a, 0, 29, &entry), FUR_INVALID);
    ck_assert_int_eq(fur_csr_entry(a, -1, 0, &entry), FUR_INVALID);
    ck_assert_int_eq(fur_csr_entry(a, 0, -1, &entry), FUR_INVALID);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, entries_are_found_by_their_position, 0, shape_count);
    tcase_add_loop_test(tests, the_first_pair_that_breaks_a_symmetry_is_named, 0,
                        FUR_SYMMETRY_SKEW + 1);
    tcase_add_loop_test(tests, threads_find_the_first, 0, 3);
    tcase_add_test(tests, kept_duplicates_are_summed_and_compared_in_their_order);
    tcase_add_test(tests, numbers_are_compared_not_bits);
    tcase_add_test(tests, what_cannot_be_asked_is_refused);
}

int main(void)
{
    return run_tests("csr_asymmetry", add_tests);
}
