/* furrow solve: x with A x = b, or with the least ||b - A x||, by an iterative method. */
#include "command.h"

#include <stdio.h>
#include <string.h>

#include "grid.h"
#include "interrupt.h"
#include "job.h"
#include "line.h"
#include "product.h"

/* The most points of a stencil for multigrid. */
#define MULTIGRID_POINTS 7

/* x to its file, the history and the page to theirs, and what is printed. */
static fur_status tell(job *j)
{
    const job_options *o = j->options;
    if (o->report)
        COMMAND_TRY(job_report(j, o->report));
    COMMAND_TRY(job_about(j, product_leave(j->product, &j->x)));
    if (o->out.path)
        COMMAND_TRY(save_vector(j->x, &o->out, NULL));
    if (o->history)
        COMMAND_TRY(watch_save(&j->watch, j->context, o->history));
    COMMAND_TRY(job_print(j));
    return job_judge(j);
}

static void release(job *j)
{
    watch_release(&j->watch);
    fur_operator_destroy(j->preconditioner);
    levels_release(&j->levels);
    fur_precond_destroy(j->precond);
    fur_csr_destroy(j->permuted);
    fur_product_destroy(j->product);
    fur_operator_destroy(j->own);
    fur_multigrid_destroy(j->multigrid);
    fur_stencil_destroy(j->stencil);
    fur_vector_destroy(j->x);
    fur_vector_destroy(j->b);
    fur_csr_destroy(j->a.matrix);
}

static fur_status solve_column(job *j)
{
    COMMAND_TRY(job_load(j));
    COMMAND_TRY(job_solve(j));
    return tell(j);
}

static fur_status solve(fur_context *context, const void *options)
{
    job j = {.context = context, .options = options};
    bool file = j.options->grid.points == 0;
    j.name = file ? j.options->common.operands[0] : "the stencil";
    fur_status status =
        job_has_columns(context, j.options) ? job_solve_columns(&j) : solve_column(&j);
    release(&j);
    return status;
}

/* "auto", the solver's methods and, behind them, multigrid and complete factors. */
static const char *method_name(fur_context *context, int index)
{
    static const char *const behind[] = {"mg", "direct", NULL};
    int count = 0;
    (void)context;
    while (fur_solver_method_at(count))
        count++;
    if (index == 0)
        return "auto";
    return index <= count ? fur_solver_method_at(index - 1)->name : behind[index - count - 1];
}

/* What needs no set-up, multigrid of a stencil, and what is made from a matrix but for Jacobi's,
 * which comes first there, too. */
static const char *precond_name(fur_context *context, int index)
{
    static const char *const names[] = {"auto", "none", "jacobi", "norms", "mg"};
    enum { OWN = sizeof names / sizeof *names };
    const fur_method_info *kind = index < OWN ? NULL : fur_precond_at(index - OWN + 1);
    (void)context;
    return index < OWN ? names[index] : kind ? kind->name : NULL;
}

