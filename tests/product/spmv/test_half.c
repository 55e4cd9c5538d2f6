/* Products by half of a symmetric or Hermitian matrix have the bits of products by the complete
 * matrix. */
#include "support.h"

/* Makes the lower triangle of a random matrix of this shape. */
static fur_csr *lower_random(fur_context *context, rng *r, const shape *s, fur_value_type value,
                             fur_offset_type offset)
{
    fur_csr *a = matrix_random(context, r, s, value, offset);
    fur_csr *lower = NULL;
    ck_ok(context, fur_csr_band(a, INT64_MIN, 0, &lower));
    fur_csr_destroy(a);
    return lower;
}

/* Makes the complete matrix from its lower triangle. */
static fur_csr *whole_of(const fur_csr *lower, fur_half half)
{
    fur_context *context = fur_csr_context(lower);
    fur_csr *strict = NULL;
    fur_csr *upper = NULL;
    fur_csr *whole = NULL;
    ck_ok(context, fur_csr_band(lower, INT64_MIN, -1, &strict));
    ck_ok(context, fur_csr_transpose(strict, half == FUR_HALF_HERMITIAN, &upper));
    ck_ok(context, fur_csr_add(lower, fur_real(1), upper, fur_real(1), &whole));
    fur_csr_destroy(strict);
    fur_csr_destroy(upper);
    return whole;
}

static fur_spmv *plan_of(const fur_csr *a, fur_half half)
{
    fur_spmv_options options = {
        .size = sizeof options, .kernel = half ? "auto" : "reference", .half = half};
    fur_spmv *plan = NULL;
    ck_ok(fur_csr_context(a), fur_spmv_plan(a, &options, &plan));
    return plan;
}

/* Checks that y = alpha A x + beta y has the same bits by both plans. */
static void check_product(rng *r, const fur_spmv *half, const fur_spmv *whole, fur_scalar alpha,
                          fur_scalar beta)
{
    const fur_csr *a = fur_spmv_matrix(half);
    fur_context *context = fur_csr_context(a);
    fur_value_type value = fur_csr_get(a)->value_type;
    int64_t n = fur_csr_get(a)->rows;
    fur_vector *x = vector_random(context, r, value, n);
    void *start = entries_random(r, value, n);
    const fur_spmv *plans[] = {half, whole};
    void *found[2];
    for (int i = 0; i < 2; i++) {
        fur_vector *y = vector_from(context, value, n, start);
        ck_ok(context, fur_spmv_apply(plans[i], alpha, x, beta, y));
        found[i] = vector_entries(y);
        fur_vector_destroy(y);
    }
    ck_assert_int_eq(first_difference(value, n, found[0], found[1]), -1);
    free(found[0]);
    free(found[1]);
    free(start);
    fur_vector_destroy(x);
}

static void check_products(rng *r, const fur_spmv *half, const fur_spmv *whole)
{
    check_product(r, half, whole, fur_real(1), fur_real(0));
    check_product(r, half, whole, (fur_scalar){0.3, -0.7}, fur_real(0));
    check_product(r, half, whole, fur_real(1), (fur_scalar){-1.5, 0.2});
}

/* Checks that a plan for the half has the bits of the complete matrix, also after new values. */
static void check_half(rng *r, fur_csr *lower, fur_half kind)
{
    fur_context *context = fur_csr_context(lower);
    fur_csr *whole = whole_of(lower, kind);
    fur_spmv *half_plan = plan_of(lower, kind);
    fur_spmv *whole_plan = plan_of(whole, FUR_HALF_NONE);
    check_products(r, half_plan, whole_plan);
    fur_spmv_destroy(whole_plan);
    fur_csr_destroy(whole);

    fur_csr_view view = *fur_csr_get(lower);
    void *values = entries_random(r, view.value_type, view.entries);
    ck_ok(context, fur_csr_set_values(lower, values, FUR_OWNERSHIP_COPY));
    whole = whole_of(lower, kind);
    whole_plan = plan_of(whole, FUR_HALF_NONE);
    check_products(r, half_plan, whole_plan);
    free(values);
    fur_spmv_destroy(half_plan);
    fur_spmv_destroy(whole_plan);
    fur_csr_destroy(whole);
}

