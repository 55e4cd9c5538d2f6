/* Matrices on a GPU. Every operation has the result of the host on every shape, value type and
 * offset width. Faulty arrays are refused with the host's sentence, on the host or the device. */
#include "cuda_support.h"

#include <string.h>

/* A matrix on the host, and its copy on the GPU. */
typedef struct twin {
    fur_context *gpu;
    fur_csr *on_host;
    fur_csr *on_gpu;
} twin;

/* Checks that the GPU's result of an operation, copied to the host, equals the host's. */
static void ck_same(const twin *t, const fur_csr *gpu, const fur_csr *host, const char *what)
{
    fur_csr *fetched = NULL;
    int equal = 0;
    fur_csr_view p = *fur_csr_get(gpu);
    fur_csr_view q = *fur_csr_get(host);
    ck_ok(t->gpu, fur_csr_transfer(gpu, fur_context_host(t->gpu), &fetched));
    ck_ok(fur_context_host(t->gpu), fur_csr_compare(fetched, host, &equal));
    ck_assert_msg(equal && p.offset_type == q.offset_type,
                  "%s of %lld x %lld, %lld entries of %s, %s", what, (long long)q.rows,
                  (long long)q.cols, (long long)q.entries, fur_value_name(q.value_type),
                  fur_offset_name(q.offset_type));
    fur_csr_destroy(fetched);
}

typedef fur_status (*operation)(const fur_csr *a, const void *arguments, fur_csr **out);

static void check_operation(const twin *t, operation run, const void *arguments, const char *what)
{
    fur_csr *gpu = NULL;
    fur_csr *host = NULL;
    ck_ok(fur_context_host(t->gpu), run(t->on_host, arguments, &host));
    ck_ok(t->gpu, run(t->on_gpu, arguments, &gpu));
    ck_assert_ptr_eq(fur_csr_context(gpu), t->gpu);
    ck_same(t, gpu, host, what);
    fur_csr_destroy(gpu);
    fur_csr_destroy(host);
}

static fur_status transpose(const fur_csr *a, const void *conjugate, fur_csr **out)
{
    return fur_csr_transpose(a, *(const int *)conjugate, out);
}

/* Orders of rows and columns. NULL: unchanged. */
typedef struct orders {
    int32_t *rows;
    int32_t *cols;
} orders;

static fur_permutation *permutation_of(fur_context *context, int64_t n, const int32_t *order)
{
    fur_permutation *p = NULL;
    if (order)
        ck_ok(context, fur_permutation_create(context, n, order, &p));
    return p;
}

static fur_status permute(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const orders *o = arguments;
    fur_context *context = fur_csr_context(a);
    fur_permutation *rows = permutation_of(context, fur_csr_get(a)->rows, o->rows);
    fur_permutation *cols = permutation_of(context, fur_csr_get(a)->cols, o->cols);
    fur_status status = fur_csr_permute(a, rows, cols, out);
    fur_permutation_destroy(cols);
    fur_permutation_destroy(rows);
    return status;
}

typedef struct types {
    fur_value_type value;
    fur_offset_type offset;
} types;

static fur_status convert(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const types *t = arguments;
    return fur_csr_convert(a, t->value, t->offset, out);
}

static void check_measure(const twin *t)
{
    fur_csr_statistics gpu = FUR_DEFAULT(fur_csr_statistics);
    fur_csr_statistics host = FUR_DEFAULT(fur_csr_statistics);
    ck_ok(fur_context_host(t->gpu), fur_csr_measure(t->on_host, &host));
    ck_ok(t->gpu, fur_csr_measure(t->on_gpu, &gpu));
    ck_assert_int_eq(gpu.row_min, host.row_min);
    ck_assert_int_eq(gpu.row_max, host.row_max);
    ck_assert(gpu.row_mean == host.row_mean);
    ck_assert_int_eq(gpu.empty_rows, host.empty_rows);
    ck_assert_int_eq(gpu.bandwidth, host.bandwidth);
    ck_assert_int_eq(gpu.profile, host.profile);
}

