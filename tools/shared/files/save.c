/* Writes the matrices and vectors of a subcommand. */
#include "save.h"

#include <furrow/author/context.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *format_name(fur_context *context, int index)
{
    static const char *const names[] = {"mtx", "fur", NULL};
    (void)context;
    return names[index];
}

void save_parse_format(struct argp_state *state, const char *option, const char *text, void *target)
{
    int found = command_choice(state, option, format_name, text);
    ((save_target *)target)->format = found == 0 ? SAVE_TEXT : SAVE_BINARY;
}

/* Returns where the ending of the first `length` characters begins, including its dot, or `length`
 * for a name without an ending. */
static size_t find_ending(const char *name, size_t length)
{
    size_t at = length;
    while (at > 1 && name[at - 1] != '.')
        at--;
    return at > 1 ? at - 1 : length;
}

static bool is(const char *text, size_t length, const char *known)
{
    return length == strlen(known) && memcmp(text, known, length) == 0;
}

/* Returns whether a name tells the format of the file, or has no ending. */
static bool tells_format(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t end = strlen(name);
    size_t dot = find_ending(name, end);
    if (is(name + dot, end - dot, ".gz") || is(name + dot, end - dot, ".zst")) {
        end = dot;
        dot = find_ending(name, end);
    } else if (is(name + dot, end - dot, ".fur")) {
        return true;
    }
    return dot == end || is(name + dot, end - dot, ".mtx");
}

void save_check(struct argp_state *state, const char *option, const save_target *target)
{
    if (!target->path) {
        command_pairing format = {"--format", target->format != SAVE_BY_NAME, false, "with --out"};
        command_check(state, &format, 1);
    } else if (target->format == SAVE_BY_NAME && !tells_format(target->path)) {
        argp_error(state,
                   "%s takes a name that ends in .mtx, .mtx.gz, .mtx.zst or .fur, not '%s'; "
                   "--format mtx and --format fur take any",
                   option, target->path);
    }
}

bool save_is_binary(const save_target *target)
{
    size_t length = strlen(target->path), dot = find_ending(target->path, length);
    return target->format == SAVE_BY_NAME ? is(target->path + dot, length - dot, ".fur")
                                          : target->format == SAVE_BINARY;
}

/* Closes a file that was standard output, so that its reader gets nothing else. */
static fur_status leave_output(fur_context *context, const char *path)
{
    if (strcmp(path, "-") == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return fur_context_fail(context, FUR_IO_ERROR, "standard output cannot be closed: %s",
                                strerror(errno));
    }
    return FUR_OK;
}

static fur_status write_matrix(const fur_csr *a, const save_target *target,
                               const fur_mtx_header *origin)
{
    fur_binary_write_options binary = {.size = sizeof binary, .origin = origin};
    fur_mtx_write_options text = {.size = sizeof text,
                                  .symmetry = origin->symmetry,
                                  .pattern = origin->field == FUR_MTX_PATTERN,
                                  .integer = origin->field == FUR_MTX_INTEGER};
    return save_is_binary(target) ? fur_binary_write_csr(a, target->path, &binary)
                                  : fur_mtx_write_csr(a, target->path, &text);
}

fur_status save_matrix(const fur_csr *a, const save_target *target, const fur_mtx_header *origin)
{
    fur_status status = write_matrix(a, target, origin);
    return status == FUR_OK ? leave_output(fur_csr_context(a), target->path) : status;
}

static fur_status write_vector(const fur_vector *x, const save_target *target,
                               const fur_mtx_header *origin)
{
    fur_binary_write_options binary = {.size = sizeof binary, .origin = origin};
    return save_is_binary(target) ? fur_binary_write_vector(x, target->path, &binary)
                                  : fur_mtx_write_vector(x, target->path, NULL);
}

fur_status save_vector(const fur_vector *x, const save_target *target, const fur_mtx_header *origin)
{
    fur_status status = write_vector(x, target, origin);
    return status == FUR_OK ? leave_output(fur_vector_context(x), target->path) : status;
}

fur_status save_vectors(const fur_vectors *x, const save_target *target)
{
    fur_context *context = fur_vectors_context(x);
    if (save_is_binary(target))
        return fur_context_fail(context, FUR_UNSUPPORTED,
                                "%s: a block of vectors can be written as .mtx only", target->path);
    fur_status status = fur_mtx_write_vectors(x, target->path, NULL);
    return status == FUR_OK ? leave_output(context, target->path) : status;
}
