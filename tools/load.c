/* Reading a subcommand's matrices and vectors. */
#include "load.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "progress.h"

/* A file from this size on takes long enough to load that one wants to be told. */
static const int64_t LONG_FILE_BYTES = INT64_C(256) << 20;

static void announce(progress *line, const char *path)
{
    struct stat file;
    if (stat(path, &file) == 0 && file.st_size >= LONG_FILE_BYTES) {
        char text[64];
        snprintf(text, sizeof text, "reading %" PRId64 " MB", (int64_t)file.st_size / 1000000);
        progress_show(line, text);
    }
}

fur_status load_header(fur_context *context, const char *path, fur_mtx_header *out)
{
    return fur_binary_is(path) ? fur_binary_read_header(context, path, out)
                               : fur_mtx_read_header(context, path, out);
}

static fur_status read_matrix(fur_context *context, const char *path, loaded_matrix *out)
{
    const fur_mtx_read_options text = {.size = sizeof text, .header = &out->header};
    const fur_binary_read_options binary = {.size = sizeof binary, .header = &out->header};
    return fur_binary_is(path) ? fur_binary_read_csr(context, path, &binary, &out->matrix)
                               : fur_mtx_read_csr(context, path, &text, &out->matrix);
}

fur_status load_matrix(fur_context *context, const command_common *common, const char *path,
                       loaded_matrix *out)
{
    progress line = progress_begin(common->quiet);
    announce(&line, path);
    const double start = command_seconds();
    const fur_status status = read_matrix(context, path, out);
    out->seconds = command_seconds() - start;
    progress_end(&line);
    return status;
}

static fur_status load_binary_vector(fur_context *context, const char *path, const fur_value *value,
                                     fur_mtx_header *header, fur_vector **out)
{
    const fur_binary_read_options options = {.size = sizeof options, .header = header};
    fur_vector *x = NULL;
    if (value == NULL) {
        return fur_binary_read_vector(context, path, &options, out);
    }
    COMMAND_TRY(fur_binary_read_vector(context, path, &options, &x));
    const fur_status status = fur_vector_convert(x, *value, out);
    fur_vector_destroy(x);
    return status;
}

fur_status load_any_vector(fur_context *context, const char *path, const fur_value *value,
                           fur_mtx_header *header, fur_vector **out)
{
    if (fur_binary_is(path)) {
        return load_binary_vector(context, path, value, header, out);
    }
    const fur_mtx_read_options options = {.size = sizeof options,
                                          .convert = value != NULL,
                                          .value = value != NULL ? *value : FUR_F64,
                                          .header = header};
    return fur_mtx_read_vector(context, path, &options, out);
}

static fur_status load_ones(fur_context *context, fur_value value, int64_t size, fur_vector **out)
{
    COMMAND_TRY(fur_vector_create(context, value, size, out));
    return fur_vector_fill(*out, fur_real(1.0));
}

fur_status load_vector(fur_context *context, const char *path, fur_value value, int64_t size,
                       fur_vector **out)
{
    if (path == NULL) {
        return load_ones(context, value, size, out);
    }
    COMMAND_TRY(load_any_vector(context, path, &value, NULL, out));
    const int64_t found = fur_vector_size(*out);
    if (found != size) {
        return fur_context_fail(context, FUR_INVALID,
                                "%s: the vector has %" PRId64 " entries, the matrix needs %" PRId64,
                                path, found, size);
    }
    return FUR_OK;
}
