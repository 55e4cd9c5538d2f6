/* Asking the caller, and the clock. */
#include "watch.h"
#include "clock.h"

enum { GOES_ON, CANCELLED, LATE };

void fur_watch_begin(fur_watch *watch, const fur_mtx_read_options *options)
{
    watch->limits = options->limits;
    watch->progress = options->progress;
    watch->user = options->user;
    watch->caller = pthread_self();
    watch->end = options->limits.seconds > 0 ? fur_seconds() + options->limits.seconds : 0;
    watch->size = -1;
    atomic_init(&watch->done, 0);
    atomic_init(&watch->outcome, GOES_ON);
}

/* Raises what is said to be done, and returns it. */
static int64_t advance(fur_watch *watch, int64_t done)
{
    long long before = atomic_load(&watch->done);
    while (before < done && !atomic_compare_exchange_weak(&watch->done, &before, done))
        ;
    return before < done ? done : before;
}

/* What is not asked for costs nothing. */
static bool is_late(const fur_watch *watch)
{
    return watch->end > 0 && fur_seconds() >= watch->end;
}

static bool is_cancelled(fur_watch *watch, int64_t done)
{
    return watch->progress && pthread_equal(watch->caller, pthread_self()) &&
           watch->progress(watch->user, done, watch->size) != 0;
}

bool fur_watch_goes_on(fur_watch *watch, int64_t done)
{
    if (!watch)
        return true;
    done = advance(watch, done);
    if (atomic_load(&watch->outcome) != GOES_ON)
        return false;
    int outcome = is_late(watch) ? LATE : is_cancelled(watch, done) ? CANCELLED : GOES_ON;
    if (outcome != GOES_ON)
        atomic_store(&watch->outcome, outcome);
    return outcome == GOES_ON;
}

bool fur_watch_asks(const fur_watch *watch)
{
    return watch && (watch->progress || watch->end > 0) &&
           pthread_equal(watch->caller, pthread_self());
}

fur_status fur_watch_tell(const fur_watch *watch, const char *name, fur_failure *failure)
{
    int outcome = atomic_load(&watch->outcome);
    if (outcome == GOES_ON)
        return FUR_OK;
    if (outcome == LATE)
        return fur_failure_set(failure, FUR_CANCELLED,
                               "%.400s: reading took longer than %g seconds, the limit 'seconds'",
                               name, watch->limits.seconds);
    return fur_failure_set(failure, FUR_CANCELLED, "%.400s: reading was cancelled after %lld bytes",
                           name, (long long)atomic_load(&watch->done));
}
