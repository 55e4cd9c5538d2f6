// Dense ladder, step 6: tensor cores. On double they run m16n8k8 (on Hopper; m8n8k4 in a 2 by 2
// arrangement on older GPUs). Floats are rounded to the 11 bits of tf32. Tiles are copied to shared
// memory asynchronously, several stages ahead (NVIDIA, PTX ISA: mma, cp.async; the order of loads
// after Thakkar et al., CUTLASS, 2023). While a warp multiplies, it reads the fragments of its next
// products. There is one barrier a tile. It comes before the tile's last products, so that these
// fill the time after it.
//
// The distance of rows in shared memory avoids bank conflicts: a warp reads entries of four columns
// of A and four rows of B at once, and all are in different banks.
//
// Tried on an H200: tiles of 128 x 64 with two blocks a multiprocessor are faster only at n = 1024
// (45.1 TFLOP/s instead of 26.5).
#include "dense.cuh"

namespace
{

// A block's tile of C, rows x cols, and the parts of its warps; the columns of A in a stage, and
// the number of stages. A multiprocessor has one block, which needs few bytes of A and B for each
// product.
template <int Rows, int Cols, int WarpRows, int WarpCols, int Depth, int Stages> struct tiling {
    static constexpr int rows = Rows;
    static constexpr int cols = Cols;
    static constexpr int warp_rows = WarpRows;
    static constexpr int warp_cols = WarpCols;
    static constexpr int depth = Depth;
    static constexpr int stages = Stages;
    static constexpr int warps_across = Cols / WarpCols;
    static constexpr int threads = 32 * (Rows / WarpRows) * warps_across;
};

template <class T> struct tiles;
template <> struct tiles<double> : tiling<128, 128, 64, 32, 16, 4> {
};
template <> struct tiles<float> : tiling<256, 128, 64, 64, 32, 3> {
};

// Rows, columns and depth of one instruction.
#define M 16
#define N 8
#define K 8

// Blocks of C that are computed at the same time are grouped by this number of block rows, so that
// they share tiles of A and B in the second-level cache.
#define GROUP 8

template <class T> struct stage {
    T a[tiles<T>::rows][tiles<T>::depth + 4];
    T b[tiles<T>::depth][tiles<T>::cols + 32 / sizeof(T)];
};

// The fragments of a warp for K columns of A and rows of B. Each thread has its part, by
// instruction.
template <class T> struct fragments {
    T a[tiles<T>::warp_rows / M][4];
    T b[tiles<T>::warp_cols / N][2];
};

template <class T> struct sums {
    T part[tiles<T>::warp_rows / M][tiles<T>::warp_cols / N][4];
};

// The position of a thread: the first entry of its warp's part, and its place within fragments.
struct place {
    int row;
    int col;
    int group;  // a group of four threads: a row of A and C, a column of B
    int within; // place in the group: a column of A and a row of B
};

template <class T> __device__ place place_of_thread()
{
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    return {warp / tiles<T>::warps_across * tiles<T>::warp_rows,
            warp % tiles<T>::warps_across * tiles<T>::warp_cols, lane / 4, lane % 4};
}

__device__ inline void multiply_add(const double (&a)[4], const double (&b)[2], double (&c)[4])
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
    for (int k = 0; k < 2; k++)
        for (int half = 0; half < 2; half++)
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
                         "{%0,%1}, {%2}, {%3}, {%0,%1};"
                         : "+d"(c[2 * half]), "+d"(c[2 * half + 1])
                         : "d"(a[2 * k + half]), "d"(b[k]));
#endif
}

__device__ inline unsigned as_tf32(float x)
{
    unsigned out;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(out) : "f"(x));
    return out;
}

__device__ inline void multiply_add(const float (&a)[4], const float (&b)[2], float (&c)[4])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(as_tf32(a[0])), "r"(as_tf32(a[1])), "r"(as_tf32(a[2])), "r"(as_tf32(a[3])),
                   "r"(as_tf32(b[0])), "r"(as_tf32(b[1])));
}

template <class T> __device__ inline void copy_piece(T *to, const T *from)
{
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(address), "l"(from));
}

// Ends a group, which consists of all copies since the last call.
__device__ inline void end_group()
{
    asm volatile("cp.async.commit_group;");
}

// Waits until all groups of this thread except the last `left` have arrived.
template <int left> __device__ inline void wait_for_groups()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(left));
}

// A thread's share of the copies of rows x cols entries.
template <int threads, int cols, class T, int rows, int stride>
__device__ void copy_tile(T (&to)[rows][stride], const T *from, int n)
{
    constexpr int piece = dense_piece<T>::entries;
    constexpr int pieces = cols / piece;
    static_assert(rows * pieces % threads == 0 && threads % pieces == 0, "whole shares");
    int row = threadIdx.x / pieces;
    int col = threadIdx.x % pieces * piece;
    from += row * n + col;
#pragma unroll
    for (int i = 0; i < rows * pieces / threads; i++)
        copy_piece(&to[row + i * (threads / pieces)][col], from + i * (threads / pieces) * n);
}

