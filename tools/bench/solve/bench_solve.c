/* furrow bench solve: an iteration of conjugate gradients with Jacobi's preconditioner, compared
 * with the loops that users write for it. Runs on any device. */
#include "bench_solve.h"

#include <furrow/author/context.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plain.h"

#ifdef FURROW_HAVE_PEER_OPENMP
#    include "peer_openmp.h"
#endif

/* The approximate number of bytes that the iterations of a run move in all. It determines the
 * length of a run. */
static const double CPU_BYTES = 8e9;
static const double GPU_BYTES = 400e9;
#define ITERATIONS_MAX 400
/* No contender may come near this residual in its last iteration, because the squares of much
 * smaller numbers underflow. */
#define RESIDUAL_LEAST 1e-100
/* The largest difference between the residuals of two contenders after the first iterations,
 * relative to one of them and to b. */
#define AGREEMENT 1e-6
#define ROUNDING 1e-12

/* Entries that an iteration of furrow's cg moves for each row besides A p, if its report does not
 * contain them (src/solver/method/cg.c). */
#define CG_ENTRIES 12
/* Operations on a row besides those of A p: p.q, r.r and r.z, updates of x, r and p, and z. */
#define CG_FLOPS 13

#define GPU_COPY (INT64_C(1) << 27)

#define REST_NS 30000000

typedef struct solve_case solve_case;

/* Ways to run furrow's cg, which race with each other. The CPU has only one. */
static const struct {
    const char *name;
    fur_execution execution;
} ways[] = {{"furrow", FUR_EXECUTION_AUTO},
            {"furrow, recorded", FUR_EXECUTION_RECORDED},
            {"furrow, plain", FUR_EXECUTION_PLAIN}};

#define WAYS ((int)(sizeof ways / sizeof *ways))

/* furrow's solver in one of these ways. */
typedef struct solve_way {
    const solve_case *c;
    int index;
    fur_solver *solver; /* for `iterations` iterations */
    int64_t iterations;
    fur_solver_report report; /* of the last run */
    int64_t first;            /* iteration and time at which timing starts */
    double first_seconds;
    int64_t last;
    double last_seconds;
} solve_way;

struct solve_case {
    solve_system system;
    fur_stencil *stencil; /* NULL: the operator is a matrix */
    fur_spmv *plan;
    fur_operator *a;
    fur_vector *rest; /* b - A x */
    double residual;  /* after SOLVE_CHUNK iterations, relative to b */
    int64_t iterations;
    solve_way ways[WAYS];
#ifdef FURROW_HAVE_PEER_OPENMP
    peer_openmp *openmp;
#endif
    solve_cuda *cuda;
    solve_race race;
    double copy_rounds[RACE_ROUNDS_MAX];
    fur_vector *copies[2]; /* on a GPU */
};

solve_contender *solve_add(solve_race *r, const char *name, void *self,
                           fur_status (*run)(void *self, int64_t iterations, double *seconds))
{
    solve_contender *c = &r->contenders[r->count++];
    *c = (solve_contender){.name = name, .about = {.role = RACE_PEER}, .self = self, .run = run};
    return c;
}

/* Times iterations between two progress reports. The first is after a tenth of the iterations, or
 * else the one before the last report. The second is the last report. */
static int watch(void *user, const fur_solver_progress *progress)
{
    solve_way *w = user;
    w->last = progress->iteration;
    w->last_seconds = fur_seconds();
    if (w->first < w->iterations / 10 && w->last < w->iterations) {
        w->first = w->last;
        w->first_seconds = w->last_seconds;
    }
    return 0;
}

static fur_status make_solver(solve_way *w, int64_t iterations)
{
    fur_solver_options options = {.size = sizeof options,
                                  .preconditioner = w->c->system.jacobi,
                                  .rtol = RESIDUAL_LEAST * RESIDUAL_LEAST,
                                  .max_iterations = iterations,
                                  .monitor = watch,
                                  .monitor_user = w,
                                  .execution = ways[w->index].execution,
                                  .no_reduction = 1};
    fur_solver_destroy(w->solver);
    w->solver = NULL;
    w->iterations = iterations;
    return fur_solver_create(w->c->a, &options, &w->solver);
}

