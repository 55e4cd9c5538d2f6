/* Permutations on a GPU: made from orders that lie on either side, refused with the host's
 * sentence; vectors go forth and back; kept duplicates stay in their order; permuted operators.
 * Matrices of all shapes are permuted in test_cuda_csr.c. */
#include "cuda_support.h"

#include <string.h>

static void ck_arrays(fur_context *gpu, const fur_permutation *p, const int32_t *order, int64_t n)
{
    fur_permutation *fetched = NULL;
    ck_ok(gpu, fur_permutation_transfer(p, fur_context_host(gpu), &fetched));
    ck_assert_int_eq(fur_permutation_size(fetched), n);
    for (int64_t i = 0; i < n; i++)
        if (fur_permutation_order(fetched)[i] != order[i] ||
            fur_permutation_position(fetched)[order[i]] != (int32_t)i)
            ck_abort_msg("place %lld of %lld", (long long)i, (long long)n);
    fur_permutation_destroy(fetched);
}

static void check_sides(fur_context *gpu, rng *r, int64_t n)
{
    int32_t *order = rng_order(r, n);
    fur_permutation *near = NULL;
    fur_permutation *far = NULL;
    ck_ok(gpu, fur_permutation_create(gpu, n, order, &near));
    ck_arrays(gpu, near, order, n);
    ck_ok(gpu, fur_permutation_create(gpu, n, fur_permutation_order(near), &far));
    fur_permutation_destroy(near);
    ck_arrays(gpu, far, order, n);
    fur_permutation_destroy(far);
    free(order);
}

START_TEST(permutations_are_made_from_either_side)
{
    static const int64_t sizes[] = {0, 1, 33, 100000};
    counted c;
    rng r = rng_stream(1);
    counted_open(&c);
    for (int i = 0; i < COUNT_OF(sizes); i++)
        check_sides(c.context, &r, sizes[i]);
    counted_close(&c);
}
END_TEST

START_TEST(what_is_no_permutation_is_refused)
{
    static const int32_t twice[] = {1, 0, 1};
    counted c;
    fur_permutation *p = NULL;
    counted_open(&c);
    ck_fails(c.context, FUR_INVALID,
             "the order has 1 at positions 0 and 2; it must be a permutation",
             fur_permutation_create(c.context, 3, twice, &p));
    ck_assert_ptr_null(p);
    counted_close(&c);
}
END_TEST

static void check_vectors(fur_context *gpu, rng *r, fur_value_type value, int64_t n)
{
    int32_t *order = rng_order(r, n);
    fur_permutation *p = NULL;
    ck_ok(gpu, fur_permutation_create(gpu, n, order, &p));
    fur_vector *x = vector_random(gpu, r, value, n);
    fur_vector *y = vector_random(gpu, r, value, n);
    fur_vector *z = vector_random(gpu, r, value, n);
    size_t size = fur_value_size(value);
    ck_ok(gpu, fur_vector_permute(p, x, y));
    ck_ok(gpu, fur_vector_unpermute(p, y, z));
    char *before = vector_entries(x);
    char *permuted = vector_entries(y);
    char *after = vector_entries(z);
    for (int64_t i = 0; i < n; i++)
        if (memcmp(permuted + (size_t)i * size, before + (size_t)order[i] * size, size) != 0)
            ck_abort_msg("entry %lld of %lld", (long long)i, (long long)n);
    ck_assert(n == 0 || memcmp(before, after, (size_t)n * size) == 0);
    free(after);
    free(permuted);
    free(before);
    fur_vector_destroy(z);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_permutation_destroy(p);
    free(order);
}

/* Loops over value types. */
START_TEST(vectors_go_forth_and_back)
{
    fur_context *gpu = context_cuda();
    rng r = rng_stream(2);
    check_vectors(gpu, &r, (fur_value_type)_i, 0);
    check_vectors(gpu, &r, (fur_value_type)_i, 1);
    check_vectors(gpu, &r, (fur_value_type)_i, 50001);
    fur_context_destroy(gpu);
}
END_TEST

