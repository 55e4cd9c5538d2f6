/* Nearest neighbours as one writes them first, to race with: each point is compared with all, and
 * its k nearest stand in a list in memory, sorted by distance. Rows of points are d coordinates;
 * list i begins at i k. */
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

/* On the context's threads. */
void naive_neighbours_host(struct fur_context *context, const naive_neighbours *a);
/* On the current CUDA device, a thread a point: queued on the stream. Whether that went well. */
int naive_neighbours_cuda(const naive_neighbours *a, void *stream);

#ifdef __cplusplus
}
#endif
#endif
