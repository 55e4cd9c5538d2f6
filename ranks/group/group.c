/* Groups: messages, gathers, and the agreement on a failure.
 *
 * A rank that fails sends an alarm, with its status and message, to all other ranks. A rank that
 * waits for data receives the alarm instead, and answers with an alarm that may be empty. So every
 * rank gets the alarms of all ranks. All of them report the alarm of the lowest rank that has a
 * failure. */
#include "group.h"

#include <furrow/author/options.h>

#include "devices.h"
#include "matrix.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

fur_status group_take_options(const fur_ranks_options *given, fur_ranks_options *out)
{
    FUR_TAKE_OPTIONS(NULL, fur_ranks_options, out, given);
    out->threads = out->threads ? out->threads : 1;
    return FUR_OK;
}

bool group_on_gpu(const fur_ranks_options *options)
{
    return options->device && strncmp(options->device, "cuda", 4) == 0 &&
           (options->device[4] == 0 || options->device[4] == ':');
}

/* Accepts "cpu" or a GPU. */
static fur_status check_device(const fur_ranks_options *o)
{
    if (!o->device || strcmp(o->device, "cpu") == 0 || group_on_gpu(o))
        return FUR_OK;
    return fur_context_fail(NULL, FUR_UNSUPPORTED,
                            "there is no device \"%s\"; use \"cpu\", \"cuda\" or \"cuda:N\"",
                            o->device);
}

fur_status group_open(const transport *via, void *state, int rank, int count,
                      const fur_ranks_options *options, fur_ranks **out)
{
    fur_context_options home = {.size = sizeof home,
                                .threads = options->threads,
                                .isa = options->isa,
                                .allocator = options->allocator};
    fur_context *context;
    void *memory;
    FUR_TRY(check_device(options));
    FUR_TRY(fur_context_create(&home, &context));
    fur_status status = fur_context_allocate(context, sizeof(fur_ranks), &memory);
    if (status != FUR_OK) {
        fur_context_fail(NULL, status, "%s", fur_context_error(context));
        fur_context_destroy(context);
        return status;
    }
    *out = memory;
    **out = (fur_ranks){.via = via,
                        .state = state,
                        .rank = rank,
                        .count = count,
                        .options = *options,
                        .home = context,
                        .link = &link_host};
    return FUR_OK;
}

void group_drop(fur_ranks *group)
{
    fur_context *home = group->home;
    devices_leave(group);
    group->via->close(group->state, group->broken);
    fur_context_release(home, group);
    fur_context_destroy(home);
}

int fur_ranks_rank(const fur_ranks *group)
{
    return group ? group->rank : 0;
}

int fur_ranks_count(const fur_ranks *group)
{
    return group ? group->count : 0;
}

const char *fur_ranks_transport(const fur_ranks *group)
{
    return group ? group->via->name : "";
}

const char *fur_ranks_device_transport(const fur_ranks *group)
{
    return group ? group->link->name : "";
}

const char *fur_ranks_error(const fur_ranks *group)
{
    return group ? group->error : "";
}

static void set_sentence(fur_ranks *g, const char *format, va_list arguments)
{
    if (!g->broken && !g->sounded) /* a message that others have received is not changed */
        vsnprintf(g->error, sizeof g->error, format, arguments);
}

fur_status group_fail(fur_ranks *g, fur_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_sentence(g, format, arguments);
    va_end(arguments);
    return status;
}

fur_status group_pass_on(fur_ranks *g, const fur_context *context, fur_status status)
{
    return status == FUR_OK ? FUR_OK : group_fail(g, status, "%s", fur_context_error(context));
}

/* Tells all ranks that this rank has failed or, with FUR_OK, that it has learned of a failure. */
static void send_alarm(fur_ranks *g, fur_status status)
{
    g->sounded = true;
    g->alarm = (alarm_record){.status = (int32_t)status};
    if (status != FUR_OK)
        memcpy(g->alarm.sentence, g->error, sizeof g->alarm.sentence);
    for (int rank = 0; rank < g->count; rank++)
        if (rank != g->rank)
            g->via->send(g->state, rank, CHANNEL_ALARM, &g->alarm, sizeof g->alarm);
    for (space *s = g->spaces; s && g->link->abandon; s = s->next)
        g->link->abandon(s);
}

