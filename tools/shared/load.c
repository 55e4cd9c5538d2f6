/* Reading a subcommand's matrices and vectors. */
#include "load.h"

#include <stdio.h>
#include <string.h>

#include "progress.h"

/* One file while it is read. */
typedef struct watch {
    progress line;
    double start;
} watch;

static int show_bytes(void *user, int64_t done, int64_t total)
{
    watch *w = user;
    if (progress_due(&w->line))
        progress_show_bytes(&w->line, done, total, command_seconds() - w->start);
    return 0;
}

static void show_warning(void *user, const char *sentence)
{
    watch *w = user;
    progress_end(&w->line);
    command_error("warning: %s", sentence);
}

/* The options of the command line, and to be told how it goes. */
static fur_mtx_read_options begin(watch *w, const command_common *common)
{
    fur_mtx_read_options options = common->reading;
    *w = (watch){.line = progress_begin(common->quiet), .start = command_seconds()};
    options.warn = common->quiet ? NULL : show_warning;
    options.progress = w->line.enabled ? show_bytes : NULL;
    options.user = w;
    return options;
}

static bool is_binary(const char *path)
{
    return strcmp(path, "-") != 0 && fur_binary_detect(path);
}

static fur_status read_matrix(fur_context *context, const char *path,
                              const fur_mtx_read_options *text, loaded_matrix *out)
{
    fur_binary_read_options binary = {
        .size = sizeof binary, .header = &out->header, .limits = text->limits};
    if (is_binary(path)) /* whole */
        return fur_binary_read_csr(context, path, &binary, &out->matrix);
    COMMAND_TRY(fur_mtx_read_csr(context, path, text, &out->matrix));
    out->triangle = text->keep_triangle && out->header.symmetry != FUR_MTX_GENERAL;
    return FUR_OK;
}

fur_status load_matrix(fur_context *context, const command_common *common, const char *path,
                       loaded_matrix *out)
{
    watch w;
    fur_mtx_read_options options = begin(&w, common);
    out->header = FUR_DEFAULT(fur_mtx_header);
    options.header = &out->header;
    fur_status status = read_matrix(context, path, &options, out);
    out->seconds = command_seconds() - w.start;
    progress_end(&w.line);
    return status;
}

static fur_status load_ones(fur_context *context, const vector_request *request, fur_vector **out)
{
    COMMAND_TRY(fur_vector_create(context, request->value, request->size, out));
    return fur_vector_fill(*out, fur_real(1.0));
}

static fur_status load_binary(fur_context *context, const command_common *common,
                              const vector_request *request, fur_vector **out)
{
    fur_binary_read_options binary = {.size = sizeof binary, .limits = common->reading.limits};
    fur_vector *x = NULL;
    COMMAND_TRY(fur_binary_read_vector(context, request->path, &binary, &x));
    fur_status status = fur_vector_convert(x, request->value, out);
    fur_vector_destroy(x);
    return status;
}

static fur_status load_text(fur_context *context, const command_common *common,
                            const vector_request *request, fur_vector **out)
{
    watch w;
    fur_mtx_read_options options = begin(&w, common);
    options.member = request->member;
    options.convert = fur_mtx_as(request->value);
    fur_status status = fur_mtx_read_vector(context, request->path, &options, out);
    progress_end(&w.line);
    return status;
}

fur_status load_vector(fur_context *context, const command_common *common,
                       const vector_request *request, fur_vector **out)
{
    if (!request->path)
        return load_ones(context, request, out);
    COMMAND_TRY(is_binary(request->path) ? load_binary(context, common, request, out)
                                         : load_text(context, common, request, out));
    int64_t found = fur_vector_size(*out);
    if (found != request->size) {
        return fur_context_fail(context, FUR_INVALID,
                                "%s: the vector has %lld entries, the matrix needs %lld",
                                request->path, (long long)found, (long long)request->size);
    }
    return FUR_OK;
}
