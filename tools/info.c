/* furrow info: what a Matrix Market or binary file holds. */
#include "command.h"
#include "line.h"
#include "load.h"
#include "output.h"

static fur_status print_info(fur_context *context, const command_common *common,
                             const loaded_matrix *a)
{
    fur_csr_view view = *fur_csr_get(a->matrix);
    fur_csr_statistics figures = FUR_DEFAULT(fur_csr_statistics);
    COMMAND_TRY(fur_csr_measure(a->matrix, &figures));
    output out = output_begin(common->json);
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
    output_text(&out, "device", "device", fur_context_device(context));
    output_text(&out, "isa", "instruction set", fur_context_isa(context));
    output_count(&out, "threads", "threads", fur_context_threads(context));
    output_seconds(&out, "seconds_load", "time to load", a->seconds);
    return output_end(&out, context);
}

static fur_status info(fur_context *context, const void *options)
{
    const command_common *common = options;
    loaded_matrix a = {0};
    const char *name = common->operands[0];
    fur_status status =
        command_while(context, "reading", name, load_matrix(context, common, name, &a));
    if (status == FUR_OK)
        status = print_info(context, common, &a);
    fur_csr_destroy(a.matrix);
    return status;
}

static const line line_of = {
    .operands = "FILE",
    .doc = "Say what the matrix in a Matrix Market or binary file is. A symmetric file is expanded "
           "first: entries, rows and profile are those of the whole matrix."};

int command_info(int argc, char **argv)
{
    command_common common = {.operands_min = 1, .operands_max = 1};
    line_parse(&line_of, argc, argv, &common);
    return command_run(&common, info, &common);
}
