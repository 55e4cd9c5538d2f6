/* The link of GPUs that can access each other's memory, in one process or in several on one host.
 * Entries are stored in the other device's inbox, and a kernel there waits for them. */
#include "device.h"
#include "devices.h"

#include <string.h>
#include <unistd.h>

/* The data that another rank needs to access memory of this rank. */
typedef struct address {
    char host[64];
    int64_t process;
    int64_t device;
    void *memory;
    cudaIpcMemHandle_t handle;
} address;

/* Kinds of boxes of a context's ranks. The first word of each box tells that it was given up. */
#define BOX_KINDS 3

typedef struct peers_seat {
    void **boxes;   /* boxes of reductions */
    void **inboxes; /* inboxes of a matrix's halo; NULL: none */
    void **landing; /* boxes for parcels; NULL: none yet */
    size_t landing_room;
    unsigned *turn;     /* number of passes so far, followed by tickets */
    cudaStream_t alarm; /* for words that tell that a rank has failed */
} peers_seat;

typedef struct peers_halo {
    unsigned *turn; /* number of turns, followed by a ticket */
    inbox_plan plan;
} peers_halo;

static address own_address(const fur_ranks *g)
{
    address own = {.process = getpid(), .device = g->devices->number};
    gethostname(own.host, sizeof own.host - 1);
    return own;
}

/* Enables this device's kernels to access another device's memory. */
static fur_status reach_device(fur_ranks *g, int64_t device)
{
    int can = 0;
    if (device == g->devices->number)
        return FUR_OK;
    DEVICE_TRY(g, cudaDeviceCanAccessPeer(&can, g->devices->number, (int)device));
    if (!can)
        return group_fail(g, FUR_UNSUPPORTED,
                          "the GPU of rank %d cannot reach the memory of GPU %lld; use the "
                          "transport \"nccl\" or \"staged\"",
                          g->rank, (long long)device);
    cudaError_t error = cudaDeviceEnablePeerAccess((int)device, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();
        return FUR_OK;
    }
    return device_check(g, "cudaDeviceEnablePeerAccess", error);
}

static fur_status reach(fur_ranks *g, const address *own, const address *other, void **out)
{
    if (strcmp(own->host, other->host) != 0)
        return group_fail(g, FUR_UNSUPPORTED,
                          "rank %d is on another machine than rank 0; between machines use the "
                          "transport \"nccl\" or \"staged\"",
                          g->rank);
    FUR_TRY(reach_device(g, other->device));
    *out = other->memory;
    if (own->process == other->process)
        return FUR_OK;
    DEVICE_TRY(g, cudaIpcOpenMemHandle(out, other->handle, cudaIpcMemLazyEnablePeerAccess));
    return FUR_OK;
}

fur_status peers_suit(fur_ranks *g, bool *suit)
{
    address own = own_address(g);
    address *all;
    int32_t well = 1;
    int32_t *wells;
    *suit = g->count <= INBOX_RANKS && g->count <= FUR_BOXES_MAX;
    FUR_TRY(group_allocate(g, g->count, sizeof *all + sizeof *wells, &all));
    wells = (int32_t *)(all + g->count);
    fur_status status = group_gather(g, &own, sizeof own, all);
    for (int i = 0; status == FUR_OK && i < g->count; i++) {
        int can = 1;
        if (all[i].device != own.device)
            well &= cudaDeviceCanAccessPeer(&can, g->devices->number, (int)all[i].device) ==
                    cudaSuccess;
        well &= can != 0 && strcmp(all[i].host, own.host) == 0;
    }
    if (status == FUR_OK)
        status = group_gather(g, &well, sizeof well, wells);
    for (int i = 0; status == FUR_OK && i < g->count; i++)
        *suit = *suit && wells[i];
    group_release(g, all);
    return status;
}

/* Records memory that is freed when the group ends. */
static fur_status bury_later(fur_ranks *g, void *memory)
{
    struct device_group *d = g->devices;
    if (d->dead_count == d->dead_room) {
        int64_t room = 2 * d->dead_room + 8;
        void **larger;
        FUR_TRY(group_allocate(g, room, sizeof *larger, &larger));
        if (d->dead_count > 0)
            memcpy(larger, d->dead, (size_t)d->dead_count * sizeof *larger);
        group_release(g, d->dead);
        d->dead = larger;
        d->dead_room = room;
    }
    d->dead[d->dead_count++] = memory;
    return FUR_OK;
}

static fur_status exchange_addresses(fur_ranks *g, address *own, void **out)
{
    address *all;
    FUR_TRY(group_allocate(g, g->count, sizeof *all, &all));
    fur_status status = group_gather(g, own, sizeof *own, all);
    for (int i = 0; status == FUR_OK && i < g->count; i++) {
        out[i] = own->memory;
        if (i != g->rank)
            status = reach(g, own, &all[i], &out[i]);
    }
    group_release(g, all);
    return status;
}

