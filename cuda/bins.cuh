// Rows in the order of their lengths' logarithms, built on the device; rows of one bin stay in the
// order of the matrix.
#ifndef FURROW_CUDA_BINS_CUH
#define FURROW_CUDA_BINS_CUH

#include "lanes.cuh"
#include "scan.cuh"

// One for each lane of a warp: bin b has the rows of 2^(b - 1) + 1 to 2^b entries; the first also
// empty rows, the last whatever is longer.
#define FUR_BINS FUR_WARP
#define FUR_BINS_BLOCK 128
// Rows that one warp sorts.
#define FUR_BINS_TILE 1024

__device__ inline int fur_bin_of(int64_t length)
{
    int bin = length <= 1 ? 0 : 64 - __clzll(length - 1);
    return min(bin, FUR_BINS - 1);
}

// The lanes whose bin is the caller's lane number, if they take part.
__device__ inline unsigned fur_lanes_in_my_bin(int bin, bool takes_part)
{
    int lane = threadIdx.x % FUR_WARP;
    unsigned lanes = __ballot_sync(FUR_ALL_LANES, takes_part);
    for (int bit = 1; bit < FUR_BINS; bit *= 2) {
        unsigned set = __ballot_sync(FUR_ALL_LANES, (bin & bit) != 0);
        lanes &= (lane & bit) ? set : ~set;
    }
    return lanes;
}

// A warp goes over the rows of its tile, 32 at a time; lane b counts those of bin b, on from
// places[b * tiles + tile]. Each row is put at its place in order, if there is one; the counts are
// written back.
//
// Bytes a row: an offset, and 4 for the order.
template <class Offset>
__global__ void __launch_bounds__(FUR_BINS_BLOCK)
    fur_sort_tiles(int64_t rows, const Offset *offsets, int64_t tiles, int64_t *places,
                   int32_t *order)
{
    int64_t tile = blockIdx.x * int64_t(FUR_BINS_BLOCK / FUR_WARP) + threadIdx.x / FUR_WARP;
    int lane = threadIdx.x % FUR_WARP;
    if (tile >= tiles)
        return;
    int64_t *place = &places[lane * tiles + tile];
    int64_t next = *place;
    int64_t end = min((tile + 1) * FUR_BINS_TILE, rows);
    for (int64_t first = tile * FUR_BINS_TILE; first < end; first += FUR_WARP) {
        int64_t row = first + lane;
        int bin = row < end ? fur_bin_of(int64_t(offsets[row + 1]) - offsets[row]) : 0;
        unsigned mine = fur_lanes_in_my_bin(bin, row < end);
        unsigned peers = __shfl_sync(FUR_ALL_LANES, mine, bin);
        int64_t base = __shfl_sync(FUR_ALL_LANES, next, bin);
        if (order && row < end)
            order[base + __popc(peers & ((1u << lane) - 1))] = static_cast<int32_t>(row);
        next += __popc(mine);
    }
    *place = next;
}

// The bins' first places, of which the tiles' first ones are the starts.
__global__ static void fur_bin_starts(int64_t tiles, const int64_t *places, int64_t *starts)
{
    starts[threadIdx.x] = places[threadIdx.x * tiles];
}

template <class Offset>
fur_status fur_sort_rows(fur_env *env, int64_t rows, const Offset *offsets, int64_t *places,
                         int32_t *order, int64_t *starts)
{
    int64_t tiles = fur_ceil_div(rows, FUR_BINS_TILE);
    int64_t cells = FUR_BINS * tiles;
    int64_t blocks = fur_ceil_div(tiles, FUR_BINS_BLOCK / FUR_WARP);
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_TRY(fur_cuda_clear(env, places, cells * static_cast<int64_t>(sizeof *places)));
    fur_sort_tiles<<<blocks, FUR_BINS_BLOCK, 0, stream>>>(rows, offsets, tiles, places,
                                                          static_cast<int32_t *>(nullptr));
    FUR_TRY(fur_cuda_launched(env, "counts of the bins"));
    FUR_TRY(fur_exclusive_scan(env, places, cells));
    fur_bin_starts<<<1, FUR_BINS, 0, stream>>>(tiles, places, starts);
    FUR_TRY(fur_cuda_launched(env, "starts of the bins"));
    fur_sort_tiles<<<blocks, FUR_BINS_BLOCK, 0, stream>>>(rows, offsets, tiles, places, order);
    return fur_cuda_launched(env, "order of the rows");
}

// Fills order with the rows of A, bin after bin, and starts, of FUR_BINS + 1 entries on the host,
// with the places where the bins begin and the last one ends.
static inline fur_status fur_bin_rows(fur_env *env, const fur_csr_view *a, int32_t *order,
                                      int64_t *starts)
{
    int64_t cells = FUR_BINS * fur_ceil_div(a->rows, FUR_BINS_TILE);
    int64_t *places;
    for (int bin = 0; bin <= FUR_BINS; bin++)
        starts[bin] = a->rows;
    if (a->rows == 0)
        return FUR_OK;
    FUR_TRY(fur_cuda_allocate(env, cells + FUR_BINS, sizeof *places, &places));
    int64_t *found = places + cells;
    fur_status status = fur_with_types(a, [&](auto, auto offset) {
        const auto *offsets = static_cast<const decltype(offset) *>(a->offsets);
        return fur_sort_rows(env, a->rows, offsets, places, order, found);
    });
    if (status == FUR_OK)
        status = fur_cuda_copy(env, starts, found, FUR_BINS * sizeof *starts);
    fur_cuda_release(env, places);
    return status;
}

#endif
