/* Writing a subcommand's matrices and vectors. */
#include "save.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool save_is_binary(const char *path)
{
    const size_t length = strlen(path), suffix = strlen(".fur");
    return length >= suffix && strcmp(path + length - suffix, ".fur") == 0;
}

/* Ends a file that standard output was: its reader gets nothing else. */
static fur_status leave_output(fur_context *context, const char *path)
{
    if (strcmp(path, "-") == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return fur_context_fail(context, FUR_IO, "standard output cannot be ended: %s",
                                strerror(errno));
    }
    return FUR_OK;
}

static fur_status write_matrix(const fur_csr *a, const char *path, const fur_mtx_header *origin)
{
    const fur_binary_write_options binary = {.size = sizeof binary, .origin = origin};
    const fur_mtx_write_options text = {.size = sizeof text,
                                        .symmetry = origin->symmetry,
                                        .pattern = origin->field == FUR_MTX_PATTERN,
                                        .integer = origin->field == FUR_MTX_INTEGER};
    return save_is_binary(path) ? fur_binary_write_csr(a, path, &binary)
                                : fur_mtx_write_csr(a, path, &text);
}

fur_status save_matrix(const fur_csr *a, const char *path, const fur_mtx_header *origin)
{
    const fur_status status = write_matrix(a, path, origin);
    return status == FUR_OK ? leave_output(fur_csr_context(a), path) : status;
}

static fur_status write_vector(const fur_vector *x, const char *path, const fur_mtx_header *origin)
{
    const fur_binary_write_options binary = {.size = sizeof binary, .origin = origin};
    return save_is_binary(path) ? fur_binary_write_vector(x, path, &binary)
                                : fur_mtx_write_vector(x, path, NULL);
}

fur_status save_vector(const fur_vector *x, const char *path, const fur_mtx_header *origin)
{
    const fur_status status = write_vector(x, path, origin);
    return status == FUR_OK ? leave_output(fur_vector_context(x), path) : status;
}