/* Agrees on a failure of this or another rank: exchanges the alarms of all ranks. */
static fur_status sound_alarm(fur_ranks *g, fur_status status)
{
    alarm_record other;
    if (g->broken)
        return g->status;
    if (!g->sounded)
        send_alarm(g, status);
    int lowest = g->alarm.status == FUR_OK ? g->count : g->rank;
    for (int rank = 0; rank < g->count; rank++) {
        if (rank == g->rank)
            continue;
        g->via->receive(g->state, rank, CHANNEL_ALARM, &other, sizeof other);
        if (other.status != FUR_OK && rank < lowest) {
            lowest = rank;
            g->alarm = other;
        }
    }
    g->broken = true;
    g->status = (fur_status)g->alarm.status;
    memcpy(g->error, g->alarm.sentence, sizeof g->error);
    return g->status;
}

/* Returns whether this rank failed only because another rank, which had failed, ended its wait on
 * the device. */
static bool is_woken(const fur_ranks *g)
{
    return g->link->abandon && g->via->alarmed(g->state);
}

/* Warns other ranks, which may wait for this rank in vain. */
static fur_status warn_others(fur_ranks *g, fur_status status)
{
    if (status != FUR_OK && !g->broken && !g->sounded)
        send_alarm(g, is_woken(g) ? FUR_OK : status);
    return status;
}

fur_status fur_ranks_fail(fur_ranks *group, fur_status status, const char *format, ...)
{
    va_list arguments;
    if (!group)
        return status;
    va_start(arguments, format);
    set_sentence(group, format, arguments);
    va_end(arguments);
    return warn_others(group, status);
}

fur_status fur_ranks_pass_on(fur_ranks *group, const fur_context *context, fur_status status)
{
    return group ? warn_others(group, group_pass_on(group, context, status)) : status;
}

fur_status group_poll(fur_ranks *g)
{
    return g->broken || g->sounded || g->via->alarmed(g->state) ? sound_alarm(g, FUR_OK) : FUR_OK;
}

bool group_fault(fur_ranks *g)
{
    return g->until_fault > 0 && --g->until_fault == 0;
}

static fur_status begin_message(fur_ranks *g)
{
    if (g->broken || g->sounded)
        return sound_alarm(g, FUR_OK);
    if (!group_fault(g))
        return FUR_OK;
    return sound_alarm(g, group_fail(g, FUR_IO_ERROR,
                                     "a message of rank %d failed on request of a test", g->rank));
}

fur_status group_send(fur_ranks *g, int to, const void *data, size_t bytes)
{
    FUR_TRY(begin_message(g));
    for (size_t done = 0; done < bytes; done += MESSAGE_MAX) {
        size_t part = bytes - done < MESSAGE_MAX ? bytes - done : MESSAGE_MAX;
        if (!g->via->send(g->state, to, CHANNEL_DATA, (const char *)data + done, part))
            return sound_alarm(
                g, group_fail(g, FUR_OUT_OF_MEMORY,
                              "out of memory for a message of %zu bytes from rank %d to %d", part,
                              g->rank, to));
    }
    return FUR_OK;
}

fur_status group_receive(fur_ranks *g, int from, void *data, size_t bytes)
{
    FUR_TRY(begin_message(g));
    for (size_t done = 0; done < bytes; done += MESSAGE_MAX) {
        size_t part = bytes - done < MESSAGE_MAX ? bytes - done : MESSAGE_MAX;
        arrival how = g->via->receive(g->state, from, CHANNEL_DATA, (char *)data + done, part);
        if (how == ALARMED)
            return sound_alarm(g, FUR_OK);
        if (how == LEFT)
            return sound_alarm(
                g, group_fail(
                       g, FUR_INVALID,
                       "rank %d closed the group while rank %d waited for its message; all ranks "
                       "must make the same calls, and call fur_ranks_agree after a failure",
                       from, g->rank));
        if (how == MISFIT)
            return sound_alarm(
                g, group_fail(g, FUR_INVALID,
                              "rank %d expected %zu bytes from rank %d, but received another "
                              "number; all ranks must make the same calls with the same options",
                              g->rank, part, from));
    }
    return FUR_OK;
}

