/* furrow solve with several columns in --b: solves A X = B by one method. Each column stops on its
 * own. */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>

#include "interrupt.h"
#include "output.h"
#include "product.h"

typedef struct columns_job {
    job *base;       /* holds A and M */
    loaded_matrix b; /* a matrix with all its entries, stored row by row */
    fur_vectors *rhs;
    fur_vectors *x;
    fur_choice choice;
    fur_precond *precond; /* made from the matrix; NULL: none */
    fur_solver_report *reports;
    double seconds;
} columns_job;

bool job_has_columns(fur_context *context, const job_options *o)
{
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    return o->b && o->grid.points == 0 && strcmp(o->b, "-") != 0 && !fur_binary_detect(o->b) &&
           fur_mtx_read_header(context, o->b, &header) == FUR_OK &&
           header.format == FUR_MTX_ARRAY && header.cols > 1;
}

/* Refuses options that only apply to one vector. */
static fur_status check_options(const columns_job *c)
{
    const job_options *o = c->base->options;
    const command_pairing single[] = {
        {"--x0", o->solver.x0, false, NULL},
        {"--history", o->solver.history, false, NULL},
        {"--report", o->report, false, NULL},
        {"--reorder", o->reorder, false, NULL},
        {"--damp", o->solver.damp > 0, false, NULL},
        {"--scale", o->scale, false, NULL},
        {"--bounds", o->solver.bounds, false, NULL},
        {"--precond norms", job_is(o->solver.precond, "norms"), false, NULL},
    };
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (single[i].given)
            return fur_context_fail(c->base->context, FUR_INVALID,
                                    "%s needs a single right-hand side, but %s has several columns",
                                    single[i].option, o->b);
    return FUR_OK;
}

fur_status job_load_columns(const job *j, const char *path, loaded_matrix *keep, fur_vectors **out)
{
    command_common common = j->options->common;
    fur_value_type value = fur_csr_get(j->a.matrix)->value_type;
    common.reading.convert = fur_mtx_as(value);
    FUR_TRY(load_matrix(j->context, &common, path, keep));
    const fur_csr_view *b = fur_csr_get(keep->matrix);
    const fur_vectors_view array = {.size = sizeof array,
                                    .rows = b->rows,
                                    .cols = b->cols,
                                    .value_type = value,
                                    .data = (void *)(uintptr_t)b->values};
    if (keep->header.format == FUR_MTX_ARRAY)
        return fur_vectors_wrap(j->context, &array, FUR_OWNERSHIP_BORROW, out);
    return fur_context_fail(j->context, FUR_INVALID, "%s has coordinates; use an array of columns",
                            path);
}

/* Loads B in A's value type and makes X of zeros. */
static fur_status load_columns(columns_job *c)
{
    const job *j = c->base;
    FUR_TRY(job_load_columns(j, j->options->b, &c->b, &c->rhs));
    return fur_vectors_create(j->context, fur_operator_value_type(j->op), fur_operator_cols(j->op),
                              fur_vectors_get(c->rhs)->cols, FUR_LAYOUT_COLUMNS, &c->x);
}

/* Uses the requested method, or the first choice for the matrix. */
static fur_status choose(columns_job *c)
{
    const job_options *o = c->base->options;
    c->choice = FUR_DEFAULT(fur_choice);
    FUR_TRY(fur_choose(&c->base->traits, NULL, FUR_OUTCOME_UNSOLVED, &c->choice));
    if (job_is(c->choice.precond, "norms"))
        c->choice.precond = "none";
    if (!job_is(o->solver.method, "auto"))
        c->choice.method = o->solver.method;
    if (job_is(o->solver.method, "direct"))
        c->choice.precond = "direct";
    if (!job_is(o->solver.precond, "auto"))
        c->choice.precond = o->solver.precond;
    if (c->base->traits.rows != c->base->traits.cols)
        return fur_context_fail(c->base->context, FUR_UNSUPPORTED,
                                "several right-hand sides need a square matrix");
    return FUR_OK;
}

static fur_status precondition(columns_job *c)
{
    job *j = c->base;
    const fur_precond_options options = {.size = sizeof options, .kind = c->choice.precond};
    if (job_is(c->choice.precond, "jacobi"))
        return fur_operator_jacobi(j->op, &j->preconditioner);
    if (job_is(c->choice.precond, "none"))
        return FUR_OK;
    FUR_TRY(fur_precond_create(fur_product_matrix(j->product), &options, &c->precond));
    return fur_operator_from_precond(c->precond, &j->preconditioner);
}

static int watch_columns(void *user, const fur_solver_progress *state)
{
    (void)user;
    (void)state;
    return interrupt_name() ? 1 : 0;
}

