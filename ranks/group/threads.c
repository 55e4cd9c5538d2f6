/* The transport of ranks that are threads of one process. Each rank has a box of messages. */
#include "group.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct message {
    struct message *next;
    int from;
    channel on;
    size_t bytes;
    char data[];
} message;

typedef struct box {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    message *first;
    message **end; /* where the next message is appended */
} box;

/* Ranks wait until all have a thread. */
typedef enum gate_state { GATE_SHUT = 0, GATE_OPEN, GATE_CLOSED } gate_state;

typedef struct member {
    struct hub *hub;
    int rank;
} member;

/* The shared data of the ranks of a group. */
typedef struct hub {
    int count;
    bool owned; /* its only member owns it */
    box *boxes;
    member *members;
    gate_state gate;
    pthread_mutex_t gate_lock;
    pthread_cond_t gate_moved;
} hub;

static bool send_to(void *state, int to, channel on, const void *data, size_t bytes)
{
    const member *own = state;
    box *b = &own->hub->boxes[to];
    message *m = malloc(sizeof *m + bytes);
    if (!m)
        return false;
    *m = (message){.from = own->rank, .on = on, .bytes = bytes};
    memcpy(m->data, data, bytes);
    pthread_mutex_lock(&b->lock);
    *b->end = m;
    b->end = &m->next;
    pthread_cond_signal(&b->filled);
    pthread_mutex_unlock(&b->lock);
    return true;
}

/* Removes the first message of a rank on a channel from a box. Returns NULL if there is none. */
static message *take(box *b, int from, channel on, bool *alarmed)
{
    for (message **at = &b->first; *at; at = &(*at)->next) {
        message *m = *at;
        *alarmed = *alarmed || m->on == CHANNEL_ALARM;
        if (m->from != from || m->on != on)
            continue;
        *at = m->next;
        if (b->end == &m->next)
            b->end = at;
        return m;
    }
    return NULL;
}

static arrival receive_from(void *state, int from, channel on, void *data, size_t bytes)
{
    const member *own = state;
    box *b = &own->hub->boxes[own->rank];
    bool alarmed = false;
    message *m;
    pthread_mutex_lock(&b->lock);
    while (!(m = take(b, from, on, &alarmed)) && !(alarmed && on == CHANNEL_DATA))
        pthread_cond_wait(&b->filled, &b->lock);
    pthread_mutex_unlock(&b->lock);
    if (!m)
        return ALARMED;
    bool fits = m->bytes == bytes;
    if (fits)
        memcpy(data, m->data, bytes);
    free(m);
    return fits ? ARRIVED : MISFIT;
}

static bool is_alarmed(void *state)
{
    const member *own = state;
    box *b = &own->hub->boxes[own->rank];
    bool alarmed = false;
    pthread_mutex_lock(&b->lock);
    for (const message *m = b->first; m; m = m->next)
        alarmed = alarmed || m->on == CHANNEL_ALARM;
    pthread_mutex_unlock(&b->lock);
    return alarmed;
}

static void destroy_hub(hub *h)
{
    for (int i = 0; h->boxes && i < h->count; i++) {
        for (message *m = h->boxes[i].first; m;) {
            message *next = m->next;
            free(m);
            m = next;
        }
        pthread_cond_destroy(&h->boxes[i].filled);
        pthread_mutex_destroy(&h->boxes[i].lock);
    }
    pthread_cond_destroy(&h->gate_moved);
    pthread_mutex_destroy(&h->gate_lock);
    free(h->boxes);
    free(h->members);
    free(h);
}

static hub *create_hub(int count)
{
    hub *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    pthread_mutex_init(&h->gate_lock, NULL);
    pthread_cond_init(&h->gate_moved, NULL);
    h->count = count;
    h->boxes = calloc((size_t)count, sizeof *h->boxes);
    h->members = calloc((size_t)count, sizeof *h->members);
    if (!h->boxes || !h->members) {
        h->count = 0;
        destroy_hub(h);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        pthread_mutex_init(&h->boxes[i].lock, NULL);
        pthread_cond_init(&h->boxes[i].filled, NULL);
        h->boxes[i].end = &h->boxes[i].first;
        h->members[i] = (member){h, i};
    }
    return h;
}

/* fur_ranks_run releases a hub of several ranks. */
static void close_member(void *state, bool broken)
{
    const member *own = state;
    (void)broken;
    if (own->hub->owned)
        destroy_hub(own->hub);
}

