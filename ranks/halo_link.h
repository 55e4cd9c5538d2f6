/* The contract between objects of all ranks and a link. A link exchanges the halos of matrices and,
 * on a GPU, the sums of reductions and the planes of stencils. A link is one file. halo.c sends
 * messages from host memory. The links of GPUs are in device/ and listed in device/links.def. */
#ifndef FURROW_RANKS_HALO_LINK_H
#define FURROW_RANKS_HALO_LINK_H

#include "space.h"

typedef struct halo_link {
    const char *name;
    /* true if begin and end only queue work on the context's stream, so that they may be
     * recorded. */
    bool queues;
    /* true if a leaf that is cut by a bound costs a reduction another gather. */
    bool cuts_wait;
    /* Prepares the group once. NULL: nothing to do. */
    fur_status (*join)(fur_ranks *g);
    void (*leave)(fur_ranks *g);
    /* Prepares the reductions of a context. NULL: nothing to do. */
    fur_status (*open)(space *s, fur_sharing *sharing);
    void (*close)(space *s);
    /* Wakes all ranks that wait on their devices after this rank has failed. NULL: no rank can
     * wait. */
    void (*abandon)(space *s);
    /* Exchanges memory parcels between ranks on a stream, as in furrow/author/sharing.h. NULL on
     * the host, which uses messages. */
    fur_status (*pass)(space *s, const fur_passing *pass, void *stream);
    /* Prepares the exchange from the lists of a matrix's halo. */
    fur_status (*plan)(fur_ranks_csr *m);
    void (*drop)(fur_ranks_csr *m);
    /* Sends this rank's entries of x. Called before the inner rows of y = A x. */
    fur_status (*begin)(fur_ranks_csr *m, const fur_vector *x, fur_vector *y);
    /* Computes the boundary's rows, after its entries have arrived. Called after the inner rows. */
    fur_status (*end)(fur_ranks_csr *m, const fur_vector *x, fur_vector *y);
} halo_link;

extern const halo_link link_host;

#endif
