/* Memory and streams of a rank on its device, and the lists of a halo there. */
#include "device.h"
#include "devices.h"

#include <stdio.h>
#include <string.h>

fur_status device_check(fur_ranks *g, const char *call, cudaError_t error)
{
    if (error == cudaSuccess)
        return FUR_OK;
    cudaGetLastError(); /* a reported error is cleared */
    return group_fail(g, error == cudaErrorMemoryAllocation ? FUR_OUT_OF_MEMORY : FUR_DEVICE_ERROR,
                      "%.*s failed on rank %d: %s", (int)strcspn(call, "("), call, g->rank,
                      cudaGetErrorString(error));
}

/* Ranks that are threads may share a GPU, and kernels of one rank wait for kernels of another.
 * Therefore no rank may wait for the whole device. It must not call cudaDeviceSynchronize, which
 * also blocked idle ranks forever (driver 580.159), nor cudaFree. */

fur_status device_allocate(fur_ranks *g, int64_t bytes, void **out)
{
    *out = NULL;
    if (bytes == 0)
        return FUR_OK;
    DEVICE_TRY(g, cudaMallocAsync(out, (size_t)bytes, cudaStreamLegacy));
    return device_clear(g, *out, bytes);
}

fur_status device_clear(fur_ranks *g, void *memory, int64_t bytes)
{
    DEVICE_TRY(g, cudaMemsetAsync(memory, 0, (size_t)bytes, cudaStreamLegacy));
    return device_check(g, "cudaStreamSynchronize", cudaStreamSynchronize(cudaStreamLegacy));
}

void device_release(void *memory)
{
    if (memory)
        cudaFreeAsync(memory, cudaStreamLegacy);
}

/* Waits for the streams of this rank. */
static void wait_for_seat(const struct device_seat *seat)
{
    cudaSetDevice(seat->number);
    if (seat->stream)
        cudaStreamSynchronize(seat->stream);
    if (seat->beside)
        cudaStreamSynchronize(seat->beside);
}

fur_status device_fork(space *s)
{
    DEVICE_TRY(s->group, cudaEventRecord(s->seat->forked, s->seat->stream));
    DEVICE_TRY(s->group, cudaStreamWaitEvent(s->seat->beside, s->seat->forked, 0));
    return FUR_OK;
}

fur_status device_join(space *s)
{
    DEVICE_TRY(s->group, cudaEventRecord(s->seat->joined, s->seat->beside));
    return FUR_OK;
}

fur_status devices_meet(space *s)
{
    DEVICE_TRY(s->group, cudaStreamWaitEvent(s->seat->stream, s->seat->joined, 0));
    return FUR_OK;
}

fur_status devices_pass(space *s, const fur_passing *pass)
{
    FUR_TRY(device_fork(s));
    FUR_TRY(s->group->link->pass(s, pass, s->seat->beside));
    return device_join(s);
}

fur_status devices_gather(space *s, const int64_t *bounds, size_t size, const void *mine, void *all)
{
    fur_ranks *g = s->group;
    fur_parcel give[FUR_PARCELS_MAX];
    fur_parcel take[FUR_PARCELS_MAX];
    fur_passing pass = {.give = give, .take = take, .most = (size_t)bounds[g->count] * size};
    size_t own = (size_t)bounds[g->rank] * size;
    size_t bytes = (size_t)bounds[g->rank + 1] * size - own;
    if (g->count > FUR_PARCELS_MAX)
        return group_fail(
            g, FUR_UNSUPPORTED,
            "at most %d ranks on GPUs can gather a vector, but there are %d; use fewer ranks",
            FUR_PARCELS_MAX, g->count);
    for (int i = 0; i < g->count; i++) {
        size_t at = (size_t)bounds[i] * size;
        size_t theirs = (size_t)bounds[i + 1] * size - at;
        if (i != g->rank && bytes > 0)
            give[pass.gives++] = (fur_parcel){i, (void *)(uintptr_t)mine, bytes, own};
        if (i != g->rank && theirs > 0)
            take[pass.takes++] = (fur_parcel){i, (char *)all + at, theirs, at};
    }
    if (bytes > 0)
        DEVICE_TRY(g, cudaMemcpyAsync((char *)all + own, mine, bytes, cudaMemcpyDeviceToDevice,
                                      s->seat->stream));
    return g->count > 1 ? g->link->pass(s, &pass, s->seat->stream) : FUR_OK;
}

void devices_seat(const space *s, fur_context_options *options)
{
    options->device = s->seat->name;
    options->stream = s->seat->stream;
}

static fur_status queue_pass(void *user, const fur_passing *pass)
{
    space *s = user;
    return space_pass(s, s->group->link->pass(s, pass, s->seat->stream));
}

