// Compares all points with all points. Tiles of points are in shared memory, and every thread reads
// four of them at a time. In few dimensions, a thread has four points of its own, so that a load
// serves sixteen distances. A point is offered to a list only if it is not farther than the last
// point of the list. Garcia, Debreuve and Barlaud, Fast k nearest neighbor search using GPU, CVPR
// workshops 2008. Later beaten by boxes.cu in few dimensions; it is still the fastest in 16.
//
// Flops a pair: 3 d - 1, one more to compare. Bytes of shared memory a pair: d / 16 entries.
#include "nearest.cuh"

// The points of each thread, if there are few dimensions and the lists are short enough. The
// registers limit their number.
template <class Real> constexpr int few = sizeof(Real) == 4 ? 4 : 2;
#define FEW_K_MAX 32
#define TILE_BYTES 16384
#define TILE_BLOCKS_MAX 8

namespace
{

// The arguments of a launch.
template <class Real> struct job {
    int64_t count;
    int64_t blocks;
    int dims;
    int tile_blocks;
    const Real *points;
    fur_near_search s;
};

// Loads the blocks of a tile, by all threads together.
template <class Real>
__device__ void load_tile(const job<Real> &j, int64_t block, int blocks, Real *tile)
{
    using piece = fur_piece<Real>;
    auto from = reinterpret_cast<const piece *>(j.points + block * j.dims * FUR_CUDA_BOX);
    auto to = reinterpret_cast<piece *>(tile);
    int pieces = blocks * j.dims * FUR_CUDA_BOX / piece::entries;
    for (int i = threadIdx.x; i < pieces; i += FUR_NEAR_BLOCK)
        to[i] = from[i];
}

// Offers four points of a tile to the `own` points of a thread in D dimensions, kept in registers.
template <class Real, int D, int own>
__device__ void meet_few(const Real *tile, int32_t first, const Real (&x)[own][D],
                         fur_nearest<Real> (&near)[own])
{
    Real y[D][FUR_NEAR_FOUR];
#pragma unroll
    for (int j = 0; j < D; j++)
        fur_load_four(tile + j * FUR_CUDA_BOX, y[j]);
#pragma unroll
    for (int q = 0; q < own; q++) {
        Real distance[FUR_NEAR_FOUR];
#pragma unroll
        for (int j = 0; j < D; j++)
            fur_add_dimension(j == 0, x[q][j], y[j], distance);
        near[q].offer(distance, [&](int i) { return first + i; });
    }
}

// Writes the rows of a block's lists. Neighbouring threads write to neighbouring addresses.
template <class Real>
__device__ void write_rows(const job<Real> &j, int64_t first, int rows, const Real *distances,
                           const int32_t *numbers)
{
    int k = j.s.k;
    auto values = static_cast<Real *>(j.s.values);
    for (int e = threadIdx.x; e < rows * k; e += FUR_NEAR_BLOCK) {
        int row = e / k;
        int at = (row / FUR_NEAR_BLOCK * k + e % k) * FUR_NEAR_BLOCK + row % FUR_NEAR_BLOCK;
        if (first + row < j.count) {
            values[first * k + e] = distances[at];
            j.s.columns[first * k + e] = numbers[at];
        }
    }
}

// Each thread searches for a few points. Bytes and flops: above.
template <class Real, int D>
__global__ void __launch_bounds__(FUR_NEAR_BLOCK) search_few(const __grid_constant__ job<Real> j)
{
    extern __shared__ double2 memory[];
    Real *tile = reinterpret_cast<Real *>(memory);
    Real *distances = tile + j.tile_blocks * D * FUR_CUDA_BOX;
    int k = j.s.k;
    auto numbers = reinterpret_cast<int32_t *>(distances + few<Real> * k * FUR_NEAR_BLOCK);
    int64_t first = blockIdx.x * int64_t(few<Real> * FUR_NEAR_BLOCK);
    Real x[few<Real>][D];
    fur_nearest<Real> near[few<Real>];
#pragma unroll
    for (int q = 0; q < few<Real>; q++) {
        int64_t i = first + q * FUR_NEAR_BLOCK + threadIdx.x;
        int32_t number = static_cast<int32_t>(i);
        int room = q * k * FUR_NEAR_BLOCK + threadIdx.x;
        near[q].open(distances + room, numbers + room, k, i < j.count, j.s.with_self ? -1 : number);
#pragma unroll
        for (int d = 0; d < D; d++)
            x[q][d] = i < j.count
                          ? j.points[(i / FUR_CUDA_BOX * D + d) * FUR_CUDA_BOX + i % FUR_CUDA_BOX]
                          : Real(0);
    }
    for (int64_t block = 0; block < j.blocks; block += j.tile_blocks) {
        int blocks = static_cast<int>(min(int64_t(j.tile_blocks), j.blocks - block));
        __syncthreads();
        load_tile(j, block, blocks, tile);
        __syncthreads();
#pragma unroll 1
        for (int p = 0; p < blocks * FUR_CUDA_BOX; p += FUR_NEAR_FOUR)
            meet_few<Real, D, few<Real>>(tile + p / FUR_CUDA_BOX * D * FUR_CUDA_BOX +
                                             p % FUR_CUDA_BOX,
                                         static_cast<int32_t>(block * FUR_CUDA_BOX + p), x, near);
    }
#pragma unroll
    for (int q = 0; q < few<Real>; q++)
        near[q].close(j.s.squared);
    __syncthreads();
    write_rows(j, first, few<Real> * FUR_NEAR_BLOCK, distances, numbers);
}

// Each thread searches for one point, whose coordinates are in shared memory, in any number of
// dimensions.
template <class Real>
__global__ void __launch_bounds__(FUR_NEAR_BLOCK, 8) search_one(const __grid_constant__ job<Real> j)
{
    extern __shared__ double2 memory[];
    Real *tile = reinterpret_cast<Real *>(memory);
    Real *own = tile + j.tile_blocks * j.dims * FUR_CUDA_BOX;
    Real *distances = own + j.dims * FUR_NEAR_BLOCK;
    int k = j.s.k;
    auto numbers = reinterpret_cast<int32_t *>(distances + k * FUR_NEAR_BLOCK);
    int64_t first = blockIdx.x * int64_t(FUR_NEAR_BLOCK);
    int64_t i = first + threadIdx.x;
    fur_nearest<Real> near;
    near.open(distances + threadIdx.x, numbers + threadIdx.x, k, i < j.count,
              j.s.with_self ? -1 : static_cast<int32_t>(i));
    for (int d = 0; d < j.dims; d++)
        own[d * FUR_NEAR_BLOCK + threadIdx.x] =
            i < j.count
                ? j.points[(i / FUR_CUDA_BOX * j.dims + d) * FUR_CUDA_BOX + i % FUR_CUDA_BOX]
                : Real(0);
    for (int64_t block = 0; block < j.blocks; block += j.tile_blocks) {
        int blocks = static_cast<int>(min(int64_t(j.tile_blocks), j.blocks - block));
        __syncthreads();
        load_tile(j, block, blocks, tile);
        __syncthreads();
#pragma unroll 1
        for (int p = 0; p < blocks * FUR_CUDA_BOX; p += FUR_NEAR_FOUR) {
            const Real *from = tile + p / FUR_CUDA_BOX * j.dims * FUR_CUDA_BOX + p % FUR_CUDA_BOX;
            Real distance[FUR_NEAR_FOUR];
#pragma unroll 2
            for (int d = 0; d < j.dims; d++) {
                Real y[FUR_NEAR_FOUR];
                fur_load_four(from + d * FUR_CUDA_BOX, y);
                fur_add_dimension(d == 0, own[d * FUR_NEAR_BLOCK + threadIdx.x], y, distance);
            }
            auto number = static_cast<int32_t>(block * FUR_CUDA_BOX + p);
            near.offer(distance, [&](int m) { return number + m; });
        }
    }
    near.close(j.s.squared);
    __syncthreads();
    write_rows(j, first, FUR_NEAR_BLOCK, distances, numbers);
}

template <class Real, class Kernel>
fur_status launch(fur_env *env, Kernel kernel, const job<Real> &j, int own, size_t bytes)
{
    unsigned blocks = fur_blocks(j.count, int64_t(own) * FUR_NEAR_BLOCK);
    FUR_CUDA(env, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(bytes)));
    kernel<<<blocks, FUR_NEAR_BLOCK, bytes, fur_cuda_stream(env)>>>(j);
    return fur_cuda_launched(env, "search of all points");
}

