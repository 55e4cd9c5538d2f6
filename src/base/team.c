/* One call is open at a time. Each member has a share of its ranges; who is done with his own takes
 * from the others'. The caller closes the call when no range is left, and waits only for members
 * that are still inside one.
 *
 * A member that the system has taken off its processor inside a range holds up the caller for a
 * time slice, a hundred loops long. The caller notices: the member used less processor time than
 * went by. It then works alone for a multiple of what it lost. So beside other programs a team is
 * little slower than one thread, and on a quiet machine it never rests. */
#include "team.h"
#include "split.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#    include <sched.h>
#endif

/* Ranges of a member's share: what others can take over of it. */
#define SHARES 4

/* Nanoseconds that a thread waits awake. Longer than the serial pieces between a solver's loops,
 * much shorter than a time slice. */
#define AWAKE 50000

/* Nanoseconds lost to a member that did not run that are worth a rest, which is REST times as long.
 * Under the thread sanitizer, which is to see threads at work, there is none. */
#define LOST 100000
#if defined __SANITIZE_THREAD__
#    define REST 0
#elif defined __has_feature
#    if __has_feature(thread_sanitizer)
#        define REST 0
#    endif
#endif
#ifndef REST
#    define REST 10
#endif

/* The members of a call and whether it is open, in the word that announces it. */
#define OPEN 1U
#define HANDS_SHIFT 1
#define HANDS_BITS 20
#define NUMBER_ONE ((uint64_t)1 << (HANDS_SHIFT + HANDS_BITS))
#define NO_MORE_CALLS UINT64_MAX

/* Two lines, as processors fetch lines in pairs. */
#define APART 128

typedef struct member {
    alignas(APART) atomic_int next; /* the first range of the share that nobody has taken */
    int end;                        /* of the share */
    alignas(APART) atomic_bool inside;
    atomic_bool asleep;
    atomic_bool awaited; /* the caller sleeps until the member is outside */
    int index;
    struct fur_team *team;
    pthread_t thread;
    clockid_t clock; /* of the thread's processor time */
    pthread_mutex_t lock;
    pthread_cond_t called;
    pthread_cond_t left;
} member;

struct fur_team {
    _Atomic uint64_t call;
    fur_body *body;
    void *job;
    int64_t count;
    int ranges;
    int hands; /* members of the call */
    /* The caller's own: */
    bool busy;
    bool refused;
    int threads;
    int started;   /* members that there are, the caller among them */
    int64_t awake; /* nanoseconds: none where there are more threads than processors */
    pid_t process;
    int64_t rests_until;
    void *memory;
    char refusal[160];
    member members[];
};

static int64_t now(clockid_t clock)
{
    struct timespec time = {0, 0};
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void pause_briefly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Processors that the process may use. */
static int processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < INT16_MAX ? (int)count : 1;
}

int fur_team_size(int asked)
{
    int most = FUR_THREADS_MAX * processors();
    const char *wish = getenv("OMP_NUM_THREADS");
    if (asked == 0 && wish)
        asked = (int)fur_smaller(strtol(wish, NULL, 10), most);
    return asked <= 0 ? processors() : (int)fur_smaller(asked, most);
}

int fur_lanes(int threads, int64_t worth)
{
    return (int)fur_larger(fur_smaller(worth, threads), 1);
}

int fur_parts(int threads, int64_t worth)
{
    int64_t hands = fur_lanes(threads, worth);
    return hands > 1 ? (int)(hands * fur_smaller(worth / hands, SHARES)) : 1;
}

/* Runs ranges until none is left: the member's own first, then those of the members after it. */
static void take_ranges(struct fur_team *team, int self, int hands)
{
    for (int k = 0; k < hands; k++) {
        member *m = &team->members[(self + k) % hands];
        int end = m->end;
        int range = atomic_load_explicit(&m->next, memory_order_relaxed);
        while (range < end) {
            range = atomic_fetch_add_explicit(&m->next, 1, memory_order_relaxed);
            if (range < end)
                team->body(team->job, fur_split(team->count, team->ranges, range),
                           fur_split(team->count, team->ranges, range + 1));
        }
    }
}

/* Whether the member should leave its waiting: for an open call that it is one of and that it has
 * not seen, or for good. */
