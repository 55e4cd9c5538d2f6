/* furrow solve: x with A x = b, by an iterative method. */
#include "command.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "grid.h"
#include "interrupt.h"
#include "line.h"
#include "load.h"
#include "output.h"
#include "product.h"
#include "progress.h"
#include "save.h"
#include "unsolved.h"

typedef struct solve_options {
    command_common common;
    grid_request grid; /* of the stencil, if A is one */
    const char *b;
    const char *method;  /* of fur_solver, or "mg" */
    const char *precond; /* NULL: not given; "none", "jacobi" or "mg" */
    const char *kernel;
    const char *reorder; /* NULL: not given */
    save_target out;
    double rtol;            /* 0: not given */
    int64_t max_iterations; /* 0: not given */
} solve_options;

/* All that one run holds, released in one place. */
typedef struct solve_job {
    fur_context *context;
    const solve_options *options;
    const char *name;    /* of A: a file's, or what it is */
    const char *precond; /* the preconditioner's name */
    loaded_matrix a;
    fur_product *product;
    fur_stencil *stencil; /* instead of a matrix and its product */
    fur_operator *own;    /* of the stencil */
    fur_multigrid *multigrid;
    const fur_operator *op;       /* A, by either */
    fur_operator *preconditioner; /* NULL: none */
    fur_solver *solver;
    fur_vector *b;
    const char *rhs; /* what b is, in words */
    fur_vector *x;
    progress line;
    fur_solver_report report;
} solve_job;

/* The most points of a stencil for multigrid. */
#define MULTIGRID_POINTS 7

/* Without --max-iterations; and between looks for a signal, each of which costs a residual. */
#define CYCLES_MOST 100
#define CYCLES_AT_ONCE 5

static bool is_multigrid(const char *name)
{
    return name && strcmp(name, "mg") == 0;
}

/* The status of a step whose sentence may not say what it is about. */
static fur_status about(const solve_job *job, fur_status status)
{
    return command_while(job->context, "solving with", job->name, status);
}

/* The operator of the file's matrix. */
static fur_status prepare_matrix(solve_job *job)
{
    fur_product_options options = {
        .size = sizeof options, .kernel = job->options->kernel, .order = job->options->reorder};
    const fur_csr_view *view = fur_csr_get(job->a.matrix);
    if (view->rows != view->cols) {
        return fur_context_fail(job->context, FUR_INVALID,
                                "%s: the matrix is %lld x %lld, solve needs a square one",
                                job->name, (long long)view->rows, (long long)view->cols);
    }
    COMMAND_TRY(fur_vector_create(job->context, view->value_type, view->rows, &job->x));
    COMMAND_TRY(fur_product_create(job->a.matrix, &options, &job->product));
    job->op = fur_product_operator(job->product);
    return FUR_OK;
}

/* A from a file. */
static fur_status load_system(solve_job *job)
{
    const solve_options *o = job->options;
    COMMAND_TRY(product_check_kernel(job->context, o->kernel));
    COMMAND_TRY(command_while(job->context, "reading", job->name,
                              load_matrix(job->context, &o->common, job->name, &job->a)));
    return about(job, prepare_matrix(job));
}

/* A as a stencil, and multigrid if it is used. */
static fur_status make_stencil(solve_job *job)
{
    const solve_options *o = job->options;
    fur_multigrid_options options = {.size = sizeof options};
    COMMAND_TRY(grid_create_stencil(job->context, &o->grid, o->kernel, &job->stencil));
    COMMAND_TRY(fur_operator_from_stencil(job->stencil, &job->own));
    job->op = job->own;
    COMMAND_TRY(
        fur_vector_create(job->context, o->grid.value, fur_operator_rows(job->op), &job->x));
    return is_multigrid(o->method) || is_multigrid(job->precond)
               ? fur_multigrid_create(job->stencil, &options, &job->multigrid)
               : FUR_OK;
}

/* A failure again, with what it is about before its sentence and what to do behind it. */
static fur_status say_more(const solve_job *job, fur_status status, const char *about,
                           const char *advice)
{
    return fur_context_fail(job->context, status, "%s: %s; %s", about,
                            fur_context_error(job->context), advice);
}

static fur_status load_b(solve_job *job, const char *path, const char *member)
{
    vector_request b = {.path = path,
                        .member = member,
                        .value = fur_operator_value_type(job->op),
                        .size = fur_operator_rows(job->op)};
    fur_status status = load_vector(job->context, &job->options->common, &b, &job->b);
    COMMAND_TRY(path ? command_while(job->context, "reading", path, status) : about(job, status));
    return about(job, product_enter(job->product, &job->b));
}

