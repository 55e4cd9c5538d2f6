/* Blocks of vectors with small matrices on a GPU: products, Gram matrices and norms have the bits
 * of the CPU. This holds for every value type, layout and stride, and in place. */
#include "cuda_support.h"
#include "placed_block.h"

#include <string.h>

/* Combinations of the layouts of X and Y, with and without gaps. */
#define WAYS 8

static fur_layout layout_of(int way, int bit)
{
    return way >> bit & 1 ? FUR_LAYOUT_COLUMNS : FUR_LAYOUT_ROWS;
}

static fur_scalar *small_random(rng *r, int64_t count)
{
    fur_scalar *c = malloc((size_t)(count + 1) * sizeof *c);
    for (int64_t i = 0; i < count; i++)
        c[i] = fur_complex(rng_unit(r), rng_unit(r));
    return c;
}

typedef struct sizes {
    int64_t rows;
    int64_t k;
    int64_t m;
} sizes;

static const sizes all_sizes[] = {{1, 1, 1},    {5, 3, 2},     {133, 8, 8},    {1000, 16, 5},
                                  {777, 1, 40}, {300, 65, 33}, {40, 256, 256}, {20000, 4, 4}};

/* Checks that both devices give the same bits, and frees the entries. */
static void expect_same(fur_value_type value, const sizes *s, int way, const char *what, void *cpu,
                        void *gpu)
{
    int64_t at = first_difference(value, s->rows * s->m, cpu, gpu);
    fur_scalar expected = entry_get(value, cpu, at < 0 ? 0 : at);
    fur_scalar found = entry_get(value, gpu, at < 0 ? 0 : at);
    ck_assert_msg(at < 0,
                  "%s, %s, %lld x %lld x %lld, way %d: (%lld, %lld) is (%a, %a), on the CPU (%a, "
                  "%a)",
                  what, fur_value_name(value), (long long)s->rows, (long long)s->k, (long long)s->m,
                  way, (long long)(at / s->m), (long long)(at % s->m), found.re, found.im,
                  expected.re, expected.im);
    free(gpu);
    free(cpu);
}

static void check_multiply(fur_context *const contexts[2], fur_value_type value, const sizes *s,
                           int way, rng *r)
{
    void *x_entries = entries_random(r, value, s->rows * s->k);
    void *y_entries = entries_random(r, value, s->rows * s->m);
    fur_scalar *c = small_random(r, s->k * s->m);
    fur_scalar alpha = rng_scalar(r, value);
    fur_scalar beta = way % 3 == 0 ? fur_real(0) : rng_scalar(r, value);
    void *results[2];
    for (int i = 0; i < 2; i++) {
        placed_block x =
            block_place(contexts[i], value, s->rows, s->k, layout_of(way, 0), way & 4, x_entries);
        placed_block y =
            block_place(contexts[i], value, s->rows, s->m, layout_of(way, 1), way & 4, y_entries);
        ck_ok(contexts[i], fur_vectors_multiply(alpha, x.block, c, beta, y.block));
        results[i] = block_take_back(&y);
        block_remove(&x);
    }
    expect_same(value, s, way, "multiply", results[0], results[1]);
    free(c);
    free(y_entries);
    free(x_entries);
}

static void check_in_place(fur_context *const contexts[2], fur_value_type value, const sizes *s,
                           int way, rng *r)
{
    const sizes square = {s->rows, s->k, s->k};
    void *entries = entries_random(r, value, s->rows * s->k);
    fur_scalar *c = small_random(r, s->k * s->k);
    fur_scalar alpha = rng_scalar(r, value);
    fur_scalar beta = way % 2 == 0 ? fur_real(0) : rng_scalar(r, value);
    void *results[2];
    for (int i = 0; i < 2; i++) {
        placed_block x =
            block_place(contexts[i], value, s->rows, s->k, layout_of(way, 0), way & 4, entries);
        ck_ok(contexts[i], fur_vectors_multiply(alpha, x.block, c, beta, x.block));
        results[i] = block_take_back(&x);
    }
    expect_same(value, &square, way, "multiply in place", results[0], results[1]);
    free(c);
    free(entries);
}

