/* Compares ranks on GPUs with one GPU in one run. It times the gather of a reduction, the exchange
 * of a face, and products and cg iterations with the 7-point matrix. It also times the same without
 * a matrix, together with cycles of geometric multigrid.
 *
 *     race_ranks_cuda RANKS TRANSPORT [faces] [sums] SIZE...
 *
 * Example: race_ranks_cuda 2 peers 128 256w 256g
 *
 *     256    a grid of 256^3 points on one GPU, and the same grid on all GPUs
 *     256w   a grid of 256^3 points on each GPU
 *     256g   a grid of 256^3 points, without a matrix
 *     sums   a dot product with a moved first bound: ranks exchange sums of more subtrees, or lanes
 *
 * Each figure is the median over rounds. A round has enough calls that the clock's resolution does
 * not matter. The slowest rank counts. */
#include "device.h"

#include <furrow/author/clock.h>
#include <furrow/author/recording.h>
#include <furrow/author/scalars.h>
#include <furrow/furrow.h>
#include <furrow/ranks.h>
#include <furrow/ranks_stencil.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 7

typedef struct race {
    int64_t size; /* side length of the grid or of a face */
    int64_t planes;
    double product, recorded, face, edge, dot, iteration; /* edge: a face and the boundary's rows */
    double parts[4]; /* dot, norms, direction, and all with the product; recorded */
    double inner;    /* the inner rows of the product only */
    double check;    /* a norm with which runs are compared */
    int iterations;
    const char *kernel;
    const char *how; /* how iterations are submitted to the device */
    int64_t halo_bytes;
} race;