static bool is_least_squares(const char *method)
{
    return job_is(method, "lsqr") || job_is(method, "lsmr") || job_is(method, "cgnr");
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
    job_options *o = options;
    bool stencil = o->grid.points != 0;
    bool cycles = job_is(o->method, "mg");
    bool direct = job_is(o->method, "direct");
    bool factors = job_has_factors(o);
    bool pivots =
        job_is(o->precond, "ic0") || job_is(o->precond, "ilu0") || job_is(o->precond, "ilu");
    bool thresholds = job_is(o->precond, "ilut");
    bool blocks = job_is(o->precond, "schwarz");
    bool preconditioned = !job_is(o->precond, "auto") && !job_is(o->precond, "none");
    command_pairing pairings[] = {
        {"--stencil", stencil, o->common.operand_count == 0, "without a file"},
        {"--extent", o->grid.extents > 0, stencil, "with --stencil, not with a file"},
        {"--boundary", o->grid.boundaries > 0, stencil, "with --stencil, not with a file"},
        {"--type", o->grid.typed, stencil, "with --stencil; convert changes the type of a file"},
        {"--reorder", o->reorder, !stencil, "with a file, not with --stencil"},
        {"--method mg", cycles, stencil, "with --stencil, not with a file"},
        {"--method direct", direct, !stencil, "with a file, not with --stencil"},
        {"--method direct", direct, job_is(o->precond, "auto"), "without --precond"},
        {"--precond norms", job_is(o->precond, "norms"), !stencil,
         "with a file, not with --stencil"},
        {"--precond mg", job_is(o->precond, "mg"), stencil, "with --stencil, not with a file"},
        {"--precond", preconditioned, !cycles, "with another --method than mg"},
        {"--x0", o->x0, !cycles, "with another --method than mg"},
        {"--restart", o->restart > 0, !cycles, "with another --method than mg"},
        {"--bounds", o->bounds, !cycles, "with another --method than mg"},
        {"--damp", o->damp > 0, !stencil, "with a file, not with --stencil"},
        {"--precond of a matrix", factors, !stencil, "with a file, not with --stencil"},
        {"--precond of a square matrix", factors, !is_least_squares(o->method) && o->damp == 0,
         "with another --method than lsqr, lsmr and cgnr"},
        {"--shift", o->shift > 0, pivots || thresholds, "with --precond ic0, ilu0, ilu or ilut"},
        {"--modified", o->modified, pivots, "with --precond ic0, ilu0 or ilu"},
        {"--coloured", o->coloured, pivots, "with --precond ic0, ilu0 or ilu"},
        {"--fill", o->fill > 0,
         job_is(o->precond, "fsai") || job_is(o->precond, "ilu") || thresholds,
         "with --precond ilu, ilut or fsai"},
        {"--drop", o->drop > 0, thresholds, "with --precond ilut"},
        {"--unmatched", o->unmatched, thresholds, "with --precond ilut"},
        {"--block", o->block > 0, job_is(o->precond, "bjacobi") || blocks,
         "with --precond bjacobi or schwarz"},
        {"--narrow", o->narrow, job_is(o->precond, "bjacobi"), "with --precond bjacobi"},
        {"--apart", o->apart, blocks, "with --precond schwarz"},
        {"--symmetric", o->symmetric, blocks, "with --precond schwarz"},
        {"--diagonal", o->diagonal, job_is(o->precond, "spai"), "with --precond spai"},
        {"--steps", o->steps > 0, job_is(o->precond, "fsai") && o->fill == 0,
         "with --precond fsai, without --fill"},
        {"--grow", o->grow > 0, o->steps > 0, "with --steps"},
        {"--gain", o->gain > 0, o->steps > 0, "with --steps"},
        {"--degree", o->degree > 0, job_is(o->precond, "chebyshev"), "with --precond chebyshev"},
    };
    command_check(state, pairings, sizeof pairings / sizeof *pairings);
    if (direct) { /* complete factors, and refinement */
        o->method = "richardson";
        o->precond = "direct";
    }
    if (!stencil && o->common.operand_count == 0)
        argp_error(state, "a file name is missing");
    save_check(state, "--out", &o->out);
    if (stencil)
        grid_check(state, "--stencil", &o->grid);
    command_check_suffix(state, "--report", ".html", o->report);
    command_check_suffix(state, "--history", ".csv", o->history);
    if (stencil && job_is(o->precond, "auto"))
        o->precond = cycles ? "none" : suits_multigrid(&o->grid) ? "mg" : "jacobi";
}

