/* Ranks on GPUs, in builds with CUDA; in others every call that needs one is refused. */
#ifndef FURROW_RANKS_DEVICES_H
#define FURROW_RANKS_DEVICES_H

#include "halo_link.h"

/* Finds this rank's device and the group's link. Collective without an agreement. */
fur_status devices_join(fur_ranks *g);
/* All objects of the group are gone. */
void devices_leave(fur_ranks *g);

/* The device, stream and sharing of a context that is about to be made. */
fur_status devices_open(space *s, fur_context_options *options, fur_sharing *sharing);
/* After the context is gone. */
void devices_close(space *s);

/* The lists of a matrix's halo to the device. */
fur_status devices_plan(fur_ranks_csr *m);
void devices_drop(fur_ranks_csr *m);

/* Parcels pass beside what the context's stream does next, up to devices_meet. */
fur_status devices_pass(space *s, const fur_passing *pass);
fur_status devices_meet(space *s);

/* all = the parts, of elements of `size` bytes, that ranks have within bounds; in the order of the
 * context's stream. */
fur_status devices_gather(space *s, const int64_t *bounds, size_t size, const void *mine,
                          void *all);

/* The device and the stream of the space, for a context beside its own. */
void devices_seat(const space *s, fur_context_options *options);

#endif
