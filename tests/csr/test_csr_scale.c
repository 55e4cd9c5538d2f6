/* Scaling the rows and columns of a matrix, and eliminating unknowns. Both are compared with a
 * simple implementation for every shape, value type and offset width. The bits are the same for any
 * number of threads. Objects made from the matrix use the new values. Borrowed arrays are not
 * written. */
#include "support.h"

#include <math.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 8};

/* Returns a b. It is rounded once if real, and as in docs/numerics.md if complex. */
static fur_scalar times(fur_value_type value, fur_scalar a, fur_scalar b)
{
    fur_scalar product = {a.re * b.re, 0};
    if (value == FUR_C64)
        product = fur_complex(fmaf((float)-a.im, (float)b.im, (float)a.re * (float)b.re),
                              fmaf((float)a.im, (float)b.re, (float)a.re * (float)b.im));
    if (value == FUR_C128)
        product = fur_complex(fma(-a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im));
    return entry_round(value, product);
}

static fur_scalar at(const fur_vector *x, int64_t i)
{
    return entry_get(fur_vector_value_type(x), fur_vector_const_data(x), i);
}

/* Returns (r_i c_j) A(i, j). A vector that is NULL counts as ones. */
static fur_scalar scaled(fur_value_type value, fur_scalar a, const fur_vector *r, int64_t i,
                         const fur_vector *c, int64_t j)
{
    if (!r && !c)
        return a;
    fur_scalar factor = r && c ? times(value, at(r, i), at(c, j)) : r ? at(r, i) : at(c, j);
    return times(value, factor, a);
}

/* Checks that the matrix has these values and that its plan uses them. */
static void check_values(const fur_csr *a, const fur_spmv *plan, const void *expected, rng *r)
{
    const fur_csr_view *v = fur_csr_get(a);
    fur_context *context = fur_csr_context(a);
    fur_spmv_options plain = {.size = sizeof plain, .kernel = "reference"};
    fur_spmv *fresh = NULL;
    fur_vector *x = vector_random(context, r, v->value_type, v->cols);
    fur_vector *y = vector_random(context, r, v->value_type, v->rows);
    fur_vector *z = vector_random(context, r, v->value_type, v->rows);
    ck_assert_int_eq(first_difference(v->value_type, v->entries, v->values, expected), -1);
    ck_ok(context, fur_spmv_plan(a, &plain, &fresh));
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    ck_ok(context, fur_spmv_apply(fresh, fur_real(1), x, fur_real(0), z));
    ck_assert_int_eq(first_difference(v->value_type, v->rows, fur_vector_const_data(y),
                                      fur_vector_const_data(z)),
                     -1);
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_spmv_destroy(fresh);
}

/* Checks the scaling of rows (`sides` = 1), columns (2), both (3) or none (0). */
static void check_scaled(fur_csr *a, rng *random, int sides)
{
    const fur_csr_view *v = fur_csr_get(a);
    fur_context *context = fur_csr_context(a);
    fur_vector *r = sides & 1 ? vector_random(context, random, v->value_type, v->rows) : NULL;
    fur_vector *c = sides & 2 ? vector_random(context, random, v->value_type, v->cols) : NULL;
    void *expected = entries_make(v->value_type, v->entries);
    fur_spmv *plan = NULL;
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++)
            entry_set(v->value_type, expected, k,
                      scaled(v->value_type, entry_get(v->value_type, v->values, k), r, i, c,
                             v->columns[k]));
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    ck_ok(context, fur_csr_scale(a, r, c));
    check_values(a, plan, expected, random);
    fur_spmv_destroy(plan);
    free(expected);
    fur_vector_destroy(c);
    fur_vector_destroy(r);
}

/* Scaled matrices have the expected values, and their plans use them. Loops over the shapes. */
START_TEST(rows_and_columns_are_scaled)
{
    FOR_TURNS (type, FUR_VALUE_COUNT * FUR_OFFSET_COUNT, 5, _i) {
        memory m = {0};
        rng r = rng_stream((uint64_t)(100 * _i + type));
        fur_context *context =
            context_counting(&m, NULL, thread_counts[(_i + type) % COUNT_OF(thread_counts)]);
        fur_csr *a = matrix_random(context, &r, &shapes[_i], (fur_value_type)(type / 2),
                                   (fur_offset_type)(type % 2));
        for (int sides = 0; sides < 4; sides++)
            check_scaled(a, &r, sides);
        fur_csr_destroy(a);
        fur_context_destroy(context);
        ck_assert_int_eq(m.outstanding, 0);
    }
}
END_TEST