static bool is_wanted(const member *m, uint64_t call, uint64_t seen)
{
    uint64_t hands = call >> HANDS_SHIFT & (((uint64_t)1 << HANDS_BITS) - 1);
    return call == NO_MORE_CALLS ||
           (call != seen && (call & OPEN) != 0 && (uint64_t)m->index < hands);
}

static uint64_t sleep_until_wanted(member *m, uint64_t seen)
{
    uint64_t call;
    pthread_mutex_lock(&m->lock);
    for (;;) {
        atomic_store(&m->asleep, true);
        call = atomic_load(&m->team->call);
        if (is_wanted(m, call, seen))
            break;
        pthread_cond_wait(&m->called, &m->lock);
    }
    atomic_store(&m->asleep, false);
    pthread_mutex_unlock(&m->lock);
    return call;
}

static uint64_t await_call(member *m, uint64_t seen)
{
    int64_t until = now(CLOCK_MONOTONIC) + m->team->awake;
    for (int looks = 0; looks % 64 != 63 || now(CLOCK_MONOTONIC) < until; looks++) {
        uint64_t call = atomic_load_explicit(&m->team->call, memory_order_acquire);
        if (is_wanted(m, call, seen))
            return call;
        pause_briefly();
    }
    return sleep_until_wanted(m, seen);
}

static void *serve(void *argument)
{
    member *m = argument;
    struct fur_team *team = m->team;
    uint64_t seen = 0;
    for (;;) {
        seen = await_call(m, seen);
        if (seen == NO_MORE_CALLS)
            return NULL;
        /* The caller first closes the call and then looks who is inside. */
        atomic_store(&m->inside, true);
        if (atomic_load(&team->call) == seen)
            take_ranges(team, m->index, team->hands);
        atomic_store(&m->inside, false);
        if (atomic_load(&m->awaited)) {
            pthread_mutex_lock(&m->lock);
            pthread_cond_signal(&m->left);
            pthread_mutex_unlock(&m->lock);
        }
    }
}

/* Its signals are the program's other threads' to handle. */
static int start_thread(member *m)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&m->thread, NULL, serve, m);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void start_members(struct fur_team *team, int wanted)
{
    while (!team->refused && team->started < wanted) {
        member *m = &team->members[team->started];
        int error = start_thread(m);
        if (error) {
            team->refused = true;
            snprintf(team->refusal, sizeof team->refusal,
                     "%d of %d threads are there, as the system refused another: %s", team->started,
                     team->threads, strerror(error));
            return;
        }
        if (pthread_getcpuclockid(m->thread, &m->clock) != 0)
            m->clock = CLOCK_MONOTONIC;
        team->started++;
    }
}

static void wake(member *m)
{
    if (!atomic_load(&m->asleep))
        return;
    pthread_mutex_lock(&m->lock);
    atomic_store(&m->asleep, false);
    pthread_cond_signal(&m->called);
    pthread_mutex_unlock(&m->lock);
}

/* Opens a call. The first range is taken: it is the caller's. */
static void open_call(struct fur_team *team, int hands, int ranges)
{
    team->hands = hands;
    team->ranges = ranges;
    for (int i = 0; i < hands; i++) {
        team->members[i].end = (int)fur_split(ranges, hands, i + 1);
        atomic_store_explicit(&team->members[i].next, (int)fur_split(ranges, hands, i) + (i == 0),
                              memory_order_relaxed);
    }
    uint64_t number = atomic_load_explicit(&team->call, memory_order_relaxed) / NUMBER_ONE + 1;
    atomic_store(&team->call, number * NUMBER_ONE + ((uint64_t)hands << HANDS_SHIFT) + OPEN);
    for (int i = 1; i < hands; i++)
        wake(&team->members[i]);
}

static bool is_outside_soon(member *m)
{
    if (!atomic_load(&m->inside))
        return true;
    int64_t until = now(CLOCK_MONOTONIC) + m->team->awake;
    for (int looks = 0; looks % 64 != 63 || now(CLOCK_MONOTONIC) < until; looks++) {
        if (!atomic_load(&m->inside))
            return true;
        pause_briefly();
    }
    return false;
}

