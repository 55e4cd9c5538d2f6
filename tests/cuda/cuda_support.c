/* See cuda_support.h. */
#include "cuda_support.h"

#include <string.h>

/* Filled with ones, which are NaN and -1, as memory_allocator does it for the host. */
static void *device_allocate(void *user, size_t bytes)
{
    counted *c = user;
    void *data = NULL;
    ck_assert_uint_gt(bytes, 0);
    if (++c->device.calls == c->device.fail_at)
        return NULL;
    if (cudaMallocAsync(&data, bytes, c->stream) != cudaSuccess)
        return NULL;
    ck_cuda(cudaMemsetAsync(data, 0xff, bytes, c->stream));
    c->device.outstanding++;
    return data;
}

static void device_free(void *user, void *data)
{
    counted *c = user;
    ck_assert_ptr_nonnull(data);
    c->device.outstanding--;
    ck_cuda(cudaFreeAsync(data, c->stream));
}

fur_context_options counted_options(counted *c)
{
    return (fur_context_options){.size = sizeof(fur_context_options),
                                 .device = "cuda",
                                 .threads = 2,
                                 .allocator = memory_allocator(&c->host),
                                 .device_allocator = {device_allocate, device_free, c},
                                 .stream = c->stream};
}

void counted_open(counted *c)
{
    memset(c, 0, sizeof *c);
    ck_cuda(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking));
    fur_context_options options = counted_options(c);
    ck_ok(NULL, fur_context_create(&options, &c->context));
}

void counted_close(counted *c)
{
    fur_context_destroy(c->context);
    ck_assert_int_eq(c->host.outstanding, 0);
    ck_assert_int_eq(c->device.outstanding, 0);
    ck_cuda(cudaStreamSynchronize(c->stream));
    ck_cuda(cudaStreamDestroy(c->stream));
}

void *device_copy(const void *data, size_t bytes, size_t shift)
{
    char *copy = NULL;
    ck_cuda(cudaMalloc((void **)&copy, shift + bytes + 1));
    if (bytes > 0)
        ck_cuda(cudaMemcpy(copy + shift, data, bytes, cudaMemcpyHostToDevice));
    ck_cuda(cudaDeviceSynchronize()); /* contexts' streams do not wait for the default one */
    return copy + shift;
}

void device_release(const void *data, size_t shift)
{
    ck_cuda(cudaFree((void *)((uintptr_t)data - shift)));
}

fur_csr_view device_arrays(const fur_csr_view *arrays, size_t shift)
{
    fur_csr_view copy = *arrays;
    size_t offset = fur_offset_size(arrays->offset_type);
    size_t value = fur_value_size(arrays->value_type);
    size_t entries = (size_t)arrays->entries;
    copy.offsets =
        device_copy(arrays->offsets, ((size_t)arrays->rows + 1) * offset, shift * offset);
    copy.columns = device_copy(arrays->columns, entries * sizeof(int32_t), shift * sizeof(int32_t));
    copy.values = device_copy(arrays->values, entries * value, shift * value);
    return copy;
}

void device_arrays_release(const fur_csr_view *arrays, size_t shift)
{
    device_release(arrays->offsets, shift * fur_offset_size(arrays->offset_type));
    device_release(arrays->columns, shift * sizeof(int32_t));
    device_release(arrays->values, shift * fur_value_size(arrays->value_type));
}

fur_kernel_info kernel_info(fur_context *context, int kernel)
{
    fur_kernel_info info = *fur_spmv_kernel_at(context, kernel);
    return info;
}

bool kernel_is_foreign(const char *name)
{
    return strncmp(name, "cusparse", strlen("cusparse")) == 0;
}

static void check_refusal(fur_context *context, const char *name, fur_status status)
{
    char start[128];
    snprintf(start, sizeof start, "kernel \"%s\" does not suit this matrix: ", name);
    const char *sentence = fur_context_error(context);
    ck_assert_msg(status == FUR_UNSUPPORTED && strncmp(sentence, start, strlen(start)) == 0,
                  "%s: %s: %s", name, fur_status_name(status), sentence);
}

fur_spmv *plan_or_refusal(const fur_csr *a, fur_op op, int kernel)
{
    fur_context *context = fur_csr_context(a);
    const char *name = kernel_info(context, kernel).name;
    fur_spmv_options options = {.size = sizeof options, .op = op, .kernel = name};
    fur_spmv *plan = NULL;
    fur_status status = fur_spmv_plan(a, &options, &plan);
    if (status != FUR_OK) {
        check_refusal(context, name, status);
        ck_assert_int_gt(kernel, 0);
        ck_assert_ptr_null(plan);
    }
    return plan;
}

void *reference_product(fur_context *host, const fur_csr_view *a, fur_op op, fur_scalar alpha,
                        const void *x, fur_scalar beta, const void *y)
{
    fur_csr *matrix = NULL;
    ck_ok(host, fur_csr_create(host, a, FUR_OWNERSHIP_BORROW, &matrix));
    fur_spmv *plan = plan_or_refusal(matrix, op, 0);
    fur_vector *from = vector_from(host, a->value_type, op == FUR_OP_N ? a->cols : a->rows, x);
    fur_vector *to = vector_from(host, a->value_type, op == FUR_OP_N ? a->rows : a->cols, y);
    ck_ok(host, fur_spmv_apply(plan, alpha, from, beta, to));
    void *product = vector_entries(to);
    fur_vector_destroy(to);
    fur_vector_destroy(from);
    fur_spmv_destroy(plan);
    fur_csr_destroy(matrix);
    return product;
}