/* The right-hand side of the solution whose entries are all 1. */
static fur_status make_right_hand_side(solve_job *job)
{
    job->rhs = "A times ones";
    COMMAND_TRY(load_b(job, NULL, NULL));
    COMMAND_TRY(fur_operator_apply(job->op, job->b, job->x));
    COMMAND_TRY(fur_vector_copy(job->x, job->b));
    return fur_vector_fill(job->x, fur_real(0.0));
}

/* Only a regular file can be read a second time. */
static bool may_be_archive(const char *path)
{
    struct stat file;
    return strcmp(path, "-") != 0 && stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
           !fur_binary_detect(path);
}

/* The archives of the SuiteSparse collection may have a right-hand side beside the matrix.
 * FUR_IO_ERROR says that this one has none: the matrix has just been read from it. */
static fur_status load_from_archive(solve_job *job, const char *path)
{
    job->rhs = "NAME_b.mtx of the archive";
    fur_status status = load_b(job, path, "b");
    if (status == FUR_IO_ERROR)
        return make_right_hand_side(job);
    return status == FUR_OK
               ? status
               : say_more(job, status, "the archive's right-hand side", "--b takes another");
}

static fur_status load_right_hand_side(solve_job *job)
{
    const char *b = job->options->b;
    if (b || job->stencil) {
        job->rhs = b ? b : "ones";
        return load_b(job, b, NULL);
    }
    return may_be_archive(job->name) ? load_from_archive(job, job->name)
                                     : make_right_hand_side(job);
}

static fur_status make_preconditioner(solve_job *job)
{
    if (strcmp(job->precond, "none") == 0)
        return FUR_OK;
    if (is_multigrid(job->precond))
        return fur_operator_from_multigrid(job->multigrid, &job->preconditioner);
    fur_status status = fur_operator_jacobi(job->op, &job->preconditioner);
    if (status == FUR_INVALID) {
        return say_more(job, status, job->name,
                        !fur_product_order(job->product)
                            ? "--precond none does without"
                            : "--precond none does without; rows are numbered as --reorder does");
    }
    return status;
}

static int watch_iteration(void *user, const fur_solver_progress *state)
{
    solve_job *job = user;
    if (progress_due(&job->line)) {
        char text[64];
        snprintf(text, sizeof text, "iteration %lld, residual %.1e", (long long)state->iteration,
                 state->residual);
        progress_show(&job->line, text);
    }
    return interrupt_name() ? 1 : 0;
}

static fur_status iterate(solve_job *job)
{
    fur_solver_options options = {.size = sizeof options,
                                  .method = job->options->method,
                                  .preconditioner = job->preconditioner,
                                  .rtol = job->options->rtol,
                                  .max_iterations = job->options->max_iterations,
                                  .monitor = watch_iteration,
                                  .monitor_user = job};
    COMMAND_TRY(fur_solver_create(job->op, &options, &job->solver));
    job->line = progress_begin(job->options->common.quiet);
    fur_status status = fur_solver_solve(job->solver, job->b, job->x, &job->report);
    progress_end(&job->line);
    return status;
}

/* Cycles have no monitor: a signal is looked for between some of them. */
static fur_status run_cycles(solve_job *job)
{
    fur_solver_report *all = &job->report;
    int64_t left = job->options->max_iterations ? job->options->max_iterations : CYCLES_MOST;
    do {
        fur_solver_report part = FUR_DEFAULT(fur_solver_report);
        COMMAND_TRY(fur_multigrid_solve(job->multigrid, job->b, job->x, job->options->rtol,
                                        left < CYCLES_AT_ONCE ? left : CYCLES_AT_ONCE, &part));
        left -= part.iterations;
        part.iterations += all->iterations;
        part.seconds += all->seconds;
        *all = part;
    } while (all->outcome == FUR_OUTCOME_MAX_ITERATIONS && left > 0 && !interrupt_name());
    if (all->outcome == FUR_OUTCOME_MAX_ITERATIONS && left > 0)
        all->outcome = FUR_OUTCOME_STOPPED;
    return FUR_OK;
}

static fur_status find_solution(solve_job *job)
{
    job->report = FUR_DEFAULT(fur_solver_report);
    interrupt_begin();
    fur_status status = is_multigrid(job->options->method) ? run_cycles(job) : iterate(job);
    interrupt_end();
    return status;
}

/* Prints A and how its products are made. */
static void put_matrix(output *out, const solve_job *job)
{
    const fur_product_report *chosen = fur_product_describe(job->product);
    output_count(out, "entries", "entries", fur_csr_get(job->a.matrix)->entries);
    product_put_order(out, chosen);
    output_text(out, "kernel", "kernel", chosen->kernel);
    product_put_recognition(out, chosen);
    output_seconds(out, "seconds_load", "time to load", job->a.seconds);
    output_seconds(out, "seconds_plan", "time to plan", chosen->seconds_plan);
}

