/* Sampled products on a GPU: the bits that docs/numerics.md describes, as on the CPU, for every
 * shape, layout, stride, value type, offset width and many numbers of columns. */
#include "cuda_support.h"
#include "sddmm_trial.h"

static const int64_t column_counts[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,
                                        12, 16, 17, 24, 31, 32, 33, 64, 100};

static void check_trial(fur_context *gpu, const fur_csr *near, int64_t cols, rng *r, int *way,
                        const char *what)
{
    fur_csr *a = NULL;
    ck_ok(gpu, fur_csr_transfer(near, gpu, &a));
    sddmm_trial t = sddmm_random(near, cols, r);
    for (int i = 0; i < (test_small() ? 1 : 3); i++)
        sddmm_check(a, &t, (*way)++ % SDDMM_WAYS, what);
    sddmm_release(&t);
    fur_csr_destroy(a);
}

/* Loops over value types, as the next. */
START_TEST(entries_have_the_bits_of_the_documented_order)
{
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    rng r = rng_stream((uint64_t)_i);
    int way = _i;
    for (int s = 0; s < shape_count; s++) {
        fur_csr *near = matrix_random(host, &r, &shapes[s], (fur_value_type)_i,
                                      (fur_offset_type)rng_below(&r, 2));
        int64_t cols = column_counts[rng_below(&r, COUNT_OF(column_counts))];
        if (fur_csr_get(near)->entries > 20000 && cols > 33)
            cols = 9;
        check_trial(gpu, near, cols, &r, &way, shapes[s].name);
        fur_csr_destroy(near);
    }
    fur_context_destroy(gpu);
}
END_TEST

START_TEST(any_number_of_columns_in_any_layout)
{
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    rng r = rng_stream(10 + (uint64_t)_i);
    int way = 0;
    fur_csr *near =
        matrix_random(host, &r, &shapes[shape_find("small grid")], (fur_value_type)_i, FUR_I32);
    for (int c = 0; c < COUNT_OF(column_counts); c += test_small() ? 5 : 1)
        check_trial(gpu, near, column_counts[c], &r, &way, "small grid");
    fur_csr_destroy(near);
    fur_context_destroy(gpu);
}
END_TEST

/* Many blocks, long runs of empty rows, rows longer than a block's entries. */
START_TEST(rows_of_every_length)
{
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    rng r = rng_stream(20);
    const int32_t rows = test_small() ? 3000 : 300000;
    const int32_t cols = 4000;
    int64_t *offsets = malloc(((size_t)rows + 1) * sizeof *offsets);
    int32_t *columns =
        malloc((size_t)rows * 8 * sizeof *columns + 8 * (size_t)cols * sizeof *columns);
    offsets[0] = 0;
    for (int32_t i = 0; i < rows; i++) {
        bool empty = i / 1000 % 3 == 1; /* a thousand rows at a time */
        int32_t length = i % (rows / 7) == 5 ? cols : empty ? 0 : (int32_t)rng_below(&r, 8);
        offsets[i + 1] = offsets[i] + length;
        for (int32_t k = 0; k < length; k++)
            columns[offsets[i] + k] = length == cols ? k : k * 500 + (int32_t)rng_below(&r, 500);
    }
    fur_csr_view view = {sizeof view, rows,    cols,    offsets[rows], FUR_F64,
                         FUR_I64,     offsets, columns, NULL};
    view.values = entries_random(&r, FUR_F64, view.entries);
    fur_csr *near = NULL;
    int way = 0;
    ck_ok(host, fur_csr_create(host, &view, FUR_OWNERSHIP_BORROW, &near));
    check_trial(gpu, near, 9, &r, &way, "rows of every length");
    fur_csr_destroy(near);
    free((void *)(uintptr_t)view.values);
    free(columns);
    free(offsets);
    fur_context_destroy(gpu);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, entries_have_the_bits_of_the_documented_order, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, any_number_of_columns_in_any_layout, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, rows_of_every_length);
}

int main(void)
{
    return run_gpu_tests("cuda_sddmm", add_tests);
}