/* Makes the streams. Communication has priority over computation. If ranks share a GPU, no stream
 * has priority: each stream then needs its own hardware queue, and fewer queues have a priority. */
static fur_status open_streams(fur_ranks *g, struct device_seat *seat)
{
    int least;
    int greatest;
    DEVICE_TRY(g, cudaDeviceGetStreamPriorityRange(&least, &greatest));
    int priority = g->devices->apart ? greatest : least;
    DEVICE_TRY(g, cudaStreamCreateWithFlags(&seat->stream, cudaStreamNonBlocking));
    DEVICE_TRY(g, cudaStreamCreateWithPriority(&seat->beside, cudaStreamNonBlocking, priority));
    DEVICE_TRY(g, cudaEventCreateWithFlags(&seat->forked, cudaEventDisableTiming));
    DEVICE_TRY(g, cudaEventCreateWithFlags(&seat->joined, cudaEventDisableTiming));
    return FUR_OK;
}

fur_status devices_open(space *s, fur_context_options *options, fur_sharing *sharing)
{
    fur_ranks *g = s->group;
    struct device_seat *seat;
    FUR_TRY(group_allocate(g, 1, sizeof *seat, &seat));
    memset(seat, 0, sizeof *seat);
    s->seat = seat;
    seat->number = g->devices->number;
    DEVICE_TRY(g, cudaSetDevice(seat->number));
    FUR_TRY(open_streams(g, seat));
    snprintf(seat->name, sizeof seat->name, "cuda:%d", seat->number);
    devices_seat(s, options);
    sharing->queue_pass = queue_pass;
    return g->link->open ? g->link->open(s, sharing) : FUR_OK;
}

void devices_close(space *s)
{
    struct device_seat *seat = s->seat;
    if (!seat)
        return;
    wait_for_seat(seat);
    if (s->group->link->close)
        s->group->link->close(s);
    if (seat->forked)
        cudaEventDestroy(seat->forked);
    if (seat->joined)
        cudaEventDestroy(seat->joined);
    if (seat->beside)
        cudaStreamDestroy(seat->beside);
    if (seat->stream)
        cudaStreamDestroy(seat->stream);
    group_release(s->group, seat);
    s->seat = NULL;
}

/* *out = an array numbers[i] - first on the device. */
static fur_status upload(fur_ranks *g, int64_t count, const int64_t *numbers, int64_t first,
                         int32_t **out)
{
    int32_t *narrow;
    void *there;
    FUR_TRY(device_allocate(g, count * (int64_t)sizeof *narrow, &there));
    *out = there;
    FUR_TRY(group_allocate(g, count, sizeof *narrow, &narrow));
    for (int64_t i = 0; i < count; i++)
        narrow[i] = (int32_t)(numbers[i] - first);
    cudaError_t error = count > 0 ? cudaMemcpy(there, narrow, (size_t)count * sizeof *narrow,
                                               cudaMemcpyHostToDevice)
                                  : cudaSuccess;
    group_release(g, narrow);
    return device_check(g, "cudaMemcpy", error);
}

fur_status devices_plan(fur_ranks_csr *m)
{
    fur_ranks *g = m->group;
    const halo *h = &m->halo;
    FUR_TRY(group_allocate(g, 1, sizeof *m->part, &m->part));
    memset(m->part, 0, sizeof *m->part);
    device_lists *l = &m->part->lists;
    l->give_count = h->give_count;
    l->own_at = h->own_at;
    l->own_count = h->own_count;
    l->boundary_rows = m->boundary_rows;
    l->columns = h->columns;
    l->value_size = fur_value_size(m->report.value_type);
    FUR_TRY(upload(g, h->give_count, h->give, 0, &l->give));
    FUR_TRY(upload(g, h->own_count, h->column + h->own_at, m->column_bounds[g->rank], &l->own));
    FUR_TRY(upload(g, m->boundary_rows, m->boundary, 0, &l->boundary));
    FUR_TRY(device_allocate(g, h->give_count * (int64_t)l->value_size, &m->part->packed));
    return g->link->plan ? g->link->plan(m) : FUR_OK;
}

void devices_drop(fur_ranks_csr *m)
{
    struct device_part *part = m->part;
    if (!part)
        return;
    wait_for_seat(m->space.seat);
    if (m->group->link->drop)
        m->group->link->drop(m);
    device_release(part->lists.give);
    device_release(part->lists.own);
    device_release(part->lists.boundary);
    device_release(part->packed);
    group_release(m->group, part);
    m->part = NULL;
}

fur_status device_multiply(fur_ranks_csr *m, fur_vector *y, cudaStream_t stream)
{
    const fur_csr_view *a = fur_csr_get(m->outer);
    DEVICE_TRY(m->group, device_rows(&m->part->lists, a, fur_vector_const_data(m->outer_x),
                                     fur_vector_data(y), stream));
    return FUR_OK;
}
