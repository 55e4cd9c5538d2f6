/* Prefetching, which all stages share, and the lowest stage: files, pipes and memory. */
#include "stage.h"

#include <furrow/author/try.h>

#include "split.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The most bytes of one read. Between two reads, the caller is asked whether to continue. */
#define STEP ((size_t)16 << 20)

fur_status fur_stage_create(fur_context *context, const char *name, size_t size, size_t capacity,
                            fur_failure *failure, void *out)
{
    void *memory = NULL;
    fur_status status = fur_context_allocate(context, size + capacity, &memory);
    if (status != FUR_OK) {
        fur_failure_take(failure, status, context);
        return status; /* so that the static analyzer can follow it */
    }
    memset(memory, 0, size);
    fur_stage *stage = memory;
    stage->context = context;
    stage->name = name;
    stage->window = (char *)memory + size;
    stage->at = stage->end = stage->window;
    stage->capacity = capacity;
    *(void **)out = memory;
    return FUR_OK;
}

void fur_stage_close(fur_stage *stage, const fur_stage *last)
{
    while (stage != last) {
        fur_stage *below = stage->below;
        if (stage->release)
            stage->release(stage);
        fur_context_release(stage->context, stage);
        stage = below;
    }
}

static const fur_stage *file_below(const fur_stage *stage)
{
    while (stage->below)
        stage = stage->below;
    return stage;
}

/* Refuses an unpacked text that is larger than the limits allow for the file. */
static fur_status check_unpacked(const fur_stage *stage, const fur_stage *file,
                                 fur_failure *failure)
{
    const fur_watch *watch = file->watch;
    if (!watch || stage == file)
        return FUR_OK;
    int64_t bytes = watch->size >= 0 ? watch->size : file->offset;
    return fur_limits_check_unpacked(&watch->limits, stage->offset, bytes, stage->name, failure);
}

/* Reads past the prefetched bytes. */
static fur_status read_on(fur_stage *stage, char *to, size_t room, size_t *got,
                          fur_failure *failure)
{
    const fur_stage *file = file_below(stage);
    *got = 0;
    if (stage->complete)
        return FUR_OK;
    if (!fur_watch_goes_on(file->watch, fur_stage_offset(file)))
        return fur_watch_tell(file->watch, stage->name, failure);
    FUR_TRY(stage->read(stage, to, room < STEP ? room : STEP, got, failure));
    stage->complete = *got == 0;
    stage->offset += (int64_t)*got;
    return check_unpacked(stage, file, failure);
}

fur_status fur_stage_read(fur_stage *stage, char *to, size_t room, size_t *got,
                          fur_failure *failure)
{
    size_t size = fur_stage_size(stage);
    if (size == 0)
        return read_on(stage, to, room, got, failure);
    *got = size < room ? size : room;
    memcpy(to, stage->at, *got);
    stage->at += *got;
    return FUR_OK;
}

fur_status fur_stage_ahead(fur_stage *stage, size_t wanted, fur_failure *failure)
{
    while (!stage->complete && fur_stage_size(stage) < wanted) {
        size_t size = fur_stage_size(stage), got = 0;
        memmove(stage->window, stage->at, size);
        stage->at = stage->window;
        stage->end = stage->window + size;
        FUR_TRY(read_on(stage, stage->window + size, stage->capacity - size, &got, failure));
        stage->end += got;
    }
    return FUR_OK;
}

fur_status fur_stage_skip(fur_stage *stage, int64_t count, int64_t *left, fur_failure *failure)
{
    FUR_TRY(fur_stage_ahead(stage, count > 0, failure));
    while (count > 0 && fur_stage_size(stage) > 0) {
        int64_t step = fur_smaller((int64_t)fur_stage_size(stage), count);
        stage->at += step;
        count -= step;
        FUR_TRY(fur_stage_ahead(stage, count > 0, failure));
    }
    *left = count;
    return FUR_OK;
}

/* Large enough that system calls are negligible compared with decompression, and small enough for
 * the second-level cache. */
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

/* Only a regular file at its beginning has a size. Standard input may have been partly read before,
 * and files that the system generates have size 0. */
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
