// Dense ladder, step 3. A thread has 8 x 8 entries of C in registers, so that an entry from shared
// memory is used eight times (Volkov and Demmel, Benchmarking GPUs to tune dense linear algebra, SC
// 2008).
//
// The thread's rows are ROWS_APART apart, and its columns COLS_APART. Therefore 16 neighbouring
// threads read 16 neighbouring entries of B.
#include "dense.cuh"

#define EACH 8
#define ROWS_APART 8
#define COLS_APART 16
#define THREADS (ROWS_APART * COLS_APART)
#define TILE_ROWS (EACH * ROWS_APART)
#define TILE_COLS (EACH * COLS_APART)
#define DEPTH 16

namespace
{

// DEPTH columns of A and rows of B.
template <class T> struct tiles {
    T a[TILE_ROWS][DEPTH + 1];
    T b[DEPTH][TILE_COLS];
};

template <class T> __device__ void load(const dense_arrays<T> &p, int k, tiles<T> *to)
{
    const T *a = p.a + blockIdx.y * TILE_ROWS * p.n + k;
    const T *b = p.b + k * p.n + blockIdx.x * TILE_COLS;
#pragma unroll
    for (int i = threadIdx.x; i < TILE_ROWS * DEPTH; i += THREADS)
        to->a[i / DEPTH][i % DEPTH] = a[i / DEPTH * p.n + i % DEPTH];
#pragma unroll
    for (int i = threadIdx.x; i < DEPTH * TILE_COLS; i += THREADS)
        to->b[i / TILE_COLS][i % TILE_COLS] = b[i / TILE_COLS * p.n + i % TILE_COLS];
}

// Adds the outer product of a column of A and a row of B.
template <class T>
__device__ void add_outer(const tiles<T> *from, int k, int row, int col, T (&sum)[EACH][EACH])
{
    T a[EACH];
    T b[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        a[i] = from->a[row + i * ROWS_APART][k];
        b[i] = from->b[k][col + i * COLS_APART];
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++)
            sum[i][j] = fma(a[i], b[j], sum[i][j]);
}

template <class T> __global__ void __launch_bounds__(THREADS, 2) registers(dense_arrays<T> p)
{
    __shared__ tiles<T> t;
    int row = threadIdx.x / COLS_APART;
    int col = threadIdx.x % COLS_APART;
    T sum[EACH][EACH] = {};
    for (int k = 0; k < p.n; k += DEPTH) {
        load(p, k, &t);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; i++)
            add_outer(&t, i, row, col, sum);
        __syncthreads();
    }
    T *c = p.c + (blockIdx.y * TILE_ROWS + row) * p.n + blockIdx.x * TILE_COLS + col;
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++)
            c[i * ROWS_APART * p.n + j * COLS_APART] = sum[i][j];
}

} // namespace

template <class T> int dense_run_registers(const dense_product *p)
{
    dim3 grid(p->n / TILE_COLS, p->n / TILE_ROWS);
    registers<<<grid, THREADS, 0, dense_stream(p)>>>(dense_arrays<T>(p));
    return cudaGetLastError();
}

template int dense_run_registers<float>(const dense_product *p);
template int dense_run_registers<double>(const dense_product *p);
