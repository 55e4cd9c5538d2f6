/* A lock around the allocator, and loops that distribute runs of indices. */
#include "parallel.h"

#include <furrow/author/try.h>

#include "atomic.h"
#include "split.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

void fur_storage_open(fur_storage *storage, fur_context *context)
{
    storage->context = context;
    pthread_mutex_init(&storage->lock, NULL);
}

void fur_storage_close(fur_storage *storage)
{
    pthread_mutex_destroy(&storage->lock);
}

fur_status fur_storage_allocate(fur_storage *storage, size_t bytes, void *out, fur_failure *failure)
{
    void *memory = NULL;
    pthread_mutex_lock(&storage->lock);
    fur_status status = fur_context_allocate(storage->context, bytes, &memory);
    fur_failure_take(failure, status, storage->context);
    pthread_mutex_unlock(&storage->lock);
    if (status == FUR_OK)
        memcpy(out, &memory, sizeof memory);
    return status;
}

void fur_storage_release(fur_storage *storage, void *memory)
{
    pthread_mutex_lock(&storage->lock);
    fur_context_release(storage->context, memory);
    pthread_mutex_unlock(&storage->lock);
}

/* Number of tests without a pause, and of tests before a thread sleeps. */
#define POLLS 200
#define POLLS_AWAKE 1000

/* The longest yield in nanoseconds within the reader. A longer yield means that another program
 * took the core. That program keeps it for a time slice of some milliseconds, while a thread of the
 * reader would soon wait itself. */
#define SLICE 1000000
/* Nanoseconds after a long yield in which threads sleep instead of yielding. */
#define CROWDED 100000000

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void fur_wait(int polls)
{
    /* end of that time; it concerns the machine, so all readers share it */
    static _Atomic int64_t crowded;
    const struct timespec moment = {.tv_nsec = 20000};
    if (polls <= POLLS)
        return;
    int64_t begin = now();
    if (polls > POLLS_AWAKE || begin < atomic_load_explicit(&crowded, memory_order_relaxed)) {
        nanosleep(&moment, NULL);
        return;
    }
    sched_yield();
    int64_t end = now();
    if (end - begin > SLICE)
        atomic_store_explicit(&crowded, end + CROWDED, memory_order_relaxed);
}

fur_status fur_storage_grow(fur_storage *storage, void *array, size_t *capacity, size_t wanted,
                            size_t kept, fur_failure *failure)
{
    void *memory = NULL, *larger = NULL;
    if (wanted <= *capacity)
        return FUR_OK;
    FUR_TRY(fur_storage_allocate(storage, wanted, &larger, failure));
    memcpy(&memory, array, sizeof memory);
    if (memory && kept > 0)
        memcpy(larger, memory, kept);
    fur_storage_release(storage, memory);
    memcpy(array, &larger, sizeof larger);
    *capacity = wanted;
    return FUR_OK;
}

typedef struct loop {
    int64_t count;
    int64_t run;
    void (*body)(void *user, int64_t begin, int64_t end);
    void *user;
    fur_shared taken; /* distributes the indices */
} loop;

/* A thread's part of the loop: takes runs until none is left. */
static void take_runs(void *user, int64_t part, int64_t end)
{
    (void)part, (void)end;
    loop *l = user;
    for (;;) {
        int64_t begin = fur_shared_take(&l->taken, l->run);
        if (begin >= l->count)
            return;
        l->body(l->user, begin, fur_smaller(begin + l->run, l->count));
    }
}

void fur_loop_in_order(fur_context *context, int64_t count, int64_t run,
                       void (*body)(void *user, int64_t begin, int64_t end), void *user)
{
    loop l = {.count = count, .run = run, .body = body, .user = user};
    int64_t runs = (count + run - 1) / run;
    fur_context_parallel(context, fur_smaller(runs, fur_context_threads(context)), 1, take_runs,
                         &l);
}

typedef struct search {
    fur_find *find;
    void *user;
    fur_shared first;
} search;

static void search_run(void *user, int64_t begin, int64_t end)
{
    search *s = user;
    if (begin >= atomic_load_explicit(&s->first, memory_order_relaxed))
        return;
    int64_t found = s->find(s->user, begin, end);
    if (found < end)
        fur_shared_least(&s->first, found);
}

int64_t fur_find_first(fur_context *context, int64_t count, int64_t run, fur_find *find, void *user)
{
    search s = {.find = find, .user = user, .first = count};
    fur_loop_in_order(context, count, run, search_run, &s);
    return s.first;
}
