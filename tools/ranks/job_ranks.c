#include "ranks_job.h"

#include "command.h"
#include "output.h"

#include <furrow/partition.h>
#include <furrow/ranks_precond.h>

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* A job on its way. */
typedef struct job {
    const ranks_line *line;
    fur_ranks *group;
    fur_context *home; /* of vectors as files have them */
    fur_ranks_csr *a;
    fur_partition *partition; /* that has arranged it; NULL: none has */
    fur_context *context;     /* of the matrix */
    fur_vector *x;
    fur_vector *y; /* b of a solve */
    output out;
    double seconds_load;
} job;

/* A failure in a context is the group's. */
static fur_status of(job *j, fur_context *context, fur_status status)
{
    return fur_ranks_pass_on(j->group, context, status);
}

static int64_t own(const int64_t *bounds, int rank)
{
    return bounds[rank + 1] - bounds[rank];
}

/* This rank's part of the vector of a file, which every rank reads; NULL: ones. */
static fur_status load(job *j, const char *path, fur_context *context, const int64_t *bounds,
                       fur_vector **out)
{
    int rank = fur_ranks_rank(j->group);
    fur_value_type value = fur_ranks_csr_describe(j->a)->value_type;
    fur_vector *whole = NULL;
    COMMAND_TRY(of(j, context, fur_vector_create(context, value, own(bounds, rank), out)));
    if (!path)
        return of(j, context, fur_vector_fill(*out, fur_real(1)));
    fur_mtx_read_options options = {.size = sizeof options, .convert = fur_mtx_as(value)};
    COMMAND_TRY(of(j, j->home, fur_mtx_read_vector(j->home, path, &options, &whole)));
    fur_status status = FUR_OK;
    if (fur_vector_size(whole) != bounds[fur_ranks_count(j->group)])
        status = fur_ranks_fail(j->group, FUR_INVALID, "%s has %lld entries, the matrix needs %lld",
                                path, (long long)fur_vector_size(whole),
                                (long long)bounds[fur_ranks_count(j->group)]);
    else if (j->partition)
        status = fur_ranks_take_vector(j->a, j->partition, fur_vector_const_data(whole), *out);
    else if (own(bounds, rank) > 0)
        status = of(j, context,
                    fur_vector_upload((const char *)fur_vector_const_data(whole) +
                                          (size_t)bounds[rank] * fur_value_size(value),
                                      *out));
    fur_vector_destroy(whole);
    return status;
}

/* A vector with these bounds, as a file. */
static fur_status save(job *j, const int64_t *bounds, const fur_vector *x)
{
    fur_vector *whole = NULL;
    fur_status status = FUR_OK;
    bool writes = fur_ranks_rank(j->group) == 0;
    if (!j->line->out)
        return FUR_OK;
    if (writes)
        status = of(j, j->home,
                    fur_vector_create(j->home, fur_vector_value_type(x),
                                      bounds[fur_ranks_count(j->group)], &whole));
    status = fur_ranks_agree(j->group, status);
    void *all = status == FUR_OK && writes ? fur_vector_data(whole) : NULL;
    if (status == FUR_OK)
        status = j->partition ? fur_ranks_give_vector(j->a, j->partition, x, all)
                              : fur_ranks_gather(j->group, bounds, x, all);
    if (status == FUR_OK && writes)
        status = of(j, j->home, fur_mtx_write_vector(whole, j->line->out, NULL));
    fur_vector_destroy(whole);
    return fur_ranks_agree(j->group, status);
}

static void put_matrix(job *j)
{
    const fur_ranks_report *r = fur_ranks_csr_describe(j->a);
    output_count(&j->out, "rows", "Rows", r->rows);
    output_count(&j->out, "cols", "Columns", r->cols);
    output_count(&j->out, "entries", "Entries", r->entries);
    output_text(&j->out, "value", "Value type", fur_value_name(r->value_type));
    output_count(&j->out, "ranks", "Ranks", fur_ranks_count(j->group));
    output_text(&j->out, "transport", "Transport", fur_ranks_transport(j->group));
    output_text(&j->out, "device", "Device", fur_context_device(j->context));
    if (fur_ranks_device_transport(j->group)[0])
        output_text(&j->out, "device_transport", "Between devices",
                    fur_ranks_device_transport(j->group));
    output_text(&j->out, "partition", "Order of rows",
                j->line->partition ? j->line->partition : "contiguous");
    output_count(&j->out, "threads", "Threads of a rank", fur_context_threads(j->context));
    output_count(&j->out, "halo_bytes", "Bytes of a halo", r->halo_bytes);
    output_number(&j->out, "imbalance", "Most work over mean", r->imbalance);
    output_seconds(&j->out, "seconds_halo", "Waiting for halos", r->seconds_halo);
    output_seconds(&j->out, "seconds_load", "Reading", j->seconds_load);
}

