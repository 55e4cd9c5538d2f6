// Dense ladder, step 1: an entry of C a thread, neighbouring threads on neighbouring columns.
//
// A warp's product reads 32 entries of B and one of A, which is for all, from the first-level
// cache: this cache's 128 bytes a cycle are the limit.
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
