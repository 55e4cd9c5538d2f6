/* furrow bench neighbours: the graph of the 16 nearest neighbours of points in single precision by
 * each method, compared with the naive loop or kernel. */
#include "bench.h"

#include <furrow/author/context.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive_neighbours.h"
#include "random.h"

#define K 16
#define ROUNDS 5
#define RACERS 4
#define DIMENSIONS_MAX 64

/* A contender that takes longer runs only once. */
#define SECONDS_MAX 1.0
/* The most pairs of points times dimensions for which all methods run on a device. Larger clouds
 * are left to the grid. */
#define HOST_WORK 2e10
#define GPU_WORK 2e13

/* Number of clusters in clouds of the kind "clustered". */
#define CLUSTERS 100

struct neighbours_case;

typedef struct racer {
    const char *name; /* a method, or "naive" */
    const struct neighbours_case *of;
    fur_csr *graph;
    fur_neighbours_report report;
    int rounds; /* number of timed rounds */
    double seconds[RACE_ROUNDS_MAX];
} racer;

typedef struct neighbours_case {
    bench *b;
    const char *name;
    bool clustered;
    int64_t n;
    int d;
    fur_vectors *points;
    fur_vector *distances; /* of the naive method */
    fur_vector *numbers;   /* of the naive method, each as the bits of an int32 */
    int count;
    racer racers[RACERS];
} neighbours_case;

static bool on_gpu(const neighbours_case *c)
{
    return fur_context_host(c->b->context) != c->b->context;
}

/* Parses a name: "uniform:1000000x3", "clustered:200000x2". */
static fur_status parse(neighbours_case *c)
{
    char kind[16] = "";
    char rest = 0;
    long long n = 0;
    int fields = sscanf(c->name, "%15[a-z]:%lldx%d%c", kind, &n, &c->d, &rest);
    c->n = n;
    c->clustered = strcmp(kind, "clustered") == 0;
    bool known = c->clustered || strcmp(kind, "uniform") == 0;
    if (fields == 3 && known && n > K && n <= INT32_MAX && c->d > 0 && c->d <= DIMENSIONS_MAX)
        return FUR_OK;
    return fur_context_fail(c->b->context, FUR_INVALID,
                            "'%s' is not a set of points; use uniform:NxD or clustered:NxD for "
                            "more than %d points in 1 to %d dimensions",
                            c->name, K, DIMENSIONS_MAX);
}

/* Makes points in the unit cube, or a tenth of them there and the others in clusters of widths from
 * 1 to 2^-14. */
static fur_status make_points(neighbours_case *c)
{
    uint64_t state = 1;
    float *points = malloc((size_t)(c->n * c->d) * sizeof *points);
    if (!points)
        return fur_context_fail(c->b->context, FUR_OUT_OF_MEMORY, "out of memory");
    for (int64_t i = 0; i < c->n; i++) {
        uint64_t cluster = (uint64_t)(i % CLUSTERS);
        double width = c->clustered && i % 10 > 0 ? exp2(-(double)(cluster % 15)) / 10 : 1;
        for (int j = 0; j < c->d; j++) {
            double centre = (double)(random_mix(cluster * 64 + (uint64_t)j) >> 11) * 0x1p-53;
            points[i * c->d + j] = (float)((width < 1 ? centre : 0) + width * random_unit(&state));
        }
    }
    fur_status status =
        fur_vectors_create(c->b->context, FUR_F32, c->n, c->d, FUR_LAYOUT_ROWS, &c->points);
    if (status == FUR_OK)
        status = fur_vectors_upload(points, c->points);
    free(points);
    return status;
}

static fur_status run_naive(const neighbours_case *c)
{
    naive_neighbours a = {c->n,
                          c->d,
                          K,
                          fur_vectors_get(c->points)->data,
                          fur_vector_data(c->distances),
                          fur_vector_data(c->numbers)};
#ifdef FURROW_HAVE_CUDA
    if (on_gpu(c) && !naive_neighbours_cuda(&a, c->b->timing->stream))
        return fur_context_fail(c->b->context, FUR_DEVICE_ERROR, "the naive kernel failed");
    if (on_gpu(c))
        return fur_context_synchronize(c->b->context);
#endif
    naive_neighbours_host(c->b->context, &a);
    return FUR_OK;
}

static fur_status run_method(racer *r)
{
    const fur_neighbours_options options = {
        .size = sizeof options, .method = r->name, .squared = 1};
    fur_csr_destroy(r->graph);
    r->graph = NULL;
    return fur_neighbours(r->of->points, K, &options, &r->report, &r->graph);
}

/* Runs once and returns the time. */
static fur_status run_once(racer *r, double *seconds)
{
    double start = fur_seconds();
    FUR_TRY(strcmp(r->name, "naive") == 0 ? run_naive(r->of) : run_method(r));
    *seconds = fur_seconds() - start;
    return FUR_OK;
}

static void add(neighbours_case *c, const char *name)
{
    racer *r = &c->racers[c->count++];
    *r = (racer){.name = name, .of = c, .report = FUR_DEFAULT(fur_neighbours_report)};
}

/* Adds the methods for which the cloud is not too large. */
static fur_status add_racers(neighbours_case *c)
{
    double work = (double)c->n * (double)c->n * c->d;
    fur_context *context = c->b->context;
    if (work <= (on_gpu(c) ? GPU_WORK : HOST_WORK)) {
        FUR_TRY(fur_vector_create(context, FUR_F32, c->n * K, &c->distances));
        FUR_TRY(fur_vector_create(context, FUR_F32, c->n * K, &c->numbers));
        add(c, "naive");
        add(c, "brute");
    }
    if (c->d <= FUR_NEIGHBOURS_GRID_DIMENSIONS)
        add(c, "grid");
    add(c, "auto");
    return FUR_OK;
}

