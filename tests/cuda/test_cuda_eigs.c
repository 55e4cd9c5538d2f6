/* LOBPCG on a GPU: the values, residuals, vectors and iterations of the CPU, bit for bit, with a
 * preconditioner and a constraint, of real and complex matrices. */
#include "cuda_support.h"

#define COUNT 3
#define ROWS (23 * 17)

typedef struct found {
    double values[COUNT];
    double residuals[COUNT];
    fur_vector *vectors[COUNT];
    fur_eigs_report report;
} found;

/* The smallest eigenvalues of a grid's Laplacian on vectors without the sum of their entries. */
static found find(fur_context *context, fur_value_type value)
{
    found f = {.report = FUR_DEFAULT(fur_eigs_report)};
    fur_stencil *stencil = NULL;
    fur_csr *made = NULL;
    fur_csr *matrix = NULL;
    fur_spmv *plan = NULL;
    fur_operator *a = NULL;
    fur_operator *m = NULL;
    fur_precond *precond = NULL;
    fur_vectors *ones = NULL;
    fur_stencil_definition definition = FUR_DEFAULT(fur_stencil_definition);
    fur_precond_options kind = {.size = sizeof kind, .kind = "ic0"};
    fur_stencil_named(5, &definition);
    definition.value_type = FUR_F64;
    definition.extent[0] = 23;
    definition.extent[1] = 17;
    ck_ok(context, fur_stencil_create(context, &definition, &stencil));
    ck_ok(context, fur_stencil_assemble(stencil, &made));
    ck_ok(context, fur_csr_convert(made, value, FUR_I32, &matrix));
    ck_ok(context, fur_spmv_plan(matrix, NULL, &plan));
    ck_ok(context, fur_operator_from_spmv(plan, &a));
    ck_ok(context, fur_precond_create(matrix, &kind, &precond));
    ck_ok(context, fur_operator_from_precond(precond, &m));
    ck_ok(context, fur_vectors_create(context, value, ROWS, 1, FUR_LAYOUT_ROWS, &ones));
    ck_ok(context, fur_vectors_fill(ones, fur_real(1)));
    for (int i = 0; i < COUNT; i++)
        ck_ok(context, fur_vector_create(context, value, ROWS, &f.vectors[i]));
    fur_lobpcg_options options = {.size = sizeof options,
                                  .count = COUNT,
                                  .preconditioner = m,
                                  .constraints = ones,
                                  .tolerance = 1e-4};
    ck_ok(context, fur_lobpcg(a, &options, f.values, f.residuals, f.vectors, &f.report));
    fur_vectors_destroy(ones);
    fur_operator_destroy(m);
    fur_precond_destroy(precond);
    fur_operator_destroy(a);
    fur_spmv_destroy(plan);
    fur_csr_destroy(matrix);
    fur_csr_destroy(made);
    fur_stencil_destroy(stencil);
    return f;
}

/* Loops over value types. */
START_TEST(lobpcg_gives_the_bits_of_the_cpu)
{
    fur_context *host = context_cpu(NULL, 2);
    fur_context *device = context_cuda();
    fur_value_type value = (fur_value_type)_i;
    found expected = find(host, value);
    found f = find(device, value);
    ck_assert_int_eq(expected.report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_eq(f.report.outcome, FUR_OUTCOME_CONVERGED);
    ck_assert_int_eq(f.report.iterations, expected.report.iterations);
    for (int k = 0; k < COUNT; k++) {
        ck_assert(f.values[k] == expected.values[k]);
        ck_assert(f.residuals[k] == expected.residuals[k]);
        ck_same_bits(f.vectors[k], expected.vectors[k]);
        fur_vector_destroy(f.vectors[k]);
        fur_vector_destroy(expected.vectors[k]);
    }
    fur_context_destroy(device);
    fur_context_destroy(host);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, lobpcg_gives_the_bits_of_the_cpu, 0, FUR_VALUE_COUNT);
}

int main(void)
{
    return run_gpu_tests("cuda_eigs", add_tests);
}
