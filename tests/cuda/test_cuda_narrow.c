/* Kernels of a GPU that store values of A in fewer bits if no bit is lost. They have the bits of
 * the reference for values of every kind and report their bytes. After new values, their storage
 * fits the new values. */
#include "cuda_support.h"
#include "narrow_cases.h"
#include "rounded_cases.h"

static const char *const kernels[] = {"sell", "delta"};

/* Values of every kind keep their bits. Loops over value types, as the next test does. */
START_TEST(values_of_every_kind_keep_their_bits)
{
    fur_value_type value = (fur_value_type)_i;
    fur_context *gpu = context_cuda();
    rng r = rng_stream((uint64_t)_i);
    for (int kernel = 0; kernel < COUNT_OF(kernels); kernel++) {
        int64_t found[NARROW_KINDS];
        int64_t values = 0;
        for (int k = 0; k < NARROW_KINDS; k++) {
            fur_csr *a = narrow_matrix(gpu, &r, value, (narrow_kind)k);
            fur_spmv *plan = narrow_plan(a, kernels[kernel]);
            found[k] = narrow_bytes(plan);
            values = fur_csr_get(a)->entries * (int64_t)fur_value_size(value);
            narrow_check(&r, a, plan);
            fur_spmv_destroy(plan);
            fur_csr_destroy(a);
        }
        bool numbers = value != FUR_C128;
        bool singles = value == FUR_F64 || value == FUR_C128;
        ck_assert(!numbers || found[NARROW_CONSTANTS] < found[NARROW_ANY] - values / 2);
        ck_assert(!numbers || found[NARROW_SPECIAL] == found[NARROW_CONSTANTS]);
        ck_assert(singles ? found[NARROW_SINGLES] < found[NARROW_ANY] - values / 3
                          : found[NARROW_SINGLES] == found[NARROW_ANY]);
    }
    fur_context_destroy(gpu);
}
END_TEST

/* After new values, the plan stores them in the form that they fit. */
START_TEST(new_values_change_the_form)
{
    static const narrow_kind order[] = {NARROW_ANY, NARROW_CONSTANTS, NARROW_SINGLES,
                                        NARROW_SPECIAL, NARROW_ANY};
    fur_context *gpu = context_cuda();
    rng r = rng_stream(10 + (uint64_t)_i);
    for (int kernel = 0; kernel < COUNT_OF(kernels); kernel++) {
        fur_csr *a = narrow_matrix(gpu, &r, (fur_value_type)_i, NARROW_CONSTANTS);
        fur_spmv *plan = narrow_plan(a, kernels[kernel]);
        for (int i = 0; i < COUNT_OF(order); i++) {
            fur_csr *other = narrow_matrix(gpu, &r, (fur_value_type)_i, order[i]);
            ck_ok(gpu, fur_csr_set_values(a, fur_csr_get(other)->values, FUR_OWNERSHIP_COPY));
            narrow_check(&r, a, plan);
            fur_csr_destroy(other);
        }
        fur_spmv_destroy(plan);
        fur_csr_destroy(a);
    }
    fur_context_destroy(gpu);
}
END_TEST

/* Returns a matrix with a dense row and a diagonal of `different` different values. */
static fur_csr *dense_row(fur_context *context, fur_value_type value, int64_t n, int64_t different)
{
    int64_t entries = 2 * n - 1;
    int32_t *rows = malloc((size_t)entries * sizeof *rows);
    int32_t *cols = malloc((size_t)entries * sizeof *cols);
    void *values = entries_make(value, entries);
    for (int64_t i = 0; i < n; i++) {
        rows[i] = 0;
        cols[i] = (int32_t)i;
        entry_set(value, values, i, fur_real(0.1 * (double)(i % different)));
    }
    for (int64_t i = 1; i < n; i++) {
        rows[n + i - 1] = cols[n + i - 1] = (int32_t)i;
        entry_set(value, values, n + i - 1, fur_real(-0.1 * (double)(i % different)));
    }
    fur_coo_view coo = {sizeof coo, n, n, entries, value, rows, cols, values};
    fur_csr *a = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    free(values);
    free(cols);
    free(rows);
    return a;
}

/* A byte stores the numbers of up to 256 different values. The rows have several segments. Loops
 * over value types. */
START_TEST(a_byte_tells_256_values_apart)
{
    static const int64_t different[] = {1, 2, 127, 128, 129, 130, 5000};
    fur_context *gpu = context_cuda();
    rng r = rng_stream(20 + (uint64_t)_i);
    for (int i = 0; i < COUNT_OF(different); i++) {
        fur_csr *a = dense_row(gpu, (fur_value_type)_i, 3000, different[i]);
        fur_spmv *plan = narrow_plan(a, "sell");
        narrow_check(&r, a, plan);
        fur_spmv_destroy(plan);
        fur_csr_destroy(a);
    }
    fur_context_destroy(gpu);
}
END_TEST

/* Values that are rounded on request give the bits of the rounded matrix, with every exact kernel.
 * Loops over value types. */
START_TEST(rounded_values_have_the_bits_of_the_rounded_matrix)
{
    fur_context *gpu = context_cuda();
    rng r = rng_stream(30 + (uint64_t)_i);
    const fur_kernel_info *kernel;
    for (int k = 0; (kernel = fur_spmv_kernel_at(gpu, k)); k++)
        for (int s = k % 3; kernel->exact && s < shape_count; s += test_small() ? 9 : 3)
            rounded_check(gpu, &r, &shapes[s], (fur_value_type)_i, (fur_op)((s + k) % 3),
                          kernel->name);
    rounded_check(gpu, &r, &shapes[shape_find("grid")], (fur_value_type)_i, FUR_OP_N, "auto");
    fur_context_destroy(gpu);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, values_of_every_kind_keep_their_bits, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, new_values_change_the_form, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_byte_tells_256_values_apart, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, rounded_values_have_the_bits_of_the_rounded_matrix, 0,
                        FUR_VALUE_COUNT);
}

int main(void)
{
    return run_gpu_tests("cuda_narrow", add_tests);
}
