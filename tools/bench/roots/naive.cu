// Dense ladder, step 1. One thread computes one entry of C, and neighbouring threads have
// neighbouring columns.
//
// For each product, a warp reads 32 entries of B from the first-level cache, and one of A, which
// all lanes share. The cache's 128 bytes a cycle are the limit.
#include "dense.cuh"

#define SIDE 32

namespace
{

template <class T> __global__ void __launch_bounds__(SIDE *SIDE) naive(dense_arrays<T> p)
{
    int row = blockIdx.y * SIDE + threadIdx.y;
    int col = blockIdx.x * SIDE + threadIdx.x;
    const T *__restrict__ a = p.a + row * p.n;
    const T *__restrict__ b = p.b + col;
    T sum = 0;
#pragma unroll 8
    for (int k = 0; k < p.n; k++)
        sum = fma(a[k], b[k * p.n], sum);
    p.c[row * p.n + col] = sum;
}

} // namespace

template <class T> int dense_run_naive(const dense_product *p)
{
    dim3 grid(p->n / SIDE, p->n / SIDE);
    naive<<<grid, dim3(SIDE, SIDE), 0, dense_stream(p)>>>(dense_arrays<T>(p));
    return cudaGetLastError();
}

template int dense_run_naive<float>(const dense_product *p);
template int dense_run_naive<double>(const dense_product *p);
