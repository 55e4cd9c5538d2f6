/* A rank's end of a group, and messages that fail on all ranks or on none. */
#ifndef FURROW_RANKS_GROUP_H
#define FURROW_RANKS_GROUP_H

#include <furrow/author/try.h>
#include <furrow/ranks.h>

#include "transport.h"

#define SENTENCE_ROOM 1016

/* A rank's word in an alarm. */
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
    fur_context *home;            /* of work before a matrix has its own; no sharing */
    const struct halo_link *link; /* of halos */
    struct device_group *devices; /* on GPUs; NULL: not yet looked for */
    struct space *spaces;         /* that there are */
    bool broken;
    fur_status status; /* of the failure, FUR_OK before one */
    char error[SENTENCE_ROOM];
    bool sounded; /* all ranks have been sent `alarm` */
    alarm_record alarm;
    int64_t until_fault; /* of tests: messages and reads until one fails; 0: none does */
};

/* A group over a transport, which it takes over on success. */
fur_status group_open(const transport *via, void *state, int rank, int count,
                      const fur_ranks_options *options, fur_ranks **out);

/* Closes this rank's end alone, without a word to others. */
void group_drop(fur_ranks *group);

/* Options with defaults, or FUR_INVALID in fur_context_error(NULL). */
fur_status group_take_options(const fur_ranks_options *given, fur_ranks_options *out);

/* Whether ranks have their parts on GPUs. */
bool group_on_gpu(const fur_ranks_options *options);

/* As fur_ranks_fail and fur_ranks_pass_on, for a failure that the next agreement tells the others.
 */
fur_status group_fail(fur_ranks *g, fur_status status, const char *format, ...) FUR_PRINTF(3, 4);
fur_status group_pass_on(fur_ranks *g, const fur_context *context, fur_status status);

/* Messages, as in furrow/author/sharing.h. A failure breaks the group. */
fur_status group_send(fur_ranks *g, int to, const void *data, size_t bytes);
fur_status group_receive(fur_ranks *g, int from, void *data, size_t bytes);
fur_status group_gather(fur_ranks *g, const void *mine, size_t bytes, void *all);
/* The bytes of rank 0 on all. */
fur_status group_share(fur_ranks *g, void *data, size_t bytes);
/* Answers an alarm of another rank if there is one; does not wait for one. */
fur_status group_poll(fur_ranks *g);

/* Ends a collective call on the context: agrees on its status, and hands the agreed sentence to the
 * context. NULL: that of the group. */
fur_status group_finish(fur_ranks *g, fur_context *context, fur_status status);

/* Memory of the home context. */
fur_status group_allocate(fur_ranks *g, int64_t count, size_t size, void *out);
void group_release(fur_ranks *g, void *memory);

/* The n-th message or read of a file of this rank from now on fails; for tests. */
FUR_API void fur_ranks_fail_after(fur_ranks *g, int64_t messages);

/* Counts one of them; whether it is the one that fails. */
bool group_fault(fur_ranks *g);

#endif
