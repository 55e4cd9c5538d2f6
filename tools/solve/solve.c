/* furrow solve: finds x with A x = b or smallest ||b - A x|| by an iterative method. */
#include "command.h"

#include <stdio.h>
#include <string.h>

#include "grid.h"
#include "interrupt.h"
#include "job.h"
#include "line.h"
#include "new_file.h"
#include "product.h"

/* Largest number of points of a stencil for multigrid. */
#define MULTIGRID_POINTS 7

/* Writes x, the history and the page to their files, and prints the results. */
static fur_status tell(job *j)
{
    const job_options *o = j->options;
    if (o->report)
        FUR_TRY(job_report(j, o->report));
    FUR_TRY(job_about(j, product_leave(j->product, &j->x)));
    if (o->solver.out.path)
        FUR_TRY(save_vector(j->x, &o->solver.out, NULL));
    if (o->solver.history)
        FUR_TRY(watch_save(&j->watch, j->context, o->solver.history));
    FUR_TRY(job_print(j));
    return job_judge(j);
}

static void release(job *j)
{
    watch_release(&j->watch);
    fur_operator_destroy(j->preconditioner);
    levels_release(&j->levels);
    fur_product_destroy(j->product);
    fur_operator_destroy(j->own);
    fur_multigrid_destroy(j->multigrid);
    fur_stencil_destroy(j->stencil);
    fur_vector_destroy(j->x);
    fur_vector_destroy(j->b);
    fur_vectors_destroy(j->null_space);
    fur_csr_destroy(j->null_file.matrix);
    fur_csr_destroy(j->a.matrix);
}

static fur_status solve_column(job *j)
{
    FUR_TRY(job_load(j));
    FUR_TRY(job_solve(j));
    return tell(j);
}

static fur_status solve(fur_context *context, const void *options)
{
    job j = {.context = context, .options = options};
    bool file = j.options->grid.points == 0;
    j.name = file ? j.options->common.operands[0] : "the stencil";
    FUR_TRY(request_try_files(context, &j.options->solver));
    FUR_TRY(new_file_try(context, j.options->report));
    fur_status status =
        job_has_columns(context, j.options) ? job_solve_columns(&j) : solve_column(&j);
    release(&j);
    return status;
}

/* Lists "auto", multigrid and the solver's methods. */
static const char *method_name(fur_context *context, int index)
{
    static const char *const names[] = {"auto", "mg"};
    enum { OWN = sizeof names / sizeof *names };
    const fur_method_info *method = index < OWN ? NULL : fur_solver_method_at(index - OWN);
    (void)context;
    return index < OWN ? names[index] : method ? method->name : NULL;
}

static const char *scale_name(fur_context *context, int index)
{
    static const char *const names[] = {"auto", "none", "rows", "symmetric", NULL};
    (void)context;
    return names[index];
}

/* Lists the names below, then the library's kinds after "jacobi", which is their first. */
static const char *precond_name(fur_context *context, int index)
{
    static const char *const names[] = {"auto", "none", "jacobi", "norms", "mg"};
    enum { OWN = sizeof names / sizeof *names };
    const fur_method_info *kind = index < OWN ? NULL : fur_precond_at(index - OWN + 1);
    (void)context;
    return index < OWN ? names[index] : kind ? kind->name : NULL;
}

/* Multigrid supports real stencils with few points. Periodic axes must have an even length. */
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

