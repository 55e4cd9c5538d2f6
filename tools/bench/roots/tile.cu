// Dense ladder, step 2. Blocks copy tiles of A and B to shared memory, where each entry is used 32
// times. Tiles: Nickolls, Buck, Garland and Skadron, Scalable Parallel Programming with CUDA, ACM
// Queue 2008.
//
// A warp has two rows of 16 columns of C, so that a product reads 16 entries of B and two of A. The
// rows of A are padded, so that two of these entries are never in one bank.
#include "dense.cuh"

#define SIDE 32
// Distance of rows in the tile of A.
#define PADDED (SIDE + 2)

namespace
{

template <class T> struct alignas(2 * sizeof(T)) pair {
    T first;
    T second;
};

template <class T> __global__ void __launch_bounds__(SIDE *SIDE) tile(dense_arrays<T> p)
{
    __shared__ alignas(16) T a[SIDE][PADDED];
    __shared__ alignas(16) T b[SIDE][SIDE];
    int thread = threadIdx.x;
    int load_row = thread / SIDE;
    int load_col = thread % SIDE;
    int row = thread / 64 * 2 + thread / 16 % 2;
    int col = thread / 32 % 2 * 16 + thread % 16;
    const T *from_a = p.a + (blockIdx.y * SIDE + load_row) * p.n + load_col;
    const T *from_b = p.b + load_row * p.n + blockIdx.x * SIDE + load_col;
    T sum = 0;
    for (int k = 0; k < p.n; k += SIDE) {
        a[load_row][load_col] = from_a[k];
        b[load_row][load_col] = from_b[k * p.n];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SIDE; i += 2) {
            pair<T> two = *reinterpret_cast<const pair<T> *>(&a[row][i]);
            sum = fma(two.first, b[i][col], sum);
            sum = fma(two.second, b[i + 1][col], sum);
        }
        __syncthreads();
    }
    p.c[(blockIdx.y * SIDE + row) * p.n + blockIdx.x * SIDE + col] = sum;
}

} // namespace

template <class T> int dense_run_tile(const dense_product *p)
{
    dim3 grid(p->n / SIDE, p->n / SIDE);
    tile<<<grid, SIDE * SIDE, 0, dense_stream(p)>>>(dense_arrays<T>(p));
    return cudaGetLastError();
}

template int dense_run_tile<float>(const dense_product *p);
template int dense_run_tile<double>(const dense_product *p);