static fur_csr *grid(fur_context *context, int points, int64_t nx, int64_t ny)
{
    fur_stencil_definition d = {.size = sizeof d, .value_type = FUR_F64, .extent = {nx, ny}};
    fur_stencil *s = NULL;
    fur_csr *a = NULL;
    ck_assert_int_eq(fur_stencil_named(points, &d), 1);
    ck_ok(context, fur_stencil_create(context, &d, &s));
    ck_ok(context, fur_stencil_assemble(s, &a));
    fur_stencil_destroy(s);
    return a;
}

static int is_symmetric(const fur_csr *a)
{
    fur_csr_asymmetry found = FUR_DEFAULT(fur_csr_asymmetry);
    ck_ok(fur_csr_context(a), fur_csr_find_asymmetry(a, FUR_SYMMETRY_SYMMETRIC, &found));
    return !found.found;
}

/* Scaling rows and columns by one vector preserves the symmetry. Scaling only the rows does not. */
START_TEST(one_vector_on_both_sides_keeps_the_symmetry)
{
    rng r = rng_stream(1);
    fur_context *context = context_make(NULL, 3);
    fur_csr *a = grid(context, 9, 70, 50);
    fur_vector *d = vector_random(context, &r, FUR_F64, 3500);
    ck_ok(context, fur_csr_scale(a, d, d));
    ck_assert_int_eq(is_symmetric(a), 1);
    ck_ok(context, fur_csr_scale(a, d, NULL));
    ck_assert_int_eq(is_symmetric(a), 0);
    fur_vector_destroy(d);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* The linear systems of these tests are on a grid of EDGE x EDGE points. */
#define EDGE 31
#define POINTS (EDGE * EDGE)

static bool at_boundary(int64_t i)
{
    return i % EDGE == 0 || i % EDGE == EDGE - 1 || i / EDGE == 0 || i / EDGE == EDGE - 1;
}

/* Stores all boundary points in random order, two corners twice. Returns the number of points. */
static int64_t boundary(rng *r, int32_t *unknowns)
{
    int64_t count = 0;
    int32_t *order = rng_order(r, POINTS);
    for (int32_t i = 0; i < POINTS; i++)
        if (at_boundary(order[i]))
            unknowns[count++] = order[i];
    unknowns[count++] = 0;
    unknowns[count++] = POINTS - 1;
    free(order);
    return count;
}

/* Checks the rows and columns of the boundary: `diagonal` on the diagonal, 0 off it. All other
 * entries are unchanged. */
static void check_eliminated(const fur_csr_view *v, const void *before, fur_scalar diagonal)
{
    fur_scalar d = entry_round(v->value_type, diagonal);
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t k = offset_at(v, i); k < offset_at(v, i + 1); k++) {
            int64_t j = v->columns[k];
            fur_scalar expected = entry_get(v->value_type, before, k);
            if (at_boundary(i) || at_boundary(j))
                expected = i == j ? d : fur_real(0);
            fur_scalar entry = entry_get(v->value_type, v->values, k);
            if (entry.re != expected.re || entry.im != expected.im)
                ck_abort_msg("A(%lld, %lld) = %g", (long long)i, (long long)j, entry.re);
        }
}

/* Returns ||b - A x||_max. */
static double residual(const fur_spmv *plan, const fur_vector *x, const fur_vector *b)
{
    double norm = 0;
    fur_context *context = fur_vector_context(b);
    fur_vector *r = NULL;
    ck_ok(context, fur_vector_create(context, fur_vector_value_type(b), POINTS, &r));
    ck_ok(context, fur_vector_copy(b, r));
    ck_ok(context, fur_spmv_apply(plan, fur_real(-1), x, fur_real(1), r));
    ck_ok(context, fur_norm_max(r, &norm));
    fur_vector_destroy(r);
    return norm;
}

/* If b = A x holds before the elimination, it holds afterwards. Loops over value types. */
START_TEST(what_is_known_leaves_the_system_with_its_solution)
{
    fur_value_type type = (fur_value_type)_i;
    rng r = rng_stream(2);
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 3);
    fur_csr *real = grid(context, 9, EDGE, EDGE);
    fur_csr *a = NULL;
    fur_spmv *plan = NULL;
    int32_t unknowns[POINTS + 2];
    ck_ok(context, fur_csr_convert(real, type, FUR_I64, &a));
    ck_ok(context, fur_spmv_plan(a, NULL, &plan));
    const fur_csr_view *v = fur_csr_get(a);
    void *before = entries_make(type, v->entries);
    memcpy(before, v->values, (size_t)v->entries * fur_value_size(type));
    fur_vector *x = vector_random(context, &r, type, POINTS);
    fur_vector *b = vector_random(context, &r, type, POINTS);
    ck_ok(context, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), b));
    ck_ok(context, fur_csr_eliminate(a, boundary(&r, unknowns), unknowns, fur_real(0.75), x, b));
    check_eliminated(v, before, fur_real(0.75));
    ck_assert_int_eq(is_symmetric(a), 1);
    ck_assert_double_le(residual(plan, x, b), 64 * value_epsilon(type));
    fur_vector_destroy(b);
    fur_vector_destroy(x);
    free(before);
    fur_spmv_destroy(plan);
    fur_csr_destroy(a);
    fur_csr_destroy(real);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* If b is NULL, only the matrix changes. Eliminating no unknowns changes nothing. */
