/* If no limit is given, it grows with the file. Memory and time are then proportional to the data
 * that somebody has stored or sent. */
#include "limit.h"

#include <furrow/author/clock.h>
#include <furrow/author/try.h>

#include "split.h"

/* Rows plus columns that any file may have, however small, and their number for each byte and each
 * entry. Offsets and vectors are as long as the header says, whatever the number of entries. A
 * refused matrix has almost only empty rows or columns. */
#define SHAPE_ALWAYS (INT64_C(1) << 22)
#define SHAPE_PER_BYTE 8
#define SHAPE_PER_ENTRY 2

/* Unpacked bytes that any packed file may have, and their number for each packed byte. Matrices
 * shrink to a tenth, and regular ones to a fiftieth. */
#define UNPACKED_ALWAYS (INT64_C(1) << 28)
#define UNPACKED_PER_BYTE 128

/* a * b for a, b >= 0, or INT64_MAX if that overflows. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

fur_status fur_limits_check(fur_context *context, const fur_read_limits *limits)
{
    const struct {
        const char *name;
        double value;
    } all[] = {{"shape", (double)limits->shape},
               {"entries", (double)limits->entries},
               {"unpacked", (double)limits->unpacked},
               {"seconds", limits->seconds}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(all[i].value >= 0))
            return fur_context_fail(context, FUR_INVALID,
                                    "the limit '%s' is %g, expected 0 for the default or a "
                                    "positive number",
                                    all[i].name, all[i].value);
    return FUR_OK;
}

/* Rows and columns are below 2^63, but their sum may not be. */
static fur_status check_shape(const fur_read_limits *limits, const fur_mtx_header *header,
                              int64_t bytes, fur_failure *failure)
{
    long long rows = header->rows, cols = header->cols;
    int64_t grown = fur_larger(times(SHAPE_PER_BYTE, bytes < 0 ? INT64_MAX : bytes),
                               times(SHAPE_PER_ENTRY, header->entries_in_file));
    long long most = limits->shape > 0 ? limits->shape : fur_larger(SHAPE_ALWAYS, grown);
    if (rows <= most && cols <= most - rows)
        return FUR_OK;
    if (limits->shape > 0)
        return fur_failure_set(failure, FUR_OVERFLOW,
                               "found a matrix of %lld x %lld, expected at most %lld rows and "
                               "columns together (limit 'shape')",
                               rows, cols, most);
    return fur_failure_set(
        failure, FUR_OVERFLOW,
        "found a matrix of %lld x %lld in a file of %lld bytes, expected at most %lld rows and "
        "columns together; if the file is correct, raise the limit 'shape'",
        rows, cols, (long long)bytes, most);
}

fur_status fur_limits_check_header(const fur_read_limits *limits, const fur_mtx_header *header,
                                   int64_t bytes, fur_failure *failure)
{
    FUR_TRY(check_shape(limits, header, bytes, failure));
    if (limits->entries == 0 || header->entries_in_file <= limits->entries)
        return FUR_OK;
    return fur_failure_set(failure, FUR_OVERFLOW,
                           "found %lld entries, expected at most %lld (limit 'entries')",
                           (long long)header->entries_in_file, (long long)limits->entries);
}

fur_status fur_limits_check_unpacked(const fur_read_limits *limits, int64_t unpacked, int64_t bytes,
                                     const char *name, fur_failure *failure)
{
    int64_t grown = fur_larger(UNPACKED_ALWAYS, times(UNPACKED_PER_BYTE, bytes));
    int64_t most = limits->unpacked > 0 ? limits->unpacked : grown;
    if (unpacked <= most)
        return FUR_OK;
    if (limits->unpacked > 0)
        return fur_failure_set(
            failure, FUR_OVERFLOW,
            "%.400s: found more than %lld bytes of unpacked data (limit 'unpacked')", name,
            (long long)most);
    return fur_failure_set(failure, FUR_OVERFLOW,
                           "%.400s: found more than %lld bytes of unpacked data in %lld bytes of "
                           "the file; if the file is correct, raise the limit 'unpacked'",
                           name, (long long)most, (long long)bytes);
}

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

/* Raises the number of finished bytes and returns it. */
static int64_t advance(fur_watch *watch, int64_t done)
{
    long long before = atomic_load(&watch->done);
    while (before < done && !atomic_compare_exchange_weak(&watch->done, &before, done))
        ;
    return before < done ? done : before;
}

/* The clock is not read if there is no limit of seconds. */
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
                               "%.400s: reading took longer than %g seconds (limit 'seconds')",
                               name, watch->limits.seconds);
    return fur_failure_set(failure, FUR_CANCELLED, "%.400s: reading was cancelled after %lld bytes",
                           name, (long long)atomic_load(&watch->done));
}
