/* The transport by MPI. Messages are copied and sent without waiting. They are received only after
 * a probe has found them, so that a waiting rank sees alarms and lets others run. */
#include "group.h"

#ifdef FUR_WITH_MPI
#    include <mpi.h>

#    include <sched.h>
#    include <stdlib.h>
#    include <string.h>

/* Unsuccessful probes before a rank yields its processor. */
#    define PATIENCE 64

/* The tags of a message, and of the empty last message of a rank. */
enum { TAG_MESSAGE = 0, TAG_LEAVING };

/* A message that is being sent. */
typedef struct outgoing {
    struct outgoing *next;
    MPI_Request request;
    char data[];
} outgoing;

typedef struct mpi_state {
    MPI_Comm comm[2]; /* one for each channel */
    outgoing *first;  /* may not have been sent yet */
    bool finalizes;
} mpi_state;

/* Releases messages that have been sent. */
static void reap(mpi_state *s)
{
    for (outgoing **at = &s->first; *at;) {
        outgoing *m = *at;
        int gone = 0;
        MPI_Test(&m->request, &gone, MPI_STATUS_IGNORE);
        if (gone) {
            *at = m->next;
            free(m);
        } else {
            at = &m->next;
        }
    }
}

static bool send_to(void *state, int to, channel on, const void *data, size_t bytes)
{
    mpi_state *s = state;
    reap(s);
    outgoing *m = malloc(sizeof *m + bytes);
    if (!m)
        return false;
    memcpy(m->data, data, bytes);
    MPI_Isend(m->data, (int)bytes, MPI_BYTE, to, TAG_MESSAGE, s->comm[on], &m->request);
    m->next = s->first;
    s->first = m;
    return true;
}

static bool is_alarmed(void *state)
{
    const mpi_state *s = state;
    int alarmed = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_MESSAGE, s->comm[CHANNEL_ALARM], &alarmed, MPI_STATUS_IGNORE);
    return alarmed;
}

static arrival receive_from(void *state, int from, channel on, void *data, size_t bytes)
{
    mpi_state *s = state;
    MPI_Status status;
    int there = 0;
    for (int polls = 0;; polls++) {
        MPI_Iprobe(from, MPI_ANY_TAG, s->comm[on], &there, &status);
        if (there)
            break;
        if (on == CHANNEL_DATA && polls % 16 == 15 && is_alarmed(s))
            return ALARMED;
        if (polls >= PATIENCE)
            sched_yield();
    }
    if (status.MPI_TAG == TAG_LEAVING)
        return LEFT;
    int count;
    MPI_Get_count(&status, MPI_BYTE, &count);
    if ((size_t)count != bytes)
        return MISFIT;
    MPI_Recv(data, count, MPI_BYTE, from, TAG_MESSAGE, s->comm[on], MPI_STATUS_IGNORE);
    return ARRIVED;
}

/* Receives and drops a message that is no longer needed. Returns whether it was the last message of
 * a rank. */
static bool drop_one(mpi_state *s)
{
    MPI_Status status;
    int there = 0;
    int count;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->comm[CHANNEL_DATA], &there, &status);
    if (!there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &count);
    void *room = malloc((size_t)count + 1);
    if (!room)
        return false;
    MPI_Recv(room, count, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, s->comm[CHANNEL_DATA],
             MPI_STATUS_IGNORE);
    free(room);
    return status.MPI_TAG == TAG_LEAVING;
}

/* The messages of a rank keep their order, so that its last message cannot overtake others. */
static arrival leave(void *state)
{
    mpi_state *s = state;
    MPI_Request request;
    int rank;
    int count;
    MPI_Comm_rank(s->comm[CHANNEL_DATA], &rank);
    MPI_Comm_size(s->comm[CHANNEL_DATA], &count);
    for (int to = 0; to < count; to++) {
        if (to == rank)
            continue;
        MPI_Isend(NULL, 0, MPI_BYTE, to, TAG_LEAVING, s->comm[CHANNEL_DATA], &request);
        MPI_Request_free(&request);
    }
    for (int left = 1; left < count; left += drop_one(s)) {
        if (is_alarmed(s))
            return ALARMED;
        sched_yield();
    }
    return ARRIVED;
}