/* Another process maps blocks of this size, each once. Smaller pieces share a block. */
#define EXPOSED_BYTES (INT64_C(2) << 20)

fur_status peers_expose(fur_ranks *g, int64_t bytes, void **all)
{
    address own = own_address(g);
    int64_t blocks = (bytes + EXPOSED_BYTES - 1) / EXPOSED_BYTES;
    DEVICE_TRY(g, cudaMalloc(&own.memory, (size_t)(blocks * EXPOSED_BYTES)));
    fur_status status = bury_later(g, own.memory);
    if (status != FUR_OK)
        cudaFree(own.memory);
    FUR_TRY(status);
    FUR_TRY(device_clear(g, own.memory, blocks * EXPOSED_BYTES));
    DEVICE_TRY(g, cudaIpcGetMemHandle(&own.handle, own.memory));
    return exchange_addresses(g, &own, all);
}

/* Allocates memory on every rank by peers_expose. */
static fur_status make_boxes(fur_ranks *g, int64_t bytes, void ***out)
{
    FUR_TRY(group_allocate(g, g->count, sizeof **out, out));
    memset(*out, 0, (size_t)g->count * sizeof **out);
    return peers_expose(g, bytes, *out);
}

static fur_status open_peers(space *s, fur_sharing *sharing)
{
    fur_ranks *g = s->group;
    peers_seat *p;
    void *turn;
    FUR_TRY(group_allocate(g, 1, sizeof *p, &p));
    memset(p, 0, sizeof *p);
    s->seat->state = p;
    DEVICE_TRY(g, cudaStreamCreateWithFlags(&p->alarm, cudaStreamNonBlocking));
    FUR_TRY(device_allocate(g, PASS_STATE_BYTES, &turn));
    p->turn = turn;
    FUR_TRY(make_boxes(g, (int64_t)fur_sharing_box_bytes(sharing), &p->boxes));
    sharing->boxes = p->boxes;
    return FUR_OK;
}

/* Replaces the rooms for the parcels of all ranks by larger ones. */
static fur_status grow_landing(space *s, peers_seat *p, size_t most)
{
    fur_ranks *g = s->group;
    group_release(g, p->landing); /* the memory of the boxes itself lives as long as the group */
    p->landing = NULL;
    p->landing_room = 0;
    size_t room = (most + 15) / 16 * 16;
    FUR_TRY(make_boxes(g, landing_bytes(g->count, room), &p->landing));
    p->landing_room = room;
    return FUR_OK;
}

/* The most blocks of kernels that wait. They must leave room for computations, and for another rank
 * on the same device. */
#define BLOCKS_APART 264
#define BLOCKS_TOGETHER 16

static fur_status pass_peers(space *s, const fur_passing *pass, void *stream)
{
    fur_ranks *g = s->group;
    peers_seat *p = s->seat->state;
    landing_plan plan = {.ranks = g->count, .rank = g->rank, .turn = p->turn};
    if (pass->most > p->landing_room)
        FUR_TRY(grow_landing(s, p, pass->most));
    plan.room = p->landing_room;
    plan.most_blocks = g->devices->apart ? BLOCKS_APART / 2 : BLOCKS_TOGETHER;
    memcpy(plan.box, p->landing, (size_t)g->count * sizeof *plan.box);
    DEVICE_TRY(g, landing_pass(&plan, pass, stream));
    return FUR_OK;
}

/* The place in a rank's inbox for the words of another rank. */
typedef struct opening {
    int64_t at;
    int64_t length;
} opening;

/* Finds the entry of a rank in a list of neighbours. If it is missing, returns an empty
 * neighbour. */
static const neighbour *find_neighbour(const neighbour *list, int count, int rank)
{
    static const neighbour nothing = {0};
    for (int i = 0; i < count; i++)
        if (list[i].rank == rank)
            return list + i;
    return &nothing;
}

/* Appends the groups of a list after the previous ones. */
static inbox_list count_groups(const neighbour *n, int32_t *groups)
{
    inbox_list list = {.first = (int32_t)n->at, .count = (int32_t)n->count, .begin = *groups};
    list.end = *groups += inbox_groups(n->count);
    return list;
}

/* Sets the lists of exchanged entries and their ranks. own[rank]: the place in this rank's
 * inbox. */
static void plan_lists(const fur_ranks_csr *m, inbox_plan *p, int *ranks, opening *own)
{
    const halo *h = &m->halo;
    int64_t length = 0;
    for (int rank = 0; rank < m->group->count; rank++) {
        const neighbour *source = find_neighbour(h->sources, h->source_count, rank);
        const neighbour *target = find_neighbour(h->targets, h->target_count, rank);
        if (source->count == 0 && target->count == 0)
            continue;
        own[rank].at = length;
        ranks[p->count] = rank;
        p->with[p->count].give = count_groups(target, &p->give_groups);
        p->with[p->count++].take = count_groups(source, &p->take_groups);
        length += inbox_words(source->count, m->part->lists.value_size);
    }
    for (int rank = 0; rank < m->group->count; rank++)
        own[rank].length = length;
}

