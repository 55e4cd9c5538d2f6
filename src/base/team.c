/* Only one call is open at a time. Each of its members has a share of its ranges. A member that has
 * finished its share takes ranges of other shares. The caller closes the call when all ranges are
 * taken. It then waits only for members that are still inside a range.
 *
 * If other programs run, the system takes a member off its processor for a time slice, which is as
 * long as a hundred short loops. The caller then waits if the member is inside a range. Otherwise
 * the caller wakes the member in vain. The caller notices both from the processor time that the
 * member used, and from the calls that it missed. The member then rests for a multiple of the lost
 * time. If a call is still open after the rest, the member joins it by itself.
 *
 * A waiting thread also yields its processor, because the thread that it waits for may be on the
 * same processor. On a busy machine a team is therefore little slower than one thread. On a quiet
 * machine it is complete. */
#include "team.h"

#include "float_mode.h"
#include "spin.h"
#include "split.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The ranges in a member's share. Other members can take them over. */
#define SHARES 8

/* The nanoseconds for which a member spins before it sleeps. A program in Python needs 50 to 100 us
 * between two products, and waking a member takes another 20. AWAKE_FOR_MEMBERS: the nanoseconds
 * for which the caller spins for members. Both are much shorter than a time slice. */
#define AWAKE 200000
#define AWAKE_FOR_MEMBERS 50000

/* If a member that did not run costs at least LOST nanoseconds, it rests. The rest is REST times as
 * long for each member of the call, so that all members together do not cost more. At most
 * LOST_MAX nanoseconds count. A shorter loss may be the time to wake up. A longer loss may be a
 * wait for a disk. The thread sanitizer must see threads at work, so that it has no rests. */
#define LOST 200000
#define LOST_MAX 5000000
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

/* Nanoseconds. */
#define SECOND INT64_C(1000000000)

/* Calls are numbered. The last bit tells whether the call is open. */
#define OPEN 1U
#define NO_MORE_CALLS UINT64_MAX

/* Two cache lines, because processors fetch lines in pairs. Data that one thread writes and others
 * read is kept apart from data that others write. A line that moves between threads costs as much
 * as a hundred entries. */
#define APART 128

/* A share in one word: the number of its call, and how many of its ranges are taken. If the number
 * is an earlier call's, no range is taken. */
#define TAKEN_BITS 8

/* Stores before any later load. If two threads both announce their state and then read the other's,
 * at least one sees the other's announcement. This is an exchange, because QEMU runs an ARM's
 * sequentially consistent store without the barrier that an x86 needs. On x86 both are one
 * instruction. */
#define STORE_FIRST(object, value) ((void)atomic_exchange(object, value))

typedef struct member {
    alignas(APART) _Atomic uint64_t share;
    _Atomic uint64_t took; /* the last call that it took part in */
    atomic_bool inside;    /* it is inside a call */
    atomic_bool asleep;
    atomic_bool awaited; /* the caller sleeps until the member is outside */
    /* Used by the caller only: */
    alignas(APART) int64_t since; /* time when it was last woken or took part */
    _Atomic int64_t rests_until;
    clockid_t clock; /* clock of the thread's processor time */
    pthread_t thread;
    /* Used by both threads: */
    struct fur_team *team;
    pthread_mutex_t lock;
    pthread_cond_t called;
    pthread_cond_t left;
} member;

/* The first member is the caller. Only its share is used. */
struct fur_team {
    _Atomic uint64_t call;
    /* The current call. It is set before the call is opened: */
    alignas(APART) fur_body *body;
    void *job;
    int64_t count;
    int ranges;
    atomic_int hands;        /* number of members, including the caller */
    atomic_bool *expected;   /* for each member: it does not rest */
    _Atomic uint64_t *spent; /* one bit for each share whose ranges are all taken */
    member *members;
    /* Used by the caller only: */
    alignas(APART) bool busy;
    bool refused;
    int threads;
    int started;   /* number of members that exist, including the caller */
    int64_t awake; /* nanoseconds; 0 if there are more threads than processors */
    pid_t process;
    void *memory;
    char refusal[160];
};

