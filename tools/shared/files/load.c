/* Reads the matrices and vectors of a subcommand. */
#include "load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "progress.h"

#define GOLDEN 0.61803398874989485

/* A file that is being read. */
typedef struct watch {
    progress line;
    double start;
} watch;

static int show_bytes(void *user, int64_t done, int64_t total)
{
    watch *w = user;
    if (progress_due(&w->line))
        progress_show_bytes(&w->line, done, total, fur_seconds() - w->start);
    return 0;
}

static void show_warning(void *user, const char *sentence)
{
    watch *w = user;
    progress_end(&w->line);
    command_error("warning: %s", sentence);
}

/* Returns the options of the command line, with a progress callback. */
static fur_mtx_read_options begin(watch *w, const command_common *common)
{
    fur_mtx_read_options options = common->reading;
    *w = (watch){.line = progress_begin(common->quiet), .start = fur_seconds()};
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
    if (is_binary(path)) /* a binary file stores the whole matrix */
        return fur_binary_read_csr(context, path, &binary, &out->matrix);
    FUR_TRY(fur_mtx_read_csr(context, path, text, &out->matrix));
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
    out->seconds = fur_seconds() - w.start;
    progress_end(&w.line);
    return status;
}

static fur_status load_ones(fur_context *context, const vector_request *request, fur_vector **out)
{
    FUR_TRY(fur_vector_create(context, request->value, request->size, out));
    return fur_vector_fill(*out, fur_real(1.0));
}

static fur_status load_binary(fur_context *context, const command_common *common,
                              const vector_request *request, fur_vector **out)
{
    fur_binary_read_options binary = {.size = sizeof binary, .limits = common->reading.limits};
    fur_vector *x = NULL;
    FUR_TRY(fur_binary_read_vector(context, request->path, &binary, &x));
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
    FUR_TRY(is_binary(request->path) ? load_binary(context, common, request, out)
                                     : load_text(context, common, request, out));
    int64_t found = fur_vector_size(*out);
    if (found != request->size) {
        return fur_context_fail(context, FUR_INVALID,
                                "%s: the vector has %lld entries, but the matrix needs %lld",
                                request->path, (long long)found, (long long)request->size);
    }
    return FUR_OK;
}

/* Returns whether the path is a regular file, as only these can be read a second time. */
static bool may_be_archive(const char *path)
{
    struct stat file;
    return strcmp(path, "-") != 0 && stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
           !fur_binary_detect(path);
}

fur_status load_archived_b(fur_context *context, const command_common *common,
                           const vector_request *request, fur_vector **out)
{
    vector_request member = *request;
    member.member = "b";
    if (!may_be_archive(request->path))
        return FUR_OK;
    fur_status status = load_vector(context, common, &member, out);
    if (status == FUR_OK || status == FUR_IO_ERROR) /* it has none: the file is readable */
        return FUR_OK;
    status = command_while(context, "reading", request->path, status);
    return fur_context_fail(
        context, status,
        "the right-hand side of the archive cannot be used: %s; give another by --b",
        fur_context_error(context));
}

fur_status load_fractions(fur_context *context, fur_value_type value, int64_t size,
                          fur_vector **out)
{
    double *numbers = malloc(((size_t)size + 1) * sizeof *numbers);
    fur_vector *exact = NULL;
    if (!numbers)
        return fur_context_fail(context, FUR_OUT_OF_MEMORY, "out of memory");
    for (int64_t i = 0; i < size; i++)
        numbers[i] = fmod((double)(i + 1) * GOLDEN, 1);
    fur_status status = fur_vector_create(context, FUR_F64, size, &exact);
    if (status == FUR_OK)
        status = fur_vector_upload(numbers, exact);
    if (status == FUR_OK)
        status = fur_vector_convert(exact, value, out);
    fur_vector_destroy(exact);
    free(numbers);
    return status;
}
