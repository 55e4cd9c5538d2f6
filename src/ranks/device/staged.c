/* The link of GPUs by way of the hosts: entries are packed on the device, copied to the host, sent
 * as messages of the group's transport, and copied to the other device. It works wherever messages
 * do. */
#include "device.h"
#include "devices.h"

#include <string.h>

/* Pinned memory. */
typedef struct buffer {
    char *memory;
    size_t room;
} buffer;

typedef struct staged_part {
    buffer out;        /* what is sent */
    buffer in;         /* entries that have come */
    buffer sums;       /* those of reductions, of all ranks */
    cudaEvent_t taken; /* entries are on the device */
} staged_part;

static fur_status wait(fur_ranks_csr *m)
{
    return device_check(m->group, "cudaStreamSynchronize", cudaStreamSynchronize(m->part->stream));
}

/* Pinned memory of at least that size, whose contents are no longer needed. */
static fur_status need_room(fur_ranks_csr *m, buffer *b, size_t bytes)
{
    void *larger;
    if (bytes <= b->room)
        return FUR_OK;
    RANKS_TRY(wait(m));
    DEVICE_TRY(m->group, cudaMallocHost(&larger, bytes));
    cudaFreeHost(b->memory);
    *b = (buffer){larger, bytes};
    return FUR_OK;
}

static fur_status copy(fur_ranks_csr *m, void *to, const void *from, size_t bytes)
{
    if (bytes == 0)
        return FUR_OK;
    return device_check(m->group, "cudaMemcpyAsync",
                        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, m->part->stream));
}

static fur_status gather(fur_ranks_csr *m, const void *mine, size_t bytes, void *all)
{
    staged_part *s = m->part->state;
    size_t ranks = (size_t)m->group->count;
    size_t own = bytes * (size_t)m->group->rank;
    RANKS_TRY(need_room(m, &s->sums, bytes * ranks));
    RANKS_TRY(copy(m, s->sums.memory + own, mine, bytes));
    RANKS_TRY(wait(m));
    RANKS_TRY(group_gather(m->group, s->sums.memory + own, bytes, s->sums.memory));
    return copy(m, all, s->sums.memory, bytes * ranks);
}

static fur_status queue_gather(void *user, const void *mine, size_t bytes, void *all)
{
    fur_ranks_csr *m = user;
    fur_status status = gather(m, mine, bytes, all);
    return status == FUR_OK ? FUR_OK : fur_context_fail(m->context, status, "%s", m->group->error);
}

static fur_status open_staged(fur_ranks_csr *m, fur_sharing *sharing)
{
    staged_part *s;
    RANKS_TRY(group_allocate(m->group, 1, sizeof *s, &s));
    memset(s, 0, sizeof *s);
    m->part->state = s;
    DEVICE_TRY(m->group, cudaEventCreateWithFlags(&s->taken, cudaEventDisableTiming));
    sharing->queue_gather = queue_gather;
    return FUR_OK;
}

static fur_status begin_staged(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    const halo *h = &m->halo;
    staged_part *s = m->part->state;
    size_t size = m->part->lists.value_size;
    size_t bytes = (size_t)h->give_count * size;
    (void)y;
    if (bytes == 0)
        return FUR_OK;
    RANKS_TRY(need_room(m, &s->out, bytes));
    DEVICE_TRY(m->group, device_pack(&m->part->lists, fur_vector_const_data(x), m->part->packed,
                                     m->part->stream));
    RANKS_TRY(copy(m, s->out.memory, m->part->packed, bytes));
    RANKS_TRY(wait(m));
    for (int i = 0; i < h->target_count; i++)
        RANKS_TRY(group_send(m->group, h->targets[i].rank,
                             s->out.memory + (size_t)h->targets[i].at * size,
                             (size_t)h->targets[i].count * size));
    return FUR_OK;
}

static fur_status end_staged(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    halo *h = &m->halo;
    staged_part *s = m->part->state;
    size_t size = m->part->lists.value_size;
    char *outer = fur_vector_data(m->outer_x);
    RANKS_TRY(need_room(m, &s->in, (size_t)h->columns * size));
    DEVICE_TRY(m->group, cudaEventSynchronize(s->taken));
    DEVICE_TRY(m->group,
               device_keep(&m->part->lists, fur_vector_const_data(x), outer, m->part->stream));
    for (int i = 0; i < h->source_count; i++) {
        size_t at = (size_t)h->sources[i].at * size;
        size_t bytes = (size_t)h->sources[i].count * size;
        RANKS_TRY(halo_receive(m, h->sources[i].rank, s->in.memory + at, bytes));
        RANKS_TRY(copy(m, outer + at, s->in.memory + at, bytes));
    }
    DEVICE_TRY(m->group, cudaEventRecord(s->taken, m->part->stream));
    return device_multiply(m, y, m->part->stream);
}

static void close_staged(fur_ranks_csr *m)
{
    staged_part *s = m->part->state;
    if (!s)
        return;
    cudaFreeHost(s->out.memory);
    cudaFreeHost(s->in.memory);
    cudaFreeHost(s->sums.memory);
    if (s->taken)
        cudaEventDestroy(s->taken);
    group_release(m->group, s);
}

const halo_link link_staged = {.name = "staged",
                               .open = open_staged,
                               .begin = begin_staged,
                               .end = end_staged,
                               .close = close_staged};