/* Blocks move in rounds. After k rounds, a rank has the blocks of the 2^k ranks from itself on
 * (Bruck et al. 1997). */
fur_status group_gather(fur_ranks *g, const void *mine, size_t bytes, void *all)
{
    char *blocks = all;
    char *first = blocks + (size_t)g->rank * bytes;
    if (bytes > 0)
        memmove(first, mine, bytes);
    for (int have = 1; have < g->count; have *= 2) {
        int count = have < g->count - have ? have : g->count - have;
        int to = (g->rank - have + g->count) % g->count;
        int from = (g->rank + have) % g->count;
        for (int i = 0; i < count; i++) {
            int block = (g->rank + i) % g->count;
            int run = block + count - i <= g->count ? count - i : g->count - block;
            FUR_TRY(group_send(g, to, blocks + (size_t)block * bytes, (size_t)run * bytes));
            i += run - 1;
        }
        for (int i = 0; i < count; i++) {
            int block = (from + i) % g->count;
            int run = block + count - i <= g->count ? count - i : g->count - block;
            FUR_TRY(group_receive(g, from, blocks + (size_t)block * bytes, (size_t)run * bytes));
            i += run - 1;
        }
    }
    return FUR_OK;
}

/* Rank r receives the data from the rank whose number is r without its lowest set bit. */
fur_status group_share(fur_ranks *g, void *data, size_t bytes)
{
    int reach = 1;
    while (reach < g->count && (g->rank & reach) == 0)
        reach *= 2;
    if (g->rank > 0)
        FUR_TRY(group_receive(g, g->rank - reach, data, bytes));
    for (reach /= 2; reach > 0; reach /= 2)
        if (g->rank + reach < g->count)
            FUR_TRY(group_send(g, g->rank + reach, data, bytes));
    return FUR_OK;
}

/* Every rank sends a word to all and waits for the words of all. Therefore no rank continues before
 * all have called. */
fur_status fur_ranks_agree(fur_ranks *group, fur_status status)
{
    if (!group)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    if (group->broken || group->sounded)
        return sound_alarm(group, FUR_OK);
    if (status != FUR_OK && is_woken(group))
        return sound_alarm(group, FUR_OK);
    if (status != FUR_OK)
        return sound_alarm(group, status);
    int32_t token = 1;
    for (int have = 1; have < group->count; have *= 2) {
        int to = (group->rank + have) % group->count;
        int from = (group->rank - have + group->count) % group->count;
        FUR_TRY(group_send(group, to, &token, sizeof token));
        FUR_TRY(group_receive(group, from, &token, sizeof token));
    }
    return FUR_OK;
}

fur_status fur_ranks_share(fur_ranks *group, void *data, size_t bytes)
{
    if (!group || (!data && bytes > 0))
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    return fur_ranks_agree(group, group_share(group, data, bytes));
}

/* Tells other ranks, which may wait for this rank in another call, that it leaves. */
static void leave(fur_ranks *g)
{
    if (g->broken || !g->via->leave)
        return;
    if (g->sounded || g->via->leave(g->state) == ALARMED)
        sound_alarm(g, FUR_OK);
}

void fur_ranks_close(fur_ranks *group)
{
    if (!group)
        return;
    leave(group);
    group_drop(group);
}

fur_status group_finish(fur_ranks *g, fur_context *context, fur_status status)
{
    if (context)
        group_pass_on(g, context, status);
    fur_status agreed = fur_ranks_agree(g, status);
    if (context && agreed != FUR_OK)
        fur_context_fail(context, agreed, "%s", g->error);
    return agreed;
}

fur_status group_allocate(fur_ranks *g, int64_t count, size_t size, void *out)
{
    void *memory = NULL;
    if (count < 0 || (size_t)count > PTRDIFF_MAX / size)
        return group_fail(g, FUR_OVERFLOW, "%lld elements do not fit in memory", (long long)count);
    FUR_TRY(
        group_pass_on(g, g->home, fur_context_allocate(g->home, (size_t)count * size, &memory)));
    memcpy(out, &memory, sizeof memory);
    return FUR_OK;
}

void group_release(fur_ranks *g, void *memory)
{
    fur_context_release(g->home, memory);
}

void fur_ranks_fail_after(fur_ranks *g, int64_t messages)
{
    g->until_fault = messages;
}