static int64_t now(clockid_t clock)
{
    struct timespec time = {0, 0};
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

/* Called by a spinning thread between two tests. Returns false when it is time to sleep. */
static bool spins_on(int polls, int64_t until)
{
    return !fur_spin(polls) || now(CLOCK_MONOTONIC) < until;
}

/* The number of processors that the process may use. */
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

/* Takes a range from a share of the call. Returns -1 if none is left. */
static int take_range(struct fur_team *team, int place, uint64_t call)
{
    _Atomic uint64_t *share = &team->members[place].share;
    int begin = (int)fur_split(team->ranges, team->hands, place);
    uint64_t size = (uint64_t)fur_split(team->ranges, team->hands, place + 1) - (uint64_t)begin;
    uint64_t whole = call << TAKEN_BITS;
    uint64_t known = atomic_load_explicit(share, memory_order_relaxed);
    uint64_t taken;
    do {
        taken = known - whole < size ? known - whole : known >= whole ? size : 0;
    } while (taken < size &&
             !atomic_compare_exchange_weak_explicit(share, &known, whole + taken + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    if (taken + 1 >= size)
        atomic_fetch_or_explicit(&team->spent[place / 64], (uint64_t)1 << place % 64,
                                 memory_order_relaxed);
    return taken < size ? begin + (int)taken : -1;
}

static bool is_spent(const struct fur_team *team, int place)
{
    return atomic_load_explicit(&team->spent[place / 64], memory_order_relaxed) >> place % 64 & 1;
}

static void run_range(const struct fur_team *team, int range)
{
    team->body(team->job, fur_split(team->count, team->ranges, range),
               fur_split(team->count, team->ranges, range + 1));
}

/* Runs ranges until all are taken. The member's own share comes first, then the shares after it. */
static void take_ranges(struct fur_team *team, int self, uint64_t call)
{
    int hands = team->hands;
    for (int k = 0; k < hands; k++) {
        int place = (self + k) % hands;
        while (!is_spent(team, place)) {
            int range = take_range(team, place, call);
            if (range >= 0)
                run_range(team, range);
        }
    }
}

static int place_of(const member *m)
{
    return (int)(m - m->team->members);
}

/* Returns whether the member must stop waiting, because of a new open call or because the team
 * ends. */
static bool is_wanted(const member *m, uint64_t call, uint64_t seen)
{
    return call == NO_MORE_CALLS ||
           (call != seen && (call & OPEN) != 0 && m->team->expected[place_of(m)]);
}

/* As above, for a member that rested when the call was opened. It joins if the rest is over. */
static bool is_rested(const member *m, uint64_t call, uint64_t seen)
{
    return call != seen && (call & OPEN) != 0 && place_of(m) < m->team->hands &&
           now(CLOCK_MONOTONIC) >= m->rests_until;
}

/* Sleeps until it is woken or its rest ends. */
static void sleep_once(member *m)
{
    int64_t until = atomic_load(&m->rests_until);
    struct timespec end = {.tv_sec = until / SECOND, .tv_nsec = until % SECOND};
    if (until > now(CLOCK_MONOTONIC))
        pthread_cond_timedwait(&m->called, &m->lock, &end);
    else
        pthread_cond_wait(&m->called, &m->lock);
}

static uint64_t sleep_until_wanted(member *m, uint64_t seen)
{
    uint64_t call;
    pthread_mutex_lock(&m->lock);
    for (;;) {
        STORE_FIRST(&m->asleep, true);
        call = atomic_load(&m->team->call);
        if (is_wanted(m, call, seen) || is_rested(m, call, seen))
            break;
        sleep_once(m);
    }
    atomic_store(&m->asleep, false);
    pthread_mutex_unlock(&m->lock);
    return call;
}

static uint64_t await_call(member *m, uint64_t seen)
{
    int64_t until = now(CLOCK_MONOTONIC) + m->team->awake;
    for (int polls = 0; spins_on(polls, until); polls++) {
        uint64_t call = atomic_load_explicit(&m->team->call, memory_order_acquire);
        if (is_wanted(m, call, seen))
            return call;
    }
    return sleep_until_wanted(m, seen);
}

static void *serve(void *argument)
{
    FUR_STANDARD_MODE;
    member *m = argument;
    struct fur_team *team = m->team;
    uint64_t seen = 0;
    for (;;) {
        seen = await_call(m, seen);
        if (seen == NO_MORE_CALLS)
            return NULL;
        /* The caller first closes the call, and then reads `inside`. */
        STORE_FIRST(&m->inside, true);
        if (atomic_load(&team->call) == seen) {
            take_ranges(team, place_of(m), seen);
            atomic_store_explicit(&m->took, seen, memory_order_relaxed);
        }
        STORE_FIRST(&m->inside, false);
        if (atomic_load(&m->awaited)) {
            pthread_mutex_lock(&m->lock);
            pthread_cond_signal(&m->left);
            pthread_mutex_unlock(&m->lock);
        }
    }
}

/* Starts a member's thread with all signals blocked. The program's other threads handle them. */
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
            snprintf(
                team->refusal, sizeof team->refusal,
                "only %d of %d threads were started, because the system refused the next one: %s",
                team->started, team->threads, strerror(error));
            return;
        }
        if (pthread_getcpuclockid(m->thread, &m->clock) != 0)
            m->clock = CLOCK_MONOTONIC;
        m->since = now(CLOCK_MONOTONIC);
        team->started++;
    }
}

static void wake(member *m)
{
    if (!atomic_load(&m->asleep))
        return;
    m->since = now(CLOCK_MONOTONIC);
    pthread_mutex_lock(&m->lock);
    atomic_store(&m->asleep, false);
    pthread_cond_signal(&m->called);
    pthread_mutex_unlock(&m->lock);
}

