// The nearest-neighbour search through a hierarchy of boxes. A warp has a block of points, which
// are neighbours on the curve, and searches for all of them. It first meets its own block and then
// goes up the hierarchy. At each level it visits the neighbouring boxes and their contents, nearest
// first, if they are near enough. Each lane tests one box of a group, and offers the points of a
// block to the list of its own point.
//
// The distances to a group of boxes are computed again whenever the warp returns to it, because the
// lists have tightened their bounds meanwhile. This is cheaper than to store the distances.
//
// Flops a pair of points: 3 d - 1. Bytes a block that is met: its points and their numbers. They
// come from the caches, because neighbouring warps meet the same blocks.
#include "lanes.cuh"
#include "nearest.cuh"

#define WARPS (FUR_NEAR_BLOCK / FUR_WARP)

namespace
{

// The arguments of a launch.
template <class Real> struct job {
    int64_t blocks;
    const Real *points;
    const int32_t *numbers;
    int levels;
    const Real *boxes[FUR_CUDA_BOX_LEVELS];
    const int32_t *least[FUR_CUDA_BOX_LEVELS];
    fur_near_search s;
};

__device__ float max_of_warp(float x)
{
    return __int_as_float(
        // the argument is -1 or not negative, so that its bits are ordered
        __reduce_max_sync(FUR_ALL_LANES, __float_as_int(x)));
}
__device__ double max_of_warp(double x)
{
    for (int half = FUR_WARP / 2; half > 0; half /= 2)
        x = max(x, __shfl_xor_sync(FUR_ALL_LANES, x, half));
    return x;
}

// Adds one dimension to the squared distance from x, or from a box between x_low and x_high, to
// another box.
template <class Real>
__device__ Real add_gap(Real distance, Real x_low, Real x_high, Real low, Real high)
{
    Real below = low - x_high;
    Real above = x_low - high;
    Real gap = below > above ? below : above; // NaN if the box is empty
    gap = gap < 0 ? 0 : gap;
    return fur_fma(gap, gap, distance);
}

// A warp's block of points, one for each lane, and its position in the search.
template <class Real, int D> struct walker {
    const job<Real> &j;
    int lane;
    Real *tile; // a block of points, shared by all lanes
    int32_t *tile_numbers;
    Real x[D];   // the lane's point
    Real low[D]; // the box around the points of all lanes
    Real high[D];
    fur_nearest<Real> near;
    Real bound; // the largest `worst` and `last` over all lanes
    int32_t bound_last;

    __device__ walker(const job<Real> &all, int own_lane, Real *own_tile, int32_t *own_numbers)
        : j(all), lane(own_lane), tile(own_tile), tile_numbers(own_numbers)
    {
    }

    // Offers the points of a block to every lane.
    __device__ void meet(int64_t block)
    {
        __syncwarp();
#pragma unroll
        for (int d = 0; d < D; d++)
            tile[d * FUR_WARP + lane] = j.points[(block * D + d) * FUR_WARP + lane];
        tile_numbers[lane] = j.numbers[block * FUR_WARP + lane];
        __syncwarp();
#pragma unroll 1
        for (int p = 0; p < FUR_WARP; p += FUR_NEAR_FOUR) {
            Real distance[FUR_NEAR_FOUR];
#pragma unroll
            for (int d = 0; d < D; d++) {
                Real y[FUR_NEAR_FOUR];
                fur_load_four(tile + d * FUR_WARP + p, y);
                fur_add_dimension(d == 0, x[d], y, distance);
            }
            near.offer(distance, [&](int i) { return tile_numbers[p + i]; });
        }
        __syncwarp();
        bound = max_of_warp(near.worst);
        bound_last = __reduce_max_sync(FUR_ALL_LANES, near.last);
    }

    // Returns the lanes whose box of a group may hold a neighbour of the block. *nearest = the box
    // whose centre is nearest, the first if several are equal.
    __device__ unsigned choose(int level, int64_t group, unsigned done, int *nearest) const
    {
        const Real *from = j.boxes[level] + group * 2 * D * FUR_WARP + lane;
        int32_t least = j.least[level][group * FUR_WARP + lane];
        Real distance = 0;
        float between = 0;
#pragma unroll
        for (int d = 0; d < D; d++) {
            Real box_low = from[d * FUR_WARP];
            Real box_high = from[(D + d) * FUR_WARP];
            auto away = static_cast<float>(box_low / 2 + box_high / 2 - (low[d] / 2 + high[d] / 2));
            distance = add_gap(distance, low[d], high[d], box_low, box_high);
            between = fmaf(away, away, between);
        }
        bool open = distance < bound || (distance == bound && least < bound_last);
        open = open && !(done >> lane & 1);
        unsigned key = open ? __float_as_uint(between) : ~0U;
        unsigned first = __reduce_min_sync(FUR_ALL_LANES, key);
        *nearest = __ffs(static_cast<int>(__ballot_sync(FUR_ALL_LANES, key == first))) - 1;
        return __ballot_sync(FUR_ALL_LANES, open);
    }

    // Meets the points of a lowest-level box if a lane may have a neighbour there.
    __device__ void visit_box(int64_t block)
    {
        const Real *from = j.boxes[0] + block / FUR_WARP * 2 * D * FUR_WARP + block % FUR_WARP;
        Real distance = 0;
#pragma unroll
        for (int d = 0; d < D; d++)
            distance = add_gap(distance, x[d], x[d], from[d * FUR_WARP], from[(D + d) * FUR_WARP]);
        if (__any_sync(FUR_ALL_LANES, near.may_hold(distance, j.least[0][block])))
            meet(block);
    }

    // Visits everything in the boxes of a group, except those in `done`.
    __device__ void visit(int top, int64_t group, unsigned done)
    {
        unsigned kept[FUR_CUDA_BOX_LEVELS];
        int level = top;
        while (true) {
            int child;
            if (!choose(level, group, done, &child)) {
                if (level++ == top)
                    return;
                group /= FUR_WARP;
                done = kept[level];
                continue;
            }
            done |= 1U << child;
            if (level == 0) {
                visit_box(group * FUR_WARP + child);
                continue;
            }
            kept[level--] = done;
            group = group * FUR_WARP + child;
            done = 0;
        }
    }
};

// One warp searches for a block of points. Bytes and flops: above.
template <class Real, int D>
__global__ void __launch_bounds__(FUR_NEAR_BLOCK) search_boxes(const __grid_constant__ job<Real> j)
{
    extern __shared__ double2 memory[];
    __shared__ alignas(16) Real tiles[WARPS][D * FUR_WARP];
    __shared__ int32_t tile_numbers[WARPS][FUR_WARP];
    int warp = threadIdx.x / FUR_WARP;
    int lane = threadIdx.x % FUR_WARP;
    int k = j.s.k;
    Real *distances = reinterpret_cast<Real *>(memory);
    auto numbers = reinterpret_cast<int32_t *>(distances + k * FUR_NEAR_BLOCK);
    int64_t block = blockIdx.x * int64_t(WARPS) + warp;
    if (block >= j.blocks)
        return;
    walker<Real, D> w(j, lane, tiles[warp], tile_numbers[warp]);
    int32_t number = j.numbers[block * FUR_WARP + lane];
    w.near.open(distances + threadIdx.x, numbers + threadIdx.x, k, number >= 0,
                j.s.with_self ? -1 : number);
    const Real *box = j.boxes[0] + block / FUR_WARP * 2 * D * FUR_WARP + block % FUR_WARP;
#pragma unroll
    for (int d = 0; d < D; d++) {
        w.x[d] = j.points[(block * D + d) * FUR_WARP + lane];
        w.low[d] = box[d * FUR_WARP];
        w.high[d] = box[(D + d) * FUR_WARP];
    }
    w.meet(block);
    int64_t own = block;
    for (int level = 0; level < j.levels; level++) {
        w.visit(level, own / FUR_WARP, 1U << own % FUR_WARP);
        own /= FUR_WARP;
    }
    w.near.close(j.s.squared);
    __syncwarp();
    auto values = static_cast<Real *>(j.s.values);
    for (int e = lane; e < FUR_WARP * k; e += FUR_WARP) {
        int32_t row = j.numbers[block * FUR_WARP + e / k];
        int at = e % k * FUR_NEAR_BLOCK + warp * FUR_WARP + e / k;
        if (row < 0)
            break;
        values[int64_t(row) * k + e % k] = distances[at];
        j.s.columns[int64_t(row) * k + e % k] = numbers[at];
    }
}

template <class Real, int D>
fur_status launch(fur_env *env, const fur_cuda_cloud *c, const fur_near_search *s)
{
    job<Real> j = {};
    j.blocks = c->blocks;
    j.points = static_cast<const Real *>(c->points);
    j.numbers = c->numbers;
    j.levels = c->levels;
    for (int level = 0; level < c->levels; level++) {
        j.boxes[level] = static_cast<const Real *>(c->boxes[level]);
        j.least[level] = c->least[level];
    }
    j.s = *s;
    size_t bytes = fur_near_list_bytes(s->k, 1, sizeof(Real));
    FUR_CUDA(env, cudaFuncSetAttribute(search_boxes<Real, D>,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(bytes)));
    search_boxes<Real, D>
        <<<fur_blocks(c->blocks, WARPS), FUR_NEAR_BLOCK, bytes, fur_cuda_stream(env)>>>(j);
    return fur_cuda_launched(env, "search among boxes");
}

} // namespace

fur_status fur_cuda_near_boxes(fur_env *env, const fur_cuda_cloud *c, const fur_near_search *s)
{
    return fur_with_real(c->value, [&](auto real) {
        return fur_with_dimensions(c->dims, [&](auto dims) {
            return launch<decltype(real), decltype(dims)::value>(env, c, s);
        });
    });
}
