/* Operations on matrices of every shape, and on matrices with kept duplicates and with nonfinite
 * values. Every context gives the bits of one CPU thread. */
#include "triplets.h"

#include <math.h>
#include <string.h>

/* Two matrices of one shape with different patterns. `a` and `b` are in a context of one CPU
 * thread. `far_a` and `far_b` are copies in the context under test. */
typedef struct operands {
    fur_csr *a;
    fur_csr *b;
    fur_csr *far_a;
    fur_csr *far_b;
} operands;

static void operands_send(operands *o, fur_context *context)
{
    o->far_a = matrix_in(context, o->a);
    o->far_b = matrix_in(context, o->b);
}

static void operands_release(operands *o)
{
    fur_csr_destroy(o->far_b);
    fur_csr_destroy(o->far_a);
    fur_csr_destroy(o->b);
    fur_csr_destroy(o->a);
}

/* An operation under test. It runs in both contexts, and the results must be equal. */
typedef fur_status operation(const fur_csr *a, const fur_csr *b, fur_csr **out);

static void check(const operands *o, const char *what, operation *run)
{
    fur_csr *near = NULL;
    fur_csr *far = NULL;
    ck_ok(fur_csr_context(o->a), run(o->a, o->b, &near));
    ck_ok(fur_csr_context(o->far_a), run(o->far_a, o->far_b, &far));
    ck_same_matrix(far, near, what);
    fur_csr_destroy(far);
    fur_csr_destroy(near);
}

static fur_status add_scaled(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    return fur_csr_add(a, fur_complex(1.0 / 3, -2), b, fur_complex(-0.7, 1), out);
}

static fur_status add_to_itself(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    (void)b;
    return fur_csr_add(a, fur_real(1), a, fur_real(0.3), out);
}

static fur_status multiply(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    return fur_csr_multiply_elementwise(a, b, out);
}

static fur_status shift(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    (void)b;
    return fur_csr_shift(a, fur_complex(0.3, 2), out);
}

static fur_status lower(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    (void)b;
    return fur_csr_band(a, INT64_MIN, 0, out);
}

static fur_status drop(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    (void)b;
    return fur_csr_drop(a, 0.4, out);
}

static fur_status blocks(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    const fur_csr *grid[] = {a, b, NULL, NULL, a, a, b, NULL, b};
    return fur_csr_from_blocks(3, 3, grid, out);
}

static fur_status column_of_blocks(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    const fur_csr *grid[] = {b, a};
    return fur_csr_from_blocks(2, 1, grid, out);
}

/* Returns the first rows and columns of a matrix. */
static fur_csr *corner(const fur_csr *a)
{
    const fur_csr_view *v = fur_csr_get(a);
    int64_t rows = v->rows < 5 ? v->rows : 5;
    int64_t cols = v->cols < 4 ? v->cols : 4;
    fur_csr *small = NULL;
    ck_ok(fur_csr_context(a), fur_csr_submatrix(a, 0, rows, 0, cols, &small));
    return small;
}

static fur_status kron(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    fur_csr *small = corner(b);
    fur_status status = fur_csr_kron(a, small, out);
    fur_csr_destroy(small);
    return status;
}

static fur_status kron_reversed(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    (void)b;
    fur_csr *small = corner(a);
    fur_status status = fur_csr_kron(small, a, out);
    fur_csr_destroy(small);
    return status;
}

/* Scales a copy of A by rows and columns, by rows, by columns, and by nothing. */
static fur_status scale(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    fur_context *context = fur_csr_context(a);
    const fur_csr_view *v = fur_csr_get(a);
    rng r = rng_stream(77);
    fur_csr *copy = NULL;
    (void)b;
    fur_vector *rows = vector_random(context, &r, v->value_type, v->rows);
    fur_vector *cols = vector_random(context, &r, v->value_type, v->cols);
    ck_ok(context, fur_csr_transfer(a, context, &copy));
    fur_status status = fur_csr_scale(copy, rows, cols);
    if (status == FUR_OK)
        status = fur_csr_scale(copy, rows, NULL);
    if (status == FUR_OK)
        status = fur_csr_scale(copy, NULL, cols);
    if (status == FUR_OK)
        status = fur_csr_scale(copy, NULL, NULL);
    fur_vector_destroy(cols);
    fur_vector_destroy(rows);
    *out = copy;
    return status;
}

static void check_lists(const operands *o, rng *r, bool rising)
{
    const fur_csr_view *v = fur_csr_get(o->a);
    int32_t *rows = malloc(1000 * sizeof *rows);
    int32_t *cols = malloc(1000 * sizeof *cols);
    int64_t row_count = v->rows > 0 ? (on_gpu() ? 300 : 30) : 0;
    int64_t col_count = v->cols > 0 ? (on_gpu() ? 500 : 50) : 0;
    for (int64_t i = 0; i < row_count; i++)
        rows[i] = (int32_t)rng_below(r, v->rows);
    for (int64_t j = 0; j < col_count; j++)
        cols[j] = rising ? (int32_t)(j * v->cols / col_count) : (int32_t)rng_below(r, v->cols);
    for (int which = 0; which < 4; which++) {
        fur_csr *near = NULL;
        fur_csr *far = NULL;
        const int32_t *of_rows = which & 1 ? rows : NULL;
        const int32_t *of_cols = which & 2 ? cols : NULL;
        ck_ok(fur_csr_context(o->a),
              fur_csr_select(o->a, row_count, of_rows, col_count, of_cols, &near));
        ck_ok(fur_csr_context(o->far_a),
              fur_csr_select(o->far_a, row_count, of_rows, col_count, of_cols, &far));
        ck_same_matrix(far, near, "selection");
        fur_csr_destroy(far);
        fur_csr_destroy(near);
    }
    free(cols);
    free(rows);
}

