/* furrow-ranks solve: finds x with A x = b or smallest ||b - A x|| on several ranks. */
#include "ranks_job.h"

#include <float.h>
#include <math.h>

#include <furrow/ranks_precond.h>

#include "interrupt.h"
#include "load.h"
#include "verdict.h"
#include "watch.h"

/* A row sum counts as rounding up to this number of epsilons of the product with fractions. */
#define ROUNDING 16

/* The parts of a solve other than the matrix and the vectors. */
typedef struct solve_state {
    const char *precond;
    const char *rhs; /* description of b */
    fur_operator *jacobi;
    fur_ranks_precond *other;
    double seconds_setup;
    watch watch;
} solve_state;

/* Computes y = A x for fractions x_i that no simple matrix maps to 0. */
static fur_status multiply_fractions(const ranks_job *j)
{
    const int64_t *cols = fur_ranks_csr_column_bounds(j->a);
    fur_vector *whole = NULL;
    fur_status status = FUR_OK;
    if (j->leads)
        status = ranks_pass(
            j, j->home, load_fractions(j->home, j->value, cols[fur_ranks_count(j->group)], &whole));
    FUR_TRY(fur_ranks_agree(j->group, status));
    FUR_TRY(ranks_deal(j, whole, cols, j->x));
    return fur_ranks_multiply(j->a, j->x, j->y);
}

static fur_status multiply_ones(const ranks_job *j)
{
    FUR_TRY(ranks_load(j, NULL, NULL, j->x));
    return fur_ranks_multiply(j->a, j->x, j->y);
}

/* Computes y = A times ones. If the result is only rounding, computes y = A times fractions. */
static fur_status make_b(const ranks_job *j, solve_state *s)
{
    bool single = j->value == FUR_F32 || j->value == FUR_C64;
    double scale;
    double largest;
    FUR_TRY(multiply_fractions(j));
    FUR_TRY(ranks_pass(j, j->context, fur_norm_max(j->y, &scale)));
    FUR_TRY(multiply_ones(j));
    FUR_TRY(ranks_pass(j, j->context, fur_norm_max(j->y, &largest)));
    s->rhs = "A times ones";
    if (!(scale > 0) || largest > ROUNDING * (single ? FLT_EPSILON : DBL_EPSILON) * scale)
        return FUR_OK;
    s->rhs = "A times fractions, because A times ones is 0";
    if (j->leads && !j->request->common.quiet)
        command_error("note: %s times a vector of ones is 0, so x is not unique; the right-hand "
                      "side is A x with x_i the fractional part of 0.618 i",
                      j->name);
    return multiply_fractions(j);
}

/* Loads the right-hand side from the file's archive, if it has one. */
static fur_status load_archived(const ranks_job *j, solve_state *s)
{
    const int64_t *rows = fur_ranks_csr_bounds(j->a);
    vector_request request = {
        .path = j->name, .value = j->value, .size = rows[fur_ranks_count(j->group)]};
    fur_vector *whole = NULL;
    fur_status status = FUR_OK;
    if (j->leads)
        status =
            ranks_pass(j, j->home, load_archived_b(j->home, &j->request->common, &request, &whole));
    FUR_TRY(fur_ranks_agree(j->group, status));
    int there = whole != NULL;
    FUR_TRY(fur_ranks_share(j->group, &there, sizeof there));
    s->rhs = "NAME_b.mtx of the archive";
    return there ? ranks_deal(j, whole, rows, j->y) : make_b(j, s);
}

static fur_status load_b(const ranks_job *j, solve_state *s)
{
    const char *b = j->request->b;
    if (!b)
        return load_archived(j, s);
    s->rhs = b;
    return ranks_load(j, b, fur_ranks_csr_bounds(j->a), j->y);
}

/* Makes b and the initial guess, which is 0 unless --x0 is given. */
static fur_status make_system(ranks_job *j, solve_state *s)
{
    fur_context *domain = fur_ranks_csr_domain(j->a);
    const int64_t *cols = fur_ranks_csr_column_bounds(j->a);
    const char *x0 = j->request->solver.x0;
    FUR_TRY(ranks_vector(j, domain, cols, &j->x));
    FUR_TRY(ranks_vector(j, j->context, fur_ranks_csr_bounds(j->a), &j->y));
    FUR_TRY(load_b(j, s));
    return x0 ? ranks_load(j, x0, cols, j->x)
              : ranks_pass(j, domain, fur_vector_fill(j->x, fur_real(0)));
}

