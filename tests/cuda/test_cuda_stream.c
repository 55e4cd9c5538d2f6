/* Products on the caller's stream. A product allocates nothing, does not wait for the stream, and
 * can be captured in a graph. Reductions and vector operations do not allocate either. */
#include "cuda_support.h"

#include <stdatomic.h>
#include <time.h>

/* A grid and its vectors in a context that counts allocations. */
typedef struct fixture {
    counted c;
    fur_csr *a;
    fur_vector *x;
    fur_vector *y;
    void *start; /* initial y */
} fixture;

static void fixture_open(fixture *f, fur_value_type value)
{
    rng r = rng_stream(1);
    const shape *s = &shapes[shape_find(test_small() ? "small grid" : "grid")];
    counted_open(&f->c);
    f->a = matrix_random(f->c.context, &r, s, value, FUR_I32);
    f->x = vector_random(f->c.context, &r, value, s->cols);
    f->y = vector_random(f->c.context, &r, value, s->rows);
    f->start = vector_entries(f->y);
}

static void fixture_close(fixture *f)
{
    free(f->start);
    fur_vector_destroy(f->y);
    fur_vector_destroy(f->x);
    fur_csr_destroy(f->a);
    counted_close(&f->c);
}

static void multiply(const fixture *f, const fur_spmv *plan)
{
    ck_ok(f->c.context, fur_spmv_apply(plan, fur_real(0.7), f->x, fur_real(-0.3), f->y));
}

/* Returns y after `products` products from the start, each made by `plan` or by `graph`. */
static void *after(const fixture *f, int products, const fur_spmv *plan, cudaGraphExec_t graph)
{
    ck_ok(f->c.context, fur_vector_upload(f->start, f->y));
    for (int i = 0; i < products; i++) {
        if (graph)
            ck_cuda(cudaGraphLaunch(graph, f->c.stream));
        else
            multiply(f, plan);
    }
    return vector_entries(f->y);
}

static void check_replay(const fixture *f, const fur_spmv *plan, cudaGraphExec_t graph)
{
    fur_value_type value = fur_vector_value_type(f->y);
    for (int products = 1; products <= 3; products++) {
        void *expected = after(f, products, plan, NULL);
        void *replayed = after(f, products, plan, graph);
        ck_assert_msg(first_difference(value, fur_vector_size(f->y), expected, replayed) < 0,
                      "kernel %s, %d products", fur_spmv_describe(plan)->kernel, products);
        free(replayed);
        free(expected);
    }
}

/* Changes x. A replayed graph must read the new x. */
static void change_x(const fixture *f, uint64_t stream)
{
    rng r = rng_stream(stream);
    void *x = entries_random(&r, fur_vector_value_type(f->x), fur_vector_size(f->x));
    ck_ok(f->c.context, fur_vector_upload(x, f->x));
    free(x);
}

static void check_capture(const fixture *f, const fur_spmv *plan)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    free(after(f, 1, plan, NULL));
    ck_cuda(cudaStreamBeginCapture(f->c.stream, cudaStreamCaptureModeGlobal));
    multiply(f, plan);
    ck_cuda(cudaStreamEndCapture(f->c.stream, &graph));
    ck_cuda(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    check_replay(f, plan, executable);
    change_x(f, 2);
    check_replay(f, plan, executable);
    ck_cuda(cudaGraphExecDestroy(executable));
    ck_cuda(cudaGraphDestroy(graph));
}

/* Calls a test for every kernel of this library that accepts the matrix. Other libraries' kernels
 * may not repeat their bits. */
static void for_every_plan(fixture *f, void (*test)(const fixture *f, const fur_spmv *plan))
{
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, f->c.context); kernel++) {
        bool foreign = kernel_is_foreign(kernel_info(f->c.context, kernel).name);
        fur_spmv *plan = foreign ? NULL : plan_or_refusal(f->a, FUR_OP_N, kernel);
        if (plan)
            test(f, plan);
        fur_spmv_destroy(plan);
    }
}

/* A captured product has the bits of a plain one. Loops over value types, as the tests below do. */
START_TEST(products_are_captured_in_a_graph)
{
    fixture f;
    fixture_open(&f, (fur_value_type)_i);
    for_every_plan(&f, check_capture);
    fixture_close(&f);
}
END_TEST

