/* Sharing: vectors that are parts of longer vectors. The other parts lie in other contexts,
 * possibly of other processes. furrow/ranks.h is built on it.
 *
 * A context with a sharing has vectors of bounds[rank+1] - bounds[rank] entries: entries
 * bounds[rank] .. bounds[rank+1]-1 of the whole vectors. Its reductions (furrow/vector.h,
 * furrow/author/scalars.h) are reductions of the whole vectors. Every context gets the same result,
 * with the bits that one context with the whole vectors gets, for any bounds (docs/numerics.md). So
 * solvers work on shared vectors without change. All other operations work on the part.
 *
 * All contexts of a sharing must call the same reductions in the same order. Each context sends the
 * sums of the complete subtrees of its part to all contexts. If a part ends inside a leaf of the
 * tree, its context sends the sums of that leaf's lanes to the next context, which continues with
 * them.
 *
 * CUDA contexts need boxes or queue_gather; otherwise FUR_UNSUPPORTED. Bounds that are multiples of
 * FUR_SHARING_GRAIN entries, which are whole leaves of every value type, save time. A leaf that is
 * cut costs each reduction a wait. With queue_gather it costs a gather for each rank that begins
 * within the leaf. */
#ifndef FURROW_AUTHOR_SHARING_H
#define FURROW_AUTHOR_SHARING_H

#include <furrow/base.h>
#include <furrow/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Consecutive bytes of the device that pass from one rank to another. */
typedef struct fur_parcel {
    int rank;     /* the other rank */
    void *data;   /* address on the device, a multiple of 4 */
    size_t bytes; /* size, a multiple of 4 */
    size_t at;    /* where it begins in all bytes that its receiver takes in this pass */
} fur_parcel;

/* Parcels that pass in one turn between all ranks.
 *
 * Parcels from one rank to another arrive in the order and in the sizes in which they are given. */
typedef struct fur_passing {
    const fur_parcel *give; /* parcels to other ranks */
    int gives;              /* number of parcels, at most FUR_PARCELS_MAX; so is `takes` */
    const fur_parcel *take; /* parcels from other ranks */
    int takes;              /* number of parcels, at most FUR_PARCELS_MAX */
    size_t most;            /* no rank takes more bytes; the same number on all ranks */
} fur_passing;

/* Largest number of parcels that a rank gives or takes in a pass. */
#define FUR_PARCELS_MAX 32

/* The parts of shared vectors, and the functions that connect ranks.
 *
 * A function that fails returns a status. From then on every reduction of the context fails with
 * this status. */
struct fur_sharing {
    size_t size;           /* sizeof(fur_sharing) */
    int rank;              /* rank of this context, from 0 to ranks-1 */
    int ranks;             /* number of ranks */
    const int64_t *bounds; /* ranks + 1 numbers from 0 on that do not fall; copied */
    void *user;            /* passed to the functions */
    /* Stores the `bytes` bytes of every rank's `mine` in `all`, in the order of ranks. */
    fur_status (*gather)(void *user, const void *mine, size_t bytes, void *all);
    /* Sends bytes to a rank, without waiting for it to receive them; data is copied. */
    fur_status (*send)(void *user, int to, const void *data, size_t bytes);
    /* Waits for bytes that a rank has sent, one message after the other. */
    fur_status (*receive)(void *user, int from, void *data, size_t bytes);
    /* CUDA, if the devices of all ranks reach each other's memory: boxes[i] is the address, for
     * this context's device, of a mailbox on the device of rank i. A mailbox has
     * fur_sharing_box_bytes bytes that were 0 before any rank reduces. Reductions then store their
     * sums in each other's boxes and wait there, on the device. The list is copied; the memory must
     * outlive the contexts. At most FUR_BOXES_MAX ranks. */
    void *const *boxes;
    /* CUDA, without boxes: queues a gather on the context's stream. It puts the `bytes` bytes of
     * every rank's `mine` at `all`, in the order of ranks. Both are memory of the device. */
    fur_status (*queue_gather)(void *user, const void *mine, size_t bytes, void *all);
    /* CUDA, for geometric multigrid: queues the passing of parcels on the context's stream. It may
     * wait if a pass has more bytes than every earlier pass. */
    fur_status (*queue_pass)(void *user, const fur_passing *pass);
    /* CUDA, if queued work waits for other ranks: called from time to time while the host waits for
     * the device. A failure ends that wait; the queued work must then end by itself. */
    fur_status (*poll)(void *user);
};

/* Largest number of ranks with boxes. */
#define FUR_BOXES_MAX 16
/* Number of entries in whole leaves of every value type. */
#define FUR_SHARING_GRAIN 4096

/* Returns the bytes of a mailbox.
 *
 * The first eight bytes are for the owner of the boxes. If they are not 0, every wait at this box
 * ends, and its results are not numbers. */
FUR_API size_t fur_sharing_box_bytes(const fur_sharing *sharing);

#ifdef __cplusplus
}
#endif
#endif