/* Waits until all ranks have sent their messages, and drops the messages that arrive. */
static void drain(mpi_state *s)
{
    MPI_Request barrier;
    int all = 0;
    while (s->first) {
        drop_one(s);
        reap(s);
        sched_yield();
    }
    MPI_Ibarrier(s->comm[CHANNEL_ALARM], &barrier);
    while (!all) {
        drop_one(s);
        MPI_Test(&barrier, &all, MPI_STATUS_IGNORE);
        sched_yield();
    }
}

static void close_mpi(void *state, bool broken)
{
    mpi_state *s = state;
    (void)broken; /* without a failure, there are no messages to drop */
    drain(s);
    MPI_Comm_free(&s->comm[CHANNEL_DATA]);
    MPI_Comm_free(&s->comm[CHANNEL_ALARM]);
    if (s->finalizes)
        MPI_Finalize();
    free(s);
}

static const transport mpi = {.name = "mpi",
                              .send = send_to,
                              .receive = receive_from,
                              .alarmed = is_alarmed,
                              .leave = leave,
                              .close = close_mpi};

/* Starts MPI if it is not running. */
static fur_status start(bool *started)
{
    int running = 0;
    int provided;
    MPI_Initialized(&running);
    *started = !running;
    if (running)
        MPI_Query_thread(&provided);
    else
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if (provided < MPI_THREAD_FUNNELED)
        return fur_context_fail(NULL, FUR_UNSUPPORTED,
                                "MPI was started without threads; call MPI_Init_thread with "
                                "MPI_THREAD_FUNNELED");
    return FUR_OK;
}

/* Ranks that could not open their end tell the others, which then close theirs. */
static fur_status agree_on_opening(mpi_state *s, fur_status status)
{
    int worst = (int)status;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, s->comm[CHANNEL_ALARM]);
    if (worst == FUR_OK || status != FUR_OK)
        return status;
    return fur_context_fail(NULL, (fur_status)worst, "another rank could not open the group: %s",
                            fur_status_name((fur_status)worst));
}

static fur_status open_on(mpi_state *s, MPI_Comm comm, const fur_ranks_options *given,
                          fur_ranks **out)
{
    int rank;
    int count;
    fur_ranks_options o;
    fur_ranks *group = NULL;
    MPI_Comm_dup(comm, &s->comm[CHANNEL_DATA]);
    MPI_Comm_dup(comm, &s->comm[CHANNEL_ALARM]);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &count);
    fur_status status = group_take_options(given, &o);
    if (status == FUR_OK)
        status = group_open(&mpi, s, rank, count, &o, &group);
    status = agree_on_opening(s, status);
    if (status == FUR_OK)
        *out = group;
    else if (group)
        group_drop(group);
    else
        close_mpi(s, false);
    return status;
}

fur_status fur_ranks_open_mpi(const void *communicator, const fur_ranks_options *options,
                              fur_ranks **out)
{
    bool started;
    MPI_Comm comm = MPI_COMM_WORLD;
    if (!out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL for out", __func__);
    FUR_TRY(start(&started));
    mpi_state *s = calloc(1, sizeof *s);
    if (!s)
        return fur_context_fail(NULL, FUR_OUT_OF_MEMORY, "out of memory for a group of ranks");
    s->finalizes = started;
    if (communicator)
        memcpy(&comm, communicator, sizeof comm);
    return open_on(s, comm, options, out);
}

#else

fur_status fur_ranks_open_mpi(const void *communicator, const fur_ranks_options *options,
                              fur_ranks **out)
{
    (void)communicator;
    (void)options;
    (void)out;
    return fur_context_fail(NULL, FUR_UNSUPPORTED,
                            "this build has no MPI; configure it with -DFURROW_RANKS=ON");
}

#endif