/* Runs all in turn, round after round. The first run counts only for methods that take long. */
static fur_status run_rounds(neighbours_case *c)
{
    int rounds = c->b->rounds > 0 ? c->b->rounds : ROUNDS;
    for (int round = -1; round < rounds; round++)
        for (int i = 0; i < c->count; i++) {
            racer *r = &c->racers[i];
            double seconds = 0;
            if (r->rounds > 0 && r->seconds[0] > SECONDS_MAX)
                continue;
            FUR_TRY(run_once(r, &seconds));
            if (round >= 0 || seconds > SECONDS_MAX)
                r->seconds[r->rounds++] = seconds;
        }
    return FUR_OK;
}

static int compare_numbers(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left;
    int32_t b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* Checks that the naive lists have the same points as a graph in the host's memory. */
static fur_status check_naive(const neighbours_case *c, const fur_csr *graph)
{
    int32_t *numbers = malloc((size_t)(c->n * K) * sizeof *numbers);
    if (!numbers)
        return fur_context_fail(c->b->context, FUR_OUT_OF_MEMORY, "out of memory");
    fur_status status = fur_vector_download(c->numbers, numbers);
    const int32_t *columns = fur_csr_get(graph)->columns;
    int64_t wrong = 0;
    for (int64_t i = 0; status == FUR_OK && i < c->n; i++) {
        qsort(numbers + i * K, K, sizeof *numbers, compare_numbers);
        wrong += memcmp(numbers + i * K, columns + i * K, K * sizeof *numbers) != 0;
    }
    free(numbers);
    if (wrong > 0)
        status = fur_context_fail(c->b->context, FUR_INVALID,
                                  "%s: the naive kernel finds other neighbours for %lld points",
                                  c->name, (long long)wrong);
    return status;
}

/* Checks that all methods give the bits of the last. */
static fur_status check_graphs(const neighbours_case *c)
{
    fur_context *host = fur_context_host(c->b->context);
    fur_csr *expected = NULL;
    fur_status status = fur_csr_transfer(c->racers[c->count - 1].graph, host, &expected);
    for (int i = 0; status == FUR_OK && i < c->count - 1; i++) {
        fur_csr *near = NULL;
        int equal = 1;
        if (!c->racers[i].graph) {
            status = check_naive(c, expected);
            continue;
        }
        status = fur_csr_transfer(c->racers[i].graph, host, &near);
        if (status == FUR_OK)
            status = fur_csr_compare(near, expected, &equal);
        fur_csr_destroy(near);
        if (!equal)
            status = fur_context_fail(c->b->context, FUR_INVALID, "%s: %s finds other neighbours",
                                      c->name, c->racers[i].name);
    }
    fur_csr_destroy(expected);
    return status;
}

static void report(neighbours_case *c)
{
    static const record_column columns[] = {{"", "name", -22, 0, 0, ""},
                                            {"ms", "seconds", 12, 3, 1e3, ""},
                                            {"Mpoints/s", "mpoints", 10, 2, 1, ""},
                                            {"speed-up", "ratio", 8, 2, 1, "x"},
                                            {"", "note", 0, 0, 0, ""},
                                            {0}};
    json_t *record = bench_matrix(c->name, c->racers[c->count - 1].graph);
    json_t *lines = json_array();
    double base = race_median(c->racers[0].seconds, c->racers[0].rounds);
    for (int i = 0; i < c->count; i++) {
        const racer *r = &c->racers[i];
        double seconds = race_median(r->seconds, r->rounds);
        race_about about = {.role = !r->graph                      ? RACE_PEER
                                    : strcmp(r->name, "auto") == 0 ? RACE_AUTO
                                                                   : RACE_KERNEL,
                            .kernel = r->graph ? r->report.method : NULL,
                            .exact = r->graph != NULL,
                            .bytes = (double)r->report.bytes,
                            .plan_seconds = r->report.seconds_plan};
        if (r->report.seconds_plan > 0)
            snprintf(about.note, sizeof about.note, "%.3g ms of it to sort",
                     1e3 * r->report.seconds_plan);
        json_t *figures = json_pack("{s:f, s:f, s:f}", "seconds", seconds, "mpoints",
                                    1e-6 * (double)c->n / seconds, "ratio", base / seconds);
        json_array_append_new(lines,
                              record_line(r->name, &about, seconds, base / seconds, figures));
    }
    json_object_set_new(record, "against", json_string(c->racers[0].name));
    json_object_set_new(record, "contenders", lines);
    bench_keep(c->b, record, columns);
}

static fur_status run_steps(neighbours_case *c)
{
    FUR_TRY(parse(c));
    FUR_TRY(make_points(c));
    FUR_TRY(add_racers(c));
    FUR_TRY(run_rounds(c));
    FUR_TRY(check_graphs(c));
    report(c);
    return FUR_OK;
}

fur_status bench_neighbours(bench *b, const char *name)
{
    neighbours_case c = {.b = b, .name = name};
    fur_status status = run_steps(&c);
    for (int i = 0; i < c.count; i++)
        fur_csr_destroy(c.racers[i].graph);
    fur_vector_destroy(c.numbers);
    fur_vector_destroy(c.distances);
    fur_vectors_destroy(c.points);
    return status;
}
