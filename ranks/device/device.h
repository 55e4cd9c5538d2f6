/* Contexts and parts of matrices on GPUs: what all links between devices share. */
#ifndef FURROW_RANKS_DEVICE_H
#define FURROW_RANKS_DEVICE_H

#include "halo_link.h"
#include "matrix.h"
#include "kernels.h"

#include <cuda_runtime_api.h>

/* Where a context has its vectors. */
struct device_seat {
    int number;
    char name[24];
    cudaStream_t stream; /* of the context */
    cudaStream_t beside; /* for what passes meanwhile */
    cudaEvent_t forked;
    cudaEvent_t joined;
    void *state; /* of the link */
};

/* The halo of a matrix on its device. */
struct device_part {
    device_lists lists;
    void *packed; /* entries to send, of all targets */
    void *state;  /* of the link */
};

/* What comes next on the stream `beside` follows what the context's stream has so far; and the
 * other way round. */
fur_status device_fork(space *s);
fur_status device_join(space *s);

/* What links keep for a group. */
struct device_group {
    int number;  /* this rank's device */
    bool apart;  /* no two ranks have the same device */
    void *state; /* of the link */
    void **dead; /* memory that other ranks may still map; freed when the group ends */
    int64_t dead_count;
    int64_t dead_room;
};

/* A CUDA call of this rank that failed, as a status with its sentence. */
fur_status device_check(fur_ranks *g, const char *call, cudaError_t error);

#define DEVICE_TRY(g, call) FUR_TRY(device_check(g, #call, call))

/* Memory of the rank's device, cleared; NULL for 0 bytes. No other process can map it. */
fur_status device_allocate(fur_ranks *g, int64_t bytes, void **out);
/* Sets bytes of the rank's device to 0 and waits until they are. */
fur_status device_clear(fur_ranks *g, void *memory, int64_t bytes);
/* Frees what device_allocate returned, or NULL, once the rank's streams no longer use it. */
void device_release(void *memory);

/* The boundary's rows of y, of the boundary's x. */
fur_status device_multiply(fur_ranks_csr *m, fur_vector *y, cudaStream_t stream);

static inline cudaStream_t device_stream(const fur_ranks_csr *m)
{
    return m->space.seat->stream;
}

/* Memory of every rank as this rank's device reaches it; ranks pointers, of which all[rank] is this
 * rank's own. Collective without an agreement; cleared. It is freed when the group ends. */
fur_status peers_expose(fur_ranks *g, int64_t bytes, void **all);
/* Whether the devices of all ranks reach each other's memory. Collective. */
fur_status peers_suit(fur_ranks *g, bool *suit);

/* Whether NCCL is there on all ranks, and each has a device of its own. Collective. */
fur_status nccl_suits(fur_ranks *g, bool *suits);

#define DEVICE_LINK(name) extern const halo_link link_##name;
#include "links.def"
#undef DEVICE_LINK

#endif
