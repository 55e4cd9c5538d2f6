/* Blocks of vectors on a GPU: copies between layouts and contexts, and products by every kernel,
 * with the bits of single products on the CPU, for every shape, layout, stride, value type, offset
 * width and many numbers of columns. */
#include "cuda_support.h"
#include "spmm_trial.h"

#include <math.h>

static const int64_t column_counts[] = {1,  2,  3,  4,  5,  7,  8,   9,   12,  15, 16,
                                        17, 24, 31, 32, 33, 64, 100, 128, 129, 256};

/* Every kernel, in some of the ways. */
static void check_kernels(const fur_csr *a, const spmm_trial *t, const char *what, int *way)
{
    fur_context *gpu = fur_csr_context(a);
    for (int kernel = 0; fur_spmm_kernel_at(gpu, kernel); kernel++) {
        fur_spmm_options options = {.size = sizeof options, .op = t->op};
        options.kernel = fur_spmm_kernel_at(gpu, kernel)->name;
        if (!fur_spmm_kernel_at(gpu, kernel)->exact)
            continue;
        fur_spmm *plan = NULL;
        ck_ok(gpu, fur_spmm_plan(a, &options, &plan));
        for (int i = 0; i < (test_small() ? 1 : 3); i++)
            spmm_check(plan, t, (*way)++ % SPMM_WAYS, what);
        fur_spmm_destroy(plan);
    }
}

static void check_shape(fur_context *gpu, const shape *s, fur_value_type value, rng *r, int *way)
{
    fur_context *host = fur_context_host(gpu);
    fur_csr *near = matrix_random(host, r, s, value, (fur_offset_type)rng_below(r, 2));
    fur_csr *a = NULL;
    ck_ok(host, fur_csr_transfer(near, gpu, &a));
    for (int i = 0; i < (test_small() ? 1 : 3); i++) {
        int64_t cols = column_counts[rng_below(r, COUNT_OF(column_counts))];
        if (fur_csr_get(near)->entries > 20000 && cols > 33)
            cols = 9;
        spmm_trial t = spmm_random(near, (fur_op)rng_below(r, 3), cols, r);
        check_kernels(a, &t, s->name, way);
        spmm_release(&t);
    }
    fur_csr_destroy(a);
    fur_csr_destroy(near);
}

/* Loops over value types, as the next. */
START_TEST(columns_have_the_bits_of_the_cpu)
{
    fur_context *gpu = context_cuda();
    rng r = rng_stream((uint64_t)_i);
    int way = _i;
    for (int s = 0; s < shape_count; s++)
        check_shape(gpu, &shapes[s], (fur_value_type)_i, &r, &way);
    fur_context_destroy(gpu);
}
END_TEST

START_TEST(any_number_of_columns_in_any_layout)
{
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    rng r = rng_stream(10 + (uint64_t)_i);
    fur_csr *near =
        matrix_random(host, &r, &shapes[shape_find("small grid")], (fur_value_type)_i, FUR_I32);
    fur_csr *a = NULL;
    fur_spmm *plan = NULL;
    ck_ok(host, fur_csr_transfer(near, gpu, &a));
    ck_ok(gpu, fur_spmm_plan(a, NULL, &plan));
    for (int c = 0; c < COUNT_OF(column_counts); c += test_small() ? 5 : 1) {
        spmm_trial t = spmm_random(near, FUR_OP_N, column_counts[c], &r);
        for (int way = 0; way < SPMM_WAYS; way++)
            spmm_check(plan, &t, way, "small grid");
        spmm_release(&t);
    }
    fur_spmm_destroy(plan);
    fur_csr_destroy(a);
    fur_csr_destroy(near);
    fur_context_destroy(gpu);
}
END_TEST