template <class Real>
fur_status search(fur_env *env, const fur_cuda_cloud *c, const fur_near_search *s)
{
    int block_bytes = c->dims * FUR_CUDA_BOX * static_cast<int>(sizeof(Real));
    int tile_blocks = TILE_BYTES / block_bytes;
    tile_blocks = tile_blocks < 1                 ? 1
                  : tile_blocks > TILE_BLOCKS_MAX ? TILE_BLOCKS_MAX
                                                  : tile_blocks;
    job<Real> j = {c->count, c->blocks, c->dims, tile_blocks, static_cast<const Real *>(c->points),
                   *s};
    size_t bytes = static_cast<size_t>(tile_blocks) * block_bytes;
    if (c->dims > FUR_NEIGHBOURS_GRID_DIMENSIONS || s->k > FEW_K_MAX)
        return launch(env, search_one<Real>, j, 1,
                      bytes + c->dims * FUR_NEAR_BLOCK * sizeof(Real) +
                          fur_near_list_bytes(s->k, 1, sizeof(Real)));
    return fur_with_dimensions(c->dims, [&](auto dims) {
        return launch(env, search_few<Real, decltype(dims)::value>, j, few<Real>,
                      bytes + fur_near_list_bytes(s->k, few<Real>, sizeof(Real)));
    });
}

} // namespace

fur_status fur_cuda_near_brute(fur_env *env, const fur_cuda_cloud *c, const fur_near_search *s)
{
    return fur_with_real(c->value, [&](auto real) { return search<decltype(real)>(env, c, s); });
}
