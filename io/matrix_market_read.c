/* Reading Matrix Market files into matrices and vectors. */
#include "arguments.h"
#include "column.h"
#include "companion.h"
#include "options.h"
#include "read.h"
#include "reader.h"
#include "scan.h"

/* The options with defaults in place of what is missing. */
static fur_status take_options(fur_context *context, const fur_mtx_read_options *options,
                               fur_mtx_read_options *out)
{
    FUR_TAKE_OPTIONS(context, fur_mtx_read_options, out, options);
    if (out->convert && fur_value_size(out->value) == 0)
        return fur_context_fail(context, FUR_INVALID, "%d is not a value type", (int)out->value);
    return FUR_OK;
}

fur_status fur_read_text(fur_context *context, const char *name, const void *text, size_t size,
                         const fur_mtx_read_options *options, fur_csr **out)
{
    fur_mtx_read_options taken;
    FUR_TRY(take_options(context, options, &taken));
    const fur_input_request request = {
        .path = name, .memory = text, .size = size, .member = taken.member};
    return fur_reader_read(context, &request, &taken, out);
}

fur_status fur_mtx_read_csr(fur_context *context, const char *path,
                            const fur_mtx_read_options *options, fur_csr **out)
{
    FUR_NEED(context, context, path, out);
    fur_mtx_read_options taken;
    FUR_TRY(take_options(context, options, &taken));
    const fur_input_request request = {.path = path, .member = taken.member};
    return fur_reader_read(context, &request, &taken, out);
}

fur_status fur_mtx_read_header(fur_context *context, const char *path, fur_mtx_header *out)
{
    FUR_NEED(context, context, path, out);
    const fur_input_request request = {.path = path};
    return fur_reader_read_header(context, &request, out);
}

fur_status fur_mtx_read_vector(fur_context *context, const char *path,
                               const fur_mtx_read_options *options, fur_vector **out)
{
    FUR_NEED(context, context, path, out);
    fur_csr *matrix = NULL;
    fur_mtx_header header;
    fur_mtx_read_options taken;
    FUR_TRY(take_options(context, options, &taken));
    fur_mtx_header *wanted = taken.header;
    taken.header = &header;
    FUR_TRY(fur_from_companion(context,
                               fur_mtx_read_csr(fur_context_host(context), path, &taken, &matrix)));
    fur_status status = fur_column_to_vector(context, path, matrix, out);
    fur_csr_destroy(matrix);
    if (status == FUR_OK && wanted)
        *wanted = header;
    return status;
}
