/* Sharing: vectors that are one part of longer ones, whose other parts lie in other contexts, maybe
 * of other processes. furrow/ranks.h is built on it.
 *
 * A context with a sharing has vectors of bounds[rank+1] - bounds[rank] entries: entries
 * bounds[rank] .. bounds[rank+1]-1 of the whole vectors. Its reductions (furrow/vector.h,
 * furrow/author/scalars.h) are those of the whole vectors: every context gets the same result, with
 * the bits that one context with the whole vectors gets, wherever the bounds are
 * (docs/numerics.md). So solvers work on shared vectors as they are. All other operations work on
 * the part.
 *
 * All contexts of a sharing must call the same reductions in the same order. Each sends the sums of
 * the complete subtrees of its part to all; a part that ends inside a leaf of the tree sends the
 * sums of that leaf's lanes to the next, which goes on with them.
 *
 * Contexts of CUDA need boxes or queue_gather; else FUR_UNSUPPORTED. Bounds that are multiples of
 * FUR_SHARING_GRAIN entries, whole leaves of every value type, save time: a leaf that is cut costs
 * each reduction a wait, and by queue_gather a gather for each rank that begins within it. */
#ifndef FURROW_AUTHOR_SHARING_H
#define FURROW_AUTHOR_SHARING_H

#include <furrow/base.h>
#include <furrow/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Consecutive bytes of the device that pass from one rank to another: a multiple of 4, from an
 * address that is one. */
typedef struct fur_parcel {
    int rank; /* the other one */
    void *data;
    size_t bytes;
    size_t at; /* where it begins in all that its receiver takes in this pass */
} fur_parcel;

/* Parcels that pass in one turn between all ranks. Those from one rank to another come in the order
 * and in the sizes in which they are given. */
typedef struct fur_passing {
    const fur_parcel *give;
    int gives; /* at most FUR_PARCELS_MOST, as takes */
    const fur_parcel *take;
    int takes;
    size_t most; /* no rank takes more bytes; the same number on all ranks */
} fur_passing;

#define FUR_PARCELS_MOST 32

/* A function that fails returns a status: from then on every reduction of the context fails with
 * it. */
struct fur_sharing {
    size_t size; /* sizeof(fur_sharing) */
    int rank;    /* of this context: from 0 to ranks-1 */
    int ranks;
    const int64_t *bounds; /* ranks + 1 numbers that do not fall, from 0 on; copied */
    void *user;            /* passed to the functions */
    /* all = the `bytes` bytes of every rank's `mine`, in the order of ranks. */
    fur_status (*gather)(void *user, const void *mine, size_t bytes, void *all);
    /* Sends bytes to a rank, without waiting for it to receive them; data is copied. */
    fur_status (*send)(void *user, int to, const void *data, size_t bytes);
    /* Waits for the bytes that a rank has sent: one message after the other. */
    fur_status (*receive)(void *user, int from, void *data, size_t bytes);
    /* CUDA, where the devices of all ranks reach each other's memory: boxes[i] is the address, for
     * this context's device, of a mailbox on the device of rank i, of fur_sharing_box_bytes bytes
     * that were 0 before any rank reduces. Reductions then leave their sums in each other's boxes
     * and wait there, on the device. Copied; the memory must outlive the contexts. At most
     * FUR_BOXES_MOST ranks. */
    void *const *boxes;
    /* CUDA, without boxes: queues on the context's stream what puts the `bytes` bytes of every
     * rank's `mine` at `all`, in the order of ranks; both are memory of the device. */
    fur_status (*queue_gather)(void *user, const void *mine, size_t bytes, void *all);
    /* CUDA, for geometric multigrid: queues on the context's stream what gives and takes parcels.
     * Where a pass has more bytes than every one before, it may wait. */
    fur_status (*queue_pass)(void *user, const fur_passing *pass);
    /* CUDA, where queued work waits for other ranks: asked now and then while the host waits for
     * the device. A failure ends that wait; what is queued must then end by itself. */
    fur_status (*poll)(void *user);
};

#define FUR_BOXES_MOST 16
#define FUR_SHARING_GRAIN 4096

/* Bytes of a mailbox. The first eight are for the owner of the boxes: once they are not 0, whoever
 * waits at this box gives up, and its results are not numbers. */
FUR_API size_t fur_sharing_box_bytes(const fur_sharing *sharing);

#ifdef __cplusplus
}
#endif
#endif
