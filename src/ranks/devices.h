/* Ranks on GPUs, in builds with CUDA; in others every call that needs one is refused. */
#ifndef FURROW_RANKS_DEVICES_H
#define FURROW_RANKS_DEVICES_H

#include "halo_link.h"

/* Finds this rank's device and the group's link. Collective without an agreement. */
fur_status devices_join(fur_ranks *g);
/* All objects of the group are gone. */
void devices_leave(fur_ranks *g);

/* The device, stream and sharing of the context that a matrix is about to make. */
fur_status devices_open(fur_ranks_csr *m, fur_context_options *options, fur_sharing *sharing);
/* The halo's lists to the device. */
fur_status devices_plan(fur_ranks_csr *m);
/* After the context is gone. */
void devices_close(fur_ranks_csr *m);

#endif
