/* The contract between the library and a backend's search for nearest neighbours. */
#ifndef FURROW_KERNEL_NEIGHBOURS_KERNEL_H
#define FURROW_KERNEL_NEIGHBOURS_KERNEL_H

#include <furrow/csr.h>
#include <furrow/vectors.h>

#include "env.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A search: what is near each row of `points`, which are finite numbers of a real type. */
typedef struct fur_neighbours_call {
    const fur_vectors_view *points;
    int64_t k; /* 1 <= k < rows, or k = rows with_self */
    bool squared;
    bool with_self;
    bool grid;            /* else brute force */
    double *seconds_plan; /* of the grid, in: 0 */
} fur_neighbours_call;

/* Views give the arrays where the backend's kernels work. */
typedef struct fur_neighbours_kernels {
    /* Points from which "auto" takes the grid. */
    int64_t grid_from;
    /* *row = the first of the points that has a coordinate which is not finite, -1 without one.
     * Waits. */
    fur_status (*find_bad)(fur_env *env, const fur_vectors_view *points, int64_t *row);
    /* Sets offsets, columns and values of the result, whose arrays are there. FUR_UNSUPPORTED, on a
     * device with memory of its own, for what the companion does better. Waits. */
    fur_status (*find)(fur_env *env, const fur_neighbours_call *call, const fur_csr_view *out);
} fur_neighbours_kernels;

#ifdef __cplusplus
}
#endif
#endif
