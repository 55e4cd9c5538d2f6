/* furrow solve: x with A x = b, by an iterative method. */
#include "command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "load.h"
#include "output.h"
#include "product.h"
#include "progress.h"
#include "reordering.h"
#include "save.h"

enum {
    OPTION_B = 1,
    OPTION_METHOD,
    OPTION_PRECOND,
    OPTION_RTOL,
    OPTION_MAX_ITERATIONS,
    OPTION_KERNEL,
    OPTION_OUT,
    OPTION_REORDER
};

typedef struct solve_options {
    command_common common;
    const char *b;
    const char *method;
    const char *kernel;
    const char *reorder; /* NULL: not given */
    const char *out;
    bool jacobi;
    double rtol;            /* 0: not given */
    int64_t max_iterations; /* 0: not given */
} solve_options;

/* All that one run holds, released in one place. */
typedef struct solve_job {
    fur_context *context;
    const solve_options *options;
    loaded_matrix a;
    reordering_choice order; /* that everything but the files is in */
    product product;
    fur_operator *preconditioner; /* NULL: none */
    fur_solver *solver;
    fur_vector *b;
    const char *rhs; /* what b is, in words */
    fur_vector *x;
    progress line;
    fur_solver_report report;
} solve_job;

static fur_status load_system(solve_job *job)
{
    const command_common *common = &job->options->common;
    COMMAND_TRY(load_matrix(job->context, common, common->operands[0], &job->a));
    const fur_csr_view view = fur_csr_get(job->a.matrix);
    if (view.rows != view.cols) {
        return fur_context_fail(job->context, FUR_INVALID,
                                "%s: the matrix is %" PRId64 " x %" PRId64
                                ", solve needs a square one",
                                common->operands[0], view.rows, view.cols);
    }
    COMMAND_TRY(fur_vector_create(job->context, view.value, view.rows, &job->x));
    const fur_spmv_options options = {.size = sizeof options, .kernel = job->options->kernel};
    COMMAND_TRY(reordering_choose(&job->a, &options, &job->order));
    return product_create(job->a.matrix, &options, &job->product);
}

/* A failure again, with what it is about before its sentence and what to do behind it. */
static fur_status say_more(const solve_job *job, fur_status status, const char *about,
                           const char *advice)
{
    char reason[512]; /* the next failure overwrites the context's sentence */
    snprintf(reason, sizeof reason, "%s", fur_context_error(job->context));
    return fur_context_fail(job->context, status, "%s: %s; %s", about, reason, advice);
}

static fur_status load_b(solve_job *job, const char *path, const char *member)
{
    const fur_csr_view view = fur_csr_get(job->a.matrix);
    const vector_request b = {
        .path = path, .member = member, .value = view.value, .size = view.rows};
    COMMAND_TRY(load_vector(job->context, &job->options->common, &b, &job->b));
    return reordering_enter(&job->order, &job->b);
}

/* The right-hand side of the solution whose entries are all 1. */
static fur_status make_right_hand_side(solve_job *job)
{
    job->rhs = "A times ones";
    COMMAND_TRY(load_b(job, NULL, NULL));
    COMMAND_TRY(fur_operator_apply(job->product.op, job->b, job->x));
    COMMAND_TRY(fur_vector_copy(job->x, job->b));
    return fur_vector_fill(job->x, fur_real(0.0));
}

/* Only a regular file can be read a second time. */
static bool may_be_archive(const char *path)
{
    struct stat file;
    return strcmp(path, "-") != 0 && stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
           !fur_binary_is(path);
}

/* The archives of the SuiteSparse collection may have a right-hand side beside the matrix. FUR_IO
 * says that this one has none: the matrix has just been read from it. */
static fur_status load_from_archive(solve_job *job, const char *path)
{
    job->rhs = "NAME_b.mtx of the archive";
    const fur_status status = load_b(job, path, "b");
    if (status == FUR_IO) {
        return make_right_hand_side(job);
    }
    return status == FUR_OK
               ? status
               : say_more(job, status, "the archive's right-hand side", "--b takes another");
}

