/* The link of GPUs through the hosts. Entries are packed on the device, copied to the host, sent as
 * messages of the group's transport, and copied to the other device. It works with every
 * transport. */
#include "device.h"
#include "devices.h"

#include <string.h>

/* Pinned memory. */
typedef struct buffer {
    char *memory;
    size_t room;
} buffer;

typedef struct staged_part {
    buffer out;        /* sent entries */
    buffer in;         /* received entries */
    buffer sums;       /* sums of reductions, of all ranks */
    cudaEvent_t taken; /* the entries are on the device */
} staged_part;

static fur_status wait(const space *s)
{
    return device_check(s->group, "cudaStreamSynchronize", cudaStreamSynchronize(s->seat->stream));
}

/* Grows the buffer of pinned memory to at least this size. Its contents are lost. */
static fur_status need_room(const space *s, buffer *b, size_t bytes)
{
    void *larger;
    if (bytes <= b->room)
        return FUR_OK;
    FUR_TRY(wait(s));
    DEVICE_TRY(s->group, cudaMallocHost(&larger, bytes));
    cudaFreeHost(b->memory);
    *b = (buffer){larger, bytes};
    return FUR_OK;
}

static fur_status copy(const space *s, void *to, const void *from, size_t bytes, void *stream)
{
    if (bytes == 0)
        return FUR_OK;
    return device_check(s->group, "cudaMemcpyAsync",
                        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}

static fur_status gather(const space *s, const void *mine, size_t bytes, void *all)
{
    staged_part *p = s->seat->state;
    size_t ranks = (size_t)s->group->count;
    size_t own = bytes * (size_t)s->group->rank;
    FUR_TRY(need_room(s, &p->sums, bytes * ranks));
    FUR_TRY(copy(s, p->sums.memory + own, mine, bytes, s->seat->stream));
    FUR_TRY(wait(s));
    FUR_TRY(group_gather(s->group, p->sums.memory + own, bytes, p->sums.memory));
    return copy(s, all, p->sums.memory, bytes * ranks, s->seat->stream);
}

static fur_status queue_gather(void *user, const void *mine, size_t bytes, void *all)
{
    return space_pass(user, gather(user, mine, bytes, all));
}

static size_t bytes_of(const fur_parcel *parcels, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += parcels[i].bytes;
    return bytes;
}

static fur_status pass_staged(space *s, const fur_passing *pass, void *stream)
{
    staged_part *p = s->seat->state;
    size_t at = 0;
    FUR_TRY(need_room(s, &p->out, bytes_of(pass->give, pass->gives)));
    FUR_TRY(need_room(s, &p->in, bytes_of(pass->take, pass->takes)));
    for (int i = 0; i < pass->gives; at += pass->give[i++].bytes)
        FUR_TRY(copy(s, p->out.memory + at, pass->give[i].data, pass->give[i].bytes, stream));
    DEVICE_TRY(s->group, cudaStreamSynchronize(stream));
    at = 0;
    for (int i = 0; i < pass->gives; at += pass->give[i++].bytes)
        FUR_TRY(group_send(s->group, pass->give[i].rank, p->out.memory + at, pass->give[i].bytes));
    at = 0;
    for (int i = 0; i < pass->takes; at += pass->take[i++].bytes) {
        const fur_parcel *parcel = &pass->take[i];
        FUR_TRY(group_receive(s->group, parcel->rank, p->in.memory + at, parcel->bytes));
        FUR_TRY(copy(s, parcel->data, p->in.memory + at, parcel->bytes, stream));
    }
    return device_check(s->group, "cudaStreamSynchronize", cudaStreamSynchronize(stream));
}

static fur_status open_staged(space *s, fur_sharing *sharing)
{
    staged_part *p;
    FUR_TRY(group_allocate(s->group, 1, sizeof *p, &p));
    memset(p, 0, sizeof *p);
    s->seat->state = p;
    DEVICE_TRY(s->group, cudaEventCreateWithFlags(&p->taken, cudaEventDisableTiming));
    sharing->queue_gather = queue_gather;
    return FUR_OK;
}

static fur_status begin_staged(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    const halo *h = &m->halo;
    staged_part *s = m->space.seat->state;
    size_t size = m->part->lists.value_size;
    size_t bytes = (size_t)h->give_count * size;
    (void)y;
    if (bytes == 0)
        return FUR_OK;
    FUR_TRY(need_room(&m->space, &s->out, bytes));
    DEVICE_TRY(m->group, device_pack(&m->part->lists, fur_vector_const_data(x), m->part->packed,
                                     device_stream(m)));
    FUR_TRY(copy(&m->space, s->out.memory, m->part->packed, bytes, device_stream(m)));
    FUR_TRY(wait(&m->space));
    for (int i = 0; i < h->target_count; i++)
        FUR_TRY(group_send(m->group, h->targets[i].rank,
                           s->out.memory + (size_t)h->targets[i].at * size,
                           (size_t)h->targets[i].count * size));
    return FUR_OK;
}

static fur_status end_staged(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    halo *h = &m->halo;
    staged_part *s = m->space.seat->state;
    size_t size = m->part->lists.value_size;
    char *outer = fur_vector_data(m->outer_x);
    FUR_TRY(need_room(&m->space, &s->in, (size_t)h->columns * size));
    DEVICE_TRY(m->group, cudaEventSynchronize(s->taken));
    DEVICE_TRY(m->group,
               device_keep(&m->part->lists, fur_vector_const_data(x), outer, device_stream(m)));
    for (int i = 0; i < h->source_count; i++) {
        size_t at = (size_t)h->sources[i].at * size;
        size_t bytes = (size_t)h->sources[i].count * size;
        FUR_TRY(halo_receive(m, h->sources[i].rank, s->in.memory + at, bytes));
        FUR_TRY(copy(&m->space, outer + at, s->in.memory + at, bytes, device_stream(m)));
    }
    DEVICE_TRY(m->group, cudaEventRecord(s->taken, device_stream(m)));
    return device_multiply(m, y, device_stream(m));
}

static void close_staged(space *s)
{
    staged_part *p = s->seat->state;
    if (!p)
        return;
    cudaFreeHost(p->out.memory);
    cudaFreeHost(p->in.memory);
    cudaFreeHost(p->sums.memory);
    if (p->taken)
        cudaEventDestroy(p->taken);
    group_release(s->group, p);
}

const halo_link link_staged = {.name = "staged",
                               .cuts_wait = true,
                               .open = open_staged,
                               .close = close_staged,
                               .pass = pass_staged,
                               .begin = begin_staged,
                               .end = end_staged};