static void check_diagonal(const twin *t)
{
    fur_vector *gpu = NULL;
    fur_vector *host = NULL;
    ck_ok(fur_context_host(t->gpu), fur_csr_diagonal(t->on_host, &host));
    ck_ok(t->gpu, fur_csr_diagonal(t->on_gpu, &gpu));
    ck_assert_int_eq(fur_vector_size(gpu), fur_vector_size(host));
    void *entries = vector_entries(gpu);
    ck_assert_int_eq(first_difference(fur_vector_value_type(host), fur_vector_size(host), entries,
                                      fur_vector_const_data(host)),
                     -1);
    free(entries);
    fur_vector_destroy(gpu);
    fur_vector_destroy(host);
}

static void check_operations(const twin *t, rng *r)
{
    fur_csr_view view = *fur_csr_get(t->on_host);
    orders o = {rng_order(r, view.rows), rng_order(r, view.cols)};
    types other = {value_is_complex(view.value_type) ? FUR_C128 : FUR_C64,
                   view.offset_type == FUR_I32 ? FUR_I64 : FUR_I32};
    ck_same(t, t->on_gpu, t->on_host, "transfer");
    check_operation(t, transpose, &(int){0}, "transpose");
    check_operation(t, transpose, &(int){1}, "conjugate transpose");
    check_operation(t, permute, &o, "permutation");
    check_operation(t, permute, &(orders){o.rows, NULL}, "permutation of rows");
    check_operation(t, permute, &(orders){NULL, o.cols}, "permutation of columns");
    check_operation(t, convert, &other, "conversion");
    check_measure(t);
    check_diagonal(t);
    free(o.cols);
    free(o.rows);
}

static void check_shape(fur_context *gpu, const shape *s, fur_value_type value,
                        fur_offset_type offset)
{
    rng r = rng_stream((uint64_t)(s - shapes));
    twin t = {.gpu = gpu};
    t.on_host = matrix_random(fur_context_host(gpu), &r, s, value, offset);
    ck_ok(fur_context_host(gpu), fur_csr_transfer(t.on_host, gpu, &t.on_gpu));
    check_operations(&t, &r);
    fur_csr_destroy(t.on_gpu);
    fur_csr_destroy(t.on_host);
}

/* Operations give the results of the host. Loops over value types. */
START_TEST(operations_give_what_the_host_gives)
{
    counted c;
    counted_open(&c);
    for (int i = 0; i < shape_count; i += test_small() ? 3 : 1)
        for (int offset = 0; offset < FUR_OFFSET_COUNT; offset++)
            check_shape(c.context, &shapes[i], (fur_value_type)_i, (fur_offset_type)offset);
    counted_close(&c);
}
END_TEST

/* Checks that borrowed device arrays are used in place and that copied arrays are not. */
static void check_ownership(fur_context *gpu, const shape *s, fur_value_type value,
                            fur_offset_type offset)
{
    rng r = rng_stream((uint64_t)(s - shapes));
    fur_csr *host = matrix_random(fur_context_host(gpu), &r, s, value, offset);
    twin t = {.gpu = gpu, .on_host = host};
    fur_csr_view view = *fur_csr_get(host);
    fur_csr_view device = device_arrays(&view, 1);
    fur_csr *borrowed = NULL;
    fur_csr *copied = NULL;
    fur_csr *uploaded = NULL;
    ck_ok(gpu, fur_csr_create(gpu, &device, FUR_OWNERSHIP_BORROW, &borrowed));
    ck_ok(gpu, fur_csr_create(gpu, &device, FUR_OWNERSHIP_COPY, &copied));
    ck_ok(gpu, fur_csr_create(gpu, &view, FUR_OWNERSHIP_COPY, &uploaded));
    ck_assert_ptr_eq(fur_csr_get(borrowed)->columns, device.columns);
    ck_assert_ptr_ne(fur_csr_get(copied)->offsets, device.offsets);
    ck_same(&t, borrowed, host, "borrowed");
    fur_csr_destroy(borrowed);
    ck_ok(gpu, fur_context_synchronize(gpu));
    device_arrays_release(&device, 1);
    ck_same(&t, copied, host, "copied");
    ck_same(&t, uploaded, host, "uploaded");
    fur_csr_destroy(uploaded);
    fur_csr_destroy(copied);
    fur_csr_destroy(host);
}

