/* Memory and contexts of a GPU. Vectors and arrays of any size and alignment are copied to the
 * device and back, from pinned and pageable memory. Also: borrowing and adoption; several contexts
 * and devices; devices that do not exist; memory that runs out. */
#include "cuda_support.h"

#include <math.h>
#include <string.h>

/* Host memory for an array, pinned or not. The array may begin at any address. */
typedef struct buffer {
    char *memory;
    bool pinned;
} buffer;

static buffer buffer_make(size_t bytes, bool pinned)
{
    buffer b = {.pinned = pinned};
    if (pinned)
        ck_cuda(cudaMallocHost((void **)&b.memory, bytes + 64));
    else
        b.memory = malloc(bytes + 64);
    ck_assert_ptr_nonnull(b.memory);
    return b;
}

static void buffer_release(buffer *b)
{
    if (b->pinned)
        ck_cuda(cudaFreeHost(b->memory));
    else
        free(b->memory);
}

static void set_random_bytes(char *bytes, size_t count, uint64_t stream)
{
    rng r = rng_stream(stream);
    for (size_t i = 0; i < count; i += 8) {
        uint64_t bits = rng_bits(&r);
        memcpy(bytes + i, &bits, count - i < 8 ? count - i : 8);
    }
}

/* Uploads from a host address and downloads again. The source is overwritten as soon as the upload
 * returns. */
static void check_round_trip(fur_vector *x, const char *expected, buffer *b, size_t shift)
{
    fur_context *context = fur_vector_context(x);
    size_t bytes = (size_t)fur_vector_size(x) * fur_value_size(fur_vector_value_type(x));
    char *host = b->memory + shift;
    memcpy(host, expected, bytes);
    ck_ok(context, fur_vector_upload(host, x));
    memset(b->memory, 0x5a, bytes + 64);
    ck_ok(context, fur_vector_download(x, host));
    ck_assert_msg(memcmp(host, expected, bytes) == 0, "%zu bytes, shift %zu, pinned %d", bytes,
                  shift, b->pinned);
    for (size_t i = 0; i < shift; i++)
        ck_assert_int_eq(b->memory[i], 0x5a);
    ck_assert_int_eq(host[bytes], 0x5a);
}

static void check_size(fur_context *context, fur_value_type value, int64_t n)
{
    static const size_t shifts[] = {0, 1, 3, 8, 20};
    size_t bytes = (size_t)n * fur_value_size(value);
    char *expected = malloc(bytes + 1);
    fur_vector *x = NULL;
    set_random_bytes(expected, bytes, (uint64_t)n);
    ck_ok(context, fur_vector_create(context, value, n, &x));
    for (int pinned = 0; pinned < 2; pinned++) {
        buffer b = buffer_make(bytes, pinned);
        for (int i = 0; i < COUNT_OF(shifts); i++)
            check_round_trip(x, expected, &b, shifts[i]);
        buffer_release(&b);
    }
    fur_vector_destroy(x);
    free(expected);
}

/* Vectors are the same after upload and download. The sizes are around the powers of two at which
 * stages of a transfer begin and end. */
START_TEST(vectors_come_back_as_they_went)
{
    fur_context *context = context_cuda();
    int64_t largest = test_small() ? 1 << 10 : 1 << 22;
    for (int64_t n = 1; n <= largest; n *= n < 64 || test_small() ? 2 : 4)
        for (int64_t around = -1; around <= 1; around++)
            check_size(context, FUR_F32, n + around);
    for (int64_t n = 1; n <= largest / 16; n *= 7)
        check_size(context, FUR_C128, n);
    fur_context_destroy(context);
}
END_TEST

START_TEST(large_vectors_come_back_as_they_went)
{
    fur_context *context = context_cuda();
    check_size(context, FUR_F32, test_small() ? 100001 : 25 * (1 << 20) + 1);
    fur_context_destroy(context);
}
END_TEST

