/* furrow bench reorder on a GPU: reverse Cuthill-McKee, compared with cuSOLVER, which runs on the
 * host. The times are the shortest of several runs in turn. They include everything from existing
 * arrays to the order. The library's arrays are in device memory, and the peer's are in host
 * memory. */
#include "bench_cuda.h"

#include <furrow/author/context.h>

#include <stdio.h>
#include <stdlib.h>

#include "peer_cuda.h"

#define ROUNDS 3
#define RUNS 5

typedef struct reorder_case {
    bench *b;
    fur_context *host;
    fur_csr *on_host; /* with 32-bit offsets */
    fur_csr *on_gpu;
    double seconds; /* shortest time of the library; below: of the peer */
    double peer_seconds;
    fur_reorder_report report;
    int64_t peer_bandwidth;
    int32_t *peer_order; /* NULL: no peer */
} reorder_case;

static void keep_least(double *least, double seconds)
{
    *least = *least == 0 || seconds < *least ? seconds : *least;
}

static fur_status run_ours(reorder_case *c)
{
    fur_permutation *order = NULL;
    fur_reorder_options options = {.size = sizeof options, .allow_worse = 1};
    double start = fur_seconds();
    c->report = FUR_DEFAULT(fur_reorder_report);
    FUR_TRY(fur_reorder(c->on_gpu, "rcm", &options, &c->report, &order));
    fur_status status = fur_context_synchronize(c->b->context);
    keep_least(&c->seconds, fur_seconds() - start);
    fur_permutation_destroy(order);
    return status;
}

static fur_status run_peer(reorder_case *c, const peer_cusolver *cusolver)
{
    fur_csr_view a = *fur_csr_get(c->on_host);
    double start = fur_seconds();
    int status = cusolver->symrcm(cusolver->handle, (int)a.rows, (int)a.entries,
                                  cusolver->description, a.offsets, a.columns, c->peer_order);
    keep_least(&c->peer_seconds, fur_seconds() - start);
    if (status != 0) {
        return fur_context_fail(c->b->context, FUR_UNSUPPORTED,
                                "cusolverSpXcsrsymrcmHost: status %d", status);
    }
    return FUR_OK;
}

static fur_status run_in_turns(reorder_case *c, const peer_cusolver *cusolver)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int run = 0; run < RUNS; run++)
            FUR_TRY(run_ours(c));
        if (cusolver->handle)
            FUR_TRY(run_peer(c, cusolver));
    }
    return FUR_OK;
}

static fur_status measure_peer(reorder_case *c)
{
    fur_permutation *order = NULL;
    fur_order_figures figures = FUR_DEFAULT(fur_order_figures);
    int64_t rows = fur_csr_get(c->on_host)->rows;
    FUR_TRY(fur_permutation_create(c->host, rows, c->peer_order, &order));
    fur_status status = fur_order_measure(c->on_host, order, &figures);
    c->peer_bandwidth = figures.bandwidth;
    fur_permutation_destroy(order);
    return status;
}

static json_t *line_of(const reorder_case *c, const char *name, race_role role, double seconds,
                       int64_t bandwidth)
{
    double ratio = c->peer_seconds > 0 ? c->peer_seconds / seconds : 0;
    json_t *figures = json_pack("{s:f, s:f, s:I}", "seconds", seconds, "ratio", ratio, "bandwidth",
                                (json_int_t)bandwidth);
    return record_line(name, &(race_about){.role = role}, seconds, ratio, figures);
}

static void report(const reorder_case *c, const char *name)
{
    static const record_column columns[] = {{"", "name", -22, 0, 0, ""},
                                            {"ms", "seconds", 12, 3, 1e3, ""},
                                            {"ratio", "ratio", 7, 1, 1, "x"},
                                            {"bandwidth", "bandwidth", 12, 0, 1, ""},
                                            {0}};
    json_t *rows = json_array();
    json_t *record = bench_matrix(name, c->on_host);
    json_object_set_new(record, "bandwidth", json_integer(c->report.bandwidth_before));
    json_object_set_new(record, "components", json_integer(c->report.components));
    output_append(rows, line_of(c, "rcm", RACE_KERNEL, c->seconds, c->report.bandwidth_after));
    if (c->peer_seconds > 0)
        output_append(rows,
                      line_of(c, "cusolver (host)", RACE_PEER, c->peer_seconds, c->peer_bandwidth));
    json_object_set_new(record, "against", json_string("cuSOLVER"));
    json_object_set_new(record, "contenders", rows);
    bench_keep(c->b, record, columns);
}

static fur_status load(reorder_case *c, const char *name)
{
    fur_csr *loaded = NULL;
    FUR_TRY(bench_load(c->b, c->host, name, &loaded));
    fur_status status = fur_csr_convert(loaded, FUR_F32, FUR_I32, &c->on_host);
    if (status == FUR_OK)
        status = fur_csr_transfer(c->on_host, c->b->context, &c->on_gpu);
    fur_csr_destroy(loaded);
    return status;
}

static fur_status run_case(reorder_case *c, const peer_cusolver *cusolver, const char *name)
{
    FUR_TRY(load(c, name));
    if (cusolver->handle)
        c->peer_order = malloc((size_t)fur_csr_get(c->on_host)->rows * sizeof *c->peer_order + 1);
    FUR_TRY(run_in_turns(c, cusolver));
    if (c->peer_order)
        FUR_TRY(measure_peer(c));
    report(c, name);
    return FUR_OK;
}

fur_status bench_reorder_cuda(bench *b, const char *name)
{
    reorder_case c = {.b = b, .host = fur_context_host(b->context)};
    peer_cusolver cusolver = peer_cusolver_open();
    fur_status status = FUR_OK;
    if (b->against && !cusolver.handle)
        status = fur_context_fail(b->context, FUR_UNSUPPORTED,
                                  "cuSOLVER was not found; install it, or leave out --against");
    else
        status = run_case(&c, &cusolver, name);
    if (status != FUR_OK && fur_context_error(b->context)[0] == '\0')
        fur_context_fail(b->context, status, "%s", fur_context_error(c.host));
    peer_cusolver_close(&cusolver);
    free(c.peer_order);
    fur_csr_destroy(c.on_gpu);
    fur_csr_destroy(c.on_host);
    return status;
}
