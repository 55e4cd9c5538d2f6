/* Reading Matrix Market files into matrices and vectors. */
#include "companion.h"
#include "options.h"
#include "read.h"
#include "reader.h"
#include "rows.h"
#include "scan.h"

#include <string.h>

/* The options with defaults in place of what is missing. */
static fur_status take_options(fur_context *context, const fur_mtx_read_options *options,
                               fur_mtx_read_options *out)
{
    fur_take_options(out, sizeof *out, options);
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
    if (!path || !out)
        return fur_context_fail(context, FUR_INVALID, "fur_mtx_read_csr was given NULL");
    fur_mtx_read_options taken;
    FUR_TRY(take_options(context, options, &taken));
    const fur_input_request request = {.path = path, .member = taken.member};
    return fur_reader_read(context, &request, &taken, out);
}

fur_status fur_mtx_read_header(fur_context *context, const char *path, fur_mtx_header *out)
{
    if (!path || !out)
        return fur_context_fail(context, FUR_INVALID, "fur_mtx_read_header was given NULL");
    const fur_input_request request = {.path = path};
    return fur_reader_read_header(context, &request, out);
}

/* Writes the entries of a matrix of one column, or one row, to their places among zeros. */
static void scatter(const fur_csr_view *view, void *dense)
{
    size_t size = fur_value_size(view->value);
    const char *values = view->values;
    for (int64_t row = 0; row < view->rows; row++) {
        int64_t end = fur_row_begin(view, row + 1);
        for (int64_t k = fur_row_begin(view, row); k < end; k++) {
            size_t index = (size_t)(view->cols == 1 ? row : view->columns[k]);
            memcpy((char *)dense + index * size, values + (size_t)k * size, size);
        }
    }
}

static fur_status make_vector(fur_context *context, const char *path, const fur_csr *matrix,
                              fur_vector **out)
{
    fur_csr_view view = fur_csr_get(matrix);
    if (view.rows != 1 && view.cols != 1)
        return fur_context_fail(context, FUR_INVALID,
                                "%.400s: found a matrix of %lld x %lld, expected one column or one "
                                "row for a vector",
                                path, (long long)view.rows, (long long)view.cols);
    int64_t size = view.cols == 1 ? view.rows : view.cols;
    fur_vector *vector;
    FUR_TRY(fur_vector_create(context, view.value, size, &vector));
    scatter(&view, fur_vector_data(vector));
    *out = vector;
    return FUR_OK;
}

static fur_status read_vector(fur_context *context, const char *path,
                              const fur_mtx_read_options *options, fur_vector **out)
{
    fur_csr *matrix = NULL;
    fur_mtx_read_options taken;
    fur_mtx_header header;
    FUR_TRY(take_options(context, options, &taken));
    fur_mtx_header *wanted = taken.header;
    taken.header = &header;
    FUR_TRY(fur_mtx_read_csr(context, path, &taken, &matrix));
    fur_status status = make_vector(context, path, matrix, out);
    fur_csr_destroy(matrix);
    if (status == FUR_OK && wanted)
        *wanted = header;
    return status;
}

fur_status fur_mtx_read_vector(fur_context *context, const char *path,
                               const fur_mtx_read_options *options, fur_vector **out)
{
    fur_context *host = fur_context_host(context);
    fur_vector *near = NULL;
    if (!out)
        return fur_context_fail(context, FUR_INVALID, "fur_mtx_read_vector was given NULL");
    if (host == context)
        return read_vector(context, path, options, out);
    FUR_TRY(fur_from_companion(context, read_vector(host, path, options, &near)));
    fur_status status = fur_vector_wrap(context, fur_vector_value(near), fur_vector_size(near),
                                        fur_vector_data(near), FUR_COPY, out);
    fur_vector_destroy(near);
    return status;
}