START_TEST(matrices_are_borrowed_or_copied)
{
    fur_context *gpu = context_cuda();
    for (int i = 0; i < shape_count; i += test_small() ? 3 : 1)
        check_ownership(gpu, &shapes[i], (fur_value_type)(i % FUR_VALUE_COUNT),
                        (fur_offset_type)(i / FUR_VALUE_COUNT % FUR_OFFSET_COUNT));
    fur_context_destroy(gpu);
}
END_TEST

/* Returns coordinates in random order, some of them repeated. */
static fur_coo_view coordinates(rng *r, fur_value_type value)
{
    static int32_t rows[3000];
    static int32_t cols[3000];
    static double values[2 * 3000];
    for (int e = 0; e < COUNT_OF(rows); e++) {
        rows[e] = (int32_t)rng_below(r, 120);
        cols[e] = (int32_t)rng_below(r, 90);
        entry_set(value, values, e, rng_scalar(r, value));
    }
    return (fur_coo_view){sizeof(fur_coo_view), 120, 90, COUNT_OF(rows), value, rows, cols, values};
}

START_TEST(matrices_are_assembled_as_on_the_host)
{
    twin t = {.gpu = context_cuda()};
    rng r = rng_stream(50);
    for (int i = 0; i < 12; i++) {
        static const fur_duplicates rules[] = {FUR_DUPLICATES_SUM, FUR_DUPLICATES_LAST,
                                               FUR_DUPLICATES_KEEP};
        fur_coo_view coo = coordinates(&r, (fur_value_type)(i % FUR_VALUE_COUNT));
        ck_ok(t.gpu, fur_csr_from_coo(t.gpu, &coo, rules[i / 4], &t.on_gpu));
        ck_ok(fur_context_host(t.gpu),
              fur_csr_from_coo(fur_context_host(t.gpu), &coo, rules[i / 4], &t.on_host));
        check_operations(&t, &r);
        fur_csr_destroy(t.on_gpu);
        fur_csr_destroy(t.on_host);
    }
    fur_context_destroy(t.gpu);
}
END_TEST

/* Arrays of the 3 x 4 matrix [1 2 0 0; 0 0 0 3; 4 0 5 0] with one or two faults. */
typedef struct wrong {
    int64_t offsets[4];
    int32_t columns[5];
} wrong;

static const wrong wrongs[] = {
    {{1, 2, 3, 5}, {0, 1, 3, 0, 2}},         {{-1, 2, 3, 5}, {0, 1, 3, 0, 2}},
    {{0, 3, 2, 5}, {0, 1, 3, 0, 2}},         {{0, -1, 3, 5}, {0, 1, 3, 0, 2}},
    {{0, 2, 6, 5}, {0, 1, 3, 0, 2}},         {{0, 2, 3, INT32_MAX}, {0, 1, 3, 0, 2}},
    {{0, INT32_MIN, 3, 5}, {0, 1, 3, 0, 2}}, {{0, INT32_MAX, INT32_MAX, 5}, {0, 1, 3, 0, 2}},
    {{0, 2, 3, 4}, {0, 1, 3, 0, 2}},         {{0, 2, 3, 0}, {0, 1, 3, 0, 2}},
    {{0, 2, 3, 5}, {0, 1, 4, 0, 2}},         {{0, 2, 3, 5}, {0, 1, 3, -1, 2}},
    {{0, 2, 3, 5}, {INT32_MIN, 1, 3, 0, 2}}, {{0, 2, 3, 5}, {0, INT32_MAX, 3, 0, 2}},
    {{0, 2, 3, 5}, {1, 1, 3, 0, 2}},         {{0, 2, 3, 5}, {0, 1, 3, 2, 0}},
    {{0, 2, 3, 5}, {1, 0, 9, 2, 2}},         {{0, 2, 1, 5}, {0, 1, 9, 0, 2}},
    {{0, 2, 3, 4}, {0, 1, 3, 2, 2}},         {{0, 5, 5, 5}, {0, 1, 3, 3, 2}},
    {{0, 0, 0, 5}, {0, 1, 2, 3, 4}},
};

