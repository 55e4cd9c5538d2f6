/* The options of a solve. */
#include "request.h"
#include "new_file.h"

#define AT(member) .at = offsetof(solver_request, member)
const line_option request_options[] = {
    {"x0", "X.mtx", "Initial guess (default: 0)", LINE_INPUT, AT(x0)},
    {"restart", "N",
     "Directions of gmres and fgmres before a restart (default: 30); idrs: shadow vectors "
     "(default: 4)",
     LINE_COUNT, AT(restart), .most = FUR_SOLVER_MAX_RESTART},
    {"damp", "D",
     "Damping: minimise ||b - A x||^2 + D^2 ||x||^2 (least-squares methods; default: 0)",
     LINE_POSITIVE, AT(damp)},
    {"rtol", "R", "Stop if ||b - A x|| <= R ||b|| (default: 1e-10, for f32 and c64 1e-5)",
     LINE_POSITIVE, AT(rtol)},
    {"max-iterations", "N",
     "Stop after N iterations (default: 10 n + 100 for n rows, at most 50000; mg: 100 cycles)",
     LINE_LONG, AT(max_iterations), .most = INT64_MAX},
    {"null-space", "NAME",
     "Null space of a singular A: constant, or N.mtx with a vector per column (default: none)",
     LINE_TEXT, AT(null_space)},
    {"bounds", NULL,
     "Print a proved upper bound of the residual; for cg also a lower bound of the error",
     LINE_FLAG, AT(bounds)},
    {"history", "H.csv", "Write the residual of each iteration to this file", LINE_FILE,
     AT(history)},
    {"out", "X.mtx", "Write x to this file, also if the solve fails or is interrupted", LINE_FILE,
     AT(out.path)},
    {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(out), .parse = save_parse_format},
    {0},
};

static bool is_least_squares(const char *method)
{
    return job_is(method, "lsqr") || job_is(method, "lsmr") || job_is(method, "cgnr");
}

void request_check(struct argp_state *state, const solver_request *r)
{
    bool square = !is_least_squares(r->method) && r->damp == 0;
    command_pairing factors = {"--precond of a square matrix", request_has_factors(r), square,
                               "with a --method that is not lsqr, lsmr or cgnr"};
    command_check(state, &factors, 1);
    save_check(state, "--out", &r->out);
    command_check_suffix(state, "--history", ".csv", r->history);
}

fur_status request_try_files(fur_context *context, const solver_request *r)
{
    FUR_TRY(new_file_try(context, r->out.path));
    return new_file_try(context, r->history);
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
