/* furrow-ranks multiply and bench: times products and iterations of cg. */
#include "ranks_job.h"

#include <float.h>
#include <stdlib.h>

/* Number of timed iterations of cg in bench. */
#define BENCH_ITERATIONS 100
#define REPEAT 20

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Prints norms of a distributed vector. */
static fur_status put_norms(ranks_job *j, const fur_vector *y)
{
    double one;
    double two;
    double most;
    FUR_TRY(ranks_pass(j, j->context, fur_norm1(y, &one)));
    FUR_TRY(ranks_pass(j, j->context, fur_norm2(y, &two)));
    FUR_TRY(ranks_pass(j, j->context, fur_norm_max(y, &most)));
    output_number(&j->out, "y_norm_1", "norm 1 of y", one);
    output_number(&j->out, "y_norm_2", "norm 2 of y", two);
    output_number(&j->out, "y_norm_max", "largest entry of y", most);
    return FUR_OK;
}

/* Multiplies repeatedly. seconds: time of each product. */
static fur_status run_products(ranks_job *j, double *seconds)
{
    fur_status status = FUR_OK;
    for (int i = 0; status == FUR_OK && i < j->request->repeat; i++) {
        double start = fur_seconds();
        status = fur_ranks_multiply(j->a, j->x, j->y);
        if (status == FUR_OK)
            status = ranks_pass(j, j->context, fur_context_synchronize(j->context));
        seconds[i] = fur_seconds() - start;
    }
    return status;
}

/* Times y = A x for x from --x, or ones. Saves y before it prints. */
static fur_status multiply(ranks_job *j)
{
    int repeat = j->request->repeat;
    const int64_t *cols = fur_ranks_csr_column_bounds(j->a);
    const int64_t *rows = fur_ranks_csr_bounds(j->a);
    void *memory;
    FUR_TRY(ranks_vector(j, fur_ranks_csr_domain(j->a), cols, &j->x));
    FUR_TRY(ranks_vector(j, j->context, rows, &j->y));
    FUR_TRY(ranks_load(j, j->request->x, cols, j->x));
    FUR_TRY(ranks_pass(j, j->home,
                       fur_context_allocate(j->home, (size_t)repeat * sizeof(double), &memory)));
    double *seconds = memory;
    fur_status status = run_products(j, seconds);
    if (status == FUR_OK)
        status = ranks_save(j, rows, j->y);
    if (status == FUR_OK) {
        qsort(seconds, (size_t)repeat, sizeof *seconds, compare);
        output_count(&j->out, "repeat", "products", repeat);
        output_seconds(&j->out, "seconds_median", "one product", seconds[repeat / 2]);
        output_seconds(&j->out, "seconds_least", "the fastest", seconds[0]);
        status = put_norms(j, j->y);
    }
    fur_context_release(j->home, memory);
    return status;
}

/* Times products. If A is square, also times iterations of cg without a preconditioner, until cg
 * stops. */
static fur_status bench(ranks_job *j)
{
    const fur_ranks_report *r = fur_ranks_csr_describe(j->a);
    fur_solver_options options = {.size = sizeof options,
                                  .method = "cg",
                                  .rtol = DBL_MIN,
                                  .max_iterations = BENCH_ITERATIONS};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    FUR_TRY(multiply(j));
    if (r->rows != r->cols)
        return FUR_OK;
    FUR_TRY(ranks_pass(j, j->context, fur_vector_fill(j->x, fur_real(0))));
    FUR_TRY(fur_ranks_solve(j->a, &options, j->y, j->x, &report));
    output_count(&j->out, "iterations", "iterations of cg", report.iterations);
    output_seconds(&j->out, "seconds_per_iteration", "one iteration",
                   report.iterations > 0 ? report.seconds / (double)report.iterations : 0);
    return FUR_OK;
}

static void settle(struct argp_state *state, void *options)
{
    const ranks_request *r = options;
    save_check(state, "--out", &r->solver.out);
}

#define AT(member) .at = offsetof(ranks_request, member)
#define REPEAT_OPTION                                                                              \
    {                                                                                              \
        "repeat", "N", "Number of timed products (default: 20)", LINE_COUNT, AT(repeat),           \
            .most = 1 << 20                                                                        \
    }
#define RANKS_OPTIONS                                                                              \
    {                                                                                              \
        "ranks", .kind = LINE_TABLE, .table = ranks_options                                        \
    }

int ranks_multiply(int argc, char **argv)
{
    static const line_option own[] = {
        {"x", "X.mtx", "Vector x (default: all ones)", LINE_INPUT, AT(x)},
        {"out", "Y.mtx", "Write y to this file", LINE_FILE, AT(solver.out.path)},
        {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(solver.out), .parse = save_parse_format},
        REPEAT_OPTION,
        RANKS_OPTIONS,
        {0},
    };
    static const line line_of = {
        .options = own,
        .operands = "FILE",
        .settle = settle,
        .doc = "Multiply the matrix in FILE by a vector on several ranks. mpirun starts the ranks "
               "as processes, or --ranks starts them as threads. The result has the same bits for "
               "any number of ranks."};
    ranks_request request = {
        .common = {.operands_min = 1, .operands_max = 1}, .repeat = REPEAT, .work = multiply};
    line_parse(&line_of, argc, argv, &request);
    return ranks_start(&request);
}

int ranks_bench(int argc, char **argv)
{
    static const line_option own[] = {REPEAT_OPTION, RANKS_OPTIONS, {0}};
    static const line line_of = {.options = own,
                                 .operands = "FILE",
                                 .doc = "Time products by the matrix in FILE on several ranks. "
                                        "Also time iterations of cg without a preconditioner."};
    ranks_request request = {
        .common = {.operands_min = 1, .operands_max = 1}, .repeat = REPEAT, .work = bench};
    line_parse(&line_of, argc, argv, &request);
    return ranks_start(&request);
}
