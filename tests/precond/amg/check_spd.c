/* Solves random symmetric positive definite systems.
 *
 *     check_spd COUNT [SEED [ROWS]]
 *
 * cg with multigrid must converge to 1e-8. The other ways may also end at the iteration limit.
 * Problem k of a seed does not depend on COUNT. Prints the problems that failed and the median of
 * the iterations. Exit status 1 if a solve failed. */
#include "spd.h"

#include <time.h>

#define MAX_ITERATIONS 2000

typedef struct way {
    const char *method;
    const char *precond;
    bool converges;
} way;

static const way ways[] = {{"cg", "amg", true},
                           {"cg", "chebyshev", false},
                           {"chebyshev", "amg", false},
                           {"chebyshev", "jacobi", false}};

/* Pairs of a seed and a problem. Multigrid failed on them when its smoother trusted an estimate. */
static const uint64_t failed_once[][2] = {{1, 92},  {1, 314}, {2, 64},  {2, 108},
                                          {2, 409}, {2, 475}, {4, 65},  {4, 110},
                                          {4, 203}, {4, 295}, {4, 376}, {4, 399}};

static void must(fur_context *context, fur_status status)
{
    if (status == FUR_OK)
        return;
    printf("%s: %s\n", fur_status_name(status), fur_context_error(context));
    exit(EXIT_FAILURE);
}

/* Computes b = A x for a random x, then sets x to 0. */
static void make_sides(const fur_operator *a, fur_vector **b, fur_vector **x)
{
    fur_context *context = fur_operator_context(a);
    int64_t n = fur_operator_rows(a);
    rng r = {77};
    must(context, fur_vector_create(context, FUR_F64, n, b));
    must(context, fur_vector_create(context, FUR_F64, n, x));
    double *data = fur_vector_data(*x);
    for (int64_t i = 0; i < n; i++)
        data[i] = rng_unit(&r);
    must(context, fur_operator_apply(a, *x, *b));
    must(context, fur_vector_fill(*x, fur_real(0)));
}

static fur_solver_report solve_with(const fur_operator *a, fur_precond *p, const char *method)
{
    fur_context *context = fur_operator_context(a);
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_operator *m;
    fur_solver *solver;
    fur_vector *b;
    fur_vector *x;
    make_sides(a, &b, &x);
    must(context, fur_operator_from_precond(p, &m));
    fur_solver_options options = {.size = sizeof options,
                                  .method = method,
                                  .preconditioner = m,
                                  .rtol = 1e-8,
                                  .max_iterations = MAX_ITERATIONS};
    must(context, fur_solver_create(a, &options, &solver));
    must(context, fur_solver_solve(solver, b, x, &report));
    fur_solver_destroy(solver);
    fur_operator_destroy(m);
    fur_vector_destroy(x), fur_vector_destroy(b);
    return report;
}

static fur_solver_report solve(const fur_csr *a, const way *w)
{
    fur_context *context = fur_csr_context(a);
    fur_precond_options options = {.size = sizeof options, .kind = w->precond};
    fur_precond *p;
    fur_spmv *plan;
    fur_operator *op;
    must(context, fur_spmv_plan(a, NULL, &plan));
    must(context, fur_operator_from_spmv(plan, &op));
    must(context, fur_precond_create(a, &options, &p));
    fur_solver_report report = solve_with(op, p, w->method);
    fur_precond_destroy(p);
    fur_operator_destroy(op);
    fur_spmv_destroy(plan);
    return report;
}

/* Solves problem k of a seed in each way and stores the iterations. Returns whether all solves
 * ended as they must. */
static bool try_problem(fur_context *context, uint64_t seed, uint64_t k, int64_t rows,
                        int64_t *iterations)
{
    rng r = {seed * 1000003 + k};
    char name[128];
    bool good = true;
    fur_csr *a;
    rng_bits(&r);
    must(context, spd_make(context, &r, rows, name, &a));
    for (int w = 0; w < COUNT_OF(ways); w++) {
        fur_solver_report report = solve(a, &ways[w]);
        bool ended = report.outcome == FUR_OUTCOME_CONVERGED ||
                     (!ways[w].converges && report.outcome == FUR_OUTCOME_MAX_ITERATIONS);
        if (!ended)
            printf("problem %llu of seed %llu, %s: %s, %s: %s after %lld iterations, residual %g\n",
                   (unsigned long long)k, (unsigned long long)seed, name, ways[w].method,
                   ways[w].precond, fur_outcome_name(report.outcome), (long long)report.iterations,
                   report.residual);
        good = good && ended;
        iterations[w] = report.iterations;
    }
    fur_csr_destroy(a);
    return good;
}

static int compare(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x;
    const int64_t b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static void print_median(const way *w, int64_t *iterations, int64_t count)
{
    qsort(iterations, (size_t)count, sizeof *iterations, compare);
    printf("%s, %s: median %lld iterations, nine tenths up to %lld, most %lld\n", w->method,
           w->precond, (long long)iterations[count / 2], (long long)iterations[count * 9 / 10],
           (long long)iterations[count - 1]);
}

int main(int argc, char **argv)
{
    int64_t count = argc > 1 ? atoll(argv[1]) : 500;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    int64_t rows = argc > 3 ? atoll(argv[3]) : 2000;
    int64_t *iterations = malloc((size_t)(count + 1) * COUNT_OF(ways) * sizeof *iterations);
    int64_t failed = 0;
    fur_context *context;
    printf("seed %llu\n", (unsigned long long)seed);
    must(NULL, fur_context_create(NULL, &context));
    for (int i = 0; i < COUNT_OF(failed_once); i++)
        failed += !try_problem(context, failed_once[i][0], failed_once[i][1], 2000, iterations);
    for (int64_t k = 0; k < count; k++) {
        int64_t one[COUNT_OF(ways)];
        failed += !try_problem(context, seed, (uint64_t)k, rows, one);
        for (int w = 0; w < COUNT_OF(ways); w++)
            iterations[w * count + k] = one[w];
    }
    for (int w = 0; count > 0 && w < COUNT_OF(ways); w++)
        print_median(&ways[w], iterations + w * count, count);
    printf("%lld of %lld problems failed\n", (long long)failed,
           (long long)count + COUNT_OF(failed_once));
    free(iterations);
    fur_context_destroy(context);
    return failed > 0;
}
