/* The options of a solve. */
#include "request.h"
#include "new_file.h"

#define AT(member) .at = offsetof(solver_request, member)
const line_option request_options[] = {
    {"x0", "X.mtx", "The first x (default: 0)", LINE_INPUT, AT(x0)},
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
    {"null-space", "constant|N.mtx",
     "For a singular matrix: vectors n with A n = 0 and A^H n = 0, the constant one or the columns "
     "of "
     "an array file; they are removed from the right-hand side and from x",
     LINE_TEXT, AT(null_space)},
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
    {"bounds", NULL,
     "Say what the residual certainly does not exceed, whatever rounding did, and after cg what "
     "the error is at least, relative and in the norm of A",
     LINE_FLAG, AT(bounds)},
    {"history", "H.csv",
     "Write the residual after every iteration to this file, and the true one where it is known",
     LINE_FILE, AT(history)},
    {"out", "X.mtx",
     "Write x to this file, converged or not, also if Ctrl-C or kill ends the solve early; a "
     "second Ctrl-C ends it at once",
     LINE_FILE, AT(out.path)},
    {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(out), .parse = save_parse_format},
    {0},
};

static bool is_least_squares(const char *method)
{
    return job_is(method, "lsqr") || job_is(method, "lsmr") || job_is(method, "cgnr");
}

/* The library's choice makes Jacobi's from products. */
bool request_has_factors(const solver_request *r)
{
    const fur_method_info *kind;
    for (int i = 0; (kind = fur_precond_at(i)); i++)
        if (job_is(r->precond, kind->name))
            return !job_is(r->precond, "jacobi");
    return false;
}

void request_check(struct argp_state *state, const solver_request *r)
{
    bool factors = request_has_factors(r);
    bool pivots =
        job_is(r->precond, "ic0") || job_is(r->precond, "ilu0") || job_is(r->precond, "ilu");
    bool thresholds = job_is(r->precond, "ilut");
    bool blocks = job_is(r->precond, "schwarz");
    command_pairing pairings[] = {
        {"--precond of a square matrix", factors, !is_least_squares(r->method) && r->damp == 0,
         "with another --method than lsqr, lsmr and cgnr"},
        {"--shift", r->shift > 0, pivots || thresholds, "with --precond ic0, ilu0, ilu or ilut"},
        {"--modified", r->modified, pivots, "with --precond ic0, ilu0 or ilu"},
        {"--coloured", r->coloured, pivots, "with --precond ic0, ilu0 or ilu"},
        {"--fill", r->fill > 0,
         job_is(r->precond, "fsai") || job_is(r->precond, "ilu") || thresholds,
         "with --precond ilu, ilut or fsai"},
        {"--drop", r->drop > 0, thresholds, "with --precond ilut"},
        {"--unmatched", r->unmatched, thresholds, "with --precond ilut"},
        {"--block", r->block > 0, job_is(r->precond, "bjacobi") || blocks,
         "with --precond bjacobi or schwarz"},
        {"--narrow", r->narrow, job_is(r->precond, "bjacobi"), "with --precond bjacobi"},
        {"--apart", r->apart, blocks, "with --precond schwarz"},
        {"--symmetric", r->symmetric, blocks, "with --precond schwarz"},
        {"--diagonal", r->diagonal, job_is(r->precond, "spai"), "with --precond spai"},
        {"--steps", r->steps > 0, job_is(r->precond, "fsai") && r->fill == 0,
         "with --precond fsai, without --fill"},
        {"--grow", r->grow > 0, r->steps > 0, "with --steps"},
        {"--gain", r->gain > 0, r->steps > 0, "with --steps"},
        {"--degree", r->degree > 0, job_is(r->precond, "chebyshev"), "with --precond chebyshev"},
    };
    command_check(state, pairings, sizeof pairings / sizeof *pairings);
    save_check(state, "--out", &r->out);
    command_check_suffix(state, "--history", ".csv", r->history);
}

fur_status request_try_files(fur_context *context, const solver_request *r)
{
    FUR_TRY(new_file_try(context, r->out.path));
    return new_file_try(context, r->history);
}

fur_precond_options request_precond(const solver_request *r)
{
    return (fur_precond_options){.size = sizeof(fur_precond_options),
                                 .kind = r->precond,
                                 .fill = r->fill,
                                 .shift = r->shift,
                                 .modified = r->modified,
                                 .coloured = r->coloured,
                                 .degree = r->degree,
                                 .drop = r->drop,
                                 .unmatched = r->unmatched,
                                 .block = r->block,
                                 .diagonal = r->diagonal,
                                 .apart = r->apart,
                                 .symmetric = r->symmetric,
                                 .narrow = r->narrow,
                                 .steps = r->steps,
                                 .grow = r->grow,
                                 .gain = r->gain};
}

fur_solver_options request_solver(const solver_request *r)
{
    return (fur_solver_options){.size = sizeof(fur_solver_options),
                                .method = r->method,
                                .rtol = r->rtol,
                                .max_iterations = r->max_iterations,
                                .restart = r->restart,
                                .damp = r->damp,
                                .bounds = r->bounds,
                                .null_constant = request_has_constant(r)};
}
