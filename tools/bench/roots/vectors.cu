// Dense ladder, steps 4 and 5. In step 4, all loads have 16 bytes. While a block multiplies one
// pair of tiles, the next pair is loaded to registers, and from there to a second buffer. This
// takes one barrier a tile instead of two. In step 5, the threads of a warp have a tile of C that
// is as square as possible, so that a warp reads fewer entries from shared memory.
//
// A's tile is transposed during the copy, so that a thread's rows are contiguous.
#include "dense.cuh"

#define THREADS 256
#define EACH 8
#define TILE 128
#define DEPTH 8
// Distance of rows in the transposed tile of A. It puts the entries that a warp writes into
// different banks.
#define PADDED (TILE + 4)

namespace
{

// The rows and columns of a thread: pieces of neighbouring entries at constant distances.
template <class T> struct in_grid {
    static constexpr int piece = dense_piece<T>::entries;
    static constexpr int rows_apart = TILE / EACH * piece;
    static constexpr int cols_apart = TILE / EACH * piece;
    static __device__ int row()
    {
        return threadIdx.x / 16 * piece;
    }
    static __device__ int col()
    {
        return threadIdx.x % 16 * piece;
    }
};

// Two by four warps of 64 rows and 32 columns. Their threads are arranged eight by four.
template <class T> struct in_warps {
    static constexpr int piece = dense_piece<T>::entries;
    static constexpr int rows_apart = 8 * piece;
    static constexpr int cols_apart = 4 * piece;
    static __device__ int row()
    {
        return threadIdx.x / 128 * 64 + threadIdx.x % 32 / 4 * piece;
    }
    static __device__ int col()
    {
        return threadIdx.x / 32 % 4 * 32 + threadIdx.x % 4 * piece;
    }
};

template <class T> struct alignas(16) tiles {
    T a[DEPTH][PADDED];
    T b[DEPTH][TILE];
};

// The data that a thread copies from memory to a pair of tiles.
template <class T> struct carried {
    static constexpr int piece = dense_piece<T>::entries;
    static constexpr int count = TILE * DEPTH / piece / THREADS;
    dense_piece<T> a[count];
    dense_piece<T> b[count];

    __device__ void take(const dense_arrays<T> &p, int k)
    {
        const T *from_a = p.a + blockIdx.y * TILE * p.n + k;
        const T *from_b = p.b + k * p.n + blockIdx.x * TILE;
#pragma unroll
        for (int i = 0; i < count; i++) {
            int at = (threadIdx.x + i * THREADS) * piece;
            a[i] = dense_read(from_a + at / DEPTH * p.n + at % DEPTH);
            b[i] = dense_read(from_b + at / TILE * p.n + at % TILE);
        }
    }

    __device__ void put(tiles<T> *to) const
    {
#pragma unroll
        for (int i = 0; i < count; i++) {
            int at = (threadIdx.x + i * THREADS) * piece;
#pragma unroll
            for (int e = 0; e < piece; e++)
                to->a[at % DEPTH + e][at / DEPTH] = a[i].entry[e];
            dense_write(&to->b[at / TILE][at % TILE], b[i]);
        }
    }
};

// Reads EACH entries, in pieces that are `apart` entries apart.
template <int apart, class T> __device__ void read_pieces(const T *from, T (&out)[EACH])
{
    constexpr int piece = dense_piece<T>::entries;
#pragma unroll
    for (int i = 0; i < EACH / piece; i++) {
        dense_piece<T> some = dense_read(from + i * apart);
#pragma unroll
        for (int e = 0; e < piece; e++)
            out[i * piece + e] = some.entry[e];
    }
}

template <class Place, class T>
__device__ void add_tile(const tiles<T> *from, int row, int col, T (&sum)[EACH][EACH])
{
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        T a[EACH];
        T b[EACH];
        read_pieces<Place::rows_apart>(&from->a[k][row], a);
        read_pieces<Place::cols_apart>(&from->b[k][col], b);
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++)
                sum[i][j] = fma(a[i], b[j], sum[i][j]);
    }
}

template <class Place, class T>
__device__ void write_sums(const dense_arrays<T> &p, int row, int col, const T (&sum)[EACH][EACH])
{
    constexpr int piece = dense_piece<T>::entries;
    T *c = p.c + (blockIdx.y * TILE + row) * p.n + blockIdx.x * TILE + col;
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j += piece) {
            dense_piece<T> some;
#pragma unroll
            for (int e = 0; e < piece; e++)
                some.entry[e] = sum[i][j + e];
            int below = i / piece * Place::rows_apart + i % piece;
            dense_write(c + below * p.n + j / piece * Place::cols_apart, some);
        }
}

template <class T, class Place>
__global__ void __launch_bounds__(THREADS, sizeof(T) == 4 ? 2 : 1) vectors(dense_arrays<T> p)
{
    __shared__ tiles<T> buffers[2];
    carried<T> next;
    T sum[EACH][EACH] = {};
    int row = Place::row();
    int col = Place::col();
    next.take(p, 0);
    next.put(&buffers[0]);
    __syncthreads();
    int now = 0;
    for (int k = DEPTH; k < p.n; k += DEPTH) {
        next.take(p, k);
        add_tile<Place>(&buffers[now], row, col, sum);
        now = 1 - now;
        next.put(&buffers[now]);
        __syncthreads();
    }
    add_tile<Place>(&buffers[now], row, col, sum);
    write_sums<Place>(p, row, col, sum);
}

template <class T, class Place> int run(const dense_product *p)
{
    dim3 grid(p->n / TILE, p->n / TILE);
    vectors<T, Place><<<grid, THREADS, 0, dense_stream(p)>>>(dense_arrays<T>(p));
    return cudaGetLastError();
}

} // namespace

template <class T> int dense_run_vectors(const dense_product *p)
{
    return run<T, in_grid<T>>(p);
}

template <class T> int dense_run_warps(const dense_product *p)
{
    return run<T, in_warps<T>>(p);
}

template int dense_run_vectors<float>(const dense_product *p);
template int dense_run_vectors<double>(const dense_product *p);
template int dense_run_warps<float>(const dense_product *p);
template int dense_run_warps<double>(const dense_product *p);