static fur_status load_right_hand_side(solve_job *job)
{
    const char *path = job->options->common.operands[0];
    const char *b = job->options->b;
    if (b != NULL) {
        job->rhs = b;
        return load_b(job, b, NULL);
    }
    return may_be_archive(path) ? load_from_archive(job, path) : make_right_hand_side(job);
}

static fur_status make_preconditioner(solve_job *job)
{
    if (!job->options->jacobi) {
        return FUR_OK;
    }
    const fur_status status = fur_operator_jacobi(job->product.op, &job->preconditioner);
    if (status == FUR_INVALID) {
        return say_more(job, status, job->options->common.operands[0],
                        job->order.r.order == NULL
                            ? "--precond none does without"
                            : "(numbered as --reorder has it); --precond none does without");
    }
    return status;
}

static int show_iteration(void *user, const fur_solver_progress *state)
{
    solve_job *job = user;
    if (progress_due(&job->line)) {
        char text[64];
        snprintf(text, sizeof text, "iteration %" PRId64 ", residual %.1e", state->iteration,
                 state->residual);
        progress_show(&job->line, text);
    }
    return 0;
}

/* Iterations between two looks at the residual where a look makes the device wait. */
enum { GPU_CHECK_EVERY = 16 };

static fur_status iterate(solve_job *job)
{
    job->line = progress_begin(job->options->common.quiet);
    const bool on_gpu = fur_context_host(job->context) != job->context;
    const fur_solver_options options = {.size = sizeof options,
                                        .method = job->options->method,
                                        .preconditioner = job->preconditioner,
                                        .rtol = job->options->rtol,
                                        .max_iterations = job->options->max_iterations,
                                        .monitor = job->line.enabled ? show_iteration : NULL,
                                        .monitor_user = job,
                                        .check_every = on_gpu ? GPU_CHECK_EVERY : 0};
    COMMAND_TRY(fur_solver_create(job->product.op, &options, &job->solver));
    const fur_status status = fur_solver_solve(job->solver, job->b, job->x, &job->report);
    progress_end(&job->line);
    return status;
}

static fur_status print_solution(const solve_job *job)
{
    const fur_csr_view view = fur_csr_get(job->a.matrix);
    const fur_spmv_report chosen = product_describe(&job->product);
    const fur_solver_report *report = &job->report;
    output out = output_begin(job->options->common.json);
    output_count(&out, "rows", "rows", view.rows);
    output_count(&out, "entries", "entries", view.entries);
    output_text(&out, "value", "value type", fur_value_name(view.value));
    output_text(&out, "rhs", "right-hand side", job->rhs);
    output_text(&out, "method", "method", job->options->method);
    output_text(&out, "precond", "preconditioner", job->options->jacobi ? "jacobi" : "none");
    reordering_put(&out, &job->order);
    output_text(&out, "device", "device", fur_context_device(job->context));
    output_text(&out, "kernel", "kernel", chosen.kernel);
    product_put(&out, &job->product);
    output_count(&out, "threads", "threads", fur_context_threads(job->context));
    output_seconds(&out, "seconds_load", "time to load", job->a.seconds);
    output_seconds(&out, "seconds_plan", "time to plan", chosen.seconds_plan);
    output_seconds(&out, "seconds_solve", "time to solve", report->seconds);
    output_count(&out, "iterations", "iterations", report->iterations);
    output_flag(&out, "converged", "converged", report->outcome == FUR_CONVERGED);
    output_text(&out, "outcome", "outcome", fur_outcome_name(report->outcome));
    output_number(&out, "residual", "relative residual", report->residual);
    output_number(&out, "residual_recursive", "as carried along", report->residual_recursive);
    return output_end(&out, job->context);
}

static const char *advice(fur_outcome outcome)
{
    switch (outcome) {
    case FUR_MAX_ITERATIONS:
        return "allow more with --max-iterations, if A is symmetric positive definite";
    case FUR_INDEFINITE_PRECONDITIONER:
        return "try --precond none";
    case FUR_STAGNATED:
        return "ask for less with --rtol, if A is symmetric positive definite";
    default:
        return "A must be symmetric or Hermitian, positive definite and finite";
    }
}