static fur_status run_way(void *self, int64_t iterations, double *seconds)
{
    solve_way *w = self;
    fur_vector *x = w->c->system.x;
    if (w->iterations != iterations)
        FUR_TRY(make_solver(w, iterations));
    FUR_TRY(fur_vector_fill(x, fur_real(0)));
    FUR_TRY(fur_context_synchronize(w->c->system.b->context));
    w->first = -1;
    w->report.size = sizeof w->report;
    FUR_TRY(fur_solver_solve(w->solver, w->c->system.rhs, x, &w->report));
    *seconds = (w->last_seconds - w->first_seconds) / (double)(w->last - w->first);
    return FUR_OK;
}

static double product_bytes(const solve_case *c)
{
    return (double)(c->stencil ? fur_stencil_describe(c->stencil)->bytes
                               : fur_spmv_describe(c->plan)->bytes);
}

static const char *kernel_of(const solve_case *c)
{
    return c->stencil ? fur_stencil_describe(c->stencil)->kernel
                      : fur_spmv_describe(c->plan)->kernel;
}

/* Bytes that an iteration moves, from the report if the method counts them. */
static double way_bytes(const solve_way *w)
{
    double vector = (double)sizeof(double) * (double)fur_operator_rows(w->c->a);
    return product_bytes(w->c) + (w->report.bytes > 0 ? w->report.bytes : CG_ENTRIES * vector);
}

static int way_count(const solve_case *c)
{
    return c->system.b->timing->gpu ? WAYS : 1;
}

static const char *execution_name(fur_execution execution)
{
    static const char *const names[] = {"", "plain", "recorded", "persistent"};
    return (size_t)execution < sizeof names / sizeof *names ? names[execution] : "";
}

static void add_ways(solve_case *c)
{
    for (int i = 0; i < way_count(c); i++) {
        c->ways[i].c = c;
        c->ways[i].index = i;
        solve_add(&c->race, ways[i].name, &c->ways[i], run_way);
    }
}

#ifdef FURROW_HAVE_PEER_OPENMP
static fur_status run_openmp(void *self, int64_t iterations, double *seconds)
{
    const solve_case *c = self;
    int64_t warm = iterations / 10;
    double elapsed = peer_openmp_run(c->openmp, warm, iterations);
    *seconds = elapsed / (double)(iterations - warm);
    return fur_vector_upload(peer_openmp_x(c->openmp), c->system.x);
}

static fur_status add_openmp(solve_case *c)
{
    fur_csr_view a = *fur_csr_get(c->system.matrix);
    fur_context *context = c->system.b->context;
    if (a.offset_type != FUR_I32) {
        fprintf(stderr,
                "%s: the plain loops are left out, because they need a matrix with at most 2^31-1 "
                "entries\n",
                c->system.name);
        return FUR_OK;
    }
    c->openmp = peer_openmp_create(fur_context_threads(context), a.rows, a.offsets, a.columns,
                                   a.values, fur_vector_const_data(c->system.rhs));
    if (!c->openmp)
        return fur_context_fail(context, FUR_OUT_OF_MEMORY, "out of memory for the plain loops");
    c->race.peer = c->race.count;
    solve_add(&c->race, "plain OpenMP loops", c, run_openmp)->about.bytes =
        12.0 * (double)a.entries + 4.0 * (double)a.rows + PEER_OPENMP_ROW_BYTES * (double)a.rows;
    return FUR_OK;
}
#endif

static fur_status add_peers(solve_case *c)
{
    c->race.peer = -1;
#ifdef FURROW_HAVE_CUDA
    if (c->system.b->timing->gpu)
        return solve_cuda_add(&c->system, &c->race, &c->cuda);
#endif
#ifdef FURROW_HAVE_PEER_OPENMP
    return add_openmp(c);
#else
    fprintf(stderr,
            "%s: the plain loops are left out, because this program was built without OpenMP\n",
            c->system.name);
    return FUR_OK;
#endif
}