/* Rows of thousands of entries beside short ones, and more columns than a block has threads. */
START_TEST(long_rows_and_many_columns)
{
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    rng r = rng_stream(20);
    static const char *const names[] = {"long rows", "dense row", "1 x N", "skewed"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        fur_csr *near = matrix_random(host, &r, &shapes[shape_find(names[i])], FUR_F64,
                                      (fur_offset_type)(i % 2));
        fur_csr *a = NULL;
        ck_ok(host, fur_csr_transfer(near, gpu, &a));
        int way = i;
        for (int64_t cols = 5; cols < (test_small() ? 6 : 700); cols = 11 * cols + 7) {
            spmm_trial t = spmm_random(near, i % 2 ? FUR_OP_T : FUR_OP_N, cols, &r);
            check_kernels(a, &t, names[i], &way);
            spmm_release(&t);
        }
        fur_csr_destroy(a);
        fur_csr_destroy(near);
    }
    fur_context_destroy(gpu);
}
END_TEST

START_TEST(new_values_reach_the_plan)
{
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    rng r = rng_stream(30);
    fur_csr *near = matrix_random(host, &r, &shapes[shape_find("skewed")], FUR_C64, FUR_I32);
    fur_csr *a = NULL;
    void *values = entries_random(&r, FUR_C64, fur_csr_get(near)->entries);
    ck_ok(host, fur_csr_transfer(near, gpu, &a));
    for (int op = 0; op < 3; op++) {
        fur_spmm_options options = {.size = sizeof options, .op = (fur_op)op};
        fur_spmm *plan = NULL;
        ck_ok(gpu, fur_spmm_plan(a, &options, &plan));
        ck_ok(gpu, fur_csr_set_values(a, values, FUR_OWNERSHIP_COPY));
        ck_ok(host, fur_csr_set_values(near, values, FUR_OWNERSHIP_COPY));
        spmm_trial t = spmm_random(near, options.op, 5, &r);
        spmm_check(plan, &t, op, "new values");
        spmm_release(&t);
        fur_spmm_destroy(plan);
    }
    free(values);
    fur_csr_destroy(a);
    fur_csr_destroy(near);
    fur_context_destroy(gpu);
}
END_TEST

/* Up, summed, down: the bits of the CPU in every pair of layouts, with and without gaps. */
START_TEST(blocks_are_summed_as_on_the_cpu)
{
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    rng r = rng_stream(40 + (uint64_t)_i);
    fur_value_type value = (fur_value_type)_i;
    static const fur_scalar betas[] = {{0, 0}, {1, 0}, {0.3, -0.7}};
    for (int way = 0; way < 12; way++) {
        fur_context *const contexts[] = {host, gpu};
        void *entries = entries_random(&r, value, 2 * 133 * 70);
        void *results[2];
        for (int c = 0; c < 2; c++) {
            fur_vectors *whole[2] = {NULL, NULL};
            fur_vectors *block[2] = {NULL, NULL};
            for (int i = 0; i < 2; i++) {
                ck_ok(contexts[c], fur_vectors_create(contexts[c], value, 133, 73,
                                                      (fur_layout)(way >> i & 1), &whole[i]));
                ck_ok(contexts[c], fur_vectors_columns(whole[i], 2, 70, &block[i]));
                ck_ok(contexts[c], fur_vectors_upload((char *)entries + (size_t)i * 133 * 70 *
                                                                            fur_value_size(value),
                                                      block[i]));
            }
            ck_ok(contexts[c],
                  fur_vectors_axpby(fur_complex(0.7, 0.1), block[0], betas[way / 4], block[1]));
            results[c] = entries_make(value, 133 * 73);
            ck_ok(contexts[c], fur_vectors_download(whole[1], results[c]));
            for (int i = 0; i < 2; i++) {
                fur_vectors_destroy(block[i]);
                fur_vectors_destroy(whole[i]);
            }
        }
        ck_assert_msg(first_difference(value, 133 * 73, results[0], results[1]) < 0, "way %d", way);
        free(results[1]);
        free(results[0]);
        free(entries);
    }
    fur_context_destroy(gpu);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, columns_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, any_number_of_columns_in_any_layout, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, long_rows_and_many_columns);
    tcase_add_test(tests, new_values_reach_the_plan);
    tcase_add_loop_test(tests, blocks_are_summed_as_on_the_cpu, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_gpu_tests("cuda_spmm", add_tests);
}
