/* Files, pipes and memory as the lowest stage. */
#include "file.h"
#include "scan.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Large enough that the system's calls cost nothing beside decompression, small enough for the
 * second level cache. */
#define WINDOW_SIZE 262144

static fur_status system_failure(const char *name, const char *action, int error,
                                 fur_failure *failure)
{
    return fur_failure_set(failure, FUR_IO_ERROR, "%.400s: cannot %s: %s", name, action,
                           strerror(error));
}

static fur_status read_file(fur_stage *stage, char *to, size_t room, size_t *got,
                            fur_failure *failure)
{
    const fur_file *file = (const fur_file *)stage;
    ssize_t result;
    do
        result = fur_system.read(file->descriptor, to, room);
    while (result < 0 && errno == EINTR);
    if (result < 0)
        return system_failure(stage->name, "read", errno, failure);
    *got = (size_t)result;
    return FUR_OK;
}

static void release_file(fur_stage *stage)
{
    fur_system.close(((fur_file *)stage)->descriptor);
}

/* Only a regular file that stands at its beginning has a size: standard input may have been read
 * from before, and what the system makes up while it is read has size 0. */
static fur_status inspect(fur_file *file, fur_failure *failure)
{
    struct stat status;
    if (fur_system.fstat(file->descriptor, &status) != 0)
        return system_failure(file->stage.name, "read", errno, failure);
    if (S_ISDIR(status.st_mode))
        return system_failure(file->stage.name, "read", EISDIR, failure);
    if (S_ISREG(status.st_mode) && status.st_size > 0 &&
        fur_system.lseek(file->descriptor, 0, SEEK_CUR) == 0) {
        file->size = status.st_size;
        posix_fadvise(file->descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return FUR_OK;
}

fur_status fur_file_open(fur_context *context, const char *path, const char *name,
                         fur_failure *failure, fur_file **out)
{
    fur_file *file = NULL;
    int descriptor = strcmp(path, "-") == 0
                         ? fur_system.fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                         : fur_system.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return system_failure(name, "open", errno, failure);
    fur_status status = fur_stage_create(context, name, sizeof *file, WINDOW_SIZE, failure, &file);
    if (status != FUR_OK) {
        fur_system.close(descriptor);
        return status;
    }
    file->stage.read = read_file;
    file->stage.release = release_file;
    file->descriptor = descriptor;
    file->size = -1;
    status = inspect(file, failure);
    if (status != FUR_OK)
        fur_stage_close(&file->stage, NULL);
    else
        *out = file;
    return status;
}

fur_status fur_file_borrow(fur_context *context, const void *memory, size_t size, const char *name,
                           fur_failure *failure, fur_file **out)
{
    fur_file *file = NULL;
    FUR_TRY(fur_stage_create(context, name, sizeof *file, 0, failure, &file));
    file->descriptor = -1;
    file->memory = memory;
    file->size = file->stage.offset = (int64_t)size;
    file->stage.at = memory;
    file->stage.end = file->memory + size;
    file->stage.complete = true;
    *out = file;
    return FUR_OK;
}

bool fur_file_rewind(fur_file *file)
{
    fur_stage *stage = &file->stage;
    if (file->memory) {
        stage->at = file->memory;
        return true;
    }
    if (file->size < 0 || fur_system.lseek(file->descriptor, 0, SEEK_SET) != 0)
        return false;
    stage->at = stage->end;
    stage->offset = 0;
    stage->complete = false;
    return true;
}
