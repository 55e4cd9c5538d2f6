/* The link of GPUs by NCCL, which is loaded when it is first needed. It serves hosts without peer
 * access, and connects hosts. Entries are received in place in the boundary's x. */
#include "device.h"
#include "devices.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* The used part of NCCL, by its documentation. */
#define NCCL_LIBRARY "libnccl.so.2"
#define NCCL_BYTES 0 /* ncclInt8 */

typedef struct nccl_id {
    char bytes[128];
} nccl_id;

typedef struct nccl {
    void *library;
    void *comm; /* NULL: it was given up */
    void *given_up;
    pthread_t giving_up; /* the thread that ends given_up */
    bool gives_up;
    int (*get_id)(nccl_id *id);
    int (*init)(void **comm, int count, nccl_id id, int rank);
    int (*destroy)(void *comm);
    int (*abort)(void *comm);
    int (*all_gather)(const void *from, void *to, size_t count, int type, void *comm,
                      cudaStream_t stream);
    int (*send)(const void *from, size_t count, int type, int rank, void *comm,
                cudaStream_t stream);
    int (*receive)(void *to, size_t count, int type, int rank, void *comm, cudaStream_t stream);
    int (*group_start)(void);
    int (*group_end)(void);
    const char *(*error)(int result);
} nccl;

/* Looks up a function and sets a function pointer. */
static bool find(void *library, const char *name, void *out)
{
    void *found = dlsym(library, name);
    memcpy(out, &found, sizeof found);
    return found != NULL;
}

