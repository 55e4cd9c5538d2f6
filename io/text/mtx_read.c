/* Reads Matrix Market files, or the bytes of such files in memory, into matrices and vectors. */
#include "arguments.h"

#include <furrow/author/files.h>
#include <furrow/author/options.h>
#include <furrow/author/try.h>

#include "assemble.h"
#include "matrix.h"
#include "reader.h"

/* Returns a request for bytes in memory, which messages call "memory". */
static fur_input_request in_memory(const void *bytes, size_t size)
{
    return (fur_input_request){.path = "memory", .memory = bytes, .size = size};
}

fur_status fur_mtx_read_header(fur_context *context, const char *path, fur_mtx_header *out)
{
    FUR_NEED(context, context, path, out);
    FUR_CHECK_REPORT(context, fur_mtx_header, out);
    return fur_reader_read_header(context, &(fur_input_request){.path = path}, out);
}

fur_status fur_mtx_read_csr(fur_context *context, const char *path,
                            const fur_mtx_read_options *options, fur_csr **out)
{
    FUR_NEED(context, context, path, out);
    return fur_reader_read(context, &(fur_input_request){.path = path}, 0, options, out);
}

fur_status fur_mtx_read_csr_from_memory(fur_context *context, const void *bytes, size_t size,
                                        const fur_mtx_read_options *options, fur_csr **out)
{
    FUR_NEED(context, context, bytes, out);
    const fur_input_request request = in_memory(bytes, size);
    return fur_reader_read(context, &request, 0, options, out);
}

/* Reads a matrix of one column or one row, and makes a vector of it. */
static fur_status read_vector(fur_context *context, const fur_input_request *request,
                              const fur_mtx_read_options *options, fur_vector **out)
{
    fur_csr *matrix = NULL;
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    fur_mtx_read_options taken;
    FUR_TAKE_OPTIONS(context, fur_mtx_read_options, &taken, options);
    FUR_CHECK_REPORT(context, fur_mtx_header, taken.header);
    fur_mtx_header *wanted = taken.header;
    taken.header = &header;
    FUR_TRY(fur_from_companion(
        context, fur_reader_read(fur_context_host(context), request, 0, &taken, &matrix)));
    fur_status status = fur_column_to_vector(context, request->path, matrix, out);
    fur_csr_destroy(matrix);
    if (status == FUR_OK)
        fur_report_fill(wanted, &header, sizeof header);
    return status;
}

fur_status fur_mtx_read_vector(fur_context *context, const char *path,
                               const fur_mtx_read_options *options, fur_vector **out)
{
    FUR_NEED(context, context, path, out);
    return read_vector(context, &(fur_input_request){.path = path}, options, out);
}

fur_status fur_mtx_read_vector_from_memory(fur_context *context, const void *bytes, size_t size,
                                           const fur_mtx_read_options *options, fur_vector **out)
{
    FUR_NEED(context, context, bytes, out);
    const fur_input_request request = in_memory(bytes, size);
    return read_vector(context, &request, options, out);
}
