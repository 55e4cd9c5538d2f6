/* See cuda_support.h. */
#include "cuda_support.h"

#include <string.h>

fur_context_options counted_options(counted *c)
{
    c->device.stream = c->stream;
    return (fur_context_options){.size = sizeof(fur_context_options),
                                 .device = "cuda",
                                 .threads = 2,
                                 .allocator = memory_allocator(&c->host),
                                 .device_allocator = memory_allocator_far(&c->device),
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