/* Parses the stencil of a name such as 7-point:128:stencil. Returns false for other names. */
static bool parse_stencil(const char *name, fur_stencil_definition *d)
{
    char *end = NULL;
    long points = strtol(name, &end, 10);
    if (points < 1 || points > 27 || strncmp(end, "-point:", 7) != 0)
        return false;
    long n = strtol(end + 7, &end, 10);
    if (n < 1 || n > 2000 || strcmp(end, ":stencil") != 0)
        return false;
    *d = (fur_stencil_definition){.size = sizeof *d, .value_type = FUR_F64, .extent = {n, n, n}};
    return fur_stencil_named((int)points, d);
}

static fur_status make_stencil(solve_case *c, const fur_stencil_definition *d)
{
    FUR_TRY(fur_stencil_create(c->system.b->context, d, &c->stencil));
    FUR_TRY(fur_stencil_assemble(c->stencil, &c->system.matrix));
    return fur_operator_from_stencil(c->stencil, &c->a);
}

static fur_status load(const solve_system *s, fur_csr **out)
{
    fur_context *context = s->b->context;
    fur_context *host = fur_context_host(context);
    if (host == context)
        return bench_load(s->b, host, s->name, out);
    fur_csr *loaded = NULL;
    fur_status status = bench_load(s->b, host, s->name, &loaded);
    if (status != FUR_OK) /* the message is in the host's context */
        return fur_context_fail(context, status, "%s", fur_context_error(host));
    status = fur_csr_transfer(loaded, context, out);
    fur_csr_destroy(loaded);
    return status;
}

static fur_status make_plan(solve_case *c)
{
    FUR_TRY(load(&c->system, &c->system.matrix));
    fur_csr_view a = *fur_csr_get(c->system.matrix);
    if (a.value_type != FUR_F64 || a.rows != a.cols || a.rows == 0) {
        return fur_context_fail(c->system.b->context, FUR_UNSUPPORTED,
                                "%s: this benchmark needs a real square matrix", c->system.name);
    }
    fur_spmv_options options = {.size = sizeof options, .uses = ITERATIONS_MAX};
    FUR_TRY(fur_spmv_plan(c->system.matrix, &options, &c->plan));
    return fur_operator_from_spmv(c->plan, &c->a);
}

/* b = A u, where all entries of u differ. */
static fur_status make_right_hand_side(solve_case *c)
{
    fur_context *context = c->system.b->context;
    int64_t rows = fur_operator_rows(c->a);
    FUR_TRY(fur_vector_create(context, FUR_F64, rows, &c->system.rhs));
    FUR_TRY(fur_vector_create(context, FUR_F64, rows, &c->rest));
    FUR_TRY(bench_numbers(context, rows, 1, 1, &c->system.x));
    return fur_operator_apply(c->a, c->system.x, c->system.rhs);
}

static fur_status make_system(solve_case *c)
{
    fur_stencil_definition d;
    if (parse_stencil(c->system.name, &d))
        FUR_TRY(make_stencil(c, &d));
    else
        FUR_TRY(make_plan(c));
    FUR_TRY(command_while(c->system.b->context, "preconditioning", c->system.name,
                          fur_operator_jacobi(c->a, &c->system.jacobi)));
    return make_right_hand_side(c);
}

/* ||b - A x|| / ||b|| */
static fur_status take_residual(const solve_case *c, double *residual)
{
    double size;
    FUR_TRY(fur_operator_apply(c->a, c->system.x, c->rest));
    FUR_TRY(fur_axpby(fur_real(1), c->system.rhs, fur_real(-1), c->rest));
    FUR_TRY(fur_norm2(c->rest, residual));
    FUR_TRY(fur_norm2(c->system.rhs, &size));
    *residual /= size;
    return FUR_OK;
}

/* Checks that all contenders reach the same residual in the first iterations. Later, rounding
 * errors drive them apart. */
