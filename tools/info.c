/* furrow info: describes the contents of a Matrix Market or binary file. */
#include "command.h"

#include <furrow/author/context.h>

#include "line.h"
#include "load.h"
#include "output.h"

typedef struct info_options {
    command_common common;
    bool graph;
} info_options;

/* Figures of the pattern that show how many rows can be processed at once. */
typedef struct graph_figures {
    fur_classes *components;
    fur_classes *colours;
    fur_classes *levels[2]; /* levels of the lower and the upper triangle */
} graph_figures;

static fur_status find_graph(const fur_csr *a, graph_figures *g)
{
    FUR_TRY(fur_classes_from_components(a, &g->components));
    FUR_TRY(fur_classes_from_colours(a, NULL, &g->colours));
    FUR_TRY(fur_classes_from_levels(a, FUR_TRIANGLE_LOWER, &g->levels[0]));
    return fur_classes_from_levels(a, FUR_TRIANGLE_UPPER, &g->levels[1]);
}

static void release_graph(graph_figures *g)
{
    fur_classes_destroy(g->levels[1]);
    fur_classes_destroy(g->levels[0]);
    fur_classes_destroy(g->colours);
    fur_classes_destroy(g->components);
}

static void put_graph(output *out, const graph_figures *g)
{
    const char *largest = "rows of the largest";
    output_count(out, "components", "components", fur_classes_get(g->components)->count);
    output_count(out, "component_max", largest, fur_classes_get(g->components)->largest);
    output_count(out, "colours", "colours", fur_classes_get(g->colours)->count);
    output_count(out, "colour_max", largest, fur_classes_get(g->colours)->largest);
    output_count(out, "levels_lower", "lower levels", fur_classes_get(g->levels[0])->count);
    output_count(out, "level_lower_max", largest, fur_classes_get(g->levels[0])->largest);
    output_count(out, "levels_upper", "upper levels", fur_classes_get(g->levels[1])->count);
    output_count(out, "level_upper_max", largest, fur_classes_get(g->levels[1])->largest);
}

static fur_status print_info(fur_context *context, const info_options *options,
                             const loaded_matrix *a, const graph_figures *g)
{
    fur_csr_view view = *fur_csr_get(a->matrix);
    fur_csr_statistics figures = FUR_DEFAULT(fur_csr_statistics);
    FUR_TRY(fur_csr_measure(a->matrix, &figures));
    output out = output_begin(options->common.json);
    output_count(&out, "rows", "rows", view.rows);
    output_count(&out, "cols", "columns", view.cols);
    output_count(&out, "entries", "entries", view.entries);
    output_count(&out, "entries_in_file", "entries in file", a->header.entries_in_file);
    output_text(&out, "format", "format", fur_mtx_format_name(a->header.format));
    output_text(&out, "field", "field", fur_mtx_field_name(a->header.field));
    output_text(&out, "symmetry", "symmetry", fur_mtx_symmetry_name(a->header.symmetry));
    if (a->header.graphblas_type[0] != '\0')
        output_text(&out, "graphblas_type", "GraphBLAS type", a->header.graphblas_type);
    output_text(&out, "value", "value type", fur_value_name(view.value_type));
    output_text(&out, "offset", "offset type", fur_offset_name(view.offset_type));
    output_count(&out, "row_min", "shortest row", figures.row_min);
    output_number(&out, "row_mean", "mean row", figures.row_mean);
    output_count(&out, "row_max", "longest row", figures.row_max);
    output_count(&out, "empty_rows", "empty rows", figures.empty_rows);
    output_count(&out, "bandwidth", "bandwidth", figures.bandwidth);
    output_count(&out, "profile", "profile", figures.profile);
    if (options->graph)
        put_graph(&out, g);
    output_text(&out, "device", "device", fur_context_device(context));
    output_text(&out, "isa", "instruction set", fur_context_isa(context));
    output_count(&out, "threads", "threads", fur_context_threads(context));
    output_seconds(&out, "seconds_load", "time to load", a->seconds);
    return output_end(&out, context);
}

static fur_status info(fur_context *context, const void *options)
{
    const info_options *o = options;
    loaded_matrix a = {0};
    graph_figures g = {0};
    const char *name = o->common.operands[0];
    fur_status status =
        command_while(context, "reading", name, load_matrix(context, &o->common, name, &a));
    if (status == FUR_OK && o->graph)
        status = command_while(context, "looking at", name, find_graph(a.matrix, &g));
    if (status == FUR_OK)
        status = print_info(context, o, &a, &g);
    release_graph(&g);
    fur_csr_destroy(a.matrix);
    return status;
}

static const line_option own_options[] = {
    {"graph", NULL,
     "Count connected components, colours, and level sets of both triangles (square matrices)",
     LINE_FLAG, .at = offsetof(info_options, graph)},
    {0},
};

static const line line_of = {
    .options = own_options,
    .operands = "FILE",
    .doc = "Print the properties of the matrix in a Matrix Market or binary file. If a symmetric "
           "file stores one triangle, the numbers count both triangles."};

int command_info(int argc, char **argv)
{
    info_options options = {.common = {.operands_min = 1, .operands_max = 1}};
    line_parse(&line_of, argc, argv, &options);
    return command_run(&options.common, info, &options);
}