/* Sets the address of a list's words in a box. */
static void place_words(inbox_list *list, void *box, const opening *place)
{
    list->words = (char *)box + (1 + place->at) * 16;
    list->length = place->length;
}

/* Tells the neighbours where their words go, and learns where this rank's words go. */
static fur_status plan_inboxes(fur_ranks_csr *m, inbox_plan *p, opening *all)
{
    fur_ranks *g = m->group;
    peers_seat *seat = m->space.seat->state;
    opening *own = all + (int64_t)g->count * g->count;
    int ranks[INBOX_RANKS];
    plan_lists(m, p, ranks, own);
    FUR_TRY(group_gather(g, own, (size_t)g->count * sizeof *own, all));
    FUR_TRY(make_boxes(g, (1 + 2 * own->length) * 16, &seat->inboxes));
    p->box = seat->inboxes[g->rank];
    p->most_blocks = g->devices->apart ? BLOCKS_APART : BLOCKS_TOGETHER;
    for (int i = 0; i < p->count; i++) {
        int rank = ranks[i];
        place_words(&p->with[i].give, seat->inboxes[rank],
                    all + (int64_t)rank * g->count + g->rank);
        place_words(&p->with[i].take, p->box, own + rank);
    }
    return FUR_OK;
}

static fur_status plan_peers(fur_ranks_csr *m)
{
    fur_ranks *g = m->group;
    peers_halo *p;
    opening *all;
    void *turn;
    FUR_TRY(group_allocate(g, 1, sizeof *p, &p));
    memset(p, 0, sizeof *p);
    m->part->state = p;
    FUR_TRY(device_allocate(g, 2 * (int64_t)sizeof *p->turn, &turn));
    p->turn = turn;
    p->plan.turn = p->turn;
    FUR_TRY(group_allocate(g, (int64_t)g->count * (g->count + 1), sizeof *all, &all));
    memset(all, 0, (size_t)g->count * (size_t)(g->count + 1) * sizeof *all);
    fur_status status = plan_inboxes(m, &p->plan, all);
    group_release(g, all);
    return status;
}

/* The exchange runs beside the inner rows, which are queued after it. The boundary's rows also run
 * beside them, unless a boundary row is among the inner rows. */
static fur_status begin_peers(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    const peers_halo *p = m->part->state;
    cudaStream_t beside = m->space.seat->beside;
    if (p->plan.count == 0)
        return FUR_OK;
    FUR_TRY(device_fork(&m->space));
    DEVICE_TRY(m->group, inbox_exchange(&m->part->lists, &p->plan, fur_vector_const_data(x),
                                        fur_vector_data(m->outer_x), beside));
    if (m->ends_only)
        FUR_TRY(device_multiply(m, y, beside));
    return device_join(&m->space);
}

static fur_status end_peers(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    const peers_halo *p = m->part->state;
    (void)x;
    if (p->plan.count == 0)
        return FUR_OK;
    FUR_TRY(devices_meet(&m->space));
    return m->ends_only ? FUR_OK : device_multiply(m, y, device_stream(m));
}

/* Sets the first word of every box. */
static void abandon_peers(space *s)
{
    static const int64_t over = 1;
    const peers_seat *p = s->seat ? s->seat->state : NULL;
    if (!p || !p->alarm)
        return;
    void **kinds[BOX_KINDS] = {p->boxes, p->inboxes, p->landing};
    cudaSetDevice(s->seat->number);
    for (int kind = 0; kind < BOX_KINDS; kind++)
        for (int i = 0; kinds[kind] && i < s->group->count; i++)
            if (kinds[kind][i])
                cudaMemcpyAsync(kinds[kind][i], &over, sizeof over, cudaMemcpyDefault, p->alarm);
    cudaStreamSynchronize(p->alarm);
    cudaGetLastError();
}

static void drop_peers(fur_ranks_csr *m)
{
    peers_halo *p = m->part->state;
    if (!p)
        return;
    device_release(p->turn);
    group_release(m->group, p);
}

static void close_peers(space *s)
{
    peers_seat *p = s->seat->state;
    if (!p)
        return;
    if (p->alarm)
        cudaStreamDestroy(p->alarm);
    device_release(p->turn);
    group_release(s->group, p->boxes);
    group_release(s->group, p->inboxes);
    group_release(s->group, p->landing);
    group_release(s->group, p);
}

const halo_link link_peers = {.name = "peers",
                              .queues = true,
                              .open = open_peers,
                              .close = close_peers,
                              .abandon = abandon_peers,
                              .pass = pass_peers,
                              .plan = plan_peers,
                              .drop = drop_peers,
                              .begin = begin_peers,
                              .end = end_peers};
