/* Streams into the library's output files. */
#include "new_file.h"

#include <string.h>
#include <sys/stat.h>

bool new_file_is(const char *path, const char *suffix)
{
    size_t length = strlen(path);
    size_t end = strlen(suffix);
    return length > end && strcmp(path + length - end, suffix) == 0;
}

static ssize_t put(void *output, const char *bytes, size_t size)
{
    return fur_output_write(output, bytes, size) == FUR_OK ? (ssize_t)size : 0;
}

fur_status new_file_open(fur_context *context, const char *path, new_file *out)
{
    fur_output *output = NULL;
    fur_status status = fur_output_create(context, path, &output);
    if (status != FUR_OK)
        return status;
    FILE *stream = fopencookie(output, "w", (cookie_io_functions_t){.write = put});
    if (!stream) {
        fur_output_abandon(output);
        return fur_context_fail(context, FUR_OUT_OF_MEMORY, "%.400s: out of memory for writing",
                                path);
    }
    *out = (new_file){output, stream};
    return FUR_OK;
}

fur_status new_file_try(fur_context *context, const char *path)
{
    struct stat file;
    fur_output *output = NULL;
    if (!path || strcmp(path, "-") == 0 || strncmp(path, "/dev/", strlen("/dev/")) == 0 ||
        (stat(path, &file) == 0 && !S_ISREG(file.st_mode)))
        return FUR_OK;
    fur_status status = fur_output_create(context, path, &output);
    fur_output_abandon(output);
    return status;
}

/* Failures to write are remembered by the output. */
fur_status new_file_close(new_file *file, fur_status status)
{
    fclose(file->stream);
    if (status == FUR_OK)
        return fur_output_commit(file->output, 0);
    fur_output_abandon(file->output);
    return status;
}
