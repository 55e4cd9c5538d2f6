/* The contract between furrow_ranks and a transport: messages between ranks, in order for each pair
 * and channel. A transport is one file; group.c does all else with these functions. */
#ifndef FURROW_RANKS_TRANSPORT_H
#define FURROW_RANKS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

/* Data, and alarms: a rank that has failed says so on a channel of its own. */
typedef enum channel { CHANNEL_DATA = 0, CHANNEL_ALARM } channel;

typedef enum arrival {
    ARRIVED = 0,
    ALARMED, /* there is an alarm of some rank, and no data yet */
    MISFIT,  /* the message has another size: ranks are out of step */
    LEFT     /* the rank has left the group and sends nothing more */
} arrival;

/* No message is longer: group.c cuts them. */
#define MESSAGE_MOST ((size_t)1 << 28)

typedef struct transport {
    const char *name;
    /* Copies the data and does not wait. False: there is no memory for that. */
    bool (*send)(void *state, int to, channel on, const void *data, size_t bytes);
    /* Waits for the next message of a rank on a channel; on CHANNEL_DATA also for alarms. */
    arrival (*receive)(void *state, int from, channel on, void *data, size_t bytes);
    /* Whether there is an alarm that nobody has received. Does not wait. */
    bool (*alarmed)(void *state);
    /* Tells all ranks that this one leaves the group. Waits until all have told so, or for an
     * alarm. NULL: the ranks end together in any case. */
    arrival (*leave)(void *state);
    /* broken: there may be messages that nobody has received. */
    void (*close)(void *state, bool broken);
} transport;

#endif