// Returns the first row and column of the block's tile of C.
template <class T> __device__ int2 origin_of_block(int n)
{
    int down = n / tiles<T>::rows;
    int across = n / tiles<T>::cols;
    int number = blockIdx.x;
    int first = number / (GROUP * across) * GROUP;
    int size = min(GROUP, down - first);
    int in_group = number % (GROUP * across);
    return {(first + in_group % size) * tiles<T>::rows, in_group / size * tiles<T>::cols};
}

template <class T>
__device__ void read_fragments(const stage<T> &from, const place &at, int k, fragments<T> *out)
{
#pragma unroll
    for (int m = 0; m < tiles<T>::warp_rows / M; m++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            out->a[m][e] = from.a[at.row + m * M + e % 2 * 8 + at.group][k + e / 2 * 4 + at.within];
#pragma unroll
    for (int j = 0; j < tiles<T>::warp_cols / N; j++)
#pragma unroll
        for (int e = 0; e < 2; e++)
            out->b[j][e] = from.b[k + e * 4 + at.within][at.col + j * N + at.group];
}

// Computes all products of a warp's fragments. The rows of C are traversed alternately forwards and
// backwards, so that consecutive products share an operand.
template <class T> __device__ void multiply_fragments(const fragments<T> &f, sums<T> *c)
{
    constexpr int across = tiles<T>::warp_cols / N;
#pragma unroll
    for (int m = 0; m < tiles<T>::warp_rows / M; m++)
#pragma unroll
        for (int j = 0; j < across; j++) {
            int turned = m % 2 ? across - 1 - j : j;
            multiply_add(f.a[m], f.b[turned], c->part[m][turned]);
        }
}

template <class T> __device__ void write_sums(const sums<T> &c, const place &at, T *to, int n)
{
    struct alignas(2 * sizeof(T)) two {
        T first;
        T second;
    };
#pragma unroll
    for (int m = 0; m < tiles<T>::warp_rows / M; m++)
#pragma unroll
        for (int j = 0; j < tiles<T>::warp_cols / N; j++)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                int row = at.row + m * M + half * 8 + at.group;
                int col = at.col + j * N + 2 * at.within;
                *reinterpret_cast<two *>(to + row * n + col) = {c.part[m][j][2 * half],
                                                                c.part[m][j][2 * half + 1]};
            }
}

template <class T> __global__ void __launch_bounds__(tiles<T>::threads) tensor(dense_arrays<T> p)
{
    constexpr int steps = tiles<T>::depth / K;
    constexpr int stages = tiles<T>::stages;
    extern __shared__ __align__(16) unsigned char shared[];
    auto buffer = reinterpret_cast<stage<T> *>(shared);
    const place at = place_of_thread<T>();
    const int2 origin = origin_of_block<T>(p.n);
    const T *a = p.a + origin.x * p.n;
    const T *b = p.b + origin.y;
    const int count = p.n / tiles<T>::depth;
    fragments<T> f[2];
    sums<T> c = {};
    auto copy = [&](int tile) {
        if (tile < count) {
            stage<T> *to = &buffer[tile % stages];
            copy_tile<tiles<T>::threads, tiles<T>::depth>(to->a, a + tile * tiles<T>::depth, p.n);
            copy_tile<tiles<T>::threads, tiles<T>::cols>(to->b, b + tile * tiles<T>::depth * p.n,
                                                         p.n);
        }
        end_group();
    };
#pragma unroll
    for (int tile = 0; tile < stages - 1; tile++)
        copy(tile);
    wait_for_groups<stages - 2>();
    __syncthreads();
    read_fragments(buffer[0], at, 0, &f[0]);
    for (int tile = 0; tile < count; tile++) {
#pragma unroll
        for (int step = 0; step < steps; step++) {
            if (step == steps - 1) {
                wait_for_groups<stages - 2>();
                __syncthreads();
                read_fragments(buffer[(tile + 1) % stages], at, 0, &f[(step + 1) % 2]);
            } else {
                read_fragments(buffer[tile % stages], at, (step + 1) * K, &f[(step + 1) % 2]);
            }
            if (step == 0)
                copy(tile + stages - 1);
            multiply_fragments(f[step % 2], &c);
        }
    }
    write_sums(c, at, p.c + origin.x * p.n + origin.y, p.n);
}

} // namespace

template <class T> int dense_run_tensor(const dense_product *p)
{
    constexpr int bytes = tiles<T>::stages * static_cast<int>(sizeof(stage<T>));
    auto kernel = tensor<T>;
    cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     cudaSharedmemCarveoutMaxShared);
    if (error != cudaSuccess)
        return error;
    int blocks = p->n / tiles<T>::rows * (p->n / tiles<T>::cols);
    kernel<<<blocks, tiles<T>::threads, bytes, dense_stream(p)>>>(dense_arrays<T>(p));
    return cudaGetLastError();
}

template int dense_run_tensor<float>(const dense_product *p);
template int dense_run_tensor<double>(const dense_product *p);