/* Norms of a vector that is shared. */
static fur_status put_norms(job *j, const fur_vector *y)
{
    double one;
    double two;
    double most;
    COMMAND_TRY(of(j, j->context, fur_norm1(y, &one)));
    COMMAND_TRY(of(j, j->context, fur_norm2(y, &two)));
    COMMAND_TRY(of(j, j->context, fur_norm_max(y, &most)));
    output_number(&j->out, "y_norm_1", "Norm 1 of y", one);
    output_number(&j->out, "y_norm_2", "Norm 2 of y", two);
    output_number(&j->out, "y_norm_max", "Largest entry of y", most);
    return FUR_OK;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Times y = A x; x of --x or ones. */
static fur_status time_products(job *j)
{
    int repeat = j->line->repeat;
    int rank = fur_ranks_rank(j->group);
    double *seconds;
    void *memory;
    const fur_ranks_report *r = fur_ranks_csr_describe(j->a);
    COMMAND_TRY(
        load(j, j->line->x, fur_ranks_csr_domain(j->a), fur_ranks_csr_column_bounds(j->a), &j->x));
    COMMAND_TRY(of(j, j->context,
                   fur_vector_create(j->context, r->value_type,
                                     own(fur_ranks_csr_bounds(j->a), rank), &j->y)));
    COMMAND_TRY(
        of(j, j->home, fur_context_allocate(j->home, (size_t)repeat * sizeof *seconds, &memory)));
    seconds = memory;
    fur_status status = FUR_OK;
    for (int i = 0; status == FUR_OK && i < repeat; i++) {
        double start = command_seconds();
        status = fur_ranks_multiply(j->a, j->x, j->y);
        if (status == FUR_OK)
            status = of(j, j->context, fur_context_synchronize(j->context));
        seconds[i] = command_seconds() - start;
    }
    qsort(seconds, (size_t)repeat, sizeof *seconds, compare);
    output_count(&j->out, "repeat", "Products", repeat);
    output_seconds(&j->out, "seconds_median", "One product", seconds[repeat / 2]);
    output_seconds(&j->out, "seconds_least", "The fastest", seconds[0]);
    fur_context_release(j->home, memory);
    return status;
}

static fur_status multiply(job *j)
{
    COMMAND_TRY(time_products(j));
    COMMAND_TRY(put_norms(j, j->y));
    return save(j, fur_ranks_csr_bounds(j->a), j->y);
}

/* Iterations of cg that bench times. */
#define BENCH_ITERATIONS 100

/* Products and, of a square matrix, iterations of cg without a preconditioner, as far as they go.
 */
static fur_status bench(job *j)
{
    const fur_ranks_report *r = fur_ranks_csr_describe(j->a);
    fur_solver_options options = {.size = sizeof options,
                                  .method = "cg",
                                  .rtol = DBL_MIN,
                                  .max_iterations = BENCH_ITERATIONS};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    COMMAND_TRY(time_products(j));
    if (r->rows != r->cols)
        return FUR_OK;
    COMMAND_TRY(of(j, j->context, fur_vector_fill(j->x, fur_real(0))));
    COMMAND_TRY(fur_ranks_solve(j->a, &options, j->y, j->x, &report));
    output_count(&j->out, "iterations", "Iterations of cg", report.iterations);
    output_seconds(&j->out, "seconds_per_iteration", "One iteration",
                   report.iterations > 0 ? report.seconds / (double)report.iterations : 0);
    return FUR_OK;
}

static void put_solve(job *j, const char *precond, const fur_solver_report *r)
{
    output_text(&j->out, "method", "Method", r->method);
    output_text(&j->out, "precond", "Preconditioner", precond);
    output_count(&j->out, "iterations", "Iterations", r->iterations);
    output_seconds(&j->out, "seconds_solve", "Solve", r->seconds);
    output_seconds(&j->out, "seconds_per_iteration", "One iteration",
                   r->iterations > 0 ? r->seconds / (double)r->iterations : 0);
    output_flag(&j->out, "converged", "Converged", r->outcome == FUR_OUTCOME_CONVERGED);
    output_text(&j->out, "outcome", "Outcome", fur_outcome_name(r->outcome));
    output_number(&j->out, "residual", "Relative residual", r->residual);
    output_number(&j->out, "residual_recursive", "Recursive residual", r->residual_recursive);
}

/* b, given or A times ones, and the first x, 0. */
static fur_status make_system(job *j)
{
    fur_context *domain = fur_ranks_csr_domain(j->a);
    COMMAND_TRY(load(j, NULL, domain, fur_ranks_csr_column_bounds(j->a), &j->x));
    COMMAND_TRY(load(j, j->line->b, j->context, fur_ranks_csr_bounds(j->a), &j->y));
    if (!j->line->b)
        COMMAND_TRY(fur_ranks_multiply(j->a, j->x, j->y));
    return of(j, domain, fur_vector_fill(j->x, fur_real(0)));
}

/* A preconditioner other than Jacobi's. */
static fur_status make_precond(job *j, const char *precond, fur_ranks_precond **out)
{
    fur_precond_options kind = {.size = sizeof kind, .kind = precond};
    fur_ranks_precond_options options = {
        .size = sizeof options, .precond = &kind, .whole = j->line->whole};
    return fur_ranks_precond_create(j->a, &options, out);
}

/* That of the line; else Jacobi's where there is a diagonal. */
static const char *choose_precond(const job *j)
{
    const fur_ranks_report *r = fur_ranks_csr_describe(j->a);
    return j->line->precond ? j->line->precond : r->rows == r->cols ? "jacobi" : "none";
}

static fur_status solve(job *j)
{
    const char *precond = choose_precond(j);
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_operator *jacobi = NULL;
    fur_ranks_precond *other = NULL;
    fur_status status = make_system(j);
    if (status == FUR_OK && strcmp(precond, "jacobi") == 0)
        status = of(j, j->context, fur_operator_jacobi(fur_ranks_csr_operator(j->a), &jacobi));
    status = fur_ranks_agree(j->group, status);
    if (status == FUR_OK && !jacobi && strcmp(precond, "none") != 0)
        status = make_precond(j, precond, &other);
    fur_solver_options options = {.size = sizeof options,
                                  .method = j->line->method,
                                  .preconditioner =
                                      other ? fur_ranks_precond_operator(other) : jacobi,
                                  .rtol = j->line->rtol,
                                  .max_iterations = j->line->max_iterations,
                                  .restart = j->line->restart};
    if (status == FUR_OK)
        status = fur_ranks_solve(j->a, &options, j->y, j->x, &report);
    if (status == FUR_OK) {
        put_solve(j, precond, &report);
        output_flag(&j->out, "rank_independent", "Same on any ranks",
                    !other || fur_ranks_precond_exact(other));
        status = save(j, fur_ranks_csr_column_bounds(j->a), j->x);
    }
    fur_operator_destroy(jacobi);
    fur_ranks_precond_destroy(other);
    return status;
}

static bool is_method(const char *partition)
{
    const char *name;
    for (int i = 0; (name = fur_partition_method_at(i)) != NULL; i++)
        if (strcmp(name, partition) == 0)
            return true;
    return false;
}

/* The matrix in the order of the partition that was asked for. */
static fur_status arrange(job *j)
{
    const char *partition = j->line->partition;
    fur_partition_options options = {.size = sizeof options, .method = partition};
    fur_ranks_csr *arranged;
    if (!partition || strcmp(partition, "contiguous") == 0)
        return FUR_OK;
    COMMAND_TRY(is_method(partition) ? fur_ranks_partition(j->a, &options, &j->partition)
                                     : fur_ranks_partition_read(j->a, partition, &j->partition));
    COMMAND_TRY(fur_ranks_csr_arrange(j->a, j->partition, &arranged));
    fur_ranks_csr_destroy(j->a);
    j->a = arranged;
    return FUR_OK;
}

static fur_status run(job *j)
{
    double start = command_seconds();
    COMMAND_TRY(fur_ranks_csr_read(j->group, j->line->file, NULL, &j->a));
    COMMAND_TRY(arrange(j));
    j->seconds_load = command_seconds() - start;
    j->context = fur_ranks_csr_context(j->a);
    static fur_status (*const works[])(job * j) = {
        [RANKS_MULTIPLY] = multiply, [RANKS_SOLVE] = solve, [RANKS_BENCH] = bench};
    COMMAND_TRY(fur_ranks_agree(j->group, works[j->line->work](j)));
    put_matrix(j);
    return FUR_OK;
}

fur_status ranks_job(fur_ranks *group, void *user)
{
    job j = {.line = user, .group = group};
    bool prints = fur_ranks_rank(group) == 0;
    j.out = (output){.json = true}; /* of other ranks it goes nowhere */
    if (prints)
        j.out = output_begin(j.line->json);
    fur_status status = of(&j, NULL, fur_context_create(NULL, &j.home));
    status = fur_ranks_agree(group, status);
    if (status == FUR_OK)
        status = run(&j);
    if (prints && status == FUR_OK)
        status = of(&j, j.home, output_end(&j.out, j.home));
    else if (j.out.object)
        json_decref(j.out.object);
    fur_vector_destroy(j.x);
    fur_vector_destroy(j.y);
    fur_ranks_csr_destroy(j.a);
    fur_partition_destroy(j.partition);
    fur_context_destroy(j.home);
    return fur_ranks_agree(group, status);
}