static fur_status check(solve_case *c)
{
    for (int i = 0; i < c->race.count; i++) {
        const solve_contender *one = &c->race.contenders[i];
        double residual;
        double seconds;
        FUR_TRY(one->run(one->self, SOLVE_CHUNK, &seconds));
        FUR_TRY(take_residual(c, &residual));
        c->residual = i == 0 ? residual : c->residual;
        if (!(fabs(residual - c->residual) <= AGREEMENT * c->residual + ROUNDING)) {
            return fur_context_fail(c->system.b->context, FUR_INVALID,
                                    "%s: after %d iterations the residual of %s is %.10g, but the "
                                    "residual of %s is %.10g",
                                    c->system.name, SOLVE_CHUNK, c->race.contenders[0].name,
                                    c->residual, one->name, residual);
        }
    }
    return FUR_OK;
}

/* Chooses the iterations of a run, in whole chunks. Halves them until the method can run them
 * without ending. */
static fur_status count_iterations(solve_case *c)
{
    const fur_solver_report *report = &c->ways[0].report;
    double bytes = c->system.b->timing->gpu ? GPU_BYTES : CPU_BYTES;
    double wanted = fmin(bytes / way_bytes(&c->ways[0]), ITERATIONS_MAX);
    int64_t chunks = (int64_t)(wanted / SOLVE_CHUNK);
    for (chunks = chunks < 2 ? 2 : chunks; chunks >= 2; chunks /= 2) {
        double seconds;
        c->iterations = chunks * SOLVE_CHUNK;
        FUR_TRY(run_way(&c->ways[0], c->iterations, &seconds));
        if (report->iterations == c->iterations && report->residual_recurrence > RESIDUAL_LEAST)
            return FUR_OK;
    }
    return fur_context_fail(c->system.b->context, FUR_UNSUPPORTED,
                            "%s: %s after %lld iterations; the benchmark needs %d", c->system.name,
                            fur_outcome_name(report->outcome), (long long)report->iterations,
                            2 * SOLVE_CHUNK);
}

static fur_status make_copies(solve_case *c)
{
    for (int i = 0; c->system.b->timing->gpu && i < 2; i++)
        FUR_TRY(fur_vector_create(c->system.b->context, FUR_F64, GPU_COPY, &c->copies[i]));
    return FUR_OK;
}

/* Times a copy, in bytes a second, read and written. */
static fur_status time_copy(const solve_case *c, double *rate)
{
    fur_context *context = c->system.b->context;
    const race_reader *reader = &c->system.b->timing->reader;
    int64_t count = c->copies[0] ? GPU_COPY : reader->count / 2;
    double start = fur_seconds();
    if (c->copies[0])
        FUR_TRY(fur_vector_copy(c->copies[0], c->copies[1]));
    else
        plain_copy(context, count, reader->data, reader->data + count);
    FUR_TRY(fur_context_synchronize(context));
    *rate = 2.0 * (double)sizeof(double) * (double)count / (fur_seconds() - start);
    return FUR_OK;
}

/* Lets the last contender's threads go to sleep. OpenMP threads wait actively for some
 * milliseconds. If there is a thread for each core, they would take processor time from the next
 * contender. */
static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = REST_NS}, NULL);
}

static fur_status run_rounds(solve_case *c, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < c->race.count; i++) {
            solve_contender *one = &c->race.contenders[i];
            rest();
            FUR_TRY(one->run(one->self, c->iterations, &one->rounds[round]));
        }
        FUR_TRY(time_copy(c, &c->copy_rounds[round]));
    }
    return FUR_OK;
}

/* Computes medians of times and ratios over the rounds. */
static void sum_up(solve_case *c, int rounds)
{
    const solve_contender *peer = c->race.peer >= 0 ? &c->race.contenders[c->race.peer] : NULL;
    for (int i = 0; i < c->race.count; i++) {
        solve_contender *one = &c->race.contenders[i];
        double ratios[RACE_ROUNDS_MAX];
        for (int round = 0; peer && round < rounds; round++)
            ratios[round] = peer->rounds[round] / one->rounds[round];
        one->seconds = race_median(one->rounds, rounds);
        one->ratio = peer ? race_median(ratios, rounds) : 0;
    }
}