static fur_status solve_columns(columns_job *c)
{
    const job_options *o = c->base->options;
    int64_t cols = fur_vectors_get(c->rhs)->cols;
    fur_solver *solver = NULL;
    c->reports = calloc((size_t)cols, sizeof *c->reports);
    if (!c->reports)
        return fur_context_fail(c->base->context, FUR_OUT_OF_MEMORY, "out of memory");
    for (int64_t k = 0; k < cols; k++)
        c->reports[k] = FUR_DEFAULT(fur_solver_report);
    fur_solver_options options = {.size = sizeof options,
                                  .method = c->choice.method,
                                  .preconditioner = c->base->preconditioner,
                                  .rtol = o->solver.rtol,
                                  .max_iterations = o->solver.max_iterations,
                                  .restart =
                                      o->solver.restart ? o->solver.restart : c->choice.restart,
                                  .null_space = c->base->null_space,
                                  .null_constant = request_has_constant(&o->solver),
                                  .no_reduction = o->no_reduction,
                                  .monitor = watch_columns};
    FUR_TRY(fur_solver_create(c->base->op, &options, &solver));
    double start = fur_seconds();
    interrupt_begin();
    fur_status status = fur_solver_solve_block(solver, c->rhs, c->x, c->reports);
    interrupt_end();
    c->seconds = fur_seconds() - start;
    fur_solver_destroy(solver);
    return status;
}

/* Returns the worst column: columns that failed come first, then the residual decides. */
static int64_t worst_of(const columns_job *c)
{
    int64_t worst = 0;
    for (int64_t k = 1; k < fur_vectors_get(c->x)->cols; k++) {
        bool fails = !fur_outcome_solved(c->reports[k].outcome);
        bool failed = !fur_outcome_solved(c->reports[worst].outcome);
        if (fails != failed ? fails : c->reports[k].residual > c->reports[worst].residual)
            worst = k;
    }
    return worst;
}

static void put_columns(output *out, const columns_job *c)
{
    json_t *rows = json_array();
    if (!out->json)
        printf("\n%8s %11s  %8s  %s\n\n", "column", "iterations", "residual", "outcome");
    for (int64_t k = 0; k < fur_vectors_get(c->x)->cols; k++) {
        const fur_solver_report *r = &c->reports[k];
        json_t *row = json_object();
        json_object_set_new(row, "outcome", output_string(interrupt_outcome(r->outcome)));
        json_object_set_new(row, "iterations", json_integer(r->iterations));
        json_object_set_new(row, "residual", json_real(r->residual));
        output_append(rows, row);
        if (!out->json)
            printf("%8lld %11lld  %8.1e  %s\n", (long long)k + 1, (long long)r->iterations,
                   r->residual, interrupt_outcome(r->outcome));
    }
    if (out->json)
        output_member(out, "columns", rows);
    else
        json_decref(rows);
}

static fur_status print_columns(const columns_job *c)
{
    const job *j = c->base;
    const fur_solver_report *worst = &c->reports[worst_of(c)];
    output out = output_begin(j->options->common.json);
    output_count(&out, "rows", "rows", fur_operator_rows(j->op));
    output_count(&out, "right_hand_sides", "right-hand sides", fur_vectors_get(c->x)->cols);
    output_text(&out, "value", "value type", fur_value_name(fur_operator_value_type(j->op)));
    output_text(&out, "method", "method", c->choice.method);
    output_text(&out, "precond", "preconditioner", c->choice.precond);
    output_flag(&out, "reduced", "two colours", worst->reduced);
    output_text(&out, "kernel", "kernel", fur_product_describe(j->product)->kernel);
    output_text(&out, "device", "device", fur_context_device(j->context));
    output_count(&out, "threads", "threads", fur_context_threads(j->context));
    output_seconds(&out, "seconds_load", "time to load", j->a.seconds + c->b.seconds);
    output_seconds(&out, "seconds_solve", "time to solve", c->seconds);
    output_flag(&out, "converged", "converged", fur_outcome_solved(worst->outcome));
    output_number(&out, "residual", "largest residual", worst->residual);
    put_columns(&out, c);
    return output_end(&out, j->context);
}

static fur_status judge(const columns_job *c)
{
    int64_t worst = worst_of(c);
    const fur_solver_report *r = &c->reports[worst];
    if (fur_outcome_solved(r->outcome))
        return FUR_OK;
    const char *advice = fur_outcome_advice(r->outcome);
    return fur_context_fail(
        c->base->context, FUR_INVALID,
        "%s: column %lld, counting from 1, has no solution after %lld iterations: %s, relative "
        "residual %.1e%s%s",
        c->base->name, (long long)worst + 1, (long long)r->iterations,
        interrupt_outcome(r->outcome), r->residual, *advice ? "; " : "", advice);
}

static fur_status run(columns_job *c)
{
    job *j = c->base;
    FUR_TRY(check_options(c));
    FUR_TRY(job_load_matrix(j));
    FUR_TRY(command_while(j->context, "reading", j->options->b, load_columns(c)));
    FUR_TRY(job_load_null_space(j));
    FUR_TRY(job_about(j, choose(c)));
    FUR_TRY(job_about(j, precondition(c)));
    FUR_TRY(job_about(j, solve_columns(c)));
    if (j->options->solver.out.path)
        FUR_TRY(save_vectors(c->x, &j->options->solver.out));
    FUR_TRY(print_columns(c));
    return judge(c);
}

fur_status job_solve_columns(job *j)
{
    columns_job c = {.base = j};
    fur_status status = run(&c);
    fur_operator_destroy(j->preconditioner);
    j->preconditioner = NULL;
    fur_precond_destroy(c.precond);
    fur_vectors_destroy(c.x);
    fur_vectors_destroy(c.rhs);
    fur_csr_destroy(c.b.matrix);
    free(c.reports);
    return status;
}