/* Loops over value types. */
START_TEST(half_has_the_bits_of_the_whole)
{
    for (int isa = 0; isa_name(isa); isa++)
        for (int threads = 1; threads <= 8; threads += TEST_SLOW ? 7 : 1) {
            fur_context *context = context_make(isa_name(isa), threads);
            rng r = rng_stream(900 + (uint64_t)_i);
            for (int s = 0; s < shape_count; s++) {
                if (shapes[s].rows != shapes[s].cols)
                    continue;
                fur_csr *lower = lower_random(context, &r, &shapes[s], (fur_value_type)_i,
                                              rng_below(&r, 2) ? FUR_I64 : FUR_I32);
                check_half(&r, lower, FUR_HALF_SYMMETRIC);
                check_half(&r, lower, FUR_HALF_HERMITIAN);
                fur_csr_destroy(lower);
            }
            fur_context_destroy(context);
        }
}
END_TEST

/* Fills a row with the columns of a band below the diagonal. Returns the number of columns. */
static int64_t fill_below(const shape *s, rng *r, int64_t row, int32_t *columns)
{
    int64_t count = 0;
    (void)r;
    for (int64_t j = row > s->parameter ? row - s->parameter : 0; j <= row; j++)
        columns[count++] = (int32_t)j;
    return count;
}

/* Parts pass terms to other parts correctly. There are enough rows for several parts of each
 * thread, and rows of one, two and three segments. */
START_TEST(parts_pass_terms_on)
{
    const int64_t widths[] = {1, 30, 63, 64, 65, 127, 128, 190};
    rng r = rng_stream(910);
    FOR_TURNS (w, COUNT_OF(widths), 3, 1)
        for (int threads = 1; threads <= 8; threads += TEST_SLOW ? 7 : 3) {
            shape s = {"below", 6000, 6000, fill_below, widths[w]};
            fur_context *context = context_make(NULL, threads);
            fur_csr *lower = lower_random(context, &r, &s, FUR_F64, FUR_I32);
            check_half(&r, lower, FUR_HALF_SYMMETRIC);
            fur_csr_destroy(lower);
            fur_context_destroy(context);
        }
}
END_TEST

/* Half of a matrix with rounded values equals half of the rounded matrix, for every op with op(A) =
 * A. */
START_TEST(half_of_rounded_values)
{
    shape s = {"below", 3000, 3000, fill_below, 40};
    fur_context *context = context_make(NULL, 3);
    rng r = rng_stream(940);
    fur_csr *lower = lower_random(context, &r, &s, FUR_F64, FUR_I32);
    fur_csr *whole = whole_of(lower, FUR_HALF_SYMMETRIC);
    for (int op = FUR_OP_N; op <= FUR_OP_H; op++) {
        fur_spmv_options options = {
            .size = sizeof options, .op = (fur_op)op, .values = FUR_STORED_F32};
        fur_spmv *plans[2] = {NULL, NULL};
        ck_ok(context, fur_spmv_plan(whole, &options, &plans[1]));
        options.half = FUR_HALF_SYMMETRIC;
        ck_ok(context, fur_spmv_plan(lower, &options, &plans[0]));
        check_products(&r, plans[0], plans[1]);
        void *values = entries_random(&r, FUR_F64, fur_csr_get(lower)->entries);
        ck_ok(context, fur_csr_set_values(lower, values, FUR_OWNERSHIP_COPY));
        fur_csr *fresh = whole_of(lower, FUR_HALF_SYMMETRIC);
        ck_ok(context, fur_csr_set_values(whole, fur_csr_get(fresh)->values, FUR_OWNERSHIP_COPY));
        check_products(&r, plans[0], plans[1]);
        fur_csr_destroy(fresh);
        free(values);
        fur_spmv_destroy(plans[0]);
        fur_spmv_destroy(plans[1]);
    }
    fur_csr_destroy(lower);
    fur_csr_destroy(whole);
    fur_context_destroy(context);
}
END_TEST