#define AT(member) .at = offsetof(job_options, member)
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
     "times ones, or, if that is 0, A times fractions). The columns of an array are solved for "
     "together, by one method",
     LINE_INPUT, AT(b)},
    {"x0", "X.mtx", "The first x (default: 0)", LINE_INPUT, AT(x0)},
    {"method", "NAME",
     "auto (default) looks at the matrix, chooses, and tries another where that fails; else one "
     "alone: cg or chebyshev (symmetric positive definite), minres (symmetric), bicgstab, idrs, "
     "gmres or fgmres (square), richardson, lsmr, lsqr or cgnr (least squares), mg, multigrid, "
     "for stencils of 3, 5 and 7 points, or direct, complete factors by CHOLMOD, KLU or "
     "UMFPACK, if one is installed, and refinement",
     LINE_CHOICE, AT(method), .names = method_name},
    {"precond", "NAME",
     "Preconditioner: auto (default), none, jacobi, norms (of the columns; for symmetric matrices "
     "and least squares), mg, for real stencils of 3, 5 and 7 points without a periodic axis of "
     "odd length, which auto takes for those; made from a square matrix: ssor, a symmetric sweep, "
     "ic0, incomplete Cholesky factors, fsai, an approximate inverse, chebyshev, a polynomial, "
     "amg, algebraic multigrid (these for symmetric positive definite matrices), ilu0 and ilu, "
     "incomplete LU factors without and with fill, ilut, such factors by thresholds, of rows "
     "matched and scaled before, bjacobi, inverses of blocks along the diagonal, spai, an "
     "approximate inverse of any matrix, schwarz, factors of overlapping blocks, direct, complete "
     "factors by CHOLMOD, KLU or UMFPACK, if one is installed, or grid, geometric multigrid of the "
     "nearest constant coefficients, for matrices of a grid",
     LINE_CHOICE, AT(precond), .names = precond_name},
    {"shift", "S",
     "Of ic0, ilu0, ilu and ilut: factor A with its diagonal times 1 + S (default 0; more where a "
     "pivot "
     "breaks down)",
     LINE_POSITIVE, AT(shift)},
    {"modified", NULL,
     "Of ic0, ilu0 and ilu: what they leave out is subtracted from the diagonal, for fine grids",
     LINE_FLAG, AT(modified)},
    {"restart", "N",
     "Directions that gmres and fgmres keep before they restart, shadow vectors of idrs",
     LINE_COUNT, AT(restart), .most = FUR_SOLVER_MOST_RESTART},
    {"damp", "D", "Least squares: minimise ||b - A x||^2 + D^2 ||x||^2", LINE_POSITIVE, AT(damp)},
    {"rtol", "R",
     "Stop when the residual is R times the right-hand side (default 1e-10, for f32 and c64 1e-5)",
     LINE_POSITIVE, AT(rtol)},
    {"max-iterations", "N",
     "Give up after N iterations (default: 10 times the rows plus 100, at most 50000; 100 cycles "
     "of mg)",
     LINE_LONG, AT(max_iterations), .most = INT64_MAX},
    {"coloured", NULL,
     "Of ic0, ilu0 and ilu: rows by colours of the graph, for many threads; other factors",
     LINE_FLAG, AT(coloured)},
    {"fill", "N",
     "Of ilu: levels of fill, up to 100 (default 1). Of ilut: entries of a row of either factor "
     "beyond those of A (default 10). Of fsai: positions of the N + 1st power of A, up to 3 "
     "(default: of A)",
     LINE_COUNT, AT(fill), .most = 10000},
    {"drop", "T",
     "Of ilut: entries below T times the norm of their row are left out (default 1e-3)",
     LINE_POSITIVE, AT(drop)},
    {"unmatched", NULL, "Of ilut: rows in their own order, neither matched nor scaled", LINE_FLAG,
     AT(unmatched)},
    {"block", "N",
     "Of bjacobi: rows of a block, up to 32 (default: neighbouring rows of equal pattern). Of "
     "schwarz: rows of a block (default 1024)",
     LINE_LONG, AT(block), .most = INT64_MAX},
    {"narrow", NULL,
     "Of bjacobi: inverses in half or single precision where their conditions allow", LINE_FLAG,
     AT(narrow)},
    {"apart", NULL, "Of schwarz: blocks without the rows that theirs have entries of", LINE_FLAG,
     AT(apart)},
    {"symmetric", NULL, "Of schwarz: factors of ic0, and what overlaps is added: for cg and minres",
     LINE_FLAG, AT(symmetric)},
    {"diagonal", NULL, "Of spai: positions on the diagonal alone", LINE_FLAG, AT(diagonal)},
    {"steps", "N",
     "Of fsai: search positions row by row, in N steps (default: those of A, or --fill)",
     LINE_COUNT, AT(steps), .most = 255},
    {"grow", "N", "Of fsai with --steps: positions that a step adds to a row (default 1)",
     LINE_COUNT, AT(grow), .most = 255},
    {"gain", "G",
     "Of fsai with --steps: a row ends with a step that lessens its part of the Kaporin number by "
     "less than G times (default 1e-2)",
     LINE_POSITIVE, AT(gain)},
    {"degree", "N", "Of chebyshev: steps (default 3)", LINE_COUNT, AT(degree), .most = 100},
    {"whole", NULL,
     "Never reduce a matrix of two colours to one (cg does, without a preconditioner or with "
     "jacobi: half the iterations)",
     LINE_FLAG, AT(whole)},
    {"bounds", NULL,
     "Say what the residual certainly does not exceed, whatever rounding did, and after cg what "
     "the error is at least, relative and in the norm of A",
     LINE_FLAG, AT(bounds)},
    {"history", "H.csv",
     "Write the residual after every iteration to this file, and the true one where it is known",
     LINE_FILE, AT(history)},
    {"report", "R.html",
     "Write a page for browsers: how the residual fell, where the time went, what was chosen and "
     "why, and what to do after a failure",
     LINE_FILE, AT(report)},
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
    .doc =
        "Solve A x = b, or find the least ||b - A x|| for a matrix that is not square, for A from "
        "a file or a stencil on a grid. The command says which method it takes and why, and fails "
        "if none converges: what it calls converged is so by the residual computed afresh.\vSIGINT "
        "or SIGTERM ends a solve early: the command writes and prints "
        "what it has and then ends by that signal, which a shell shows as 130 or 143.",
};

int command_solve(int argc, char **argv)
{
    job_options options = {
        .common = {.operands_max = 1}, .grid = grid_none(), .method = "auto", .precond = "auto"};
    line_parse(&line_of, argc, argv, &options);
    int status = command_run(&options.common, solve, &options);
    if (status != 0)
        interrupt_pass_on();
    return status;
}