/* Returns the default: jacobi if the matrix has a diagonal, otherwise none. */
static const char *choose_precond(const ranks_job *j)
{
    const fur_ranks_report *r = fur_ranks_csr_describe(j->a);
    const char *asked = j->request->solver.precond;
    return asked ? asked : r->rows == r->cols ? "jacobi" : "none";
}

static fur_status make_precond(ranks_job *j, solve_state *s)
{
    fur_precond_options kind = {.size = sizeof kind, .kind = choose_precond(j)};
    fur_ranks_precond_options options = {
        .size = sizeof options, .precond = &kind, .whole = j->request->whole};
    double start = fur_seconds();
    fur_status status = FUR_OK;
    s->precond = kind.kind;
    if (job_is(s->precond, "jacobi"))
        status = ranks_pass(j, j->context,
                            fur_operator_jacobi(fur_ranks_csr_operator(j->a), &s->jacobi));
    status = fur_ranks_agree(j->group, status);
    if (status == FUR_OK && !s->jacobi && !job_is(s->precond, "none"))
        status = fur_ranks_precond_create(j->a, &options, &s->other);
    s->seconds_setup = fur_seconds() - start;
    return status;
}

/* Returns whether this rank checks signals: each process of MPI, but only rank 0 of threads. */
static bool has_signals(const ranks_job *j)
{
    return j->leads || !job_is(fur_ranks_transport(j->group), "threads");
}

static fur_status iterate(ranks_job *j, solve_state *s)
{
    bool single = j->value == FUR_F32 || j->value == FUR_C64;
    fur_solver_options options = request_solver(&j->request->solver);
    const char *method = options.method ? options.method : "cg";
    options.preconditioner = s->other ? fur_ranks_precond_operator(s->other) : s->jacobi;
    options.monitor = watch_iteration;
    options.monitor_user = &s->watch;
    s->watch.keep = j->leads && j->request->solver.history;
    watch_begin(&s->watch, !j->leads || j->request->common.quiet,
                options.rtol > 0 ? options.rtol
                : single         ? 1e-5
                                 : 1e-10);
    watch_attempt(&s->watch, 1, method, s->precond, "asked for, or by default");
    if (has_signals(j))
        interrupt_begin();
    fur_status status = fur_ranks_solve(j->a, &options, j->y, j->x, &j->report);
    if (has_signals(j))
        interrupt_end();
    watch_result(&s->watch, &j->report);
    watch_end(&s->watch);
    return status;
}

/* Writes x and the history to their files. */
static fur_status save(const ranks_job *j, const solve_state *s)
{
    const char *history = j->request->solver.history;
    fur_status status = ranks_save(j, fur_ranks_csr_column_bounds(j->a), j->x);
    if (status == FUR_OK && j->leads && history)
        status = ranks_pass(j, j->home, watch_save(&s->watch, j->home, history));
    return fur_ranks_agree(j->group, status);
}

static void put(ranks_job *j, const solve_state *s)
{
    const fur_solver_report *r = &j->report;
    output_text(&j->out, "rhs", "right-hand side", s->rhs);
    output_text(&j->out, "method", "method", r->method);
    output_text(&j->out, "precond", "preconditioner", s->precond);
    output_flag(&j->out, "rank_independent", "same on any ranks",
                !s->other || fur_ranks_precond_exact(s->other));
    output_seconds(&j->out, "seconds_setup", "time to set up", s->seconds_setup);
    output_seconds(&j->out, "seconds_solve", "time to solve", r->seconds);
    output_count(&j->out, "iterations", "iterations", r->iterations);
    output_known(&j->out, "seconds_per_iteration", "time an iteration",
                 r->iterations > 0 ? r->seconds / (double)r->iterations : NAN, output_seconds);
    if (j->out.json || r->reduced)
        output_flag(&j->out, "reduced", "reduced (red-black)", r->reduced);
    verdict_put(&j->out, r);
}

