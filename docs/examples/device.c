/* Runs the same code on the CPU and on a GPU: only the context knows the device. Solves A x = b on
 * both and compares the solutions, which have the same bits. If the GPU is missing, the program
 * prints the reason and uses the CPU.
 *
 *     cc device.c $(pkg-config --cflags --libs furrow) -o device && ./device plate.mtx cuda */
#include "example.h"

#include <string.h>

/* Makes a context of the device, or of the CPU if the device is missing. */
static void open_device(const char *device)
{
    fur_context_options options = {.size = sizeof options, .device = device};
    fur_status status = fur_context_create(&options, &context);
    if (status == FUR_UNSUPPORTED) {
        printf("going on with the CPU: %s\n", fur_context_error(NULL));
        options.device = "cpu";
        status = fur_context_create(&options, &context);
    }
    must(status);
}

/* Solves A x = 1 on a device. Returns the entries of x on the host. The caller frees them. */
static void *solve(const char *device, const char *path, size_t *bytes)
{
    fur_csr *matrix;
    fur_spmv *plan;
    fur_operator *a, *jacobi;
    fur_solver *solver;
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_vector *b, *x;
    open_device(device);
    must(fur_mtx_read_csr(context, path, NULL, &matrix));
    must(fur_spmv_plan(matrix, NULL, &plan));
    must(fur_operator_from_spmv(plan, &a));
    must(fur_operator_jacobi(a, &jacobi));
    fur_solver_options options = {.size = sizeof options, .preconditioner = jacobi};
    must(fur_solver_create(a, &options, &solver));
    const fur_csr_view *view = fur_csr_get(matrix);
    must(fur_vector_create(context, view->value_type, view->rows, &b));
    must(fur_vector_create(context, view->value_type, view->rows, &x));
    must(fur_vector_fill(b, fur_real(1)));
    must(fur_solver_solve(solver, b, x, &report));
    printf("%s, kernel %s: %s in %lld iterations, %.3f s\n", fur_context_device(context),
           fur_spmv_describe(plan)->kernel, fur_outcome_name(report.outcome),
           (long long)report.iterations, report.seconds);
    if (!fur_outcome_solved(report.outcome))
        must(fur_context_fail(context, FUR_INVALID, "not solved"));
    *bytes = (size_t)view->rows * fur_value_size(view->value_type);
    void *entries = malloc(*bytes + 1);
    if (!entries)
        must(fur_context_fail(context, FUR_OUT_OF_MEMORY, "no memory for the solution"));
    must(fur_vector_download(x, entries));
    fur_vector_destroy(x), fur_vector_destroy(b), fur_solver_destroy(solver);
    fur_operator_destroy(jacobi), fur_operator_destroy(a), fur_spmv_destroy(plan);
    fur_csr_destroy(matrix), fur_context_destroy(context);
    context = NULL;
    return entries;
}

int main(int argc, char **argv)
{
    size_t bytes = 0;
    if (argc != 3)
        return fprintf(stderr, "usage: device MATRIX.mtx cpu|cuda|cuda:N\n"), 2;
    void *there = solve(argv[2], argv[1], &bytes), *here = solve("cpu", argv[1], &bytes);
    int same = memcmp(there, here, bytes) == 0;
    printf("solutions: %s\n", same ? "the same bits" : "WRONG, bits differ");
    free(here), free(there);
    return !same;
}
