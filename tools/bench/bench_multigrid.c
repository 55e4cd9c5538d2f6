/* furrow bench multigrid: times the solution of Poisson's equation to a relative residual of 1e-10
 * (f32: 1e-5). The solvers are cycles, and conjugate gradients preconditioned by cycles. They are
 * compared with a copy. Runs on any device. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 5
#define CYCLES 10
#define COPIES 4

/* Bytes that a copy moves in each direction, on a GPU and on a CPU. They exceed the caches. */
static const int64_t GPU_COPY = INT64_C(1) << 28;
static const int64_t CPU_COPY = INT64_C(1) << 26;

typedef struct multigrid_case {
    bench *b;
    const char *name;
    fur_stencil_definition definition;
    int64_t rows;
    fur_stencil *stencil;
    fur_multigrid *multigrid;
    fur_operator *a;
    fur_operator *preconditioner;
    fur_solver *solver;
    fur_vector *rhs;
    fur_vector *x;
    fur_vector *from; /* the vectors of the copy */
    fur_vector *to;
} multigrid_case;

/* The shortest times of all rounds. */
typedef struct multigrid_figures {
    fur_solver_report solved;
    fur_solver_report by_cg;
    double cycle_seconds;
    double cycle_rate; /* bytes a second */
    double copy_rate;
} multigrid_figures;

/* Sets the definition from a name such as 128 or 128:f32. */
static fur_status parse(multigrid_case *c)
{
    char *end = NULL;
    const long long n = strtoll(c->name, &end, 10);
    bool single = strcmp(end, ":f32") == 0;
    c->definition = (fur_stencil_definition){.size = sizeof c->definition,
                                             .value_type = single ? FUR_F32 : FUR_F64,
                                             .extent = {n, n, n}};
    if (n < 1 || n > 2000 || (!single && *end != '\0')) {
        return fur_context_fail(c->b->context, FUR_INVALID,
                                "'%s' is not a grid; use N, or N:f32, for N points along each of "
                                "three axes, at most 2000",
                                c->name);
    }
    fur_stencil_named(7, &c->definition);
    c->rows = n * n * n;
    return FUR_OK;
}

static fur_status make_vectors(multigrid_case *c)
{
    fur_context *context = c->b->context;
    fur_value_type value = c->definition.value_type;
    const int64_t copied =
        (c->b->timing->gpu ? GPU_COPY : CPU_COPY) / (int64_t)fur_value_size(value);
    fur_vector *numbers = NULL;
    FUR_TRY(bench_numbers(context, c->rows, 1, 1, &numbers));
    fur_status status = fur_vector_convert(numbers, value, &c->rhs);
    fur_vector_destroy(numbers);
    FUR_TRY(status);
    FUR_TRY(fur_vector_create(context, value, c->rows, &c->x));
    FUR_TRY(fur_vector_create(context, value, copied, &c->from));
    return fur_vector_create(context, value, copied, &c->to);
}

static fur_status make_solvers(multigrid_case *c)
{
    fur_solver_options options = {.size = sizeof options};
    FUR_TRY(fur_stencil_create(c->b->context, &c->definition, &c->stencil));
    FUR_TRY(fur_multigrid_create(c->stencil, NULL, &c->multigrid));
    FUR_TRY(fur_operator_from_stencil(c->stencil, &c->a));
    FUR_TRY(fur_operator_from_multigrid(c->multigrid, &c->preconditioner));
    options.preconditioner = c->preconditioner;
    return fur_solver_create(c->a, &options, &c->solver);
}

static fur_status time_copies(const multigrid_case *c, double *rate)
{
    double start = fur_seconds();
    for (int i = 0; i < COPIES; i++)
        FUR_TRY(fur_axpby(fur_real(1), c->from, fur_real(0), c->to));
    FUR_TRY(fur_context_synchronize(c->b->context));
    double seconds = fur_seconds() - start;
    size_t entry = fur_value_size(fur_vector_value_type(c->to));
    *rate = fmax(*rate, 2.0 * COPIES * (double)entry * (double)fur_vector_size(c->to) / seconds);
    return FUR_OK;
}

/* Measures the time of one cycle, as a mean over several that are queued together. */
static fur_status time_cycles(const multigrid_case *c, double *seconds)
{
    FUR_TRY(fur_context_synchronize(c->b->context));
    double start = fur_seconds();
    for (int i = 0; i < CYCLES; i++)
        FUR_TRY(fur_multigrid_cycle(c->multigrid, c->rhs, c->x));
    FUR_TRY(fur_context_synchronize(c->b->context));
    *seconds = fmin(*seconds, (fur_seconds() - start) / CYCLES);
    return FUR_OK;
}