/* Opens a call. One range of the first share is already taken by the caller. */
static uint64_t open_call(struct fur_team *team)
{
    int hands = team->hands;
    int64_t time = now(CLOCK_MONOTONIC);
    uint64_t call = atomic_load_explicit(&team->call, memory_order_relaxed) + OPEN;
    for (int i = 1; i < team->started; i++) {
        bool expected = i < hands && time >= team->members[i].rests_until;
        if (team->expected[i] != expected)
            atomic_store_explicit(&team->expected[i], expected, memory_order_relaxed);
    }
    for (int i = 0; i < hands; i += 64)
        atomic_store_explicit(&team->spent[i / 64], 0, memory_order_relaxed);
    atomic_store_explicit(&team->members[0].share, (call << TAKEN_BITS) + 1, memory_order_relaxed);
    STORE_FIRST(&team->call, call);
    for (int i = 1; i < hands; i++)
        if (team->expected[i])
            wake(&team->members[i]);
    return call;
}

static bool is_outside_soon(member *m)
{
    if (!atomic_load(&m->inside))
        return true;
    int64_t until = now(CLOCK_MONOTONIC) + fur_smaller(m->team->awake, AWAKE_FOR_MEMBERS);
    for (int polls = 0; spins_on(polls, until); polls++)
        if (!atomic_load(&m->inside))
            return true;
    return false;
}

static void sleep_until_outside(member *m)
{
    pthread_mutex_lock(&m->lock);
    STORE_FIRST(&m->awaited, true);
    while (atomic_load(&m->inside))
        pthread_cond_wait(&m->left, &m->lock);
    atomic_store(&m->awaited, false);
    pthread_mutex_unlock(&m->lock);
}

/* Waits until the member is outside the call. Returns the nanoseconds that the member cost: it held
 * up the caller without running, or it has not come. */
static int64_t await_member(member *m, uint64_t call)
{
    if (!is_outside_soon(m)) {
        int64_t begin = now(CLOCK_MONOTONIC) - now(m->clock);
        sleep_until_outside(m);
        return now(CLOCK_MONOTONIC) - now(m->clock) - begin;
    }
    bool came = atomic_load_explicit(&m->took, memory_order_relaxed) == call;
    int64_t time = now(CLOCK_MONOTONIC);
    int64_t lost = came || !m->team->expected[place_of(m)] ? 0 : time - m->since;
    if (came)
        m->since = time;
    return lost;
}

/* Closes the call. The cache lines of all members are prefetched together. */
static void close_call(struct fur_team *team, uint64_t call)
{
    int hands = team->hands;
    STORE_FIRST(&team->call, call + OPEN);
    for (int i = 1; i < hands; i++)
        __builtin_prefetch(&team->members[i].share);
    for (int i = 1; i < hands; i++) {
        member *m = &team->members[i];
        int64_t lost = await_member(m, call);
        if (lost > LOST)
            m->rests_until =
                now(CLOCK_MONOTONIC) + REST * (hands - 1) * fur_smaller(lost, LOST_MAX);
    }
}

/* The number of threads for a call with `worth` ranges that each justify one thread. */
static int find_hands(struct fur_team *team, int64_t worth)
{
    if (!team || worth <= 1 || team->threads <= 1 || team->busy || team->process != getpid())
        return 1;
    int most = (int)fur_smaller(worth, team->threads);
    start_members(team, most);
    return (int)fur_smaller(most, team->started);
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
    team->busy = true;
    team->body = body;
    team->job = job;
    team->count = count;
    team->hands = hands;
    /* If there are few indices, the caller has cut its work into parts already. */
    team->ranges = (int)(count <= hands * SHARES ? count : fur_parts(hands, worth));
    uint64_t call = open_call(team);
    run_range(team, 0);
    take_ranges(team, 0, call);
    close_call(team, call);
    team->busy = false;
}

static void open_member(struct fur_team *team, member *m)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    m->team = team;
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->called, &monotonic);
    pthread_cond_init(&m->left, NULL);
    pthread_condattr_destroy(&monotonic);
}

/* The next address that is APART from earlier data. */
static char *apart(char *memory)
{
    return memory + (APART - (uintptr_t)memory % APART);
}

fur_status fur_team_open(fur_env *env)
{
    size_t threads = (size_t)env->threads;
    size_t words = (threads + 63) / 64 * sizeof(uint64_t);
    char *memory;
    FUR_TRY(fur_env_allocate_zeros(env, 1,
                                   sizeof(struct fur_team) + threads * sizeof(member) + threads +
                                       words + (size_t)4 * APART,
                                   &memory));
    struct fur_team *team = (void *)apart(memory);
    team->memory = memory;
    team->members = (void *)apart((char *)(team + 1) - 1);
    team->spent = (void *)apart((char *)(team->members + threads) - 1);
    team->expected = (void *)apart((char *)team->spent + words);
    team->threads = env->threads;
    team->started = 1;
    team->awake = env->threads > processors() ? 0 : AWAKE;
    team->process = getpid();
    for (int i = 0; i < team->threads; i++)
        open_member(team, &team->members[i]);
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
    /* In a child process the threads do not exist. */
    if (team->process == getpid()) {
        STORE_FIRST(&team->call, NO_MORE_CALLS);
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
