/* Naive search for nearest neighbours, for races. Each point is compared with all points. Its k
 * nearest points are in a list in memory, sorted by distance. Rows of points are d coordinates.
 * List i begins at i k. */
#ifndef FURROW_TOOLS_NAIVE_NEIGHBOURS_H
#define FURROW_TOOLS_NAIVE_NEIGHBOURS_H

#include <stdint.h>

struct fur_context;

#ifdef __cplusplus
extern "C" {
#endif

typedef struct naive_neighbours {
    int64_t n;
    int d;
    int k;
    const float *points;
    float *distances; /* squared */
    int32_t *numbers;
} naive_neighbours;

/* Searches on the context's threads. */
void naive_neighbours_host(struct fur_context *context, const naive_neighbours *a);
/* Queues the search on a stream of the current CUDA device, with one thread for each point. Returns
 * whether this succeeded. */
int naive_neighbours_cuda(const naive_neighbours *a, void *stream);

#ifdef __cplusplus
}
#endif
#endif
