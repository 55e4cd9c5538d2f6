/* The interface between the library and a backend's search for nearest neighbours. */
#ifndef FURROW_KERNEL_NEIGHBOURS_KERNEL_H
#define FURROW_KERNEL_NEIGHBOURS_KERNEL_H

#include <furrow/csr.h>
#include <furrow/vector.h>

#include "env.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A search for the neighbours of each row of `points`. Points are finite numbers of a real type. */
typedef struct fur_neighbours_call {
    const fur_vectors_view *points;
    int64_t k; /* 1 <= k < rows, or k = rows with_self */
    bool squared;
    bool with_self;
    bool grid;            /* else brute force */
    double *seconds_plan; /* time to make the grid, 0 on entry */
} fur_neighbours_call;

/* The arrays of a view are in the memory where the backend's kernels work. */
typedef struct fur_neighbours_kernels {
    /* The number of points from which "auto" uses the grid. */
    int64_t grid_from;
    /* *row = the first point that has a nonfinite coordinate, or -1. Waits for the result. */
    fur_status (*find_bad)(fur_env *env, const fur_vectors_view *points, int64_t *row);
    /* Sets offsets, columns and values of the result in allocated arrays. A device with its own
     * memory may return FUR_UNSUPPORTED: the companion is then faster. Waits for the result. */
    fur_status (*find)(fur_env *env, const fur_neighbours_call *call, const fur_csr_view *out);
} fur_neighbours_kernels;

#ifdef __cplusplus
}
#endif
#endif
