/* Kernels that keep values of A narrower where no bit is lost: the bits of the reference for values
 * of every kind, the bytes that are reported, and new values that fit better or worse. */
#include "support.h"

#include <math.h>
#include <string.h>

/* Kinds of values, by the form that they fit. */
typedef enum kind {
    CONSTANTS, /* one for each column of a row: few different steps */
    SPECIAL,   /* the same with signed zeros, infinities, NaN with payloads and subnormals */
    SINGLES,   /* parts in single precision */
    ANY,
    KINDS
} kind;

static const char *const kernels[] = {"sell", "sell_runs"};

enum { ROWS = 5000, DIAGONALS = 5 };

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The part of an entry on a diagonal. */
static double part(rng *r, kind k, int64_t diagonal)
{
    const double constants[] = {0.1, -1, 6, 1e300, -1.0 / 3};
    const double special[] = {-0.0, from_bits(0x7ff8000012345678), INFINITY, 5e-324, -1e-40};
    switch (k) {
    case CONSTANTS:
        return constants[diagonal];
    case SPECIAL:
        return special[diagonal];
    case SINGLES:
        return (double)(float)rng_unit(r);
    default:
        return rng_unit(r);
    }
}

/* Five diagonals with gaps, so that rows differ in length. */
static fur_csr *make_matrix(fur_context *context, rng *r, fur_value_type value, kind k)
{
    static const int64_t shifts[DIAGONALS] = {-70, -1, 0, 1, 70};
    static int32_t rows[ROWS * DIAGONALS];
    static int32_t cols[ROWS * DIAGONALS];
    static double values[2 * ROWS * DIAGONALS];
    int64_t count = 0;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t d = 0; d < DIAGONALS; d++) {
            int64_t col = i + shifts[d];
            if (col < 0 || col >= ROWS || (d != 2 && (i / 8 * 37 + d * 11) % 19 == 0))
                continue;
            rows[count] = (int32_t)i;
            cols[count] = (int32_t)col;
            double re = part(r, k, d);
            entry_set(value, values, count++, fur_complex(re, part(r, k, DIAGONALS - 1 - d)));
        }
    fur_coo_view coo = {sizeof coo, ROWS, ROWS, count, value, rows, cols, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    return a;
}

static fur_spmv *make_plan(const fur_csr *a, const char *kernel)
{
    fur_spmv_options options = {.size = sizeof options, .kernel = kernel};
    fur_spmv *plan = NULL;
    ck_ok(fur_csr_context(a), fur_spmv_plan(a, &options, &plan));
    return plan;
}

static int64_t bytes(const fur_spmv *plan)
{
    return fur_spmv_describe(plan)->bytes;
}

/* The plan gives the bits of the reference. */
static void check_product(rng *r, const fur_csr *a, const fur_spmv *plan)
{
    fur_context *context = fur_csr_context(a);
    fur_value_type value = fur_csr_get(a)->value_type;
    int64_t n = fur_csr_get(a)->rows;
    fur_spmv *reference = make_plan(a, "reference");
    fur_vector *x = vector_random(context, r, value, fur_csr_get(a)->cols);
    void *start = entries_random(r, value, n);
    fur_vector *y = vector_from(context, value, n, start);
    fur_vector *z = vector_from(context, value, n, start);
    ck_ok(context, fur_spmv_apply(reference, fur_real(0.7), x, fur_real(-0.3), y));
    ck_ok(context, fur_spmv_apply(plan, fur_real(0.7), x, fur_real(-0.3), z));
    int64_t at = first_difference(value, n, fur_vector_data(y), fur_vector_data(z));
    ck_assert_msg(at < 0, "%s, %s, %s: y[%lld] differs", fur_spmv_describe(plan)->kernel,
                  fur_value_name(value), fur_context_isa(context), (long long)at);
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    free(start);
    fur_vector_destroy(x);
    fur_spmv_destroy(reference);
}

/* Bytes by the kind of values: constants shrink to next to nothing, single precision to half. */
static void check_kinds(fur_context *context, rng *r, fur_value_type value, const char *kernel)
{
    int64_t found[KINDS];
    int64_t values = 0;
    for (int k = 0; k < KINDS; k++) {
        fur_csr *a = make_matrix(context, r, value, (kind)k);
        fur_spmv *plan = make_plan(a, kernel);
        found[k] = bytes(plan);
        values = fur_csr_get(a)->entries * (int64_t)fur_value_size(value);
        check_product(r, a, plan);
        fur_spmv_destroy(plan);
        fur_csr_destroy(a);
    }
    bool is_single = value == FUR_F32 || value == FUR_C64;
    ck_assert_int_lt(found[CONSTANTS], found[ANY] - values * 3 / 4);
    ck_assert_int_eq(found[SPECIAL], found[CONSTANTS]);
    ck_assert(is_single ? found[SINGLES] == found[ANY] : found[SINGLES] < found[ANY] - values / 3);
}