static void sleep_until_outside(member *m)
{
    pthread_mutex_lock(&m->lock);
    atomic_store(&m->awaited, true);
    while (atomic_load(&m->inside))
        pthread_cond_wait(&m->left, &m->lock);
    atomic_store(&m->awaited, false);
    pthread_mutex_unlock(&m->lock);
}

/* Nanoseconds for which the member held up the caller without running. */
static int64_t await_member(member *m)
{
    if (is_outside_soon(m))
        return 0;
    int64_t begin = now(CLOCK_MONOTONIC) - now(m->clock);
    sleep_until_outside(m);
    return now(CLOCK_MONOTONIC) - now(m->clock) - begin;
}

static void close_call(struct fur_team *team)
{
    int64_t lost = 0;
    atomic_fetch_sub(&team->call, OPEN);
    for (int i = 1; i < team->hands; i++)
        lost += await_member(&team->members[i]);
    if (lost > LOST)
        team->rests_until = now(CLOCK_MONOTONIC) + REST * lost;
}

static bool is_resting(struct fur_team *team)
{
    if (team->rests_until > 0 && now(CLOCK_MONOTONIC) >= team->rests_until)
        team->rests_until = 0;
    return team->rests_until > 0;
}

/* Members for a call with so many ranges that are worth one; at least the caller. */
static int find_hands(struct fur_team *team, int64_t worth)
{
    if (!team || worth <= 1 || team->threads <= 1 || team->busy || is_resting(team) ||
        team->process != getpid())
        return 1;
    int hands = (int)fur_smaller(worth, team->threads);
    start_members(team, hands);
    return (int)fur_smaller(hands, team->started);
}

void fur_parallel(const fur_env *env, int64_t worth, int64_t count, fur_body *body, void *job)
{
    struct fur_team *team = env->team;
    int hands = find_hands(team, fur_smaller(worth, count));
    if (hands == 1) {
        if (count > 0)
            body(job, 0, count);
        return;
    }
    /* A few indices are parts of the caller's own cutting. */
    int ranges = (int)(count <= hands * SHARES ? count : fur_parts(hands, worth));
    team->busy = true;
    team->body = body;
    team->job = job;
    team->count = count;
    open_call(team, hands, ranges);
    body(job, 0, fur_split(count, ranges, 1));
    take_ranges(team, 0, hands);
    close_call(team);
    team->busy = false;
}

static void open_member(struct fur_team *team, int index)
{
    member *m = &team->members[index];
    m->team = team;
    m->index = index;
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->called, NULL);
    pthread_cond_init(&m->left, NULL);
}

fur_status fur_team_open(fur_env *env)
{
    /* An allocator of the caller's may align to less. */
    int64_t bytes =
        (int64_t)sizeof(struct fur_team) + env->threads * (int64_t)sizeof(member) + APART;
    char *memory;
    FUR_TRY(fur_env_allocate_zeros(env, bytes, 1, &memory));
    struct fur_team *team = (void *)(memory + (APART - (uintptr_t)memory % APART));
    team->memory = memory;
    team->threads = env->threads;
    team->started = 1;
    team->awake = env->threads > processors() ? 0 : AWAKE;
    team->process = getpid();
    for (int i = 0; i < team->threads; i++)
        open_member(team, i);
    env->team = team;
    return FUR_OK;
}

static void end_member(member *m)
{
    wake(m);
    pthread_join(m->thread, NULL);
}

void fur_team_close(fur_env *env)
{
    struct fur_team *team = env->team;
    if (!team)
        return;
    /* In a child of the process the threads do not exist. */
    if (team->process == getpid()) {
        atomic_store(&team->call, NO_MORE_CALLS);
        for (int i = 1; i < team->started; i++)
            end_member(&team->members[i]);
        for (int i = 0; i < team->threads; i++) {
            pthread_cond_destroy(&team->members[i].left);
            pthread_cond_destroy(&team->members[i].called);
            pthread_mutex_destroy(&team->members[i].lock);
        }
    }
    env->team = NULL;
    fur_env_release(env, team->memory);
}

int fur_team_threads(const fur_env *env, const char **refusal)
{
    const struct fur_team *team = env->team;
    *refusal = team && team->refused ? team->refusal : "";
    return team && team->refused ? team->started : env->threads;
}
