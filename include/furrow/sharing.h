/* Sharing: vectors that are one part of longer ones, whose other parts lie in other contexts, maybe
 * of other processes. furrow/ranks.h is built on it.
 *
 * A context with a sharing has vectors of bounds[rank+1] - bounds[rank] entries: entries
 * bounds[rank] .. bounds[rank+1]-1 of the whole vectors. Its reductions (furrow/reduce.h,
 * furrow/scalars.h) are those of the whole vectors: every context gets the same result, with the
 * bits that one context with the whole vectors gets, wherever the bounds are (docs/numerics.md). So
 * solvers work on shared vectors as they are. All other operations work on the part.
 *
 * All contexts of a sharing must call the same reductions in the same order. Each sends the sums of
 * the complete subtrees of its part to all; a part that ends inside a leaf of the tree sends the
 * sums of that leaf's lanes to the next, which goes on with them. */
#ifndef FURROW_SHARING_H
#define FURROW_SHARING_H

#include <furrow/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function that fails returns a status: from then on every reduction of the context fails with
 * it. */
typedef struct fur_sharing {
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
} fur_sharing;

#ifdef __cplusplus
}
#endif
#endif