static fur_status solve_steps(ranks_job *j, solve_state *s)
{
    FUR_TRY(make_system(j, s));
    FUR_TRY(make_precond(j, s));
    FUR_TRY(iterate(j, s));
    FUR_TRY(save(j, s));
    put(j, s);
    return FUR_OK;
}

static fur_status solve(ranks_job *j)
{
    solve_state s = {.precond = NULL};
    j->report = FUR_DEFAULT(fur_solver_report);
    fur_status status = solve_steps(j, &s);
    watch_release(&s.watch);
    fur_operator_destroy(s.jacobi);
    fur_ranks_precond_destroy(s.other);
    return status;
}

fur_status ranks_judge(const ranks_job *j)
{
    verdict v = {.name = j->name,
                 .method = j->report.method,
                 .report = &j->report,
                 .value = j->value,
                 .least_squares = true, /* the caller named the method */
                 .quiet = j->request->common.quiet,
                 .out = j->request->solver.out.path};
    if (j->request->work != solve)
        return FUR_OK;
    return ranks_pass(j, j->home, verdict_judge(j->home, &v));
}

static const char *method_name(fur_context *context, int index)
{
    const fur_method_info *method = fur_solver_method_at(index);
    (void)context;
    return method ? method->name : NULL;
}

static const char *precond_name(fur_context *context, int index)
{
    const fur_method_info *kind = index == 0 ? NULL : fur_precond_at(index - 1);
    (void)context;
    return index == 0 ? "none" : kind ? kind->name : NULL;
}

static void settle(struct argp_state *state, void *options)
{
    ranks_request *r = options;
    bool direct = job_is(r->solver.method, "direct");
    command_pairing whole = {"--whole", r->whole, request_has_factors(&r->solver),
                             "with a --precond that is neither none nor jacobi"};
    command_pairing file = {"--null-space N.mtx", r->solver.null_space,
                            request_has_constant(&r->solver), "with furrow solve only"};
    command_pairing alone = {"--method direct", direct, request_fits_direct(&r->solver),
                             REQUEST_DIRECT_ALONE};
    command_check(state, &alone, 1);
    command_check(state, &whole, 1);
    command_check(state, &file, 1);
    request_check(state, &r->solver);
    if (direct) { /* complete factors are of the whole matrix */
        r->solver.precond = "direct";
        r->whole = true;
    }
}

#define AT(member) .at = offsetof(ranks_request, member)
static const line_option own_options[] = {
    {"b", "B.mtx", "Right-hand side (default: from the archive, or A times ones)", LINE_INPUT,
     AT(b)},
    {"method", "NAME", "Method of furrow solve, such as gmres or lsqr (default: cg)", LINE_CHOICE,
     AT(solver.method), .names = method_name},
    {"precond", "KIND[:NAME=VALUE,...]",
     "Preconditioner of a rank's rows, as ilut:fill=20 (default: jacobi; options: furrow kernels)",
     LINE_PRECOND, AT(solver.precond), .names = precond_name},
    {"whole", NULL,
     "Use the preconditioner of the full matrix on every rank: the result is independent of N",
     LINE_FLAG, AT(whole)},
    {"solver", .kind = LINE_TABLE, AT(solver), .table = request_options},
    {"ranks", .kind = LINE_TABLE, .table = ranks_options},
    {0},
};

int ranks_solve(int argc, char **argv)
{
    static const line line_of = {
        .options = own_options,
        .operands = "FILE",
        .settle = settle,
        .doc = "Solve A x = b, or minimise ||b - A x||, on several ranks. mpirun starts the ranks "
               "as processes, or --ranks starts them as threads. The command fails if the method "
               "does not converge.\vSIGINT or SIGTERM at any rank stops a solve early. The command "
               "then writes and prints the last x, and ends by this signal."};
    ranks_request request = {.common = {.operands_min = 1, .operands_max = 1}, .work = solve};
    line_parse(&line_of, argc, argv, &request);
    return ranks_start(&request);
}