/* Rows, short and long ones, in which most positions are there several times. */
static fur_csr *matrix_with_duplicates(fur_context *context, rng *r, fur_value_type value)
{
    enum { ENTRIES = 6000 };
    static int32_t rows[ENTRIES];
    static int32_t cols[ENTRIES];
    fur_csr *a = NULL;
    for (int e = 0; e < ENTRIES; e++) {
        rows[e] = (int32_t)(e < ENTRIES / 2 ? rng_below(r, 2) : rng_below(r, 300));
        cols[e] = (int32_t)rng_below(r, 40);
    }
    void *values = entries_random(r, value, ENTRIES);
    fur_coo_view coo = {sizeof coo, 300, 1000, ENTRIES, value, rows, cols, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_KEEP, &a));
    free(values);
    return a;
}

static fur_csr *permuted(const fur_csr *a, rng r)
{
    fur_context *context = fur_csr_context(a);
    fur_permutation *p = permutation_random(context, &r, fur_csr_get(a)->rows);
    fur_permutation *q = permutation_random(context, &r, fur_csr_get(a)->cols);
    fur_csr *b = NULL;
    ck_ok(context, fur_csr_permute(a, p, q, &b));
    fur_permutation_destroy(q);
    fur_permutation_destroy(p);
    return b;
}

/* Loops over value types. */
START_TEST(kept_duplicates_stay_in_their_order)
{
    fur_context *gpu = context_cuda();
    rng r = rng_stream(3);
    fur_csr *host = matrix_with_duplicates(fur_context_host(gpu), &r, (fur_value_type)_i);
    fur_csr *device = NULL;
    int equal = 0;
    ck_ok(fur_context_host(gpu), fur_csr_transfer(host, gpu, &device));
    fur_csr *expected = permuted(host, r);
    fur_csr *b = permuted(device, r);
    fur_csr *fetched = NULL;
    ck_ok(gpu, fur_csr_transfer(b, fur_context_host(gpu), &fetched));
    ck_ok(fur_context_host(gpu), fur_csr_compare(fetched, expected, &equal));
    ck_assert_int_eq(equal, 1);
    fur_csr_destroy(fetched);
    fur_csr_destroy(b);
    fur_csr_destroy(expected);
    fur_csr_destroy(device);
    fur_csr_destroy(host);
    fur_context_destroy(gpu);
}
END_TEST

/* By one entry a row the product is exact: P^T (P D P^T) P x = D x. */
START_TEST(a_permuted_operator_is_the_original_one)
{
    fur_context *gpu = context_cuda();
    rng r = rng_stream(4);
    const shape *s = &shapes[shape_find("diagonal")];
    fur_csr *a = matrix_random(gpu, &r, s, (fur_value_type)_i, FUR_I32);
    fur_permutation *p = permutation_random(gpu, &r, s->rows);
    fur_vector *x = vector_random(gpu, &r, (fur_value_type)_i, s->rows);
    fur_vector *y = vector_random(gpu, &r, (fur_value_type)_i, s->rows);
    fur_vector *d = NULL;
    fur_csr *b = NULL;
    fur_spmv *plan = NULL;
    fur_operator *inner = NULL;
    fur_operator *op = NULL;
    ck_ok(gpu, fur_csr_permute(a, p, p, &b));
    ck_ok(gpu, fur_spmv_plan(b, NULL, &plan));
    ck_ok(gpu, fur_operator_from_spmv(plan, &inner));
    ck_ok(gpu, fur_operator_permute(inner, p, &op));
    ck_ok(gpu, fur_operator_apply(op, x, y));
    ck_ok(gpu, fur_csr_diagonal(a, &d));
    ck_ok(gpu, fur_multiply_elementwise(d, x, x));
    void *expected = vector_entries(x);
    void *result = vector_entries(y);
    ck_assert_int_eq(first_difference((fur_value_type)_i, s->rows, expected, result), -1);
    free(result);
    free(expected);
    fur_operator_destroy(op);
    fur_operator_destroy(inner);
    fur_spmv_destroy(plan);
    fur_csr_destroy(b);
    fur_vector_destroy(d);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_permutation_destroy(p);
    fur_csr_destroy(a);
    fur_context_destroy(gpu);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, permutations_are_made_from_either_side);
    tcase_add_test(tests, what_is_no_permutation_is_refused);
    tcase_add_loop_test(tests, vectors_go_forth_and_back, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, kept_duplicates_stay_in_their_order, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, a_permuted_operator_is_the_original_one, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_gpu_tests("cuda_permute", add_tests);
}