/* Loops over value types. */
START_TEST(values_of_every_kind_keep_their_bits)
{
    for (int i = 0; isa_name(i); i++)
        for (int threads = 1; threads <= 3; threads += 2) {
            fur_context *context = context_make(isa_name(i), threads);
            rng r = rng_stream(200 + (uint64_t)_i);
            for (int kernel = 0; kernel < COUNT_OF(kernels); kernel++)
                check_kinds(context, &r, (fur_value_type)_i, kernels[kernel]);
            fur_context_destroy(context);
        }
}
END_TEST

/* Every diagonal matrix of eight values a slice has as many different steps as slices. */
static fur_csr *different_slices(fur_context *context, int64_t slices, int64_t different)
{
    static int32_t offsets[8 * 4096 + 1];
    static int32_t columns[8 * 4096];
    static double values[8 * 4096];
    for (int64_t i = 0; i < 8 * slices; i++) {
        offsets[i + 1] = (int32_t)i + 1;
        columns[i] = (int32_t)i;
        values[i] = 0.1 * (double)(i / 8 % different) + (double)(i % 8);
    }
    fur_csr_view view = {.size = sizeof view,
                         .rows = 8 * slices,
                         .cols = 8 * slices,
                         .entries = 8 * slices,
                         .value_type = FUR_F64,
                         .offset_type = FUR_I32,
                         .offsets = offsets,
                         .columns = columns,
                         .values = values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_create(context, &view, FUR_OWNERSHIP_COPY, &a));
    return a;
}

/* 256 different steps have a byte each, 257 do not; what a sample did not show shows later. */
START_TEST(a_byte_tells_256_steps_apart)
{
    const int64_t different[] = {4096, 1, 2, 255, 256, 257, 258};
    fur_context *context = context_make(NULL, 3);
    rng r = rng_stream(210);
    for (int kernel = 0; kernel < COUNT_OF(kernels); kernel++) {
        int64_t wide = 0;
        for (int i = 0; i < COUNT_OF(different); i++) {
            fur_csr *a = different_slices(context, 4096, different[i]);
            fur_spmv *plan = make_plan(a, kernels[kernel]);
            wide = i == 0 ? bytes(plan) : wide;
            ck_assert_int_eq(wide - bytes(plan), different[i] <= 256 ? 4096 * (8 * 8 - 1) : 0);
            check_product(&r, a, plan);
            fur_spmv_destroy(plan);
            fur_csr_destroy(a);
        }
    }
    fur_context_destroy(context);
}
END_TEST

/* New values take the form that they fit, as far as the plan has room: without an allocation. */
static void check_new_values(memory *m, rng *r, fur_csr *a, const char *kernel)
{
    fur_context *context = fur_csr_context(a);
    fur_value_type value = fur_csr_get(a)->value_type;
    fur_spmv *plan = make_plan(a, kernel);
    int64_t narrow = bytes(plan);
    int64_t before = narrow;
    const kind order[] = {ANY, CONSTANTS, SINGLES, SPECIAL, ANY, SINGLES, CONSTANTS};
    for (int i = 0; i < COUNT_OF(order); i++) {
        fur_csr *other = make_matrix(context, r, value, order[i]);
        int64_t calls = m->calls;
        ck_ok(context, fur_csr_set_values(a, fur_csr_get(other)->values, FUR_OWNERSHIP_COPY));
        ck_assert_int_eq(m->calls, calls);
        bool few = order[i] == CONSTANTS || order[i] == SPECIAL;
        ck_assert(few ? bytes(plan) == narrow : bytes(plan) > narrow);
        ck_assert(order[i] != SINGLES || value == FUR_F32 || value == FUR_C64 ||
                  bytes(plan) < before || before == narrow);
        before = bytes(plan);
        check_product(r, a, plan);
        fur_csr_destroy(other);
    }
    fur_spmv_destroy(plan);
}

/* Loops over value types. */
START_TEST(new_values_change_the_form)
{
    memory m = {0};
    fur_context *context = context_counting(&m, NULL, 2);
    rng r = rng_stream(220 + (uint64_t)_i);
    for (int kernel = 0; kernel < COUNT_OF(kernels); kernel++) {
        fur_csr *a = make_matrix(context, &r, (fur_value_type)_i, CONSTANTS);
        check_new_values(&m, &r, a, kernels[kernel]);
        fur_csr_destroy(a);
    }
    fur_context_destroy(context);
    ck_assert_int_eq(m.outstanding, 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, values_of_every_kind_keep_their_bits, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, a_byte_tells_256_steps_apart);
    tcase_add_loop_test(tests, new_values_change_the_form, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_tests("narrow", add_tests);
}
