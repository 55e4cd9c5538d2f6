/* Batches on a GPU: products and solves with the bits of single ones on the CPU. */
#include "batch_trial.h"
#include "cuda_support.h"

#include <math.h>

static const int64_t counts[] = {1, 3, 8, 31, 33, 70, 300};

static int64_t draw_count(rng *r)
{
    return counts[rng_below(r, test_small() ? 5 : COUNT_OF(counts))];
}

/* Loops over value types, as the next two. */
START_TEST(products_have_the_bits_of_the_cpu)
{
    const fur_scalar coefficients[] = {{1, 0}, {-0.75, 0.5}, {0, 0}};
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    rng r = rng_stream((uint64_t)_i);
    for (int s = 0; s < shape_count; s++) {
        fur_csr *a = matrix_random(host, &r, &shapes[s], FUR_F32, (fur_offset_type)(s % 2));
        int64_t count = fur_csr_get(a)->entries > 20000 ? 9 : draw_count(&r);
        fur_scalar alpha = coefficients[rng_below(&r, 3)];
        fur_scalar beta = coefficients[rng_below(&r, 3)];
        batch_trial t = batch_random(a, (fur_value_type)_i, count, alpha, beta, &r);
        batch_check_product(gpu, &t, alpha, beta, s % 3 == 0, shapes[s].name);
        batch_release(&t);
        fur_csr_destroy(a);
    }
    fur_context_destroy(gpu);
}
END_TEST

static void check_cg(fur_context *gpu, fur_value_type value, int64_t count,
                     const fur_batch_solver_options *o, const char *name, rng *r)
{
    fur_context *host = fur_context_host(gpu);
    fur_csr *a = matrix_random(host, r, &shapes[shape_find(name)], FUR_F64, FUR_I32);
    batch_trial t = batch_definite(a, value, count, o, r);
    batch_check_solve(gpu, &t, o, count % 2 == 1, name);
    batch_release(&t);
    fur_csr_destroy(a);
}

START_TEST(cg_ends_as_alone)
{
    fur_value_type value = (fur_value_type)_i;
    const fur_batch_solver_options options[] = {
        {.size = sizeof *options},
        {.size = sizeof *options, .max_iterations = 20},
        {.size = sizeof *options, .rtol = value_epsilon(value)}, /* stagnates */
        {.size = sizeof *options, .rtol = 1e-3, .atol = 1e-2},
    };
    fur_context *gpu = context_cuda();
    rng r = rng_stream(20 + (uint64_t)_i);
    for (int k = 0; k < (test_small() ? 4 : 8); k++)
        check_cg(gpu, value, k == 0 ? 33 : draw_count(&r), &options[k % 4],
                 k % 2 ? "band" : "small grid", &r);
    fur_context_destroy(gpu);
}
END_TEST

/* Several leaves of the sums. */
START_TEST(cg_ends_as_alone_with_thousands_of_rows)
{
    const fur_batch_solver_options o = {.size = sizeof o, .rtol = 1e-4, .max_iterations = 60};
    fur_context *gpu = context_cuda();
    rng r = rng_stream(30 + (uint64_t)_i);
    check_cg(gpu, (fur_value_type)_i, 9, &o, test_small() ? "band" : "grid", &r);
    fur_context_destroy(gpu);
}
END_TEST

/* Loops over value types. */
START_TEST(a_guess_that_is_not_finite_is_a_breakdown)
{
    rng r = rng_stream(50);
    fur_context *context = context_cuda();
    batch_check_wild_guess(context, (fur_value_type)_i, &r);
    fur_context_destroy(context);
}
END_TEST

static const struct {
    int64_t rows;
    int64_t lower;
    int64_t upper;
} bands[] = {{1, 0, 0},  {40, 0, 0}, {90, 1, 1}, {2, 1, 1},  {1, 1, 1},   {60, 2, 2},
             {50, 0, 3}, {50, 3, 0}, {77, 1, 4}, {64, 5, 2}, {80, 16, 16}};

/* Loops over value types. */
START_TEST(elimination_has_its_order)
{
    const fur_batch_solver_options o = {.size = sizeof o, .method = "band"};
    fur_context *gpu = context_cuda();
    fur_context *host = fur_context_host(gpu);
    rng r = rng_stream(40 + (uint64_t)_i);
    for (int k = 0; k < COUNT_OF(bands); k++) {
        fur_csr *a = batch_band_pattern(host, &r, bands[k].rows, bands[k].lower, bands[k].upper);
        batch_trial t =
            batch_banded(a, (fur_value_type)_i, draw_count(&r), bands[k].lower, bands[k].upper, &r);
        batch_check_solve(gpu, &t, &o, k % 2 == 1, "band");
        batch_release(&t);
        fur_csr_destroy(a);
    }
    fur_context_destroy(gpu);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, products_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, elimination_has_its_order, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, cg_ends_as_alone, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, cg_ends_as_alone_with_thousands_of_rows, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_guess_that_is_not_finite_is_a_breakdown, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_gpu_tests("cuda_batch", add_tests);
}
