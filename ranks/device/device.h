/* Contexts and parts of matrices on GPUs: the shared part of all links between devices. */
#ifndef FURROW_RANKS_DEVICE_H
#define FURROW_RANKS_DEVICE_H

#include "halo_link.h"
#include "matrix.h"
#include "kernels.h"

#include <cuda_runtime_api.h>

/* The device of a context. */
struct device_seat {
    int number;
    char name[24];
    cudaStream_t stream; /* the stream of the context */
    cudaStream_t beside; /* for communication during computation */
    cudaEvent_t forked;
    cudaEvent_t joined;
    void *state; /* state of the link */
};

/* The halo of a matrix on its device. */
struct device_part {
    device_lists lists;
    void *packed; /* entries to send to all targets */
    void *state;  /* state of the link */
};

/* Order the streams. device_fork: later work on `beside` waits for all work on the context's stream
 * so far. device_join: the reverse. */
fur_status device_fork(space *s);
fur_status device_join(space *s);

/* The state of the links of a group. */
struct device_group {
    int number;  /* this rank's device */
    bool apart;  /* all ranks have different devices */
    void *state; /* state of the link */
    void **dead; /* memory that other ranks may still map; freed when the group ends */
    int64_t dead_count;
    int64_t dead_room;
};

/* Turns the result of a CUDA call into a status with a message. */
fur_status device_check(fur_ranks *g, const char *call, cudaError_t error);

#define DEVICE_TRY(g, call) FUR_TRY(device_check(g, #call, call))

/* Allocates cleared memory on the rank's device. Returns NULL for 0 bytes. No other process can map
 * it. */
fur_status device_allocate(fur_ranks *g, int64_t bytes, void **out);
/* Sets bytes on the rank's device to 0 and waits for this. */
fur_status device_clear(fur_ranks *g, void *memory, int64_t bytes);
/* Frees memory of device_allocate, or NULL, after the rank's streams have finished using it. */
void device_release(void *memory);

/* Computes the boundary's rows of y from the boundary's x. */
fur_status device_multiply(fur_ranks_csr *m, fur_vector *y, cudaStream_t stream);

static inline cudaStream_t device_stream(const fur_ranks_csr *m)
{
    return m->space.seat->stream;
}

/* Allocates memory on every rank's device that this rank's device can access: `ranks` pointers,
 * where all[rank] is this rank's own. Collective, but ends without an agreement. The memory is
 * cleared, and freed when the group ends. */
fur_status peers_expose(fur_ranks *g, int64_t bytes, void **all);
/* Tests whether the devices of all ranks can access each other's memory. Collective. */
fur_status peers_suit(fur_ranks *g, bool *suit);

/* Tests whether NCCL is available on all ranks, and each rank has its own device. Collective. */
fur_status nccl_suits(fur_ranks *g, bool *suits);

#define DEVICE_LINK(name) extern const halo_link link_##name;
#include "links.def"
#undef DEVICE_LINK

#endif
