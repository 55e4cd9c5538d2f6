// The updates of conjugate gradients, with one thread for each entry.
#include "cg_updates.h"

#define BLOCK 256

namespace
{

__device__ int64_t own_index()
{
    return blockIdx.x * int64_t(BLOCK) + threadIdx.x;
}

__global__ void step(int64_t n, const double *rz, const double *pq, const double *p,
                     const double *q, const double *inverse, double *x, double *r, double *z)
{
    int64_t i = own_index();
    if (i >= n)
        return;
    double alpha = *rz / *pq;
    double rest = r[i] - alpha * q[i];
    x[i] += alpha * p[i];
    r[i] = rest;
    z[i] = inverse[i] * rest;
}

__global__ void turn(int64_t n, const double *rz, const double *before, const double *z, double *p)
{
    int64_t i = own_index();
    if (i < n)
        p[i] = z[i] + *rz / *before * p[i];
}

unsigned blocks(int64_t n)
{
    return unsigned((n + BLOCK - 1) / BLOCK);
}

} // namespace

int cg_updates_step(void *stream, int64_t n, const double *rz, const double *pq, const double *p,
                    const double *q, const double *inverse, double *x, double *r, double *z)
{
    step<<<blocks(n), BLOCK, 0, static_cast<cudaStream_t>(stream)>>>(n, rz, pq, p, q, inverse, x, r,
                                                                     z);
    return cudaGetLastError();
}

int cg_updates_turn(void *stream, int64_t n, const double *rz, const double *before,
                    const double *z, double *p)
{
    turn<<<blocks(n), BLOCK, 0, static_cast<cudaStream_t>(stream)>>>(n, rz, before, z, p);
    return cudaGetLastError();
}