static void put_stencil(output *out, const solve_job *job)
{
    output_count(out, "points", "stencil points", job->options->grid.points);
    output_text(out, "kernel", "kernel", fur_stencil_describe(job->stencil)->kernel);
    if (job->multigrid)
        output_count(out, "levels", "levels", fur_multigrid_describe(job->multigrid)->levels);
}

static fur_status print_solution(const solve_job *job)
{
    const fur_solver_report *report = &job->report;
    output out = output_begin(job->options->common.json);
    output_count(&out, "rows", "rows", fur_operator_rows(job->op));
    output_text(&out, "value", "value type", fur_value_name(fur_operator_value_type(job->op)));
    output_text(&out, "rhs", "right-hand side", job->rhs);
    output_text(&out, "method", "method", job->options->method);
    output_text(&out, "precond", "preconditioner", job->precond);
    output_text(&out, "device", "device", fur_context_device(job->context));
    output_count(&out, "threads", "threads", fur_context_threads(job->context));
    if (job->stencil)
        put_stencil(&out, job);
    else
        put_matrix(&out, job);
    output_seconds(&out, "seconds_solve", "time to solve", report->seconds);
    output_count(&out, "iterations", "iterations", report->iterations);
    output_flag(&out, "converged", "converged", report->outcome == FUR_OUTCOME_CONVERGED);
    output_text(&out, "outcome", "outcome", fur_outcome_name(report->outcome));
    output_number(&out, "residual", "relative residual", report->residual);
    output_number(&out, "residual_recursive", "recursive residual", report->residual_recursive);
    return output_end(&out, job->context);
}

/* The status of what came out; on failure its sentence says why. */
static fur_status judge(const solve_job *job)
{
    const fur_solver_report *report = &job->report;
    unsolved why = {job->name, job->options->method, job->a.matrix, report};
    const char *out = job->options->out.path;
    if (report->outcome == FUR_OUTCOME_CONVERGED)
        return FUR_OK;
    if (report->outcome != FUR_OUTCOME_STOPPED)
        return unsolved_explain(job->context, &why);
    return fur_context_fail(job->context, FUR_INVALID,
                            "%s: stopped by %s after %lld iterations, relative residual %.1e%s%s",
                            job->name, interrupt_name(), (long long)report->iterations,
                            report->residual, out ? "; x so far is in " : "", out ? out : "");
}

static fur_status solve_steps(solve_job *job)
{
    bool stencil = job->options->grid.points != 0;
    COMMAND_TRY(stencil ? about(job, make_stencil(job)) : load_system(job));
    COMMAND_TRY(load_right_hand_side(job));
    COMMAND_TRY(about(job, make_preconditioner(job)));
    COMMAND_TRY(about(job, find_solution(job)));
    return about(job, product_leave(job->product, &job->x));
}

static fur_status tell(const solve_job *job)
{
    if (job->options->out.path)
        COMMAND_TRY(save_vector(job->x, &job->options->out, NULL));
    COMMAND_TRY(print_solution(job));
    return judge(job);
}

static fur_status solve(fur_context *context, const void *options)
{
    solve_job job = {.context = context, .options = options};
    bool file = job.options->grid.points == 0;
    job.name = file ? job.options->common.operands[0] : "the stencil";
    job.precond = job.options->precond;
    fur_status status = solve_steps(&job);
    if (status == FUR_OK)
        status = tell(&job);
    fur_solver_destroy(job.solver);
    fur_operator_destroy(job.preconditioner);
    fur_product_destroy(job.product);
    fur_operator_destroy(job.own);
    fur_multigrid_destroy(job.multigrid);
    fur_stencil_destroy(job.stencil);
    fur_vector_destroy(job.x);
    fur_vector_destroy(job.b);
    fur_csr_destroy(job.a.matrix);
    return status;
}

/* The solver's methods and, behind them, multigrid. */
static const char *method_name(fur_context *context, int index)
{
    const fur_method_info *method = fur_solver_method_at(index);
    (void)context;
    if (method)
        return method->name;
    return fur_solver_method_at(index - 1) ? "mg" : NULL;
}

static const char *precond_name(fur_context *context, int index)
{
    static const char *const names[] = {"jacobi", "none", "mg", NULL};
    (void)context;
    return names[index];
}

/* Multigrid is for real stencils of few points, and for periodic axes of an even length. */
static bool suits_multigrid(const grid_request *grid)
{
    bool suits =
        grid->points <= MULTIGRID_POINTS && (grid->value == FUR_F32 || grid->value == FUR_F64);
    for (int axis = 0; axis < grid->extents; axis++) {
        bool odd = grid->extent[axis] > 1 && grid->extent[axis] % 2 == 1;
        suits = suits && !(odd && grid->boundary[axis] == FUR_BOUNDARY_PERIODIC);
    }
    return suits;
}

