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

fur_status load_matrix(fur_context *context, const command_common *common, const char *path,
                       loaded_matrix *out)
{
    progress line = progress_begin(common->quiet);
    announce(&line, path);
    const fur_mtx_read_options options = {.size = sizeof options, .header = &out->header};
    const double start = command_seconds();
    const fur_status status = fur_mtx_read_csr(context, path, &options, &out->matrix);
    out->seconds = command_seconds() - start;
    progress_end(&line);
    return status;
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
    const fur_mtx_read_options options = {.size = sizeof options, .convert = 1, .value = value};
    COMMAND_TRY(fur_mtx_read_vector(context, path, &options, out));
    const int64_t found = fur_vector_size(*out);
    if (found != size) {
        return fur_context_fail(context, FUR_INVALID,
                                "%s: the vector has %" PRId64 " entries, the matrix needs %" PRId64,
                                path, found, size);
    }
    return FUR_OK;
}
