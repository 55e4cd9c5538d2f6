/* The contract between objects of all ranks and the way by which the halos of matrices, and on a
 * GPU the sums of reductions and planes of stencils, pass between ranks. A link is one file: halo.c
 * sends messages from host memory; those of GPUs are in device/, listed in device/links.def. */
#ifndef FURROW_RANKS_HALO_LINK_H
#define FURROW_RANKS_HALO_LINK_H

#include "space.h"

typedef struct halo_link {
    const char *name;
    /* begin and end only queue work on the context's stream, so that it may be recorded. */
    bool queues;
    /* A leaf that a bound cuts costs a reduction another gather. */
    bool cuts_wait;
    /* Prepares the group, once, if it has to be. NULL: nothing to do. */
    fur_status (*join)(fur_ranks *g);
    void (*leave)(fur_ranks *g);
    /* What a context needs for its reductions. NULL: nothing. */
    fur_status (*open)(space *s, fur_sharing *sharing);
    void (*close)(space *s);
    /* Wakes all ranks that wait on their devices, as this one has failed. NULL: none can wait. */
    void (*abandon)(space *s);
    /* Parcels of memory that pass between ranks, as in furrow/author/sharing.h, on a stream. NULL:
     * on the host, where messages serve. */
    fur_status (*pass)(space *s, const fur_passing *pass, void *stream);
    /* Takes over the lists of a matrix's halo. */
    fur_status (*plan)(fur_ranks_csr *m);
    void (*drop)(fur_ranks_csr *m);
    /* Before the inner rows of y = A x: sends this rank's entries of x. */
    fur_status (*begin)(fur_ranks_csr *m, const fur_vector *x, fur_vector *y);
    /* After them: the boundary's rows, once its entries have come. */
    fur_status (*end)(fur_ranks_csr *m, const fur_vector *x, fur_vector *y);
} halo_link;

extern const halo_link link_host;

#endif
