/* The contract between furrow_ranks and a transport: messages between ranks, in order for each pair
 * and channel. A transport is one file. group.c builds everything else on these functions. */
#ifndef FURROW_RANKS_TRANSPORT_H
#define FURROW_RANKS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

/* Data, and alarms: a rank that has failed uses the second channel. */
typedef enum channel { CHANNEL_DATA = 0, CHANNEL_ALARM } channel;

typedef enum arrival {
    ARRIVED = 0,
    ALARMED, /* there is an alarm of a rank, and no data yet */
    MISFIT,  /* the message has another size: ranks have made different calls */
    LEFT     /* the rank has left the group and sends nothing more */
} arrival;

/* The most bytes of a message. group.c splits longer ones. */
#define MESSAGE_MAX ((size_t)1 << 28)

typedef struct transport {
    const char *name;
    /* Copies the data and does not wait. Returns false if memory is exhausted. */
    bool (*send)(void *state, int to, channel on, const void *data, size_t bytes);
    /* Waits for the next message of a rank on a channel. On CHANNEL_DATA it also waits for
     * alarms. */
    arrival (*receive)(void *state, int from, channel on, void *data, size_t bytes);
    /* Returns whether an alarm has not been received yet. Does not wait. */
    bool (*alarmed)(void *state);
    /* Tells all ranks that this rank leaves the group. Waits until all have done so, or for an
     * alarm. NULL: the ranks end together in any case. */
    arrival (*leave)(void *state);
    /* broken: there may be messages that have not been received. */
    void (*close)(void *state, bool broken);
} transport;

#endif