static void check_norms(const operands *o)
{
    const fur_norm norms[] = {FUR_NORM_1, FUR_NORM_INF, FUR_NORM_MAX, FUR_NORM_FROBENIUS};
    for (int i = 0; i < COUNT_OF(norms); i++) {
        double near = -1;
        double far = -1;
        ck_ok(fur_csr_context(o->a), fur_csr_norm(o->a, norms[i], &near));
        ck_ok(fur_csr_context(o->far_a), fur_csr_norm(o->far_a, norms[i], &far));
        ck_assert_msg(memcmp(&near, &far, sizeof near) == 0 || (isnan(near) && isnan(far)),
                      "norm %d is %a, on the CPU %a", i, far, near);
    }
}

static void check_difference(const operands *o, double rtol, double atol)
{
    fur_csr_difference near = {.size = sizeof near};
    fur_csr_difference far = {.size = sizeof far};
    ck_ok(fur_csr_context(o->a), fur_csr_compare_within(o->a, o->b, rtol, atol, &near));
    ck_ok(fur_csr_context(o->far_a), fur_csr_compare_within(o->far_a, o->far_b, rtol, atol, &far));
    ck_assert_int_eq(far.beyond, near.beyond);
    ck_assert_int_eq(far.row, near.row);
    ck_assert_int_eq(far.col, near.col);
    ck_assert(far.largest == near.largest || (isnan(far.largest) && isnan(near.largest)));
    ck_assert(memcmp(&far.a, &near.a, sizeof far.a) == 0);
    ck_assert(memcmp(&far.b, &near.b, sizeof far.b) == 0);
}

static void check_operations(const operands *o)
{
    check(o, "a A + b B", add_scaled);
    check(o, "A + b A", add_to_itself);
    check(o, "element-wise product", multiply);
    check(o, "blocks", blocks);
    check(o, "column of blocks", column_of_blocks);
    check(o, "scale", scale);
    if (fur_csr_get(o->a)->entries < 50000) {
        check(o, "Kronecker product", kron);
        check(o, "Kronecker product, reversed", kron_reversed);
    }
}

/* Results in the context under test have the bits of one CPU thread. Loops over the shapes. */
START_TEST(results_have_the_bits_of_one_thread)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 3);
    fur_context *host = context_cpu("portable", 1);
    rng r = rng_stream(2300 + (uint64_t)_i);
    for (int type = 0; type < TYPES; type++) {
        operands o = {.a = matrix_of(host, &r, &shapes[_i], type)};
        o.b = matrix_random(host, &r, &shapes[_i], fur_csr_get(o.a)->value_type,
                            (fur_offset_type)rng_below(&r, FUR_OFFSET_COUNT));
        operands_send(&o, context);
        check_operations(&o);
        check_lists(&o, &r, false);
        check_lists(&o, &r, true);
        check_norms(&o);
        check_difference(&o, 0, 0);
        check_difference(&o, 0.5, 0.1);
        operands_release(&o);
    }
    fur_context_destroy(host);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

/* Returns a matrix with several entries at some positions and with some nonfinite values. */
static fur_csr *with_duplicates(fur_context *context, rng *r, int64_t n, int64_t count)
{
    int32_t *i = malloc((size_t)count * sizeof *i);
    int32_t *j = malloc((size_t)count * sizeof *j);
    double *values = entries_random(r, FUR_F64, count);
    fur_csr *a = NULL;
    for (int64_t k = 0; k < count; k++) {
        i[k] = (int32_t)rng_below(r, n);
        j[k] = (int32_t)rng_below(r, n);
        if (k % 1009 == 500)
            values[k] = k % 2 ? NAN : -INFINITY;
    }
    fur_coo_view coo = {sizeof coo, n, n, count, FUR_F64, i, j, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    free(values);
    free(j);
    free(i);
    return a;
}

START_TEST(duplicates_and_what_is_not_finite_are_taken_one_by_one)
{
    const int64_t sizes[] = {3, 40, 300};
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 3);
    fur_context *host = context_cpu("portable", 1);
    rng r = rng_stream(2330);
    for (int n = 0; n < COUNT_OF(sizes); n++) {
        operands o = {.a = with_duplicates(host, &r, sizes[n], 5000)};
        o.b = with_duplicates(host, &r, sizes[n], 7000);
        operands_send(&o, context);
        check(&o, "A + B", add_scaled);
        check(&o, "element-wise product", multiply);
        check(&o, "A - shift I", shift);
        check(&o, "lower triangle", lower);
        check(&o, "drop", drop);
        check(&o, "blocks", blocks);
        check_lists(&o, &r, false);
        check_lists(&o, &r, true);
        check_norms(&o);
        check_difference(&o, 0, 0.25);
        operands_release(&o);
    }
    fur_context_destroy(host);
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, results_have_the_bits_of_one_thread, 0, shape_count);
    tcase_add_test(tests, duplicates_and_what_is_not_finite_are_taken_one_by_one);
}

int main(void)
{
    return run_tests("repeated", add_tests);
}