/* Every function that accepts a host array also accepts a device array. */
START_TEST(arrays_may_lie_on_either_side)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(1);
    int64_t n = 1001;
    size_t bytes = (size_t)n * sizeof(double);
    void *entries = entries_random(&r, FUR_F64, n);
    double *device = device_copy(entries, bytes, 8);
    double *other = device_copy(entries, bytes, 0);
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    ck_ok(context, fur_vector_wrap(context, FUR_F64, n, device, FUR_OWNERSHIP_COPY, &x));
    ck_ok(context, fur_vector_create(context, FUR_F64, n, &y));
    ck_ok(context, fur_vector_upload(device, y));
    ck_ok(context, fur_vector_fill(y, fur_real(5)));
    ck_ok(context, fur_vector_download(x, other));
    ck_ok(context, fur_vector_upload(other, y));
    void *result = vector_entries(y);
    ck_assert_int_eq(first_difference(FUR_F64, n, entries, result), -1);
    free(result);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    device_copy_release(other, 0);
    device_copy_release(device, 8);
    free(entries);
    fur_context_destroy(context);
}
END_TEST

/* A vector that borrows device memory writes to the caller's memory. */
START_TEST(device_memory_is_borrowed)
{
    fur_context *context = context_cuda();
    double entries[] = {1, 2, 3, 4, 5};
    double *device = device_copy(entries, sizeof entries, 0);
    fur_vector *x = NULL;
    ck_ok(context, fur_vector_wrap(context, FUR_F64, 3, device + 1, FUR_OWNERSHIP_BORROW, &x));
    ck_assert_ptr_eq(fur_vector_data(x), device + 1);
    ck_ok(context, fur_vector_fill(x, fur_real(7)));
    ck_ok(context, fur_context_synchronize(context));
    fur_vector_destroy(x);
    ck_cuda(cudaMemcpy(entries, device, sizeof entries, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq(entries[i], i >= 1 && i <= 3 ? 7 : i + 1);
    device_copy_release(device, 0);
    fur_context_destroy(context);
}
END_TEST

static void ck_refused(fur_context *context, fur_status status)
{
    ck_assert_msg(status == FUR_INVALID, "%s: %s", fur_status_name(status),
                  fur_context_error(context));
    ck_assert_uint_gt(strlen(fur_context_error(context)), 16);
}

START_TEST(host_memory_is_not_borrowed)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(2);
    double entries[] = {1, 2, 3};
    fur_vector *x = NULL;
    fur_vector *empty = NULL;
    fur_csr *a = NULL;
    ck_refused(context, fur_vector_wrap(context, FUR_F64, 3, entries, FUR_OWNERSHIP_BORROW, &x));
    ck_ok(context, fur_vector_wrap(context, FUR_F64, 0, entries, FUR_OWNERSHIP_BORROW, &empty));
    pattern p = pattern_make(&shapes[shape_find("band")], &r);
    void *values = entries_random(&r, FUR_F64, p.entries);
    fur_csr_view arrays = arrays_make(&p, FUR_F64, FUR_I32, values);
    ck_refused(context, fur_csr_create(context, &arrays, FUR_OWNERSHIP_BORROW, &a));
    ck_assert(!x && !a);
    arrays_release(&arrays);
    free(values);
    pattern_release(&p);
    fur_vector_destroy(empty);
    fur_context_destroy(context);
}
END_TEST

/* Misaligned memory is not borrowed. An element is loaded by one instruction, so a c128 with the
 * alignment of its parts would cause an error after which the device cannot be used. */
START_TEST(misaligned_memory_is_not_borrowed)
{
    fur_context *context = context_cuda();
    double entries[5] = {1, 2, 3, 4, 5};
    char *device = device_copy(entries, sizeof entries, 0);
    fur_vector *x = NULL;
    ck_refused(context,
               fur_vector_wrap(context, FUR_C128, 2, device + 8, FUR_OWNERSHIP_BORROW, &x));
    ck_refused(context, fur_vector_wrap(context, FUR_C64, 2, device + 4, FUR_OWNERSHIP_BORROW, &x));
    ck_refused(context, fur_vector_wrap(context, FUR_F64, 2, device + 4, FUR_OWNERSHIP_BORROW, &x));
    ck_assert_ptr_null(x);
    ck_ok(context, fur_vector_wrap(context, FUR_F32, 2, device + 4, FUR_OWNERSHIP_BORROW, &x));
    fur_vector_destroy(x);
    device_copy_release(device, 0);
    fur_context_destroy(context);
}
END_TEST

START_TEST(arrays_on_two_sides_are_refused)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(12);
    fur_csr *a = NULL;
    pattern p = pattern_make(&shapes[shape_find("band")], &r);
    void *values = entries_random(&r, FUR_F64, p.entries);
    fur_csr_view arrays = arrays_make(&p, FUR_F64, FUR_I32, values);
    fur_csr_view mixed = arrays;
    mixed.offsets = device_copy(arrays.offsets, (size_t)(p.rows + 1) * sizeof(int32_t), 0);
    ck_refused(context, fur_csr_check(context, &mixed));
    ck_refused(context, fur_csr_create(context, &mixed, FUR_OWNERSHIP_COPY, &a));
    ck_refused(context, fur_csr_create(context, &mixed, FUR_OWNERSHIP_BORROW, &a));
    ck_assert_ptr_null(a);
    device_copy_release(mixed.offsets, 0);
    arrays_release(&arrays);
    free(values);
    pattern_release(&p);
    fur_context_destroy(context);
}
END_TEST