/* Products have the bits of the CPU. Loops over value types, as the next test does. */
START_TEST(products_have_the_bits_of_the_cpu)
{
    fur_context *gpu = context_cuda();
    fur_context *const contexts[] = {fur_context_host(gpu), gpu};
    rng r = rng_stream((uint64_t)_i);
    for (int i = 0; i < COUNT_OF(all_sizes); i += test_small() ? 3 : 1)
        for (int way = i % 2; way < WAYS; way += test_small() ? 4 : 1) {
            check_multiply(contexts, (fur_value_type)_i, &all_sizes[i], way, &r);
            check_in_place(contexts, (fur_value_type)_i, &all_sizes[i], way, &r);
        }
    fur_context_destroy(gpu);
}
END_TEST

/* Computes in one context the Gram matrix of X and Y, or of X with itself, and the norms of X. */
static void measure(fur_context *context, fur_value_type value, const sizes *s, int way,
                    const void *x_entries, const void *y_entries, fur_scalar *gram, double *norms)
{
    placed_block x =
        block_place(context, value, s->rows, s->k, layout_of(way, 0), way & 4, x_entries);
    placed_block y =
        block_place(context, value, s->rows, s->m, layout_of(way, 1), way & 4, y_entries);
    ck_ok(context, fur_vectors_gram(x.block, y.block, gram));
    ck_ok(context, fur_vectors_gram(x.block, x.block, gram + s->k * s->m));
    ck_ok(context, fur_vectors_norms(x.block, FUR_NORM_1, norms));
    ck_ok(context, fur_vectors_norms(x.block, FUR_NORM_2, norms + s->k));
    ck_ok(context, fur_vectors_norms(x.block, FUR_NORM_MAX, norms + 2 * s->k));
    block_remove(&y);
    block_remove(&x);
}

static void check_measures(fur_context *const contexts[2], fur_value_type value, const sizes *s,
                           int way, rng *r)
{
    int64_t count = s->k * s->m + s->k * s->k;
    void *x_entries = entries_random(r, value, s->rows * s->k);
    void *y_entries = entries_random(r, value, s->rows * s->m);
    fur_scalar *gram[2];
    double *norms[2];
    for (int i = 0; i < 2; i++) {
        gram[i] = entries_make(FUR_C128, count);
        norms[i] = entries_make(FUR_F64, 3 * s->k);
        measure(contexts[i], value, s, way, x_entries, y_entries, gram[i], norms[i]);
    }
    int64_t in_gram = first_difference(FUR_C128, count, gram[0], gram[1]);
    int64_t in_norms = first_difference(FUR_F64, 3 * s->k, norms[0], norms[1]);
    ck_assert_msg(in_gram < 0, "Gram, %s, %lld x %lld x %lld, way %d: entry %lld of %lld",
                  fur_value_name(value), (long long)s->rows, (long long)s->k, (long long)s->m, way,
                  (long long)in_gram, (long long)count);
    ck_assert_msg(in_norms < 0, "norms, %s, %lld x %lld, way %d: number %lld, %a on the CPU, %a",
                  fur_value_name(value), (long long)s->rows, (long long)s->k, way,
                  (long long)in_norms, norms[0][in_norms < 0 ? 0 : in_norms],
                  norms[1][in_norms < 0 ? 0 : in_norms]);
    for (int i = 0; i < 2; i++) {
        free(norms[i]);
        free(gram[i]);
    }
    free(y_entries);
    free(x_entries);
}

START_TEST(gram_matrices_and_norms_have_the_bits_of_the_cpu)
{
    fur_context *gpu = context_cuda();
    fur_context *const contexts[] = {fur_context_host(gpu), gpu};
    rng r = rng_stream(10 + (uint64_t)_i);
    for (int i = 0; i < COUNT_OF(all_sizes); i++) {
        sizes s = all_sizes[i];
        if (s.k > 70 || (test_small() && s.rows > 500))
            continue;
        for (int way = 0; way < WAYS; way += test_small() ? 3 : 1)
            check_measures(contexts, (fur_value_type)_i, &s, way, &r);
    }
    fur_context_destroy(gpu);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, products_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, gram_matrices_and_norms_have_the_bits_of_the_cpu, 0,
                        FUR_VALUE_COUNT);
}

int main(void)
{
    return run_gpu_tests("cuda_block", add_tests);
}
