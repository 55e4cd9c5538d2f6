/* The contract between a matrix of all ranks and the way by which its halo, and on a GPU the sums
 * of its reductions, pass between ranks. A link is one file: halo.c sends messages from host
 * memory; those of GPUs are in device/, listed in device/links.def. */
#ifndef FURROW_RANKS_LINK_H
#define FURROW_RANKS_LINK_H

#include "group.h"

typedef struct halo_link {
    const char *name;
    /* begin and end only queue work on the context's stream, so that it may be recorded. */
    bool queues;
    /* Prepares the group, once, if it has to be. NULL: nothing to do. */
    fur_status (*join)(fur_ranks *g);
    void (*leave)(fur_ranks *g);
    /* What the context of the matrix needs for its reductions. NULL: nothing. */
    fur_status (*open)(fur_ranks_csr *m, fur_sharing *sharing);
    /* Takes over the halo's lists. */
    fur_status (*plan)(fur_ranks_csr *m);
    /* Sends this rank's entries of x. */
    fur_status (*begin)(fur_ranks_csr *m, const void *x);
    /* Own entries and received ones into the boundary's x. */
    fur_status (*end)(fur_ranks_csr *m, const void *x);
    /* y_boundary[i] = sums_i */
    fur_status (*spread)(fur_ranks_csr *m, const void *sums, void *y);
    /* Wakes all ranks that wait on their devices, as this one has failed. NULL: none can wait. */
    void (*abandon)(fur_ranks_csr *m);
    void (*close)(fur_ranks_csr *m);
} halo_link;

extern const halo_link link_host;

#endif
