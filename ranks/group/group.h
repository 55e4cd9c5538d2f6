/* A rank's end of a group, with messages that fail either on all ranks or on none. */
#ifndef FURROW_RANKS_GROUP_H
#define FURROW_RANKS_GROUP_H

#include <furrow/author/try.h>
#include <furrow/ranks.h>

#include "transport.h"

#define SENTENCE_ROOM 1016

/* A rank's part of an alarm. */
typedef struct alarm_record {
    int32_t status;
    char sentence[SENTENCE_ROOM];
} alarm_record;

struct fur_ranks {
    const transport *via;
    void *state;
    int rank;
    int count;
    fur_ranks_options options;
    fur_context *home;            /* for work outside of matrices; no sharing */
    const struct halo_link *link; /* the link of halos */
    struct device_group *devices; /* state on GPUs; NULL: not initialised yet */
    struct space *spaces;         /* list of all spaces */
    bool broken;
    fur_status status; /* of the failure; FUR_OK if there is none */
    char error[SENTENCE_ROOM];
    bool sounded; /* all ranks have received `alarm` */
    alarm_record alarm;
    int64_t until_fault; /* for tests: messages and reads until one fails; 0: none fails */
};

/* Opens a group over a transport, which it owns on success. */
fur_status group_open(const transport *via, void *state, int rank, int count,
                      const fur_ranks_options *options, fur_ranks **out);

/* Closes only this rank's end, without a message to others. */
void group_drop(fur_ranks *group);

/* Sets options with their defaults. FUR_INVALID leaves its message in fur_context_error(NULL). */
fur_status group_take_options(const fur_ranks_options *given, fur_ranks_options *out);

/* Returns whether the parts of ranks are on GPUs. */
bool group_on_gpu(const fur_ranks_options *options);

/* As fur_ranks_fail and fur_ranks_pass_on, for a failure that the next agreement tells other
 * ranks. */
fur_status group_fail(fur_ranks *g, fur_status status, const char *format, ...) FUR_PRINTF(3, 4);
fur_status group_pass_on(fur_ranks *g, const fur_context *context, fur_status status);

/* Messages, as in furrow/author/sharing.h. A failure breaks the group. */
fur_status group_send(fur_ranks *g, int to, const void *data, size_t bytes);
fur_status group_receive(fur_ranks *g, int from, void *data, size_t bytes);
fur_status group_gather(fur_ranks *g, const void *mine, size_t bytes, void *all);
/* Copies the bytes of rank 0 to all ranks. */
fur_status group_share(fur_ranks *g, void *data, size_t bytes);
/* Answers an alarm of another rank, if there is one. Does not wait. */
fur_status group_poll(fur_ranks *g);

/* Ends a collective call on the context. Agrees on its status, and passes the agreed message to the
 * context, or to the group's context if it is NULL. */
fur_status group_finish(fur_ranks *g, fur_context *context, fur_status status);

/* Allocates memory in the home context. */
fur_status group_allocate(fur_ranks *g, int64_t count, size_t size, void *out);
void group_release(fur_ranks *g, void *memory);

/* For tests: the `messages`-th next message or file read of this rank fails. */
FUR_API void fur_ranks_fail_after(fur_ranks *g, int64_t messages);

/* Counts a message or read. Returns whether it is the one that fails. */
bool group_fault(fur_ranks *g);

#endif
