/* The same code on the CPU and on a GPU: only the context knows the device. Solves A x = b there
 * and on the CPU and compares the solutions, which have the same bits. Without a GPU it says why
 * and goes on with the CPU.
 *
 *     cc device.c $(pkg-config --cflags --libs furrow) -o device && ./device plate.mtx cuda */
#include <furrow/furrow.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A context of the device, or of the CPU where the device is missing. */
static int open_device(const char *device, fur_context **out)
{
    fur_context_options options = {.size = sizeof options, .device = device};
    fur_status status = fur_context_create(&options, out);
    if (status != FUR_UNSUPPORTED)
        return (int)status;
    printf("going on with the CPU: %s\n", fur_context_error(NULL));
    options.device = "cpu";
    return (int)fur_context_create(&options, out);
}

/* Everything that is made on the way to a solution. */
typedef struct work {
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *op;
    fur_operator *jacobi;
    fur_solver *solver;
    fur_vector *b;
    fur_vector *x;
} work;

static int prepare(fur_context *context, const char *path, work *w)
{
    if (fur_mtx_read_csr(context, path, NULL, &w->a) || fur_spmv_plan(w->a, NULL, &w->plan) ||
        fur_operator_from_spmv(w->plan, &w->op) || fur_operator_jacobi(w->op, &w->jacobi))
        return 1;
    fur_solver_options options = {.size = sizeof options, .preconditioner = w->jacobi};
    const fur_csr_view *view = fur_csr_get(w->a);
    return fur_solver_create(w->op, &options, &w->solver) ||
           fur_vector_create(context, view->value_type, view->rows, &w->b) ||
           fur_vector_create(context, view->value_type, view->rows, &w->x) ||
           fur_vector_fill(w->b, fur_real(1));
}

/* *out = the entries of x, on the host, for the caller to free. */
static int fetch(fur_context *context, const fur_vector *x, void **out, size_t *bytes)
{
    *bytes = (size_t)fur_vector_size(x) * fur_value_size(fur_vector_value_type(x));
    *out = malloc(*bytes + 1);
    if (!*out)
        return (int)fur_context_fail(context, FUR_OUT_OF_MEMORY, "no memory for the solution");
    return (int)fur_vector_download(x, *out);
}

static void destroy(work *w)
{
    fur_vector_destroy(w->x), fur_vector_destroy(w->b), fur_solver_destroy(w->solver);
    fur_operator_destroy(w->jacobi), fur_operator_destroy(w->op);
    fur_spmv_destroy(w->plan), fur_csr_destroy(w->a);
}

/* Solves A x = 1 on a device; prints how it went, or why not. */
static int solve(const char *device, const char *path, void **x, size_t *bytes)
{
    fur_context *context = NULL;
    work w = {0};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    int failed = open_device(device, &context) || prepare(context, path, &w) ||
                 fur_solver_solve(w.solver, w.b, w.x, &report) || fetch(context, w.x, x, bytes);
    if (failed)
        fprintf(stderr, "%s\n", fur_context_error(context));
    else
        printf("%s, kernel %s: %s in %lld iterations, %.3f s\n", fur_context_device(context),
               fur_spmv_describe(w.plan)->kernel, fur_outcome_name(report.outcome),
               (long long)report.iterations, report.seconds);
    destroy(&w);
    fur_context_destroy(context);
    return failed || report.outcome != FUR_OUTCOME_CONVERGED;
}

int main(int argc, char **argv)
{
    void *there = NULL, *here = NULL;
    size_t bytes = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: device MATRIX.mtx cpu|cuda|cuda:N\n");
        return 2;
    }
    int failed = solve(argv[2], argv[1], &there, &bytes) || solve("cpu", argv[1], &here, &bytes);
    if (!failed) {
        failed = memcmp(there, here, bytes) != 0;
        printf("solutions: %s\n", failed ? "WRONG, bits differ" : "the same bits");
    }
    free(here), free(there);
    return failed;
}