START_TEST(a_matrix_may_be_changed_without_a_right_hand_side)
{
    rng r = rng_stream(3);
    fur_context *context = context_make(NULL, 2);
    fur_csr *a = grid(context, 5, EDGE, EDGE);
    const fur_csr_view *v = fur_csr_get(a);
    int32_t unknowns[POINTS + 2];
    void *before = entries_make(FUR_F64, v->entries);
    memcpy(before, v->values, (size_t)v->entries * sizeof(double));
    ck_ok(context, fur_csr_eliminate(a, 0, NULL, fur_real(1), NULL, NULL));
    ck_assert_int_eq(first_difference(FUR_F64, v->entries, v->values, before), -1);
    ck_ok(context, fur_csr_eliminate(a, boundary(&r, unknowns), unknowns, fur_real(1), NULL, NULL));
    check_eliminated(v, before, fur_real(1));
    free(before);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

/* The results have the bits of one thread. Loops over numbers of threads. */
START_TEST(threads_do_not_show)
{
    rng r = rng_stream(4);
    fur_context *contexts[2] = {context_make(NULL, 1), context_make(NULL, thread_counts[_i])};
    fur_csr *a = grid(contexts[0], 9, EDGE, EDGE);
    void *entries[2] = {entries_random(&r, FUR_F64, POINTS), entries_random(&r, FUR_F64, POINTS)};
    int32_t unknowns[POINTS + 2];
    int64_t count = boundary(&r, unknowns);
    fur_csr *results[2];
    fur_vector *b[2];
    int equal = 0;
    for (int i = 0; i < 2; i++) {
        fur_vector *x = vector_from(contexts[i], FUR_F64, POINTS, entries[0]);
        b[i] = vector_from(contexts[i], FUR_F64, POINTS, entries[1]);
        ck_ok(contexts[0], fur_csr_transfer(a, contexts[i], &results[i]));
        ck_ok(contexts[i], fur_csr_scale(results[i], x, b[i]));
        ck_ok(contexts[i], fur_csr_eliminate(results[i], count, unknowns, fur_real(3), x, b[i]));
        fur_vector_destroy(x);
    }
    ck_ok(contexts[0], fur_csr_compare(results[0], results[1], &equal));
    ck_assert_int_eq(equal, 1);
    ck_assert_int_eq(
        first_difference(FUR_F64, POINTS, fur_vector_const_data(b[0]), fur_vector_const_data(b[1])),
        -1);
    for (int i = 0; i < 2; i++) {
        fur_vector_destroy(b[i]);
        fur_csr_destroy(results[i]);
        free(entries[i]);
    }
    fur_csr_destroy(a);
    fur_context_destroy(contexts[1]);
    fur_context_destroy(contexts[0]);
}
END_TEST

/* Borrowed values are unchanged, even if the allocation of new ones fails. */
START_TEST(borrowed_values_are_left_alone)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 1);
    fur_csr *own = grid(context, 5, EDGE, EDGE);
    const fur_csr_view *v = fur_csr_get(own);
    fur_csr *a = NULL;
    fur_vector *d = NULL;
    const int32_t unknown = 7;
    ck_ok(context, fur_vector_create(context, FUR_F64, POINTS, &d));
    ck_ok(context, fur_vector_fill(d, fur_real(2)));
    ck_ok(context, fur_csr_create(context, v, FUR_OWNERSHIP_BORROW, &a));
    for (int n = 1; n <= 2; n++) {
        m.fail_at = m.calls + n;
        fur_status status = n == 1 ? fur_csr_scale(a, d, NULL)
                                   : fur_csr_eliminate(a, 1, &unknown, fur_real(1), d, d);
        m.fail_at = 0;
        ck_assert_int_eq(status, n == 1 ? FUR_OUT_OF_MEMORY : FUR_INVALID);
        ck_assert_ptr_eq(fur_csr_get(a)->values, v->values);
    }
    ck_ok(context, fur_csr_scale(a, d, NULL));
    ck_assert_ptr_ne(fur_csr_get(a)->values, v->values);
    ck_assert_double_eq(((const double *)v->values)[0], 4);
    ck_assert_double_eq(((const double *)fur_csr_get(a)->values)[0], 8);
    fur_csr_destroy(a);
    fur_csr_destroy(own);
    fur_vector_destroy(d);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* Checks that the values of a and the entries of b are still 1, 2, ... */
