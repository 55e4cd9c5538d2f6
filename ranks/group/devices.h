/* Ranks on GPUs. In builds without CUDA, every call that needs a GPU is refused. */
#ifndef FURROW_RANKS_DEVICES_H
#define FURROW_RANKS_DEVICES_H

#include "halo_link.h"

/* Finds this rank's device and the group's link. Collective, but ends without an agreement. */
fur_status devices_join(fur_ranks *g);
/* Call this after all objects of the group are destroyed. */
void devices_leave(fur_ranks *g);

/* Prepares the device, the stream and the sharing of a context before it is made. */
fur_status devices_open(space *s, fur_context_options *options, fur_sharing *sharing);
/* Call this after the context is destroyed. */
void devices_close(space *s);

/* Copies the lists of a matrix's halo to the device. */
fur_status devices_plan(fur_ranks_csr *m);
void devices_drop(fur_ranks_csr *m);

/* Exchanges parcels in parallel to the next work on the context's stream, until devices_meet. */
fur_status devices_pass(space *s, const fur_passing *pass);
fur_status devices_meet(space *s);

/* Sets `all` to the parts that ranks have within bounds, of elements of `size` bytes, in the order
 * of the context's stream. */
fur_status devices_gather(space *s, const int64_t *bounds, size_t size, const void *mine,
                          void *all);

/* Sets the device and the stream of the space, for a second context. */
void devices_seat(const space *s, fur_context_options *options);

#endif