/* A product by half of a banded matrix moves little more than half of the complete matrix's
 * bytes. */
START_TEST(half_moves_half)
{
    shape s = {"below", 60000, 60000, fill_below, 13};
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(920);
    fur_csr *lower = lower_random(context, &r, &s, FUR_F64, FUR_I32);
    fur_csr *whole = whole_of(lower, FUR_HALF_SYMMETRIC);
    fur_spmv *half_plan = plan_of(lower, FUR_HALF_SYMMETRIC);
    fur_spmv *whole_plan = plan_of(whole, FUR_HALF_NONE);
    ck_assert_int_lt(fur_spmv_describe(half_plan)->bytes,
                     fur_spmv_describe(whole_plan)->bytes * 6 / 10);
    fur_spmv_destroy(half_plan);
    fur_spmv_destroy(whole_plan);
    fur_csr_destroy(lower);
    fur_csr_destroy(whole);
    fur_context_destroy(context);
}
END_TEST

static void check_refused(const fur_csr *a, fur_spmv_options options, fur_status status,
                          const char *sentence)
{
    fur_spmv *plan = NULL;
    options.size = sizeof options;
    ck_fails(fur_csr_context(a), status, sentence, fur_spmv_plan(a, &options, &plan));
    ck_assert_ptr_null(plan);
}

START_TEST(what_is_no_half_is_refused)
{
    fur_context *context = context_make(NULL, 2);
    rng r = rng_stream(930);
    shape wide = {"below", 50, 50, fill_below, 3};
    fur_csr *lower = lower_random(context, &r, &wide, FUR_C64, FUR_I32);
    fur_csr *whole = whole_of(lower, FUR_HALF_SYMMETRIC);
    fur_csr *part = NULL;
    ck_ok(context, fur_csr_submatrix(lower, 0, 20, 0, 50, &part));
    check_refused(whole, (fur_spmv_options){.half = FUR_HALF_SYMMETRIC}, FUR_INVALID,
                  "row 1 has an entry in column 4, counting from 1, above the diagonal; give the "
                  "lower triangle only, as fur_csr_band makes it");
    check_refused(part, (fur_spmv_options){.half = FUR_HALF_HERMITIAN}, FUR_INVALID,
                  "half of a symmetric matrix must be square; this matrix is 20 x 50");
    check_refused(lower, (fur_spmv_options){.half = (fur_half)3}, FUR_INVALID,
                  "3 is not a kind of half; use FUR_HALF_SYMMETRIC or FUR_HALF_HERMITIAN");
    check_refused(lower, (fur_spmv_options){.half = FUR_HALF_SYMMETRIC, .kernel = "rows"},
                  FUR_INVALID, "kernel \"rows\" does not accept half of a matrix; use \"auto\"");
    check_refused(lower, (fur_spmv_options){.half = FUR_HALF_SYMMETRIC, .op = FUR_OP_H},
                  FUR_UNSUPPORTED,
                  "half of a complex matrix supports only A and the transpose that equals A; "
                  "conjugate x and y instead");
    fur_csr_destroy(lower);
    fur_csr_destroy(whole);
    fur_csr_destroy(part);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, half_has_the_bits_of_the_whole, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, parts_pass_terms_on);
    tcase_add_test(tests, half_of_rounded_values);
    tcase_add_test(tests, half_moves_half);
    tcase_add_test(tests, what_is_no_half_is_refused);
}

int main(void)
{
    return run_tests("half", add_tests);
}