static bool load(nccl *n)
{
    n->library = dlopen(NCCL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    return n->library && find(n->library, "ncclGetUniqueId", &n->get_id) &&
           find(n->library, "ncclCommInitRank", &n->init) &&
           find(n->library, "ncclCommDestroy", &n->destroy) &&
           find(n->library, "ncclCommAbort", &n->abort) &&
           find(n->library, "ncclAllGather", &n->all_gather) &&
           find(n->library, "ncclSend", &n->send) && find(n->library, "ncclRecv", &n->receive) &&
           find(n->library, "ncclGroupStart", &n->group_start) &&
           find(n->library, "ncclGroupEnd", &n->group_end) &&
           find(n->library, "ncclGetErrorString", &n->error);
}

/* Counts the ranks that have loaded the library. */
static fur_status count_loaded(fur_ranks *g, int *loaded)
{
    nccl n = {0};
    int32_t own = load(&n);
    int32_t *all;
    if (n.library)
        dlclose(n.library);
    *loaded = 0;
    FUR_TRY(group_allocate(g, g->count, sizeof *all, &all));
    fur_status status = group_gather(g, &own, sizeof own, all);
    for (int i = 0; status == FUR_OK && i < g->count; i++)
        *loaded += all[i];
    group_release(g, all);
    return status;
}

fur_status nccl_suits(fur_ranks *g, bool *suits)
{
    int loaded;
    FUR_TRY(count_loaded(g, &loaded));
    *suits = loaded == g->count && g->devices->apart;
    return FUR_OK;
}

static fur_status check(fur_ranks *g, const nccl *n, const char *call, int result)
{
    if (result == 0)
        return FUR_OK;
    return group_fail(g, FUR_DEVICE_ERROR, "%s failed on rank %d: %s", call, g->rank,
                      n->error(result));
}

static fur_status refuse(fur_ranks *g, int loaded)
{
    if (!g->devices->apart)
        return group_fail(g, FUR_UNSUPPORTED,
                          "NCCL needs a GPU for each rank; use fewer ranks or the transport "
                          "\"staged\"");
    return group_fail(g, FUR_UNSUPPORTED,
                      "%d of %d ranks have no " NCCL_LIBRARY
                      "; install NCCL, or use the transport \"staged\"",
                      g->count - loaded, g->count);
}

static fur_status join_nccl(fur_ranks *g)
{
    int loaded;
    nccl *n;
    nccl_id own = {{0}};
    nccl_id *all;
    FUR_TRY(count_loaded(g, &loaded));
    if (loaded < g->count || !g->devices->apart)
        return refuse(g, loaded);
    FUR_TRY(group_allocate(g, 1, sizeof *n, &n));
    memset(n, 0, sizeof *n);
    g->devices->state = n;
    load(n);
    if (g->rank == 0)
        FUR_TRY(check(g, n, "ncclGetUniqueId", n->get_id(&own)));
    FUR_TRY(group_allocate(g, g->count, sizeof *all, &all));
    fur_status status = group_gather(g, &own, sizeof own, all);
    own = all[0];
    group_release(g, all);
    FUR_TRY(fur_ranks_agree(g, status)); /* all ranks must call the next function */
    return check(g, n, "ncclCommInitRank", n->init(&n->comm, g->count, own, g->rank));
}

static void leave_nccl(fur_ranks *g)
{
    nccl *n = g->devices->state;
    if (!n)
        return;
    if (n->gives_up)
        pthread_join(n->giving_up, NULL);
    if (n->comm && !g->broken)
        n->destroy(n->comm);
    /* the library stays loaded, because its threads may still run */
    group_release(g, n);
}

static fur_status queue_gather(void *user, const void *mine, size_t bytes, void *all)
{
    const space *s = user;
    const nccl *n = s->group->devices->state;
    if (!n->comm)
        return space_pass(s, s->group->status);
    return space_pass(s,
                      check(s->group, n, "ncclAllGather",
                            n->all_gather(mine, all, bytes, NCCL_BYTES, n->comm, s->seat->stream)));
}

static fur_status pass_nccl(space *s, const fur_passing *pass, void *stream)
{
    const nccl *n = s->group->devices->state;
    if (!n->comm)
        return s->group->status;
    int result = n->group_start();
    for (int i = 0; result == 0 && i < pass->gives; i++)
        result = n->send(pass->give[i].data, pass->give[i].bytes, NCCL_BYTES, pass->give[i].rank,
                         n->comm, stream);
    for (int i = 0; result == 0 && i < pass->takes; i++)
        result = n->receive(pass->take[i].data, pass->take[i].bytes, NCCL_BYTES, pass->take[i].rank,
                            n->comm, stream);
    int ended = n->group_end();
    return check(s->group, n, "ncclGroupEnd", result ? result : ended);
}

static void *give_up(void *user)
{
    const nccl *n = user;
    n->abort(n->given_up);
    return NULL;
}

/* Ends the queued work of NCCL on this device. A separate thread waits until no recorded graph
 * contains any of it. */
static void abandon_nccl(space *s)
{
    nccl *n = s->group->devices->state;
    if (!n->comm)
        return;
    n->given_up = n->comm;
    n->comm = NULL;
    n->gives_up = pthread_create(&n->giving_up, NULL, give_up, n) == 0;
    if (!n->gives_up)
        give_up(n);
}

static fur_status poll(void *user)
{
    const space *s = user;
    return space_pass(s, group_poll(s->group));
}

static fur_status open_nccl(space *s, fur_sharing *sharing)
{
    (void)s;
    sharing->queue_gather = queue_gather;
    sharing->poll = poll;
    return FUR_OK;
}

/* Sends to all targets and receives from all sources in one group. */
static int exchange(const fur_ranks_csr *m, const nccl *n)
{
    const halo *h = &m->halo;
    size_t size = m->part->lists.value_size;
    char *outer = fur_vector_data(m->outer_x);
    int result = n->group_start();
    for (int i = 0; result == 0 && i < h->target_count; i++)
        result = n->send((char *)m->part->packed + (size_t)h->targets[i].at * size,
                         (size_t)h->targets[i].count * size, NCCL_BYTES, h->targets[i].rank,
                         n->comm, device_stream(m));
    for (int i = 0; result == 0 && i < h->source_count; i++)
        result =
            n->receive(outer + (size_t)h->sources[i].at * size, (size_t)h->sources[i].count * size,
                       NCCL_BYTES, h->sources[i].rank, n->comm, device_stream(m));
    int ended = n->group_end();
    return result ? result : ended;
}

/* NCCL connects ranks at their first exchange, which must not happen during a recording. This
 * exchange makes the connections. */
static fur_status plan_nccl(fur_ranks_csr *m)
{
    fur_ranks *g = m->group;
    const nccl *n = g->devices->state;
    void *sums;
    FUR_TRY(device_allocate(g, g->count + 1, &sums));
    fur_status status = check(
        g, n, "ncclAllGather",
        n->all_gather((char *)sums + g->count, sums, 1, NCCL_BYTES, n->comm, device_stream(m)));
    if (status == FUR_OK && m->halo.target_count + m->halo.source_count > 0)
        status = check(g, n, "ncclGroupEnd", exchange(m, n));
    if (status == FUR_OK)
        status = group_pass_on(g, m->context, fur_context_synchronize(m->context));
    device_release(sums);
    return status;
}

static fur_status begin_nccl(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    (void)y;
    const device_lists *l = &m->part->lists;
    DEVICE_TRY(m->group,
               device_pack(l, fur_vector_const_data(x), m->part->packed, device_stream(m)));
    return FUR_OK;
}

static fur_status end_nccl(fur_ranks_csr *m, const fur_vector *x, fur_vector *y)
{
    const nccl *n = m->group->devices->state;
    DEVICE_TRY(m->group, device_keep(&m->part->lists, fur_vector_const_data(x),
                                     fur_vector_data(m->outer_x), device_stream(m)));
    if (m->halo.target_count + m->halo.source_count == 0)
        return FUR_OK;
    if (!n->comm)
        return m->group->status;
    FUR_TRY(check(m->group, n, "ncclGroupEnd", exchange(m, n)));
    return device_multiply(m, y, device_stream(m));
}

const halo_link link_nccl = {.name = "nccl",
                             .queues = true,
                             .cuts_wait = true,
                             .join = join_nccl,
                             .leave = leave_nccl,
                             .open = open_nccl,
                             .abandon = abandon_nccl,
                             .pass = pass_nccl,
                             .plan = plan_nccl,
                             .begin = begin_nccl,
                             .end = end_nccl};