static const transport threads = {.name = "threads",
                                  .send = send_to,
                                  .receive = receive_from,
                                  .alarmed = is_alarmed,
                                  .close = close_member};

static fur_status refuse_hub(int ranks)
{
    return fur_context_fail(NULL, FUR_OUT_OF_MEMORY, "out of memory for %d ranks", ranks);
}

fur_status fur_ranks_open_alone(const fur_ranks_options *options, fur_ranks **out)
{
    fur_ranks_options o;
    if (!out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL for out", __func__);
    FUR_TRY(group_take_options(options, &o));
    hub *h = create_hub(1);
    if (!h)
        return refuse_hub(1);
    h->owned = true;
    fur_status status = group_open(&threads, &h->members[0], 0, 1, &o, out);
    if (status != FUR_OK)
        destroy_hub(h);
    return status;
}

/* The data of a rank in fur_ranks_run. */
typedef struct job {
    pthread_t thread;
    fur_ranks *group;
    fur_status (*work)(fur_ranks *group, void *user);
    void *user;
    fur_status status;
} job;

static bool passes_gate(hub *h)
{
    pthread_mutex_lock(&h->gate_lock);
    while (h->gate == GATE_SHUT)
        pthread_cond_wait(&h->gate_moved, &h->gate_lock);
    bool open = h->gate == GATE_OPEN;
    pthread_mutex_unlock(&h->gate_lock);
    return open;
}

static void *run_job(void *argument)
{
    job *j = argument;
    if (!passes_gate(((const member *)j->group->state)->hub))
        return NULL;
    fur_status status = j->work(j->group, j->user);
    if (status != FUR_OK && !j->group->broken && !j->group->error[0])
        group_fail(j->group, status, "rank %d returned status %d, %s, without a message",
                   j->group->rank, (int)status, fur_status_name(status));
    j->status = fur_ranks_agree(j->group, status);
    return NULL;
}

/* Opens the gate for all jobs, or lets the waiting jobs return. */
static void open_gate(hub *h, gate_state state)
{
    pthread_mutex_lock(&h->gate_lock);
    h->gate = state;
    pthread_cond_broadcast(&h->gate_moved);
    pthread_mutex_unlock(&h->gate_lock);
}

/* Runs all jobs, or none if the system cannot create a thread. */
static fur_status run_jobs(int ranks, job *jobs, hub *h)
{
    int started = 1;
    while (started < ranks &&
           pthread_create(&jobs[started].thread, NULL, run_job, &jobs[started]) == 0)
        started++;
    open_gate(h, started == ranks ? GATE_OPEN : GATE_CLOSED);
    run_job(&jobs[0]);
    for (int i = 1; i < started; i++)
        pthread_join(jobs[i].thread, NULL);
    if (started < ranks)
        return fur_context_fail(NULL, FUR_UNSUPPORTED,
                                "the system could not start a thread for rank %d; use fewer ranks",
                                started);
    if (jobs[0].status != FUR_OK)
        fur_context_fail(NULL, jobs[0].status, "%s", jobs[0].group->error);
    return jobs[0].status;
}

static fur_status open_jobs(hub *h, const fur_ranks_options *o, job *jobs,
                            fur_status (*work)(fur_ranks *group, void *user), void *user)
{
    for (int i = 0; i < h->count; i++) {
        jobs[i].work = work;
        jobs[i].user = user;
        FUR_TRY(group_open(&threads, &h->members[i], i, h->count, o, &jobs[i].group));
    }
    return FUR_OK;
}

fur_status fur_ranks_run(int ranks, const fur_ranks_options *rank_options,
                         fur_status (*work)(fur_ranks *group, void *user), void *user)
{
    fur_ranks_options o;
    if (ranks < 1 || !work)
        return fur_context_fail(NULL, FUR_INVALID,
                                "%s needs 1 rank or more, not %d, and a function for their work",
                                __func__, ranks);
    FUR_TRY(group_take_options(rank_options, &o));
    hub *h = create_hub(ranks);
    job *jobs = calloc((size_t)ranks, sizeof *jobs);
    fur_status status = h && jobs ? open_jobs(h, &o, jobs, work, user) : refuse_hub(ranks);
    if (status == FUR_OK)
        status = run_jobs(ranks, jobs, h);
    for (int i = 0; jobs && i < ranks; i++)
        fur_ranks_close(jobs[i].group);
    free(jobs);
    if (h)
        destroy_hub(h);
    return status;
}
