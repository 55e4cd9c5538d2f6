/* Reading ahead, which all stages have in common. */
#include "stage.h"
#include "limit.h"
#include "scan.h"

#include <string.h>

/* What is read at once, however much room there is: between two such steps the caller is asked. */
#define STEP ((size_t)16 << 20)

fur_status fur_stage_create(fur_context *context, const char *name, size_t size, size_t capacity,
                            fur_failure *failure, void *out)
{
    void *memory = NULL;
    fur_status status = fur_context_allocate(context, size + capacity, &memory);
    if (status != FUR_OK)
        return fur_failure_set(failure, status, "%s", fur_context_error(context));
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

/* What lies above the file may have become more than the file justifies. */
static fur_status check_unpacked(const fur_stage *stage, const fur_stage *file,
                                 fur_failure *failure)
{
    const fur_watch *watch = file->watch;
    if (!watch || stage == file)
        return FUR_OK;
    int64_t bytes = watch->size >= 0 ? watch->size : file->offset;
    return fur_limits_check_unpacked(&watch->limits, stage->offset, bytes, stage->name, failure);
}

/* Reads beyond what was read ahead. */
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
        int64_t size = (int64_t)fur_stage_size(stage);
        int64_t step = size < count ? size : count;
        stage->at += step;
        count -= step;
        FUR_TRY(fur_stage_ahead(stage, count > 0, failure));
    }
    *left = count;
    return FUR_OK;
}
