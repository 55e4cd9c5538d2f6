/* Writing into a temporary file beside the target, which is renamed at the end. */
#include "output.h"
#include "scan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names that are tried for the temporary file; others of this process may be there. */
#define ATTEMPTS 1000

/* Room behind the directory for the temporary file's own name. */
#define OWN_NAME_SIZE 64

/* The path, and what the system says. */
#define CANNOT_WRITE "%.400s: cannot write: %s"

static fur_status system_failure(const fur_output *output, int error)
{
    return fur_context_fail(output->context, FUR_IO, CANNOT_WRITE, output->path, strerror(error));
}

/* Creates a new file beside the target. Opening it exclusively lets the system apply the user's
 * mask and keeps two writers apart. */
static fur_status create_temporary(fur_output *output)
{
    const char *slash = strrchr(output->target, '/');
    size_t directory = slash ? (size_t)(slash - output->target) + 1 : 0;
    void *name;
    FUR_TRY(fur_context_allocate(output->context, directory + OWN_NAME_SIZE, &name));
    output->temporary = name;
    memcpy(output->temporary, output->target, directory);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        snprintf(output->temporary + directory, OWN_NAME_SIZE, ".furrow-%ld-%d.tmp", (long)getpid(),
                 attempt);
        output->descriptor =
            open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)0666);
        if (output->descriptor >= 0 || errno != EEXIST)
            break;
    }
    if (output->descriptor >= 0)
        return FUR_OK;
    int error = errno;
    fur_context_release(output->context, output->temporary);
    output->temporary = NULL;
    return system_failure(output, error);
}

static fur_status take_target(fur_output *output, const char *path)
{
    size_t size = strlen(path) + 1;
    void *copy;
    FUR_TRY(fur_context_allocate(output->context, size, &copy));
    output->target = memcpy(copy, path, size);
    return FUR_OK;
}

/* Prepares to replace a file that exists: behind a link, if it is one, and with its permissions. */
static fur_status replace_file(fur_output *output, mode_t mode)
{
    char resolved[PATH_MAX];
    if (access(output->path, W_OK) != 0 || !realpath(output->path, resolved))
        return system_failure(output, errno);
    FUR_TRY(take_target(output, resolved));
    FUR_TRY(create_temporary(output));
    return fchmod(output->descriptor, mode & 0777) == 0 ? FUR_OK : system_failure(output, errno);
}

static fur_status write_in_place(fur_output *output)
{
    output->descriptor = open(output->path, O_WRONLY | O_CLOEXEC);
    return output->descriptor >= 0 ? FUR_OK : system_failure(output, errno);
}

/* What the program has printed so far comes first. */
static fur_status write_to_standard_output(fur_output *output)
{
    output->path = "standard output";
    fflush(stdout);
    output->descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    return output->descriptor >= 0 ? FUR_OK : system_failure(output, errno);
}

static fur_status open_destination(fur_output *output)
{
    struct stat status;
    if (strcmp(output->path, "-") == 0)
        return write_to_standard_output(output);
    if (stat(output->path, &status) == 0)
        return S_ISREG(status.st_mode) ? replace_file(output, status.st_mode)
                                       : write_in_place(output);
    if (errno != ENOENT)
        return system_failure(output, errno);
    FUR_TRY(take_target(output, output->path));
    return create_temporary(output);
}

fur_status fur_output_open(fur_context *context, const char *path, fur_output *out)
{
    fur_output output = {.context = context, .path = path, .descriptor = -1};
    fur_status status = open_destination(&output);
    if (status != FUR_OK)
        return fur_output_close(&output, status, false);
    *out = output;
    return FUR_OK;
}

fur_status fur_output_write(const fur_output *output, const void *bytes, size_t size,
                            fur_failure *failure)
{
    size_t done = 0;
    while (done < size) {
        ssize_t written = write(output->descriptor, (const char *)bytes + done, size - done);
        if (written < 0 && errno != EINTR)
            return fur_failure_set(failure, FUR_IO, CANNOT_WRITE, output->path, strerror(errno));
        done += written > 0 ? (size_t)written : 0;
    }
    return FUR_OK;
}

/* EINVAL from fsync says that there is no disk to bring the data to. */
static fur_status settle(fur_output *output, bool sync)
{
    if (sync && output->temporary && fsync(output->descriptor) != 0 && errno != EINVAL)
        return system_failure(output, errno);
    int descriptor = output->descriptor;
    output->descriptor = -1;
    if (close(descriptor) != 0)
        return system_failure(output, errno);
    if (output->temporary && rename(output->temporary, output->target) != 0)
        return system_failure(output, errno);
    return FUR_OK;
}

fur_status fur_output_close(fur_output *output, fur_status status, bool sync)
{
    if (status == FUR_OK)
        status = settle(output, sync);
    if (output->descriptor >= 0)
        close(output->descriptor);
    if (status != FUR_OK && output->temporary)
        unlink(output->temporary);
    fur_context_release(output->context, output->temporary);
    fur_context_release(output->context, output->target);
    return status;
}