/* Adopted memory is host memory of fur_context_allocate. It is released after its contents are
 * copied to the device. */
START_TEST(adopted_arrays_move_to_the_device)
{
    counted c;
    counted_open(&c);
    void *data = NULL;
    fur_vector *x = NULL;
    double entries[] = {1, 2, 3};
    ck_ok(c.context, fur_context_allocate(c.context, sizeof entries, &data));
    memcpy(data, entries, sizeof entries);
    int64_t outstanding = c.host.outstanding;
    ck_refused(c.context, fur_vector_wrap(c.context, FUR_F64, -3, data, FUR_OWNERSHIP_ADOPT, &x));
    ck_assert_int_eq(c.host.outstanding, outstanding);
    ck_ok(c.context, fur_vector_wrap(c.context, FUR_F64, 3, data, FUR_OWNERSHIP_ADOPT, &x));
    ck_assert_int_eq(c.host.outstanding, outstanding); /* minus the array, plus the vector */
    double *result = vector_entries(x);
    ck_assert(memcmp(result, entries, sizeof entries) == 0);
    free(result);
    fur_vector_destroy(x);
    counted_close(&c);
}
END_TEST

static void *adopted(fur_context *context, const void *data, size_t bytes)
{
    void *copy = NULL;
    ck_ok(context, fur_context_allocate(context, bytes, &copy));
    if (bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

START_TEST(adopted_matrices_move_to_the_device)
{
    counted c;
    rng r = rng_stream(3);
    counted_open(&c);
    fur_context *host = fur_context_host(c.context);
    fur_csr *a = matrix_random(host, &r, &shapes[shape_find("runs")], FUR_C64, FUR_I64);
    fur_csr_view view = *fur_csr_get(a);
    fur_csr_view own = view;
    fur_csr *adopting = NULL;
    int equal = 0;
    size_t entries = (size_t)view.entries;
    own.offsets = adopted(c.context, view.offsets, ((size_t)view.rows + 1) * sizeof(int64_t));
    own.columns = adopted(c.context, view.columns, entries * sizeof(int32_t));
    own.values = adopted(c.context, view.values, entries * fur_value_size(view.value_type));
    ck_ok(c.context, fur_csr_create(c.context, &own, FUR_OWNERSHIP_ADOPT, &adopting));
    ck_ok(c.context, fur_csr_compare(adopting, a, &equal));
    ck_assert_int_eq(equal, 1);
    fur_csr_destroy(adopting);
    fur_csr_destroy(a);
    counted_close(&c);
}
END_TEST

/* Vectors are copied between the host, the device, and a second context of the device. */
START_TEST(vectors_are_copied_between_contexts)
{
    fur_context *one = context_cuda();
    fur_context *two = context_cuda();
    rng r = rng_stream(4);
    for (int64_t n = 0; n < 200000; n = 3 * n + 1) {
        fur_vector *host = vector_random(fur_context_host(one), &r, FUR_F32, n);
        fur_vector *first = NULL;
        fur_vector *second = NULL;
        fur_vector *back = NULL;
        ck_ok(one, fur_vector_create(one, FUR_F32, n, &first));
        ck_ok(two, fur_vector_create(two, FUR_F32, n, &second));
        ck_ok(NULL, fur_vector_create(fur_context_host(two), FUR_F32, n, &back));
        ck_ok(fur_context_host(one), fur_vector_copy(host, first));
        ck_ok(one, fur_vector_copy(first, second));
        ck_ok(one, fur_vector_fill(first, fur_real(0)));
        ck_ok(two, fur_vector_copy(second, back));
        ck_assert_int_eq(
            first_difference(FUR_F32, n, fur_vector_const_data(host), fur_vector_const_data(back)),
            -1);
        fur_vector_destroy(back);
        fur_vector_destroy(second);
        fur_vector_destroy(first);
        fur_vector_destroy(host);
    }
    fur_context_destroy(two);
    fur_context_destroy(one);
}
END_TEST

/* Vectors are converted to every value type as on the host. If a part would be lost, the message
 * names it. Loops over value types. */
START_TEST(vectors_are_converted_as_on_the_host)
{
    fur_context *context = context_cuda();
    rng r = rng_stream(6);
    void *entries = entries_random(&r, (fur_value_type)_i, 3000);
    fur_vector *host = vector_from(fur_context_host(context), (fur_value_type)_i, 3000, entries);
    fur_vector *gpu = vector_from(context, (fur_value_type)_i, 3000, entries);
    for (int to = 0; to < FUR_VALUE_COUNT; to++) {
        fur_vector *expected = NULL;
        fur_vector *converted = NULL;
        fur_status status = fur_vector_convert(host, (fur_value_type)to, &expected);
        ck_assert_int_eq(fur_vector_convert(gpu, (fur_value_type)to, &converted), status);
        if (status == FUR_OK) {
            void *result = vector_entries(converted);
            ck_assert_int_eq(
                first_difference((fur_value_type)to, 3000, result, fur_vector_const_data(expected)),
                -1);
            free(result);
        } else {
            ck_assert_str_eq(fur_context_error(context),
                             fur_context_error(fur_context_host(context)));
        }
        fur_vector_destroy(converted);
        fur_vector_destroy(expected);
    }
    fur_vector_destroy(gpu);
    fur_vector_destroy(host);
    free(entries);
    fur_context_destroy(context);
}
END_TEST

/* Checks a copy of the vector 0, 1, ... onto itself by `step` entries, up or down. */
static void check_overlap(fur_context *context, int64_t n, int64_t step, bool up)
{
    fur_vector *low = NULL;
    fur_vector *high = NULL;
    double *expected = entries_make(FUR_F64, n);
    for (int64_t k = 0; k < n; k++)
        expected[k] = (double)k;
    fur_vector *x = vector_from(context, FUR_F64, n, expected);
    double *data = fur_vector_data(x);
    ck_ok(context, fur_vector_wrap(context, FUR_F64, n - step, data, FUR_OWNERSHIP_BORROW, &low));
    ck_ok(context,
          fur_vector_wrap(context, FUR_F64, n - step, data + step, FUR_OWNERSHIP_BORROW, &high));
    ck_ok(context, up ? fur_vector_copy(low, high) : fur_vector_copy(high, low));
    memmove(expected + (up ? step : 0), expected + (up ? 0 : step),
            (size_t)(n - step) * sizeof *expected);
    void *result = vector_entries(x);
    ck_assert_msg(first_difference(FUR_F64, n, result, expected) < 0, "by %lld of %lld",
                  (long long)step, (long long)n);
    free(result);
    free(expected);
    fur_vector_destroy(high);
    fur_vector_destroy(low);
    fur_vector_destroy(x);
}

/* Copies between overlapping vectors are correct, for small distances and for half of the vector,
 * with many blocks. */
START_TEST(copy_between_overlapping_vectors_is_right)
{
    fur_context *context = context_cuda();
    int64_t n = test_small() ? 5000 : 3000000;
    const int64_t steps[] = {1, 7, 1024, n / 4, n / 2};
    for (int i = 0; i < 2 * COUNT_OF(steps); i++)
        check_overlap(context, n, steps[i / 2], i % 2);
    fur_context_destroy(context);
}
END_TEST

static fur_context *context_on(const char *device)
{
    fur_context_options options = {.size = sizeof options, .device = device};
    fur_context *context = NULL;
    ck_ok(NULL, fur_context_create(&options, &context));
    return context;
}

/* Copies a vector and a matrix from one context to the other, uses them there, and compares the
 * results. */
static void check_pair(fur_context *one, fur_context *two)
{
    rng r = rng_stream(5);
    const shape *s = &shapes[shape_find("small grid")];
    fur_csr *a = matrix_random(one, &r, s, FUR_F64, FUR_I32);
    fur_vector *x = vector_random(one, &r, FUR_F64, s->cols);
    fur_vector *y = vector_random(one, &r, FUR_F64, s->rows);
    fur_csr *b = NULL;
    fur_csr *back = NULL;
    fur_vector *from = NULL;
    fur_vector *to = NULL;
    fur_spmv *plan = NULL;
    fur_spmv *other = NULL;
    int equal = 0;
    ck_ok(one, fur_csr_transfer(a, two, &b));
    ck_ok(two, fur_csr_transfer(b, one, &back));
    ck_ok(one, fur_csr_compare(a, back, &equal));
    ck_assert_int_eq(equal, 1);
    ck_ok(two, fur_vector_create(two, FUR_F64, s->cols, &from));
    ck_ok(two, fur_vector_create(two, FUR_F64, s->rows, &to));
    ck_ok(one, fur_vector_copy(x, from));
    ck_ok(one, fur_spmv_plan(a, NULL, &plan));
    ck_ok(two, fur_spmv_plan(b, NULL, &other));
    ck_ok(two, fur_spmv_apply(other, fur_real(1), from, fur_real(0), to));
    ck_ok(one, fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y));
    void *p = vector_entries(y);
    void *q = vector_entries(to);
    ck_assert_int_eq(first_difference(FUR_F64, s->rows, p, q), -1);
    free(q);
    free(p);
    fur_spmv_destroy(other);
    fur_spmv_destroy(plan);
    fur_vector_destroy(to);
    fur_vector_destroy(from);
    fur_csr_destroy(back);
    fur_csr_destroy(b);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
}

START_TEST(contexts_of_one_device_are_independent)
{
    fur_context *one = context_cuda();
    fur_context *two = context_on("cuda:0");
    ck_assert_str_eq(fur_context_device(one), "cuda");
    ck_assert_int_eq(strncmp(fur_context_isa(one), "sm_", 3), 0);
    ck_assert_str_eq(fur_context_device(fur_context_host(one)), "cpu");
    ck_assert_ptr_eq(fur_context_host(fur_context_host(one)), fur_context_host(one));
    check_pair(one, two);
    fur_context_destroy(one);
    check_pair(two, fur_context_host(two));
    check_pair(fur_context_host(two), two);
    fur_context_destroy(two);
}
END_TEST

static void ck_no_device(const char *device)
{
    fur_context_options options = {.size = sizeof options, .device = device};
    fur_context *context = NULL;
    fur_status status = fur_context_create(&options, &context);
    ck_assert_msg(status == FUR_UNSUPPORTED, "%s: %s", device, fur_status_name(status));
    ck_assert_ptr_nonnull(strstr(fur_context_error(NULL), device));
    ck_assert_ptr_null(context);
}

START_TEST(a_second_device_is_used_or_refused)
{
    int count = 0;
    ck_cuda(cudaGetDeviceCount(&count));
    if (count < 2) {
        ck_no_device("cuda:1");
        printf("one device: no copies between two\n");
        fflush(stdout);
        return;
    }
    fur_context *one = context_cuda();
    fur_context *two = context_on("cuda:1");
    check_pair(one, two);
    check_pair(two, one);
    fur_context_destroy(two);
    fur_context_destroy(one);
}
END_TEST

START_TEST(devices_that_do_not_exist_are_refused)
{
    static const char *const devices[] = {
        "cuda:99", "cuda:x", "cudaa", "cuda:", "cuda:-1", "cuda:0x", "CUDA", "cuda:4294967296"};
    for (int i = 0; i < COUNT_OF(devices); i++)
        ck_no_device(devices[i]);
}
END_TEST

/* Checks that a context still works after a failed call. */
static void ck_usable(fur_context *context)
{
    fur_vector *x = NULL;
    double norm;
    ck_ok(context, fur_vector_create(context, FUR_F64, 1000, &x));
    ck_ok(context, fur_vector_fill(x, fur_real(-2)));
    ck_ok(context, fur_norm1(x, &norm));
    ck_assert_double_eq(norm, 2000);
    fur_vector_destroy(x);
}

/* A request for more memory than exists is an error. compute-sanitizer would report this call, so
 * small runs skip it. */
START_TEST(more_memory_than_there_is_is_an_error)
{
    if (test_small())
        return;
    fur_context *context = context_cuda();
    fur_vector *x = NULL;
    for (int i = 0; i < 3; i++) {
        fur_status status = fur_vector_create(context, FUR_F64, INT64_C(1) << 40, &x);
        ck_assert_msg(status == FUR_OUT_OF_MEMORY, "%s: %s", fur_status_name(status),
                      fur_context_error(context));
        ck_assert_uint_gt(strlen(fur_context_error(context)), 16);
        ck_assert_ptr_null(x);
        ck_usable(context);
    }
    ck_assert_int_eq(fur_vector_create(context, FUR_C128, INT64_MAX, &x), FUR_OVERFLOW);
    fur_context_destroy(context);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, vectors_come_back_as_they_went);
    tcase_add_test(tests, large_vectors_come_back_as_they_went);
    tcase_add_test(tests, arrays_may_lie_on_either_side);
    tcase_add_test(tests, device_memory_is_borrowed);
    tcase_add_test(tests, host_memory_is_not_borrowed);
    tcase_add_test(tests, misaligned_memory_is_not_borrowed);
    tcase_add_test(tests, arrays_on_two_sides_are_refused);
    tcase_add_test(tests, adopted_arrays_move_to_the_device);
    tcase_add_test(tests, adopted_matrices_move_to_the_device);
    tcase_add_test(tests, vectors_are_copied_between_contexts);
    tcase_add_loop_test(tests, vectors_are_converted_as_on_the_host, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, copy_between_overlapping_vectors_is_right);
    tcase_add_test(tests, contexts_of_one_device_are_independent);
    tcase_add_test(tests, a_second_device_is_used_or_refused);
    tcase_add_test(tests, devices_that_do_not_exist_are_refused);
    tcase_add_test(tests, more_memory_than_there_is_is_an_error);
}

int main(void)
{
    return run_gpu_tests("cuda_memory", add_tests);
}