/* Checks the options together, when all are known. */
static void settle(struct argp_state *state, void *options)
{
    solve_options *o = options;
    bool stencil = o->grid.points != 0;
    bool cycles = is_multigrid(o->method);
    bool preconditioned = o->precond && strcmp(o->precond, "none") != 0;
    command_pairing pairings[] = {
        {"--stencil", stencil, o->common.operand_count == 0, "without a file"},
        {"--extent", o->grid.extents > 0, stencil, "with --stencil, not with a file"},
        {"--boundary", o->grid.boundaries > 0, stencil, "with --stencil, not with a file"},
        {"--type", o->grid.typed, stencil, "with --stencil; convert changes the type of a file"},
        {"--reorder", o->reorder, !stencil, "with a file, not with --stencil"},
        {"--method mg", cycles, stencil, "with --stencil, not with a file"},
        {"--precond mg", is_multigrid(o->precond), stencil, "with --stencil, not with a file"},
        {"--precond", preconditioned, !cycles, "with --method cg, not with mg"},
    };
    command_check(state, pairings, sizeof pairings / sizeof *pairings);
    if (!stencil && o->common.operand_count == 0)
        argp_error(state, "a file name is missing");
    save_check(state, "--out", &o->out);
    if (stencil)
        grid_check(state, "--stencil", &o->grid);
    if (!o->precond)
        o->precond = cycles ? "none" : stencil && suits_multigrid(&o->grid) ? "mg" : "jacobi";
}

#define AT(member) .at = offsetof(solve_options, member)
static const line_option own_options[] = {
    {"stencil", "POINTS",
     "Instead of FILE: the negated Laplacian of 3, 5, 7, 9, 13, 19 or 27 points on a grid; without "
     "--b the right-hand side is 1 everywhere",
     LINE_OWN, AT(grid), .parse = grid_parse_points},
    {"extent", "NX,NY,NZ", GRID_EXTENT_DOC, LINE_OWN, AT(grid), .parse = grid_parse_extent},
    {"boundary", "X,Y,Z", GRID_BOUNDARY_DOC, LINE_OWN, AT(grid), .parse = grid_parse_boundary},
    {"type", "TYPE", GRID_TYPE_DOC, LINE_OWN, AT(grid), .parse = grid_parse_type},
    {"b", "B.mtx",
     "The right-hand side (default: that of FILE, if it is an archive with name_b.mtx, else A "
     "times ones)",
     LINE_INPUT, AT(b)},
    {"method", "NAME", "cg (default), or mg, multigrid, for stencils of 3, 5 and 7 points",
     LINE_CHOICE, AT(method), .names = method_name},
    {"precond", "NAME",
     "Preconditioner: jacobi, none, or mg, for real stencils of 3, 5 and 7 points without a "
     "periodic axis of odd length (default: mg for those, else jacobi)",
     LINE_CHOICE, AT(precond), .names = precond_name},
    {"rtol", "R",
     "Stop when the residual is R times the right-hand side (default 1e-10, for f32 and c64 1e-5)",
     LINE_POSITIVE, AT(rtol)},
    {"max-iterations", "N",
     "Give up after N iterations (default: 10 times the rows plus 100, at most 50000; 100 cycles "
     "of mg)",
     LINE_LONG, AT(max_iterations), .most = INT64_MAX},
    {"kernel", "NAME", PRODUCT_KERNEL_DOC, LINE_TEXT, AT(kernel)},
    {"out", "X.mtx",
     "Write x to this file, converged or not, also if Ctrl-C or kill ends the solve early; a "
     "second Ctrl-C ends it at once",
     LINE_FILE, AT(out.path)},
    {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(out), .parse = save_parse_format},
    {"reorder", "METHOD", PRODUCT_ORDER_DOC, LINE_CHOICE, AT(reorder), .names = product_order},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "FILE\n--stencil POINTS --extent NX,NY,NZ",
    .settle = settle,
    .doc = "Solve A x = b, starting at x = 0, for a symmetric or Hermitian positive definite "
           "matrix A from a file, or for a stencil on a grid. The command fails if the method does "
           "not converge.\vSIGINT or SIGTERM ends a solve early: the command writes and prints "
           "what it has and then ends by that signal, which a shell shows as 130 or 143.",
};

int command_solve(int argc, char **argv)
{
    solve_options options = {.common = {.operands_max = 1},
                             .grid = grid_none(),
                             .method = fur_solver_method_at(0)->name};
    line_parse(&line_of, argc, argv, &options);
    int status = command_run(&options.common, solve, &options);
    if (status != 0)
        interrupt_pass_on();
    return status;
}
