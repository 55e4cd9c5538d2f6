/* New values for a matrix on a GPU. A graph captured earlier replays with the new values. Device
 * arrays may be borrowed, host memory adopted. tests/csr/test_values.c has the cases for all
 * devices. */
#include "cuda_support.h"
#include "values_cases.h"

#include <string.h>

static values_subject open_subject(counted *c, uint64_t stream)
{
    counted_open(c);
    return (values_subject){.context = c->context,
                            .random = rng_stream(stream),
                            .calls = {&c->host.calls, &c->device.calls}};
}

/* A product by a plan, captured as a graph, and its vectors. */
typedef struct replay {
    counted *c;
    fur_spmv *plan;
    fur_vector *x;
    fur_vector *y;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
} replay;

static replay replay_open(counted *c, rng *r, const fur_csr *a, fur_spmv *plan)
{
    fur_csr_view v = *fur_csr_get(a);
    replay p = {.c = c, .plan = plan};
    p.x = vector_random(c->context, r, v.value_type, v.cols);
    p.y = vector_random(c->context, r, v.value_type, v.rows);
    ck_ok(c->context, fur_spmv_apply(plan, fur_real(1), p.x, fur_real(0), p.y));
    ck_cuda(cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeGlobal));
    ck_ok(c->context, fur_spmv_apply(plan, fur_real(1), p.x, fur_real(0), p.y));
    ck_cuda(cudaStreamEndCapture(c->stream, &p.graph));
    ck_cuda(cudaGraphInstantiateWithFlags(&p.executable, p.graph, 0));
    return p;
}

static void replay_close(const replay *p)
{
    ck_cuda(cudaGraphExecDestroy(p->executable));
    ck_cuda(cudaGraphDestroy(p->graph));
    fur_vector_destroy(p->y);
    fur_vector_destroy(p->x);
}

/* Checks that the graph's product has the bits of a product by a new plan. */
static void replay_check(const replay *p, const fur_csr *a)
{
    fur_context *context = p->c->context;
    fur_csr_view v = *fur_csr_get(a);
    const fur_spmv_options o = {
        .size = sizeof o, .op = fur_spmv_op(p->plan), .kernel = fur_spmv_describe(p->plan)->kernel};
    fur_csr *again = NULL;
    fur_spmv *fresh = NULL;
    ck_cuda(cudaGraphLaunch(p->executable, p->c->stream));
    void *replayed = vector_entries(p->y);
    ck_ok(context, fur_csr_transfer(a, context, &again));
    ck_ok(context, fur_spmv_plan(again, &o, &fresh));
    ck_ok(context, fur_spmv_apply(fresh, fur_real(1), p->x, fur_real(0), p->y));
    void *expected = vector_entries(p->y);
    ck_assert_msg(first_difference(v.value_type, v.rows, expected, replayed) < 0, "%s, op %d",
                  o.kernel, (int)o.op);
    free(expected);
    free(replayed);
    fur_spmv_destroy(fresh);
    fur_csr_destroy(again);
}

/* Graphs replay with new values that are copied. Loops over value types. */
START_TEST(graphs_replay_with_values_that_are_copied)
{
    counted c;
    values_subject s = open_subject(&c, 5000 + (uint64_t)_i);
    const shape *family = &shapes[shape_find("small grid")];
    fur_csr *a = matrix_random(c.context, &s.random, family, (fur_value_type)_i, FUR_I32);
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, c.context); kernel++)
        for (int op = 0; op < 3; op++) {
            bool foreign = kernel_is_foreign(kernel_info(c.context, kernel).name);
            fur_spmv *plan = foreign ? NULL : plan_or_refusal(a, (fur_op)op, kernel);
            if (!plan)
                continue;
            replay p = replay_open(&c, &s.random, a, plan);
            for (int step = 0; step < 2; step++) {
                void *values = values_random(&s, a);
                values_set(&s, a, values, false);
                replay_check(&p, a);
                free(values);
            }
            replay_close(&p);
            fur_spmv_destroy(plan);
        }
    fur_csr_destroy(a);
    counted_close(&c);
}
END_TEST

/* Checks all plans of a matrix that borrows its arrays from the device. */
static void check_borrowed(values_subject *s, fur_csr *a, int kernel)
{
    fur_spmv *plans[3];
    fur_csr_view v = *fur_csr_get(a);
    size_t bytes = (size_t)v.entries * fur_value_size(v.value_type);
    void *own = (void *)(uintptr_t)v.values;
    for (int op = 0; op < 3; op++)
        plans[op] = plan_or_refusal(a, (fur_op)op, kernel);
    for (int step = 0; step < 3; step++) {
        void *values = values_random(s, a);
        void *lent = device_copy(values, bytes, 0);
        if (step == 0) { /* change the values in place */
            ck_cuda(cudaMemcpy(own, values, bytes, cudaMemcpyHostToDevice));
            fur_csr_values_changed(a);
        } else if (step == 1) {
            ck_ok(s->context, fur_csr_set_values(a, lent, FUR_OWNERSHIP_BORROW));
            ck_assert_ptr_eq(fur_csr_get(a)->values, lent);
        } else {
            void *given = NULL;
            ck_ok(s->context, fur_context_allocate(s->context, bytes, &given));
            memcpy(given, values, bytes);
            ck_ok(s->context, fur_csr_set_values(a, given, FUR_OWNERSHIP_ADOPT));
        }
        for (int op = 0; op < 3; op++)
            if (plans[op])
                values_check_plan(s, plans[op]);
        ck_ok(s->context, fur_csr_set_values(a, own, FUR_OWNERSHIP_BORROW));
        ck_ok(s->context, fur_context_synchronize(s->context));
        device_copy_release(lent, 0);
        free(values);
    }
    for (int op = 0; op < 3; op++)
        fur_spmv_destroy(plans[op]);
}

START_TEST(values_are_borrowed_and_adopted)
{
    counted c;
    values_subject s = open_subject(&c, 6000);
    pattern p = pattern_make(&shapes[shape_find("small grid")], &s.random);
    void *values = entries_random(&s.random, FUR_F64, p.entries);
    fur_csr_view arrays = arrays_make(&p, FUR_F64, FUR_I32, values);
    fur_csr_view lent = device_arrays(&arrays, 0);
    fur_csr *a = NULL;
    ck_ok(c.context, fur_csr_create(c.context, &lent, FUR_OWNERSHIP_BORROW, &a));
    for (int kernel = 0; kernel < kernel_count(fur_spmv_kernel_at, c.context); kernel++)
        check_borrowed(&s, a, kernel);
    ck_assert_int_eq(fur_csr_set_values(a, values, FUR_OWNERSHIP_BORROW), FUR_INVALID);
    fur_csr_destroy(a);
    device_arrays_release(&lent, 0);
    arrays_release(&arrays);
    free(values);
    pattern_release(&p);
    counted_close(&c);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, graphs_replay_with_values_that_are_copied, 0, FUR_VALUE_COUNT);
    tcase_add_test(tests, values_are_borrowed_and_adopted);
}

int main(void)
{
    return run_gpu_tests("cuda_new_values", add);
}
