/* Several right-hand sides on a GPU: X, outcomes and iterations of the CPU, bit for bit, whole and
 * reduced to one of two colours. */
#include "cuda_support.h"

#define COLS 5
#define ROWS (31 * 29)

/* Conjugate gradients for a grid's matrix; its way call by call or recorded, not one kernel. */
static void solve(fur_context *context, fur_value_type value, int points, int whole,
                  fur_layout layout, void *entries, void *found, fur_solver_report *reports)
{
    fur_stencil *stencil = NULL;
    fur_csr *made = NULL;
    fur_csr *matrix = NULL;
    fur_spmv *plan = NULL;
    fur_operator *a = NULL;
    fur_operator *m = NULL;
    fur_solver *solver = NULL;
    fur_vectors *b = NULL;
    fur_vectors *x = NULL;
    fur_stencil_definition definition = FUR_DEFAULT(fur_stencil_definition);
    fur_stencil_named(points, &definition);
    definition.value_type = FUR_F64;
    definition.extent[0] = 31;
    definition.extent[1] = 29;
    ck_ok(context, fur_stencil_create(context, &definition, &stencil));
    ck_ok(context, fur_stencil_assemble(stencil, &made));
    ck_ok(context, fur_csr_convert(made, value, FUR_I32, &matrix));
    ck_ok(context, fur_spmv_plan(matrix, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &a));
    ck_ok(context, fur_operator_jacobi(a, &m));
    ck_ok(context, fur_vectors_create(context, value, ROWS, COLS, layout, &b));
    ck_ok(context, fur_vectors_create(context, value, ROWS, COLS, layout, &x));
    ck_ok(context, fur_vectors_upload(entries, b));
    fur_solver_options options = {.size = sizeof options,
                                  .preconditioner = m,
                                  .whole = whole,
                                  .execution = FUR_EXECUTION_RECORDED};
    ck_ok(context, fur_solver_create(a, &options, &solver));
    ck_ok(context, fur_solver_solve_block(solver, b, x, reports));
    ck_ok(context, fur_vectors_download(x, found));
    fur_solver_destroy(solver);
    fur_vectors_destroy(x);
    fur_vectors_destroy(b);
    fur_operator_destroy(m);
    fur_operator_destroy(a);
    fur_spmv_destroy(plan);
    fur_csr_destroy(matrix);
    fur_csr_destroy(made);
    fur_stencil_destroy(stencil);
}

/* Loops over value types. */
START_TEST(blocks_have_the_bits_of_the_cpu)
{
    fur_value_type value = (fur_value_type)_i;
    fur_context *host = context_cpu(NULL, 2);
    fur_context *device = context_cuda();
    rng r = rng_stream((uint64_t)_i);
    void *entries = entries_random(&r, value, (int64_t)ROWS * COLS);
    void *expected = entries_make(value, (int64_t)ROWS * COLS);
    void *found = entries_make(value, (int64_t)ROWS * COLS);
    for (int i = 0; i < 8; i++) {
        fur_solver_report of_host[COLS];
        fur_solver_report of_device[COLS];
        fur_layout layout = i & 4 ? FUR_LAYOUT_COLUMNS : FUR_LAYOUT_ROWS;
        for (int j = 0; j < COLS; j++)
            of_host[j] = of_device[j] = FUR_DEFAULT(fur_solver_report);
        solve(host, value, i & 1 ? 9 : 5, i & 2, layout, entries, expected, of_host);
        solve(device, value, i & 1 ? 9 : 5, i & 2, layout, entries, found, of_device);
        for (int j = 0; j < COLS; j++) {
            ck_assert_int_eq(of_device[j].outcome, of_host[j].outcome);
            ck_assert_int_eq(of_device[j].iterations, of_host[j].iterations);
        }
        ck_assert_int_eq(first_difference(value, (int64_t)ROWS * COLS, found, expected), -1);
    }
    free(found);
    free(expected);
    free(entries);
    fur_context_destroy(device);
    fur_context_destroy(host);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, blocks_have_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_gpu_tests("cuda_solve_block", add_tests);
}