static void keep_faster(const fur_solver_report *report, fur_solver_report *best)
{
    if (best->seconds == 0 || report->seconds < best->seconds)
        *best = *report;
}

static fur_status run_round(const multigrid_case *c, multigrid_figures *f)
{
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    FUR_TRY(time_copies(c, &f->copy_rate));
    FUR_TRY(fur_vector_fill(c->x, fur_real(0)));
    FUR_TRY(fur_context_synchronize(c->b->context));
    FUR_TRY(fur_multigrid_solve(c->multigrid, c->rhs, c->x, 0, 0, &report));
    keep_faster(&report, &f->solved);
    FUR_TRY(time_cycles(c, &f->cycle_seconds));
    FUR_TRY(fur_vector_fill(c->x, fur_real(0)));
    FUR_TRY(fur_context_synchronize(c->b->context));
    FUR_TRY(fur_solver_solve(c->solver, c->rhs, c->x, &report));
    keep_faster(&report, &f->by_cg);
    return FUR_OK;
}

/* Runs all rounds. The first round is not counted. */
static fur_status run_rounds(const multigrid_case *c, multigrid_figures *f)
{
    multigrid_figures warm_up = {.cycle_seconds = INFINITY};
    *f = warm_up;
    FUR_TRY(run_round(c, &warm_up));
    for (int round = 0; round < ROUNDS; round++)
        FUR_TRY(run_round(c, f));
    if (f->solved.outcome != FUR_OUTCOME_CONVERGED || f->by_cg.outcome != FUR_OUTCOME_CONVERGED) {
        return fur_context_fail(c->b->context, FUR_INVALID, "%s: multigrid did not converge",
                                c->name);
    }
    /* a V(2,2) cycle over all points: four sweeps of 3 entries, residual and correction of 2
     * each */
    double bytes = 16.0 * (double)fur_multigrid_describe(c->multigrid)->points *
                   (double)fur_value_size(c->definition.value_type);
    f->cycle_rate = bytes / f->cycle_seconds;
    return FUR_OK;
}

static void report_figures(const multigrid_case *c, const multigrid_figures *f)
{
    double factor = pow(f->solved.residual, 1 / (double)f->solved.iterations);
    double of_copy = f->cycle_rate / f->copy_rate;
    if (!c->b->common->json) {
        printf("\n%s: the run copies %.0f GB/s\n", c->name, f->copy_rate / 1e9);
        printf("  %-8s %10.3f ms, %lld cycles, mean factor %.3f\n", "cycles",
               1e3 * f->solved.seconds, (long long)f->solved.iterations, factor);
        printf("  %-8s %10.3f ms, %lld iterations\n", "cg", 1e3 * f->by_cg.seconds,
               (long long)f->by_cg.iterations);
        printf("  %-8s %10.3f ms, %.0f GB/s, %.0f%% of copy\n", "a cycle", 1e3 * f->cycle_seconds,
               f->cycle_rate / 1e9, 100 * of_copy);
    }
    fflush(stdout);
    output_append(c->b->results,
                  json_pack("{s:o, s:f, s:f, s:I, s:f, s:f, s:I, s:f, s:f, s:f}", "case",
                            output_string(c->name), "copy_gbps", f->copy_rate / 1e9, "seconds",
                            f->solved.seconds, "cycles", (json_int_t)f->solved.iterations, "factor",
                            factor, "cg_seconds", f->by_cg.seconds, "cg_iterations",
                            (json_int_t)f->by_cg.iterations, "cycle_seconds", f->cycle_seconds,
                            "cycle_gbps", f->cycle_rate / 1e9, "of_copy", of_copy));
}

static fur_status run_steps(multigrid_case *c)
{
    multigrid_figures f;
    FUR_TRY(parse(c));
    FUR_TRY(make_vectors(c));
    FUR_TRY(make_solvers(c));
    FUR_TRY(run_rounds(c, &f));
    report_figures(c, &f);
    return FUR_OK;
}

fur_status bench_multigrid(bench *b, const char *name)
{
    multigrid_case c = {.b = b, .name = name};
    fur_status status = run_steps(&c);
    fur_solver_destroy(c.solver);
    fur_operator_destroy(c.preconditioner);
    fur_operator_destroy(c.a);
    fur_multigrid_destroy(c.multigrid);
    fur_stencil_destroy(c.stencil);
    fur_vector_destroy(c.to);
    fur_vector_destroy(c.from);
    fur_vector_destroy(c.x);
    fur_vector_destroy(c.rhs);
    return status;
}
