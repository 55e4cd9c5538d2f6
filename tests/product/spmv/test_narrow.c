/* Tests of kernels that store values of A in fewer bytes if no bit is lost. They have the bits of
 * the reference for values of every kind, report their bytes, and accept new values that need fewer
 * or more bytes. */
#include "narrow_cases.h"

static const char *const kernels[] = {"sell", "sell_runs"};

/* Checks the bytes for each kind of values. Constants need almost none, single-precision values
 * half. */
static void check_kinds(fur_context *context, rng *r, fur_value_type value, const char *kernel)
{
    int64_t found[NARROW_KINDS];
    int64_t values = 0;
    for (int k = 0; k < NARROW_KINDS; k++) {
        fur_csr *a = narrow_matrix(context, r, value, (narrow_kind)k);
        fur_spmv *plan = narrow_plan(a, kernel);
        found[k] = narrow_bytes(plan);
        values = fur_csr_get(a)->entries * (int64_t)fur_value_size(value);
        narrow_check(r, a, plan);
        fur_spmv_destroy(plan);
        fur_csr_destroy(a);
    }
    bool is_single = value == FUR_F32 || value == FUR_C64;
    ck_assert_int_lt(found[NARROW_CONSTANTS], found[NARROW_ANY] - values * 3 / 4);
    ck_assert_int_eq(found[NARROW_SPECIAL], found[NARROW_CONSTANTS]);
    ck_assert(is_single ? found[NARROW_SINGLES] == found[NARROW_ANY]
                        : found[NARROW_SINGLES] < found[NARROW_ANY] - values / 3);
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

/* Makes a diagonal matrix with eight values in each slice. The slices have `different` different
 * steps. */
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

/* Up to 256 different steps need a byte each, and 257 do not fit. The plan also notices steps that
 * its sample missed. */
START_TEST(a_byte_tells_256_steps_apart)
{
    const int64_t different[] = {4096, 1, 2, 255, 256, 257, 258};
    fur_context *context = context_make(NULL, 3);
    rng r = rng_stream(210);
    for (int kernel = 0; kernel < COUNT_OF(kernels); kernel++) {
        int64_t wide = 0;
        for (int i = 0; i < COUNT_OF(different); i++) {
            fur_csr *a = different_slices(context, 4096, different[i]);
            fur_spmv *plan = narrow_plan(a, kernels[kernel]);
            wide = i == 0 ? narrow_bytes(plan) : wide;
            ck_assert_int_eq(wide - narrow_bytes(plan),
                             different[i] <= 256 ? 4096 * (8 * 8 - 1) : 0);
            narrow_check(&r, a, plan);
            fur_spmv_destroy(plan);
            fur_csr_destroy(a);
        }
    }
    fur_context_destroy(context);
}
END_TEST

/* Checks that new values are stored in the form that they fit, if the plan has memory for it.
 * Nothing is allocated. */
static void check_new_values(memory *m, rng *r, fur_csr *a, const char *kernel)
{
    fur_context *context = fur_csr_context(a);
    fur_value_type value = fur_csr_get(a)->value_type;
    fur_spmv *plan = narrow_plan(a, kernel);
    int64_t narrow = narrow_bytes(plan);
    int64_t before = narrow;
    const narrow_kind order[] = {NARROW_ANY, NARROW_CONSTANTS, NARROW_SINGLES,  NARROW_SPECIAL,
                                 NARROW_ANY, NARROW_SINGLES,   NARROW_CONSTANTS};
    for (int i = 0; i < COUNT_OF(order); i++) {
        fur_csr *other = narrow_matrix(context, r, value, order[i]);
        int64_t calls = m->calls;
        ck_ok(context, fur_csr_set_values(a, fur_csr_get(other)->values, FUR_OWNERSHIP_COPY));
        ck_assert_int_eq(m->calls, calls);
        bool few = order[i] == NARROW_CONSTANTS || order[i] == NARROW_SPECIAL;
        ck_assert(few ? narrow_bytes(plan) == narrow : narrow_bytes(plan) > narrow);
        ck_assert(order[i] != NARROW_SINGLES || value == FUR_F32 || value == FUR_C64 ||
                  narrow_bytes(plan) < before || before == narrow);
        before = narrow_bytes(plan);
        narrow_check(r, a, plan);
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
        fur_csr *a = narrow_matrix(context, &r, (fur_value_type)_i, NARROW_CONSTANTS);
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
