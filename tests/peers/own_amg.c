/* Solves a system by the library's algebraic multigrid, for compare_amg.py:
 *
 *     own_amg SYSTEM KIND SINGLE AGGRESSIVE THREADS
 *
 * Uses cg to 1e-8 for b = 1. Prints the seconds of set-up and solve, iterations and the true
 * residual. */
#include <furrow/author/precond.h>
#include <furrow/precond.h>
#include <furrow/solver.h>
#include <furrow/spmv.h>

#include "system_file.h"

static fur_context *context;

static void check(fur_status status)
{
    if (status == FUR_OK)
        return;
    fprintf(stderr, "%s\n", fur_context_error(context));
    exit(EXIT_FAILURE);
}

static fur_csr *take(const system_file *s)
{
    fur_csr *a;
    fur_csr_view view = {.size = sizeof view,
                         .rows = s->rows,
                         .cols = s->rows,
                         .entries = s->entries,
                         .value_type = FUR_F64,
                         .offset_type = FUR_I64,
                         .offsets = s->offsets,
                         .columns = s->columns,
                         .values = s->values};
    check(fur_csr_create(context, &view, FUR_OWNERSHIP_BORROW, &a));
    return a;
}

static void solve(const fur_csr *a, const fur_amg_options *options)
{
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    int64_t rows = fur_csr_get(a)->rows;
    fur_spmv *plan;
    fur_operator *op;
    fur_operator *m;
    fur_amg *amg;
    fur_solver *solver;
    fur_vector *b;
    fur_vector *x;
    check(fur_vector_create(context, FUR_F64, rows, &b));
    check(fur_vector_create(context, FUR_F64, rows, &x));
    check(fur_vector_fill(b, fur_real(1)));
    check(fur_vector_fill(x, fur_real(0)));
    double begin = seconds_now();
    check(fur_spmv_plan(a, NULL, &plan));
    check(fur_operator_from_spmv(plan, &op));
    check(fur_amg_create(a, options, &amg));
    check(fur_operator_from_amg(amg, &m));
    fur_solver_options o = {.size = sizeof o, .preconditioner = m, .rtol = 1e-8};
    check(fur_solver_create(op, &o, &solver));
    double made = seconds_now();
    check(fur_solver_solve(solver, b, x, &report));
    printf("%.6f %.6f %d %.2e\n", made - begin, seconds_now() - made, (int)report.iterations,
           report.residual);
    fur_solver_destroy(solver);
    fur_operator_destroy(m);
    fur_amg_destroy(amg);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    fur_vector_destroy(x);
    fur_vector_destroy(b);
}

int main(int argc, char **argv)
{
    fur_context_options options = {.size = sizeof options};
    fur_amg_options amg = {.size = sizeof amg};
    if (argc != 6) {
        fputs("usage: own_amg SYSTEM KIND SINGLE AGGRESSIVE THREADS\n", stderr);
        return EXIT_FAILURE;
    }
    system_file s = read_system(argv[1]);
    amg.coarsening = argv[2];
    amg.single = atoi(argv[3]);
    amg.aggressive = atoi(argv[4]);
    options.threads = atoi(argv[5]);
    check(fur_context_create(&options, &context));
    fur_csr *a = take(&s);
    for (int run = 0; run < RUNS; run++)
        solve(a, &amg);
    return EXIT_SUCCESS; /* the system releases the memory */
}