static void need(fur_ranks *g, const fur_context *c, fur_status status)
{
    if (status == FUR_OK)
        return;
    fprintf(stderr, "rank %d: %s | %s\n", g->rank, fur_context_error(c), g->error);
    exit(1);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the seconds of a call: `calls` calls between two waits, median over rounds. */
static double measure(fur_ranks *g, fur_context *c, int64_t calls,
                      fur_status (*call)(void *user, int64_t times), void *user)
{
    double seconds[ROUNDS];
    for (int r = -1; r < ROUNDS; r++) {
        need(g, c, fur_context_synchronize(c));
        need(g, c, fur_ranks_agree(g, FUR_OK));
        double start = fur_seconds();
        need(g, c, call(user, calls));
        need(g, c, fur_context_synchronize(c));
        if (r >= 0)
            seconds[r] = (fur_seconds() - start) / (double)calls;
    }
    qsort(seconds, ROUNDS, sizeof *seconds, compare);
    return seconds[ROUNDS / 2];
}

typedef struct product {
    const fur_operator *a;
    const fur_vector *x;
    fur_vector *y;
} product;

static fur_status multiply(void *user, int64_t times)
{
    const product *p = user;
    for (int64_t i = 0; i < times; i++) {
        fur_status status = fur_operator_apply(p->a, p->x, p->y);
        if (status != FUR_OK)
            return status;
    }
    return FUR_OK;
}

static fur_status replay(void *user, int64_t times)
{
    return fur_recording_replay(user, times);
}

/* Fills rows of the 7-point matrix of an n^3 grid, or of a matrix whose halves exchange faces of
 * n^2 entries. */
static void fill_rows(int64_t n, int64_t planes, int64_t first, int64_t last, int64_t *offsets,
                      int64_t *columns, double *values)
{
    int64_t at = 0;
    for (int64_t row = first; row < last; row++) {
        int64_t i = row % n, j = row / n % n, k = row / (n * n);
        const int64_t step[7] = {-n * n, -n, -1, 0, 1, n, n * n};
        const bool there[7] = {k > 0, j > 0, i > 0, true, i < n - 1, j < n - 1, k < planes - 1};
        offsets[row - first] = at;
        for (int s = 0; s < 7; s++)
            if (there[s]) {
                columns[at] = row + step[s];
                values[at++] = s == 3 ? 6 : -1;
            }
    }
    offsets[last - first] = at;
}

static fur_status make_grid(fur_ranks *g, int64_t n, int64_t planes, fur_ranks_csr **out)
{
    int64_t first = n * n * (planes * g->rank / g->count);
    int64_t rows = n * n * (planes * (g->rank + 1) / g->count) - first;
    int64_t *offsets = malloc((size_t)(rows + 1) * sizeof *offsets);
    int64_t *columns = malloc((size_t)(7 * rows) * sizeof *columns);
    double *values = malloc((size_t)(7 * rows) * sizeof *values);
    fill_rows(n, planes, first, first + rows, offsets, columns, values);
    fur_ranks_rows r = {sizeof r, rows, n * n * planes, FUR_F64, offsets, columns, values, 0};
    fur_status status = fur_ranks_csr_create(g, &r, out);
    free(offsets);
    free(columns);
    free(values);
    return status;
}

static fur_status make_faces(fur_ranks *g, int64_t n, fur_ranks_csr **out)
{
    int64_t rows = n * n, all = rows * g->count;
    int64_t *offsets = malloc((size_t)(rows + 1) * sizeof *offsets);
    int64_t *columns = malloc((size_t)rows * sizeof *columns);
    double *values = malloc((size_t)rows * sizeof *values);
    for (int64_t i = 0; i < rows; i++) {
        offsets[i] = i;
        columns[i] = (rows * g->rank + i + rows) % all;
        values[i] = 1;
    }
    offsets[rows] = rows;
    fur_ranks_rows r = {sizeof r, rows, all, FUR_F64, offsets, columns, values, 0};
    fur_status status = fur_ranks_csr_create(g, &r, out);
    free(offsets);
    free(columns);
    free(values);
    return status;
}

static double iterate(fur_ranks *g, fur_ranks_csr *a, const fur_vector *b, fur_vector *x,
                      int64_t iterations, const char **how)
{
    fur_solver_options o = {.size = sizeof o,
                            .method = "cg",
                            .max_iterations = iterations,
                            .rtol = 1e-300,
                            .no_reduction = 1};
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    fur_context *c = fur_ranks_csr_context(a);
    need(g, c, fur_vector_fill(x, fur_real(0)));
    need(g, c, fur_context_synchronize(c));
    need(g, c, fur_ranks_agree(g, FUR_OK));
    double start = fur_seconds();
    need(g, c, fur_ranks_solve(a, &o, b, x, &report));
    static const char *const ways[] = {"auto", "issued", "recorded", "persistent"};
    *how = ways[report.execution % 4];
    return fur_seconds() - start;
}

static double slope(fur_ranks *g, fur_ranks_csr *a, const fur_vector *b, fur_vector *x,
                    const char **how)
{
    double seconds[5];
    iterate(g, a, b, x, 20, how);
    for (int i = 0; i < 5; i++)
        seconds[i] = (iterate(g, a, b, x, 260, how) - iterate(g, a, b, x, 60, how)) / 200;
    qsort(seconds, 5, sizeof *seconds, compare);
    return seconds[2];
}

static double record(fur_ranks *g, fur_context *c, fur_status (*call)(void *user, int64_t times),
                     void *user, int64_t calls)
{
    fur_recording *recording;
    if (!g->link->queues && g->count > 1)
        return measure(g, c, 200, call, user);
    need(g, c, fur_recording_create(c, &recording));
    need(g, c, fur_recording_begin(recording));
    need(g, c, call(user, 1));
    need(g, c, fur_recording_end(recording));
    double seconds = measure(g, c, calls, replay, recording);
    fur_recording_destroy(recording);
    return seconds;
}

/* The parts of an iteration of conjugate gradients. */
typedef struct turn {
    product p;
    fur_vector *r, *d;
    fur_scalars *scalars;
} turn;

static fur_status do_dot(void *user, int64_t times)
{
    const turn *t = user;
    (void)times;
    return fur_dot_into(t->p.x, t->p.y, t->scalars, 1);
}

static fur_status do_norms(void *user, int64_t times)
{
    const turn *t = user;
    fur_coefficient none = {fur_real(1e-30), NULL, 0, 0};
    (void)times;
    return fur_axpy_norms_into(none, t->p.y, NULL, fur_real(1), t->r, t->scalars, 2, 0);
}

static fur_status do_direction(void *user, int64_t times)
{
    const turn *t = user;
    fur_coefficient none = {fur_real(1e-30), NULL, 0, 0};
    (void)times;
    return fur_axpy_direction(none, none, NULL, fur_real(1), t->r, t->d, t->p.y);
}

static fur_status do_all(void *user, int64_t times)
{
    turn *t = user;
    fur_status status = multiply(&t->p, 1);
    status = status == FUR_OK ? do_dot(t, times) : status;
    status = status == FUR_OK ? do_norms(t, times) : status;
    return status == FUR_OK ? do_direction(t, times) : status;
}

static fur_status exchange(void *user, int64_t times)
{
    const product *p = user;
    fur_ranks_csr *m = (fur_ranks_csr *)(void *)p->a;
    for (int64_t i = 0; i < times; i++) {
        fur_status status = m->group->link->begin(m, p->x, p->y);
        if (status == FUR_OK)
            status = m->group->link->end(m, p->x, p->y);
        if (status != FUR_OK)
            return status;
    }
    return FUR_OK;
}

static fur_status multiply_inner(void *user, int64_t times)
{
    const product *p = user;
    const fur_ranks_csr *m = (const fur_ranks_csr *)(const void *)p->a;
    fur_status status = FUR_OK;
    for (int64_t i = 0; i < times && status == FUR_OK; i++)
        status = fur_spmv_apply(m->inner_plan, fur_real(1), p->x, fur_real(0), p->y);
    return status;
}

static fur_status dots(void *user, int64_t times)
{
    void **p = user;
    for (int64_t i = 0; i < times; i++) {
        fur_status status = fur_dot_into(p[0], p[1], p[2], 0);
        if (status != FUR_OK)
            return status;
    }
    return FUR_OK;
}

static double record_inner(fur_ranks *g, const fur_ranks_csr *a, const fur_vector *x, int64_t calls)
{
    fur_vector *y;
    need(g, a->context, fur_vector_create(a->context, FUR_F64, a->inner_end - a->inner_first, &y));
    product p = {(const fur_operator *)(const void *)a, x, y};
    double seconds = record(g, a->context, multiply_inner, &p, calls);
    fur_vector_destroy(y);
    return seconds;
}

static fur_status run_grid(fur_ranks *g, void *user)
{
    race own = *(race *)user;
    fur_ranks_csr *a = NULL;
    need(g, NULL, make_grid(g, own.size, own.planes, &a));
    fur_context *c = fur_ranks_csr_context(a);
    int64_t rows = fur_operator_rows(fur_ranks_csr_operator(a));
    fur_vector *x, *y, *r, *d;
    fur_scalars *scalars;
    need(g, c, fur_vector_create(c, FUR_F64, rows, &x));
    need(g, c, fur_vector_create(c, FUR_F64, rows, &y));
    need(g, c, fur_vector_fill(x, fur_real(1)));
    product p = {fur_ranks_csr_operator(a), x, y};
    int64_t calls = own.size > 300 ? 20 : own.size > 200 ? 50 : 300;
    own.product = measure(g, c, calls, multiply, &p);
    own.recorded = record(g, c, multiply, &p, calls);
    need(g, c, fur_norm2(y, &own.check));
    need(g, c, fur_vector_create(c, FUR_F64, rows, &r));
    need(g, c, fur_vector_create(c, FUR_F64, rows, &d));
    need(g, c, fur_vector_fill(r, fur_real(0)));
    need(g, c, fur_vector_fill(d, fur_real(0)));
    need(g, c, fur_scalars_create(c, &scalars));
    turn t = {p, r, d, scalars};
    own.inner = record_inner(g, a, x, calls);
    own.parts[0] = record(g, c, do_dot, &t, calls);
    own.parts[1] = record(g, c, do_norms, &t, calls);
    own.parts[2] = record(g, c, do_direction, &t, calls);
    own.parts[3] = record(g, c, do_all, &t, calls);
    fur_scalars_destroy(scalars);
    fur_vector_destroy(r);
    fur_vector_destroy(d);
    own.iteration = slope(g, a, x, y, &own.how);
    own.kernel = fur_spmv_describe(a->inner_plan)->kernel;
    own.halo_bytes = fur_ranks_csr_describe(a)->halo_bytes;
    if (g->rank == 0)
        *(race *)user = own;
    fur_vector_destroy(x);
    fur_vector_destroy(y);
    fur_ranks_csr_destroy(a);
    return fur_ranks_agree(g, FUR_OK);
}

static fur_status run_faces(fur_ranks *g, void *user)
{
    race own = *(race *)user;
    fur_ranks_csr *a = NULL;
    fur_scalars *scalars;
    need(g, NULL, make_faces(g, own.size, &a));
    fur_context *c = fur_ranks_csr_context(a);
    fur_vector *x, *y;
    need(g, c, fur_vector_create(c, FUR_F64, own.size * own.size, &x));
    need(g, c, fur_vector_create(c, FUR_F64, own.size * own.size, &y));
    need(g, c, fur_vector_fill(x, fur_real(1)));
    need(g, c, fur_vector_fill(y, fur_real(1)));
    need(g, c, fur_scalars_create(c, &scalars));
    product p = {(const fur_operator *)(void *)a, x, y};
    void *d[] = {x, y, scalars};
    own.edge = g->count > 1 ? record(g, c, exchange, &p, 1600) : 0;
    if (g->count > 1)
        a->part->lists.boundary_rows = 0;
    own.face = g->count > 1 ? record(g, c, exchange, &p, 1600) : 0;
    own.dot = record(g, c, dots, d, 1600);
    if (g->rank == 0)
        *(race *)user = own;
    fur_scalars_destroy(scalars);
    fur_vector_destroy(x);
    fur_vector_destroy(y);
    fur_ranks_csr_destroy(a);
    return fur_ranks_agree(g, FUR_OK);
}

#define SUMMED (INT64_C(1) << 24)

/* Times a dot product in which the first rank has `size` entries less than its share, and the last
 * rank has more. */
static fur_status run_sums(fur_ranks *g, void *user)
{
    race own = *(race *)user;
    int64_t first = SUMMED * g->rank / g->count - (g->rank > 0 ? own.size : 0);
    int64_t last = SUMMED * (g->rank + 1) / g->count - (g->rank + 1 < g->count ? own.size : 0);
    fur_ranks_csr *a = NULL;
    fur_scalars *scalars;
    fur_vector *x, *y;
    int64_t *offsets = calloc((size_t)(last - first) + 1, sizeof *offsets);
    fur_ranks_rows empty = {.size = sizeof empty,
                            .rows = last - first,
                            .cols = SUMMED,
                            .value_type = FUR_F64,
                            .offsets = offsets};
    need(g, NULL, fur_ranks_csr_create(g, &empty, &a));
    fur_context *c = fur_ranks_csr_context(a);
    need(g, c, fur_vector_create(c, FUR_F64, last - first, &x));
    need(g, c, fur_vector_create(c, FUR_F64, last - first, &y));
    need(g, c, fur_vector_fill(x, fur_real(1)));
    need(g, c, fur_vector_fill(y, fur_real(0.1)));
    need(g, c, fur_scalars_create(c, &scalars));
    void *d[] = {x, y, scalars};
    own.dot = record(g, c, dots, d, 400);
    fur_scalar check;
    need(g, c, fur_dot(x, y, &check));
    own.check = check.re;
    if (g->rank == 0)
        *(race *)user = own;
    fur_scalars_destroy(scalars);
    fur_vector_destroy(x);
    fur_vector_destroy(y);
    fur_ranks_csr_destroy(a);
    free(offsets);
    return fur_ranks_agree(g, FUR_OK);
}

typedef struct cycle {
    fur_multigrid *mg;
    fur_vector *b, *x;
} cycle;

static fur_status run_cycles(void *user, int64_t times)
{
    const cycle *m = user;
    fur_status status = FUR_OK;
    for (int64_t i = 0; i < times && status == FUR_OK; i++)
        status = fur_multigrid_cycle(m->mg, m->b, m->x);
    return status;
}

static double solve_cycles(fur_ranks *g, fur_context *c, const cycle *m, int *iterations)
{
    double seconds[5];
    for (int i = 0; i < 5; i++) {
        fur_solver_report report = FUR_DEFAULT(fur_solver_report);
        need(g, c, fur_vector_fill(m->x, fur_real(0)));
        need(g, c, fur_context_synchronize(c));
        need(g, c, fur_ranks_agree(g, FUR_OK));
        double start = fur_seconds();
        need(g, c, fur_multigrid_solve(m->mg, m->b, m->x, 1e-8, 0, &report));
        seconds[i] = fur_seconds() - start;
        *iterations = (int)report.iterations;
    }
    qsort(seconds, 5, sizeof *seconds, compare);
    return seconds[2];
}

/* Times the stencil of 7 points: products and multigrid. */
static fur_status run_stencil(fur_ranks *g, void *user)
{
    race own = *(race *)user;
    fur_ranks_stencil *s = NULL;
    cycle m = {0};
    fur_stencil_definition d = {
        .size = sizeof d, .value_type = FUR_F64, .extent = {own.size, own.size, own.planes}};
    fur_stencil_named(7, &d);
    need(g, NULL, fur_ranks_stencil_create(g, &d, NULL, &s));
    fur_context *c = fur_ranks_stencil_context(s);
    const fur_operator *a = fur_ranks_stencil_operator(s);
    need(g, c, fur_vector_create(c, FUR_F64, fur_operator_rows(a), &m.b));
    need(g, c, fur_vector_create(c, FUR_F64, fur_operator_rows(a), &m.x));
    need(g, c, fur_vector_fill(m.b, fur_real(1)));
    product p = {a, m.b, m.x};
    int64_t calls = own.size > 300 ? 20 : own.size > 200 ? 50 : 300;
    own.product = measure(g, c, calls, multiply, &p);
    own.recorded = record(g, c, multiply, &p, calls);
    need(g, c, fur_ranks_multigrid_create(s, NULL, &m.mg));
    need(g, c, fur_vector_fill(m.x, fur_real(0)));
    own.parts[0] = measure(g, c, own.size > 300 ? 5 : 20, run_cycles, &m);
    own.iteration = solve_cycles(g, c, &m, &own.iterations);
    need(g, c, fur_norm2(m.x, &own.check));
    fur_multigrid_destroy(m.mg);
    fur_vector_destroy(m.b);
    fur_vector_destroy(m.x);
    if (g->rank == 0)
        *(race *)user = own;
    fur_ranks_stencil_destroy(s);
    return fur_ranks_agree(g, FUR_OK);
}

static void run(int ranks, const char *by, fur_status (*work)(fur_ranks *g, void *user), race *r)
{
    fur_ranks_options o = {.size = sizeof o,
                           .threads = 4,
                           .device = "cuda",
                           .device_transport = ranks > 1 ? by : "peers"};
    if (fur_ranks_run(ranks, &o, work, r) == FUR_OK)
        return;
    fprintf(stderr, "%s\n", fur_context_error(NULL));
    exit(1);
}

static void race_faces(int ranks, const char *by)
{
    static const int64_t faces[] = {64, 128, 256, 512};
    for (int i = 0; i < 4; i++) {
        race one = {.size = faces[i]}, all = {.size = faces[i]};
        run(1, by, run_faces, &one);
        run(ranks, by, run_faces, &all);
        printf("%-6s face %4lld^2 %6.2f us, with rows %6.2f   dot of that size on each rank %6.2f "
               "us, alone %6.2f\n",
               by, (long long)faces[i], 1e6 * all.face, 1e6 * all.edge, 1e6 * all.dot,
               1e6 * one.dot);
        fflush(stdout);
    }
}

static void race_sums(int ranks, const char *by)
{
    static const struct {
        const char *name;
        int64_t moved;
    } places[] = {{"one subtree a rank", 0},
                  {"whole blocks", 2048 * 8},
                  {"many subtrees", 2048 * 5},
                  {"a cut leaf", 2},
                  {"a cut leaf, odd bound", 2048 * 5 + 777}};
    race one = {0};
    run(1, by, run_sums, &one);
    for (int series = 0; series < 3; series++)
        for (int i = 0; i < 5; i++) {
            race all = {.size = places[i].moved};
            run(ranks, by, run_sums, &all);
            printf("%-6s dot of 2^24, %-26s %7.2f us, alone %7.2f; results %s\n", by,
                   places[i].name, 1e6 * all.dot, 1e6 * one.dot,
                   all.check == one.check ? "agree" : "DIFFER");
            fflush(stdout);
        }
}

/* Prints two times: on one GPU and on all. */
static void print_pair(const char *name, double one, double all)
{
    printf(" %s %.1f -> %.1f us %.2fx", name, 1e6 * one, 1e6 * all, one / all);
}

static void race_grid(int ranks, const char *by, const char *size)
{
    race one = {.size = atoll(size)}, all = one;
    bool weak = strchr(size, 'w') != NULL;
    bool without = strchr(size, 'g') != NULL;
    one.planes = one.size;
    all.planes = one.size * (weak ? ranks : 1);
    run(1, by, without ? run_stencil : run_grid, &one);
    run(ranks, by, without ? run_stencil : run_grid, &all);
    printf("%-6s %4s", by, size);
    print_pair("product", one.product, all.product);
    print_pair("recorded", one.recorded, all.recorded);
    if (!without)
        print_pair("inner rows", one.inner, all.inner);
    print_pair(without ? "solve by multigrid" : "cg", one.iteration, all.iteration);
    if (without)
        print_pair("cycle", one.parts[0], all.parts[0]);
    for (int k = 0; k < 4 && !without; k++)
        print_pair((const char *[]){"dot", "norms", "direction", "all"}[k], one.parts[k],
                   all.parts[k]);
    printf("; %s\n", weak                                               ? "other matrices"
                     : memcmp(&one.check, &all.check, sizeof one.check) ? "norms DIFFER"
                                                                        : "norms agree");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], "faces") == 0)
            race_faces(atoi(argv[1]), argv[2]);
        else if (strcmp(argv[i], "sums") == 0)
            race_sums(atoi(argv[1]), argv[2]);
        else
            race_grid(atoi(argv[1]), argv[2], argv[i]);
    return 0;
}