/* Checks that the arrays, in host and in device memory, are refused with the host's message. */
static void check_refusal(fur_context *gpu, const fur_csr_view *arrays)
{
    fur_context *host = fur_context_host(gpu);
    fur_csr_view device = device_arrays(arrays, 0);
    fur_csr *a = NULL;
    fur_status expected = fur_csr_check(host, arrays);
    const char *sentence = fur_context_error(host);
    ck_assert(expected != FUR_OK);
    ck_fails(gpu, expected, sentence, fur_csr_check(gpu, arrays));
    ck_fails(gpu, expected, sentence, fur_csr_create(gpu, arrays, FUR_OWNERSHIP_COPY, &a));
    ck_fails(gpu, expected, sentence, fur_csr_check(gpu, &device));
    ck_fails(gpu, expected, sentence, fur_csr_create(gpu, &device, FUR_OWNERSHIP_COPY, &a));
    ck_fails(gpu, expected, sentence, fur_csr_create(gpu, &device, FUR_OWNERSHIP_BORROW, &a));
    ck_assert_ptr_null(a);
    device_arrays_release(&device, 0);
}

START_TEST(wrong_matrices_are_refused_wherever_they_lie)
{
    counted c;
    double values[5] = {1, 2, 3, 4, 5};
    counted_open(&c);
    int64_t outstanding = c.device.outstanding;
    for (int i = 0; i < 2 * COUNT_OF(wrongs); i++) {
        const wrong *w = &wrongs[i / 2];
        int32_t narrow[4];
        for (int k = 0; k < 4; k++)
            narrow[k] = (int32_t)w->offsets[k];
        fur_csr_view arrays = {
            sizeof arrays, 3, 4, 5, FUR_F64, (fur_offset_type)(i % 2), narrow, w->columns, values};
        if (i % 2)
            arrays.offsets = w->offsets;
        check_refusal(c.context, &arrays);
    }
    ck_assert_int_eq(c.device.outstanding, outstanding);
    counted_close(&c);
}
END_TEST

/* If a larger matrix has two faults, the message names the first one. */
START_TEST(the_first_fault_is_named)
{
    fur_context *gpu = context_cuda();
    rng r = rng_stream(51);
    pattern p = pattern_make(&shapes[shape_find(test_small() ? "small grid" : "grid")], &r);
    void *values = entries_make(FUR_F32, p.entries);
    for (int i = 0; i < (test_small() ? 4 : 40); i++) {
        int64_t where[2] = {rng_below(&r, p.entries), rng_below(&r, p.entries)};
        int32_t columns[2];
        for (int k = 0; k < 2; k++) {
            columns[k] = p.columns[where[k]];
            p.columns[where[k]] = rng_below(&r, 2) ? -1 : (int32_t)p.cols;
        }
        fur_csr_view arrays = {sizeof arrays, p.rows,    p.cols,    p.entries, FUR_F32,
                               FUR_I64,       p.offsets, p.columns, values};
        check_refusal(gpu, &arrays);
        for (int k = 1; k >= 0; k--)
            p.columns[where[k]] = columns[k];
    }
    free(values);
    pattern_release(&p);
    fur_context_destroy(gpu);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, operations_give_what_the_host_gives, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, matrices_are_borrowed_or_copied);
    tcase_add_test(tests, matrices_are_assembled_as_on_the_host);
    tcase_add_test(tests, wrong_matrices_are_refused_wherever_they_lie);
    tcase_add_test(tests, the_first_fault_is_named);
}

int main(void)
{
    return run_gpu_tests("cuda_csr", add_tests);
}