static fur_status judge(const solve_job *job)
{
    const fur_solver_report *report = &job->report;
    if (report->outcome == FUR_CONVERGED) {
        return FUR_OK;
    }
    return fur_context_fail(
        job->context, FUR_INVALID,
        "%s: no solution after %" PRId64 " iterations: %s, relative residual %.1e; %s",
        job->options->common.operands[0], report->iterations, fur_outcome_name(report->outcome),
        report->residual, advice(report->outcome));
}

static fur_status solve_steps(solve_job *job)
{
    COMMAND_TRY(load_system(job));
    COMMAND_TRY(load_right_hand_side(job));
    COMMAND_TRY(make_preconditioner(job));
    COMMAND_TRY(iterate(job));
    COMMAND_TRY(reordering_leave(&job->order, &job->x));
    if (job->options->out != NULL) {
        COMMAND_TRY(save_vector(job->x, job->options->out, NULL));
    }
    COMMAND_TRY(print_solution(job));
    return judge(job);
}

static fur_status solve(fur_context *context, const void *options)
{
    solve_job job = {.context = context, .options = options};
    job.order.asked = job.options->reorder;
    const fur_status status = solve_steps(&job);
    fur_solver_destroy(job.solver);
    fur_operator_destroy(job.preconditioner);
    product_destroy(&job.product);
    fur_vector_destroy(job.x);
    fur_vector_destroy(job.b);
    reordering_destroy(&job.order.r);
    fur_csr_destroy(job.a.matrix);
    return status;
}

static const struct argp_option own_options[] = {
    {.name = "b",
     .key = OPTION_B,
     .arg = "B.mtx",
     .doc = "The right-hand side; without it that of FILE, if it is an archive with name_b.mtx, "
            "or A times a vector of ones"},
    {.name = "method", .key = OPTION_METHOD, .arg = "NAME", .doc = "Method: cg"},
    {.name = "precond",
     .key = OPTION_PRECOND,
     .arg = "NAME",
     .doc = "Preconditioner: jacobi (without this option) or none"},
    {.name = "rtol",
     .key = OPTION_RTOL,
     .arg = "R",
     .doc = "Stop when the residual is R times the right-hand side; without it 1e-10"},
    {.name = "max-iterations",
     .key = OPTION_MAX_ITERATIONS,
     .arg = "N",
     .doc = "Give up after N iterations; without it 10 times the rows plus 100"},
    {.name = "kernel", .key = OPTION_KERNEL, .arg = "NAME", .doc = PRODUCT_KERNEL_DOC},
    {.name = "out",
     .key = OPTION_OUT,
     .arg = "X.mtx",
     .doc = "Write x to this file, converged or not"},
    {.name = "reorder", .key = OPTION_REORDER, .arg = "METHOD", .doc = REORDERING_DOC},
    {0},
};

static bool parse_precond(struct argp_state *state, const char *name)
{
    const bool jacobi = strcmp(name, "jacobi") == 0;
    if (!jacobi && strcmp(name, "none") != 0) {
        argp_error(state, "--precond takes jacobi or none, not '%s'", name);
    }
    return jacobi;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    solve_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        return 0;
    case OPTION_B:
        options->b = argument;
        return 0;
    case OPTION_METHOD:
        options->method = argument;
        return 0;
    case OPTION_PRECOND:
        options->jacobi = parse_precond(state, argument);
        return 0;
    case OPTION_RTOL:
        options->rtol = command_positive_number(state, "--rtol", argument);
        return 0;
    case OPTION_MAX_ITERATIONS:
        options->max_iterations =
            command_whole_number(state, "--max-iterations", argument, 1, INT64_MAX);
        return 0;
    case OPTION_KERNEL:
        options->kernel = argument;
        return 0;
    case OPTION_OUT:
        options->out = argument;
        return 0;
    case OPTION_REORDER:
        options->reorder = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = own_options,
    .parser = parse,
    .args_doc = "FILE",
    .doc = "Solve A x = b for the symmetric or Hermitian positive definite matrix A of a Matrix "
           "Market file, starting at x = 0. Fails if the method does not converge.",
    .children = command_children,
};

int command_solve(int argc, char **argv)
{
    solve_options options = {.common = {.operands_min = 1, .operands_max = 1},
                             .method = fur_solver_method(0),
                             .jacobi = true};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    return command_run(&options.common, solve, &options);
}
