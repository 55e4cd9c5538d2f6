/* Writing beside the target and renaming at the end. */
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool new_file_is(const char *path, const char *suffix)
{
    const size_t length = strlen(path);
    const size_t end = strlen(suffix);
    return length > end && strcmp(path + length - end, suffix) == 0;
}

static fur_status cannot_write(const new_file *file, int error)
{
    return fur_context_fail(file->context, FUR_IO, "%.400s cannot be written: %s", file->path,
                            error ? strerror(error) : "the system gives no reason");
}

static fur_status open_stream(new_file *file, const char *path, int flags)
{
    const int descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (descriptor < 0) {
        return cannot_write(file, errno);
    }
    file->stream = fdopen(descriptor, "w");
    if (!file->stream) {
        close(descriptor);
        return cannot_write(file, ENOMEM);
    }
    return FUR_OK;
}

/* Where the file is to appear: behind a link, if the path is one. */
static fur_status find_target(new_file *file, bool exists)
{
    if (exists && (access(file->path, W_OK) != 0 || !realpath(file->path, file->target))) {
        return cannot_write(file, errno);
    }
    if (!exists && snprintf(file->target, sizeof file->target, "%s", file->path) >= PATH_MAX) {
        return cannot_write(file, ENAMETOOLONG);
    }
    return FUR_OK;
}

fur_status new_file_open(fur_context *context, const char *path, new_file *out)
{
    *out = (new_file){.context = context, .path = path};
    struct stat found = {.st_mode = 0};
    const bool exists = stat(path, &found) == 0;
    if (exists && !S_ISREG(found.st_mode)) {
        return open_stream(out, path, 0);
    }
    fur_status status = find_target(out, exists);
    if (status == FUR_OK) {
        snprintf(out->temporary, sizeof out->temporary, "%s.%ld.tmp", out->target, (long)getpid());
        status = open_stream(out, out->temporary, O_CREAT | O_EXCL);
    }
    if (status == FUR_OK && exists && fchmod(fileno(out->stream), found.st_mode & 0777) != 0) {
        return new_file_close(out, cannot_write(out, errno));
    }
    return status;
}

fur_status new_file_close(new_file *file, fur_status status)
{
    const bool complete = !ferror(file->stream);
    errno = 0;
    const bool closed = fclose(file->stream) == 0;
    if (status == FUR_OK && (!complete || !closed ||
                             (*file->temporary && rename(file->temporary, file->target) != 0))) {
        status = cannot_write(file, errno);
    }
    if (status != FUR_OK && *file->temporary) {
        unlink(file->temporary);
    }
    return status;
}