/* Checks combinations of options when all are known. */
static void settle(struct argp_state *state, void *options)
{
    job_options *o = options;
    bool stencil = o->grid.points != 0;
    bool cycles = job_is(o->solver.method, "mg");
    bool direct = job_is(o->solver.method, "direct");
    bool factors = request_has_factors(&o->solver);
    bool preconditioned = !job_is(o->solver.precond, "auto") && !job_is(o->solver.precond, "none");
    command_pairing pairings[] = {
        {"--stencil", stencil, o->common.operand_count == 0, "without a file"},
        {"--extent", o->grid.extents > 0, stencil, "with --stencil, not with a file"},
        {"--boundary", o->grid.boundaries > 0, stencil, "with --stencil, not with a file"},
        {"--type", o->grid.typed, stencil, "with --stencil; convert changes the type of a file"},
        {"--reorder", o->reorder, !stencil, "with a file, not with --stencil"},
        {"--scale", o->scale, !stencil, "with a file, not with --stencil"},
        {"--null-space N.mtx", o->solver.null_space && !request_has_constant(&o->solver),
         !stencil && !o->reorder, "with a file, without --reorder"},
        {"--method mg", cycles, stencil, "with --stencil, not with a file"},
        {"--method direct", direct, !stencil, "with a file, not with --stencil"},
        {"--method direct", direct, request_fits_direct(&o->solver), REQUEST_DIRECT_ALONE},
        {"--precond norms", job_is(o->solver.precond, "norms"), !stencil,
         "with a file, not with --stencil"},
        {"--precond mg", job_is(o->solver.precond, "mg"), stencil,
         "with --stencil, not with a file"},
        {"--precond", preconditioned, !cycles, "with a --method that is not mg"},
        {"--x0", o->solver.x0, !cycles, "with a --method that is not mg"},
        {"--restart", o->solver.restart > 0, !cycles, "with a --method that is not mg"},
        {"--bounds", o->solver.bounds, !cycles, "with a --method that is not mg"},
        {"--damp", o->solver.damp > 0, !stencil, "with a file, not with --stencil"},
        {"--precond of a matrix", factors, !stencil, "with a file, not with --stencil"},
    };
    command_check(state, pairings, sizeof pairings / sizeof *pairings);
    request_check(state, &o->solver);
    if (!stencil && o->common.operand_count == 0)
        argp_error(state, "a file name is missing");
    if (stencil)
        grid_check(state, "--stencil", &o->grid);
    command_check_suffix(state, "--report", ".html", o->report);
    if (stencil && job_is(o->solver.precond, "auto"))
        o->solver.precond = cycles ? "none" : suits_multigrid(&o->grid) ? "mg" : "jacobi";
}

#define AT(member) .at = offsetof(job_options, member)
static const line_option own_options[] = {
    {"stencil", "POINTS",
     "Use the negated Laplacian with 3, 5, 7, 9, 13, 19 or 27 points instead of FILE", LINE_OWN,
     AT(grid), .parse = grid_parse_points},
    {"extent", "NX,NY,NZ", GRID_EXTENT_DOC, LINE_OWN, AT(grid), .parse = grid_parse_extent},
    {"boundary", "X,Y,Z", GRID_BOUNDARY_DOC, LINE_OWN, AT(grid), .parse = grid_parse_boundary},
    {"type", "TYPE", GRID_TYPE_DOC, LINE_OWN, AT(grid), .parse = grid_parse_type},
    {"b", "B.mtx",
     "Right-hand side, or several as columns of an array (default: from the archive, or A times "
     "ones)",
     LINE_INPUT, AT(b)},
    {"method", "NAME",
     "Method, such as cg, minres, gmres or lsmr (default: auto; list: furrow kernels)", LINE_CHOICE,
     AT(solver.method), .names = method_name},
    {"precond", "KIND[:NAME=VALUE,...]",
     "Preconditioner, such as none, amg or ilut:fill=20 (default: auto; kinds, options: furrow "
     "kernels)",
     LINE_PRECOND, AT(solver.precond), .names = precond_name},
    {"scale", "NAME",
     "Scaling of rows and columns by powers of two: auto (default), none, rows or symmetric",
     LINE_CHOICE, AT(scale), .names = scale_name},
    {"no-reduction", NULL, "Solve the full system: no red-black reduction before cg", LINE_FLAG,
     AT(no_reduction)},
    {"report", "R.html", "Write a page for browsers: residual history, times, choices and advice",
     LINE_FILE, AT(report)},
    {"kernel", "NAME", PRODUCT_KERNEL_DOC, LINE_TEXT, AT(kernel)},
    {"reorder", "METHOD", PRODUCT_ORDER_DOC, LINE_CHOICE, AT(reorder), .names = product_order},
    {"solver", .kind = LINE_TABLE, AT(solver), .table = request_options},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "FILE\n--stencil POINTS --extent NX,NY,NZ",
    .settle = settle,
    .doc = "Solve A x = b. If A is not square, minimise ||b - A x||. A is the matrix in FILE or a "
           "stencil on a grid. The command prints the method that it chose and the reason. It "
           "fails if no method converges. Convergence is checked with the true residual b - A "
           "x.\vSIGINT or SIGTERM stops a solve early. The command then writes and prints the last "
           "x, and ends by this signal. In a shell the exit status is 130 or 143.\n\nThe manual "
           "page furrow-solve has tables of the methods, the preconditioners and their options. "
           "The command furrow kernels also prints these lists.",
};

int command_solve(int argc, char **argv)
{
    job_options options = {.common = {.operands_max = 1},
                           .grid = grid_none(),
                           .solver = {.method = "auto", .precond = "auto"}};
    line_parse(&line_of, argc, argv, &options);
    int status = command_run(&options.common, solve, &options);
    if (status != 0)
        interrupt_pass_on();
    return status;
}
