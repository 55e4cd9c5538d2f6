/* Nearest neighbours: the graph of a cloud of points, as a sparse matrix.
 *
 * Points x_0 .. x_{n-1} in d dimensions are the rows of a block of n x d. Row i of the result has
 * k entries, at the columns of the k points nearest to x_i, with their distances as values:
 *
 *     G(i, j) = |x_i - x_j|^2, or its square root
 *
 * Of points at equal computed distances those of lower index are taken. A distance is computed in
 * the points' value type from differences of coordinates, in the order of dimensions
 * (docs/numerics.md), and no method looks at anything else: so a result has the same bits for any
 * number of threads, by any method, and on a GPU. It is not symmetric: j may be among the nearest
 * of i, and i not among those of j.
 *
 * Two methods find them. "brute" computes all n^2 distances, in tiles. "grid", for up to
 * FUR_NEIGHBOURS_GRID_DIMENSIONS dimensions, lays a grid whose lines follow the points: they lie
 * between the ranks of the points in each coordinate, so that cells are small where points are
 * many. Points are sorted along a Z-shaped curve through the cells (Morton 1966), packed into boxes
 * of neighbours on the curve and these into larger ones (Kamel and Faloutsos 1993), and a search
 * leaves out every box that lies farther away than the k-th neighbour found so far (Roussopoulos,
 * Kelley and Vincent 1995). Its time is about proportional to n log n + n k for points of any
 * density, clustered, in layers, or many at one place; in a cloud whose points are all about
 * equally far from each other no box can be left out, and "grid" is "brute" with detours. */
#ifndef FURROW_NEIGHBOURS_H
#define FURROW_NEIGHBOURS_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/vectors.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most dimensions in which there is a grid. */
#define FUR_NEIGHBOURS_GRID_DIMENSIONS 4

typedef struct fur_neighbours_options {
    size_t size; /* sizeof(fur_neighbours_options) */
    /* NULL or "auto": what is expected to be fastest; "brute"; "grid". */
    const char *method;
    int squared;   /* 1: values are squared distances; 0: distances */
    int with_self; /* 1: a point is one of its own neighbours; 0: it is not, but points that lie
                      where it lies are, at distance 0 */
} fur_neighbours_options;

typedef struct fur_neighbours_report {
    size_t size;         /* sizeof(fur_neighbours_report) */
    const char *method;  /* "brute" or "grid" */
    const char *reason;  /* why it was chosen, one sentence; both live as long as the program */
    int64_t bytes;       /* of the points, read once, and the result, written once */
    double seconds_plan; /* until the points were sorted; 0 for "brute" */
    double seconds;      /* of the call */
} fur_neighbours_report;

/* *out = the n x n matrix G of the k nearest neighbours of each point, with sorted rows of k
 * entries, in the points' context and value type. Distances of 0, between points at one place, are
 * stored. Layout and stride of the points are any. options and report may be NULL. In a CUDA
 * context the device does it for k up to 128 and up to 64 dimensions, else the host, on a copy.
 * Waits. Takes, meanwhile, a copy of the points, and for "grid" 28 bytes a point more, on a GPU 44.
 *
 * FUR_INVALID unless the points are of a real type, have a dimension, and every coordinate is
 * finite: the sentence names the first point that has another; and unless 1 <= k < n (k <= n with
 * with_self). FUR_OVERFLOW for more than 2^31-1 points. FUR_UNSUPPORTED for "grid" in more
 * dimensions than FUR_NEIGHBOURS_GRID_DIMENSIONS. */
FUR_API fur_status fur_neighbours(const fur_vectors *points, int64_t k,
                                  const fur_neighbours_options *options,
                                  fur_neighbours_report *report, fur_csr **out);

#ifdef __cplusplus
}
#endif
#endif
