// Nearest neighbours of points. One thread handles one point: it reads all others from memory, and
// its list is there too. The library's kernels are compared with this one. Flops a pair: 3 d - 1.
#include "naive_neighbours.h"

#define BLOCK 256

static __global__ void search_rows(naive_neighbours a)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i >= a.n)
        return;
    float *distances = a.distances + i * a.k;
    int32_t *numbers = a.numbers + i * a.k;
    const float *x = a.points + i * a.d;
    for (int p = 0; p < a.k; p++)
        distances[p] = INFINITY;
    for (int64_t j = 0; j < a.n; j++) {
        const float *y = a.points + j * a.d;
        float distance = (y[0] - x[0]) * (y[0] - x[0]);
        for (int c = 1; c < a.d; c++)
            distance = fmaf(y[c] - x[c], y[c] - x[c], distance);
        if (j == i || !(distance < distances[a.k - 1]))
            continue;
        int p = a.k - 1;
        for (; p > 0 && distances[p - 1] > distance; p--) {
            distances[p] = distances[p - 1];
            numbers[p] = numbers[p - 1];
        }
        distances[p] = distance;
        numbers[p] = static_cast<int32_t>(j);
    }
}

extern "C" int naive_neighbours_cuda(const naive_neighbours *a, void *stream)
{
    unsigned blocks = static_cast<unsigned>((a->n + BLOCK - 1) / BLOCK);
    search_rows<<<blocks, BLOCK, 0, static_cast<cudaStream_t>(stream)>>>(*a);
    return cudaGetLastError() == cudaSuccess;
}