static void check_untouched(const fur_csr *a, const fur_vector *b)
{
    const double *values = fur_csr_get(a)->values;
    const double *entries = fur_vector_const_data(b);
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq(values[i], i + 1);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq(entries[i], i + 1);
}

START_TEST(what_cannot_be_is_refused_and_changes_nothing)
{
    static const int32_t rows[] = {0, 0, 1, 2}, cols[] = {0, 1, 1, 0}; /* no A(2, 2) */
    static const double numbers[] = {1, 2, 3, 4};
    static const int32_t bare[] = {1, 2}, outside[] = {0, 3};
    fur_context *context = context_make(NULL, 1);
    fur_coo_view coo = {sizeof coo, 3, 3, 4, FUR_F64, rows, cols, numbers};
    fur_coo_view wide_coo = {sizeof wide_coo, 3, 4, 4, FUR_F64, rows, cols, numbers};
    fur_csr *a = NULL;
    fur_csr *wide = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_ERROR, &a));
    ck_ok(context, fur_csr_from_coo(context, &wide_coo, FUR_DUPLICATES_ERROR, &wide));
    fur_vector *x = vector_from(context, FUR_F64, 3, numbers);
    fur_vector *b = vector_from(context, FUR_F64, 3, numbers);
    fur_vector *longer = vector_from(context, FUR_F64, 4, numbers);
    fur_vector *single = vector_from(context, FUR_F32, 3, numbers);
    fur_scalar one = fur_real(1);
    ck_fails(context, FUR_INVALID, "r has 4 entries, but the 3 x 3 matrix needs 3",
             fur_csr_scale(a, longer, NULL));
    ck_fails(context, FUR_INVALID, "c has 3 entries, but the 3 x 4 matrix needs 4",
             fur_csr_scale(wide, x, x));
    ck_fails(context, FUR_INVALID,
             "r has entries of type f32, but the matrix has type f64; convert one",
             fur_csr_scale(a, single, NULL));
    ck_fails(context, FUR_INVALID,
             "the matrix is 3 x 4; unknowns can be eliminated from a square matrix only",
             fur_csr_eliminate(wide, 1, bare, one, NULL, NULL));
    ck_fails(context, FUR_INVALID, "there cannot be -1 unknowns",
             fur_csr_eliminate(a, -1, bare, one, x, b));
    ck_fails(context, FUR_INVALID,
             "unknowns[1] is 3, but the matrix has 3 rows; unknowns count from 0",
             fur_csr_eliminate(a, 2, outside, one, x, b));
    ck_fails(context, FUR_INVALID,
             "row 3, counting from 1, has no entry on the diagonal, and elimination does not "
             "change the pattern; store an entry there first, which may be 0",
             fur_csr_eliminate(a, 2, bare, one, x, b));
    ck_fails(context, FUR_INVALID, "fur_csr_eliminate was given NULL for x",
             fur_csr_eliminate(a, 1, bare, one, NULL, b));
    ck_fails(context, FUR_INVALID, "b has 4 entries, but the 3 x 3 matrix needs 3",
             fur_csr_eliminate(a, 1, bare, one, x, longer));
    ck_fails(context, FUR_INVALID, "x and b overlap in memory; give each a separate array",
             fur_csr_eliminate(a, 1, bare, one, b, b));
    check_untouched(a, b);
    fur_vector_destroy(single);
    fur_vector_destroy(longer);
    fur_vector_destroy(b);
    fur_vector_destroy(x);
    fur_csr_destroy(wide);
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, rows_and_columns_are_scaled, 0, shape_count);
    tcase_add_test(tests, one_vector_on_both_sides_keeps_the_symmetry);
    tcase_add_loop_test(tests, what_is_known_leaves_the_system_with_its_solution, 0,
                        FUR_VALUE_COUNT);
    tcase_add_test(tests, a_matrix_may_be_changed_without_a_right_hand_side);
    tcase_add_loop_test(tests, threads_do_not_show, 0, COUNT_OF(thread_counts));
    tcase_add_test(tests, borrowed_values_are_left_alone);
    tcase_add_test(tests, what_cannot_be_is_refused_and_changes_nothing);
}

int main(void)
{
    return run_tests("csr_scale", add_tests);
}