static void check_calls(const fixture *f, const fur_spmv *plan)
{
    int64_t host = f->c.host.calls;
    int64_t device = f->c.device.calls;
    multiply(f, plan);
    multiply(f, plan);
    ck_assert_msg(f->c.host.calls == host && f->c.device.calls == device, "kernel %s allocates",
                  fur_spmv_describe(plan)->kernel);
}

START_TEST(products_do_not_allocate)
{
    fixture f;
    fixture_open(&f, (fur_value_type)_i);
    for_every_plan(&f, check_calls);
    fixture_close(&f);
}
END_TEST

START_TEST(vector_operations_do_not_allocate)
{
    fixture f;
    fur_scalar dot;
    double norm;
    fixture_open(&f, (fur_value_type)_i);
    fur_context *context = f.c.context;
    int64_t host = f.c.host.calls;
    int64_t device = f.c.device.calls;
    ck_ok(context, fur_axpby(fur_real(2), f.x, fur_real(3), f.y));
    ck_ok(context, fur_multiply_elementwise(f.x, f.y, f.y));
    ck_ok(context, fur_vector_copy(f.x, f.y));
    ck_ok(context, fur_dot(f.x, f.y, &dot));
    ck_ok(context, fur_norm1(f.x, &norm));
    ck_ok(context, fur_norm2(f.x, &norm));
    ck_ok(context, fur_norm_max(f.x, &norm));
    ck_ok(context, fur_axpy_norm2(fur_real(2), f.x, f.y, &norm));
    ck_ok(context, fur_vector_fill(f.x, fur_real(1)));
    ck_assert_int_eq(f.c.host.calls, host);
    ck_assert_int_eq(f.c.device.calls, device);
    fixture_close(&f);
}
END_TEST

/* Work on the stream that ends when `open` is set, or after some seconds. */
typedef struct barrier {
    atomic_bool open;
    atomic_bool passed;
} barrier;

static void CUDART_CB wait_for_barrier(void *user)
{
    barrier *b = user;
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < 5000 && !atomic_load(&b->open); i++)
        nanosleep(&pause, NULL);
    atomic_store(&b->passed, true);
}

/* Checks that a product does not wait for its stream. If it waited, it would return only after the
 * barrier ends. */
static void check_no_wait(const fixture *f, const fur_spmv *plan)
{
    barrier b = {false, false};
    void *expected = after(f, 1, plan, NULL);
    ck_ok(f->c.context, fur_vector_upload(f->start, f->y));
    ck_cuda(cudaStreamSynchronize(f->c.stream));
    ck_cuda(cudaLaunchHostFunc(f->c.stream, wait_for_barrier, &b));
    multiply(f, plan);
    bool waited = atomic_load(&b.passed);
    atomic_store(&b.open, true);
    ck_cuda(cudaStreamSynchronize(f->c.stream));
    ck_assert_msg(!waited, "kernel %s waits for the stream", fur_spmv_describe(plan)->kernel);
    void *result = vector_entries(f->y);
    ck_assert(
        first_difference(fur_vector_value_type(f->y), fur_vector_size(f->y), expected, result) < 0);
    free(result);
    free(expected);
}

START_TEST(products_do_not_wait)
{
    fixture f;
    fixture_open(&f, FUR_F64);
    for_every_plan(&f, check_no_wait);
    fixture_close(&f);
}
END_TEST

/* The caller's and the library's work on the stream run in the order of the calls. */
START_TEST(the_callers_stream_orders_everything)
{
    fixture f;
    double norm;
    fixture_open(&f, FUR_F64);
    int64_t n = fur_vector_size(f.x);
    for (int i = 0; i < 20; i++) {
        ck_ok(f.c.context, fur_vector_fill(f.x, fur_real(i + 1)));
        ck_cuda(cudaMemcpyAsync(fur_vector_data(f.y), fur_vector_const_data(f.x),
                                (size_t)n * sizeof(double), cudaMemcpyDeviceToDevice, f.c.stream));
        ck_ok(f.c.context, fur_norm1(f.y, &norm));
        ck_assert_double_eq(norm, (double)(n * (i + 1)));
    }
    fixture_close(&f);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, products_are_captured_in_a_graph, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, products_do_not_allocate, 0, FUR_VALUE_COUNT);
    tcase_add_loop_test(tests, vector_operations_do_not_allocate, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, products_do_not_wait);
    tcase_add_test(tests, the_callers_stream_orders_everything);
}

int main(void)
{
    return run_gpu_tests("cuda_stream", add_tests);
}
