/* furrow neighbours: the graph of the nearest neighbours of points, timed. */
#include "command.h"

#include <furrow/author/context.h>

#include "line.h"
#include "load.h"
#include "made.h"
#include "new_file.h"
#include "output.h"
#include "save.h"

#define NEIGHBOURS_K 16

typedef struct neighbours_options {
    command_common common;
    save_target out;
    const char *method;
    int64_t k; /* 0: not given */
    bool squared;
    bool with_self;
} neighbours_options;

/* All objects of a run, released in one place. */
typedef struct neighbours_job {
    fur_context *context;
    const neighbours_options *options;
    loaded_matrix loaded; /* a matrix with all its entries, stored row by row */
    fur_vectors *points;  /* the values of `loaded` */
    fur_csr *graph;
    fur_neighbours_report report;
} neighbours_job;

static const char *method_names(fur_context *context, int index)
{
    static const char *const names[] = {"auto", "brute", "grid"};
    (void)context;
    return index < 3 ? names[index] : NULL;
}

static fur_status load_points(neighbours_job *job)
{
    const command_common *common = &job->options->common;
    FUR_TRY(load_matrix(job->context, common, common->operands[0], &job->loaded));
    const fur_csr_view *v = fur_csr_get(job->loaded.matrix);
    if (v->entries != v->rows * v->cols)
        return fur_context_fail(job->context, FUR_INVALID,
                                "only %lld of %lld x %lld coordinates are stored; the file must be "
                                "a dense array with one row for each point",
                                (long long)v->entries, (long long)v->rows, (long long)v->cols);
    const fur_vectors_view array = {.size = sizeof array,
                                    .rows = v->rows,
                                    .cols = v->cols,
                                    .value_type = v->value_type,
                                    .data = (void *)(uintptr_t)v->values};
    return fur_vectors_wrap(job->context, &array, FUR_OWNERSHIP_BORROW, &job->points);
}

static fur_status find(neighbours_job *job)
{
    const neighbours_options *o = job->options;
    const fur_neighbours_options options = {.size = sizeof options,
                                            .method = o->method,
                                            .squared = o->squared,
                                            .with_self = o->with_self};
    return fur_neighbours(job->points, o->k > 0 ? o->k : NEIGHBOURS_K, &options, &job->report,
                          &job->graph);
}

/* Adds the norms of all distances, taken as one vector. */
static fur_status put_norms(output *out, const neighbours_job *job)
{
    const fur_csr_view *g = fur_csr_get(job->graph);
    double norm[3] = {0, 0, 0};
    fur_vector *values = NULL;
    FUR_TRY(fur_vector_wrap(job->context, g->value_type, g->entries, (void *)(uintptr_t)g->values,
                            FUR_OWNERSHIP_BORROW, &values));
    fur_status status = fur_norm1(values, &norm[0]);
    if (status == FUR_OK)
        status = fur_norm2(values, &norm[1]);
    if (status == FUR_OK)
        status = fur_norm_max(values, &norm[2]);
    fur_vector_destroy(values);
    output_number(out, "y_norm_1", "sum of all values", norm[0]);
    output_number(out, "y_norm_2", "Frobenius norm", norm[1]);
    output_number(out, "y_norm_max", "largest value", norm[2]);
    return status;
}

static fur_status print_graph(const neighbours_job *job)
{
    const fur_neighbours_report *r = &job->report;
    const fur_csr_view *g = fur_csr_get(job->graph);
    double seconds = r->seconds - r->seconds_plan;
    output out = output_begin(job->options->common.json);
    output_count(&out, "rows", "rows", g->rows);
    output_count(&out, "cols", "columns", g->cols);
    output_count(&out, "entries", "entries", g->entries);
    output_count(&out, "dimensions", "dimensions", fur_vectors_get(job->points)->cols);
    output_text(&out, "value", "value type", fur_value_name(g->value_type));
    output_text(&out, "method", "method", r->method);
    output_text(&out, "reason", "because", r->reason);
    output_text(&out, "device", "device", fur_context_device(job->context));
    output_text(&out, "isa", "instruction set", fur_context_isa(job->context));
    output_count(&out, "threads", "threads", fur_context_threads(job->context));
    output_seconds(&out, "seconds_load", "time to load", job->loaded.seconds);
    output_seconds(&out, "seconds_plan", "time to sort", r->seconds_plan);
    output_seconds(&out, "seconds_apply", "time to search", seconds);
    output_count(&out, "bytes", "bytes moved", r->bytes);
    output_rate(&out, "gbps", "throughput", seconds > 0 ? 1e-9 * (double)r->bytes / seconds : 0);
    FUR_TRY(put_norms(&out, job));
    return output_end(&out, job->context);
}

static fur_status run(neighbours_job *job)
{
    const char *name = job->options->common.operands[0];
    const fur_mtx_header origin = {.size = sizeof origin, .field = FUR_MTX_REAL};
    FUR_TRY(command_while(job->context, "reading", name, load_points(job)));
    FUR_TRY(command_while(job->context, "searching", name, find(job)));
    if (job->options->out.path)
        FUR_TRY(save_matrix(job->graph, &job->options->out, &origin));
    return print_graph(job);
}

static fur_status neighbours(fur_context *context, const void *options)
{
    neighbours_job job = {
        .context = context, .options = options, .report = FUR_DEFAULT(fur_neighbours_report)};
    FUR_TRY(new_file_try(context, job.options->out.path));
    fur_status status = run(&job);
    fur_csr_destroy(job.graph);
    fur_vectors_destroy(job.points);
    fur_csr_destroy(job.loaded.matrix);
    return status;
}

static void settle(struct argp_state *state, void *options)
{
    const neighbours_options *o = options;
    save_check(state, "--out", &o->out);
}

#define AT(member) .at = offsetof(neighbours_options, member)
static const line_option own_options[] = {
    {"k", "K", "Number of neighbours of each point (default: 16)", LINE_LONG, AT(k),
     .most = INT32_MAX},
    {"squared", NULL, "Store squared distances (default: distances)", LINE_FLAG, AT(squared)},
    {"with-self", NULL, "Count each point as a neighbour of itself", LINE_FLAG, AT(with_self)},
    {"method", "NAME", "Search method: auto (default), brute or grid", LINE_CHOICE, AT(method),
     .names = method_names},
    {"out", "G.mtx", "Write the graph to this file", LINE_FILE, AT(out.path)},
    {"format", "NAME", SAVE_FORMAT_DOC, LINE_OWN, AT(out), .parse = save_parse_format},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "POINTS.mtx",
    .settle = settle,
    .doc = "Find the nearest neighbours of each point. POINTS.mtx is an array with a row for each "
           "point and a column for each dimension. Print the speed and the norms of the "
           "distances.\vThe graph is a matrix. Entry (i, j) is the distance between point i and "
           "its neighbour j. Among points at equal distance, those with lower numbers are chosen."};

int command_neighbours(int argc, char **argv)
{
    neighbours_options options = {.common = {.operands_min = 1, .operands_max = 1}};
    line_parse(&line_of, argc, argv, &options);
    return command_run(&options.common, neighbours, &options);
}
