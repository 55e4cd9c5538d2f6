/* Reading files into the context's memory. */
#include "source.h"
#include "scan.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The least that is read at once where the size is not known. */
#define SMALLEST_CAPACITY 65536

static fur_status system_failure(const fur_source *source, const char *action, int error)
{
    return fur_context_fail(source->context, FUR_IO, "%.400s: cannot %s: %s", source->path, action,
                            strerror(error));
}

/* Takes what the system knows about an open file. */
static fur_status inspect(fur_source *source)
{
    struct stat status;
    if (fstat(source->descriptor, &status) != 0)
        return system_failure(source, "read", errno);
    if (S_ISDIR(status.st_mode))
        return system_failure(source, "read", EISDIR);
    source->expected = S_ISREG(status.st_mode) ? (size_t)status.st_size : 0;
    return FUR_OK;
}

fur_status fur_source_open(fur_context *context, const char *path, fur_source *out)
{
    fur_source source = {.context = context, .path = path};
    source.descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (source.descriptor < 0)
        return system_failure(&source, "open", errno);
    fur_status status = inspect(&source);
    if (status != FUR_OK) {
        fur_source_close(&source);
        return status;
    }
    *out = source;
    return FUR_OK;
}

/* Room for at least one more byte; for all of the file at once if that is wanted. One byte more
 * than expected lets the last read meet the end of the file. */
static fur_status make_room(fur_source *source, size_t wanted)
{
    if (source->size < source->capacity)
        return FUR_OK;
    size_t capacity = source->expected < wanted ? source->expected + 1 : wanted;
    if (source->expected == 0 || capacity <= source->size)
        capacity = source->size < SMALLEST_CAPACITY ? SMALLEST_CAPACITY : 2 * source->size;
    void *larger;
    FUR_TRY(fur_context_allocate(source->context, capacity, &larger));
    if (source->size > 0)
        memcpy(larger, source->text, source->size);
    fur_context_release(source->context, source->text);
    source->text = larger;
    source->capacity = capacity;
    return FUR_OK;
}

fur_status fur_source_fill(fur_source *source, size_t wanted)
{
    while (!source->complete && source->size < wanted) {
        FUR_TRY(make_room(source, wanted));
        ssize_t got =
            read(source->descriptor, source->text + source->size, source->capacity - source->size);
        if (got < 0 && errno != EINTR)
            return system_failure(source, "read", errno);
        source->complete = got == 0;
        source->size += got > 0 ? (size_t)got : 0;
    }
    return FUR_OK;
}

void fur_source_close(fur_source *source)
{
    close(source->descriptor);
    fur_context_release(source->context, source->text);
}