static void describe_ways(solve_case *c)
{
    for (int i = 0; i < way_count(c); i++) {
        const solve_way *w = &c->ways[i];
        solve_contender *one = &c->race.contenders[i];
        one->about = (race_about){.role = i == 0 ? RACE_AUTO : RACE_KERNEL,
                                  .kernel = kernel_of(c),
                                  .exact = true,
                                  .bytes = way_bytes(w)};
        snprintf(one->about.note, sizeof one->about.note, "%s, %s, whole solve %.4g ms",
                 kernel_of(c), execution_name(w->report.execution), 1e3 * w->report.seconds);
    }
}

static json_t *lines_of(const solve_case *c, double rows, double copy_rate)
{
    double flops = 2 * (double)fur_csr_get(c->system.matrix)->entries + CG_FLOPS * rows;
    json_t *lines = json_array();
    for (int i = 0; i < c->race.count; i++) {
        const solve_contender *one = &c->race.contenders[i];
        race_about about = one->about;
        double rate = about.bytes / one->seconds;
        about.flops = flops;
        json_t *figures = json_pack("{s:f, s:f, s:f, s:f, s:f}", "seconds", one->seconds,
                                    "bytes_per_row", about.bytes / rows, "gbps", rate / 1e9,
                                    "of_copy", rate / copy_rate, "ratio", one->ratio);
        output_append(lines, record_line(one->name, &about, one->seconds, one->ratio, figures));
    }
    return lines;
}

static fur_status report(const solve_case *c, int rounds)
{
    static const record_column columns[] = {{"", "name", -22, 0, 0, ""},
                                            {"us", "seconds", 12, 2, 1e6, ""},
                                            {"B/row", "bytes_per_row", 8, 1, 1, ""},
                                            {"GB/s", "gbps", 8, 1, 1, ""},
                                            {"of copy", "of_copy", 7, 0, 100, "%"},
                                            {"ratio", "ratio", 7, 2, 1, "x"},
                                            {"", "note", 0, 0, 0, ""},
                                            {0}};
    double copy_rate = race_median(c->copy_rounds, rounds);
    double rows = (double)fur_operator_rows(c->a);
    json_t *reduced = NULL;
    json_t *record = bench_matrix(c->system.name, c->system.matrix);
    json_object_set_new(record, "iterations", json_integer(c->iterations));
    json_object_set_new(record, "residual", json_real(c->residual));
    json_object_set_new(record, "copy_gbps", json_real(copy_rate / 1e9));
    json_object_set_new(record, "contenders", lines_of(c, rows, copy_rate));
    if (c->race.peer >= 0)
        json_object_set_new(record, "against",
                            output_string(c->race.contenders[c->race.peer].name));
    bench_keep(c->system.b, record, columns);
    FUR_TRY(solve_reduced(&c->system, c->a, rounds, &reduced));
    json_object_set_new(record, "reduced", reduced);
    return FUR_OK;
}

static fur_status run_steps(solve_case *c)
{
    int rounds = c->system.b->rounds ? c->system.b->rounds : RACE_ROUNDS;
    FUR_TRY(make_system(c));
    add_ways(c);
    FUR_TRY(add_peers(c));
    FUR_TRY(check(c));
    FUR_TRY(count_iterations(c));
    FUR_TRY(make_copies(c));
    FUR_TRY(run_rounds(c, rounds));
    sum_up(c, rounds);
    describe_ways(c);
    return report(c, rounds);
}

fur_status bench_solve(bench *b, const char *name)
{
    solve_case c = {.system = {.b = b, .name = name}};
    fur_status status = run_steps(&c);
    for (int i = 0; i < WAYS; i++)
        fur_solver_destroy(c.ways[i].solver);
#ifdef FURROW_HAVE_CUDA
    solve_cuda_destroy(c.cuda);
#endif
#ifdef FURROW_HAVE_PEER_OPENMP
    peer_openmp_destroy(c.openmp);
#endif
    fur_vector_destroy(c.copies[0]);
    fur_vector_destroy(c.copies[1]);
    fur_vector_destroy(c.rest);
    fur_vector_destroy(c.system.x);
    fur_vector_destroy(c.system.rhs);
    fur_operator_destroy(c.system.jacobi);
    fur_operator_destroy(c.a);
    fur_spmv_destroy(c.plan);
    fur_stencil_destroy(c.stencil);
    fur_csr_destroy(c.system.matrix);
    return status;
}
