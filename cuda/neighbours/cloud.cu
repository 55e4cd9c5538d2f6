// Clouds of points on the device: the check of coordinates, points in blocks, and the boxes around
// them. The file also holds the table of the search.
#include "neighbours.cuh"

#include <furrow/author/clock.h>

#define BLOCK 256

// Number of points from which the grid saves more time than its construction takes.
#define GRID_FROM 32768

namespace
{

// *bad = the first point with a nonfinite coordinate, if it is less than *bad. Bytes a point: its
// coordinates.
template <class Real> __global__ void check_points(fur_vectors_view points, unsigned long long *bad)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    bool finite = true;
    for (int64_t j = 0; i < points.rows && j < points.cols; j++)
        finite = finite && isfinite(fur_coordinate<Real>(points, i, j));
    if (!finite)
        atomicMin(bad, static_cast<unsigned long long>(i));
}

// One thread fills one slot of a block. Bytes a point: its coordinates twice, its number twice.
template <class Real>
__global__ void fill_blocks(fur_vectors_view points, const int32_t *order, int64_t places,
                            Real *out, int32_t *numbers)
{
    int64_t place = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (place >= places)
        return;
    int64_t block = place / FUR_CUDA_BOX;
    int64_t lane = place % FUR_CUDA_BOX;
    int64_t number = place >= points.rows ? -1 : order ? order[place] : place;
    for (int64_t j = 0; j < points.cols; j++)
        out[(block * points.cols + j) * FUR_CUDA_BOX + lane] =
            number < 0 ? static_cast<Real>(NAN) : fur_coordinate<Real>(points, number, j);
    numbers[place] = static_cast<int32_t>(number);
}

// One warp computes one box, around a block of points or a group of boxes. `step` is the distance
// between entries, and `highs` the distance from low to high ends. Bytes a box: one item of each
// input.
template <class Real>
__global__ void pack(int64_t items, int64_t places, int dims, const Real *from, int64_t step,
                     int highs, const int32_t *numbers, Real *boxes, int32_t *least)
{
    int64_t item = (blockIdx.x * int64_t(BLOCK) + threadIdx.x) / FUR_WARP;
    int lane = threadIdx.x % FUR_WARP;
    if (item >= places)
        return;
    Real *to = boxes + item / FUR_CUDA_BOX * 2 * dims * FUR_CUDA_BOX + item % FUR_CUDA_BOX;
    for (int j = 0; j < dims; j++) {
        const Real *at = from + item * step + j * FUR_CUDA_BOX + lane;
        Real low = item < items ? at[0] : static_cast<Real>(NAN);
        Real high = item < items ? at[highs] : static_cast<Real>(NAN);
        // min and max of a number and NaN give the number
        for (int half = FUR_WARP / 2; half > 0; half /= 2) {
            low = min(low, __shfl_xor_sync(~0U, low, half));
            high = max(high, __shfl_xor_sync(~0U, high, half));
        }
        if (lane == 0) {
            to[j * FUR_CUDA_BOX] = low;
            to[(dims + j) * FUR_CUDA_BOX] = high;
        }
    }
    int32_t number = item < items ? numbers[item * FUR_CUDA_BOX + lane] : -1;
    int32_t lowest = __reduce_min_sync(~0U, number < 0 ? INT32_MAX : number);
    if (lane == 0)
        least[item] = lowest;
}

template <class Offset> __global__ void set_offsets(int64_t rows, int64_t k, Offset *offsets)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i <= rows)
        offsets[i] = static_cast<Offset>(i * k);
}

template <class Real>
fur_status pack_level(fur_env *env, fur_cuda_cloud *c, int level, int64_t items)
{
    bool lowest = level == 0;
    int64_t places = fur_ceil_div(items, FUR_CUDA_BOX) * FUR_CUDA_BOX;
    auto from = static_cast<const Real *>(lowest ? c->points : c->boxes[level - 1]);
    const int32_t *numbers = lowest ? c->numbers : c->least[level - 1];
    int64_t step = (lowest ? 1 : 2) * int64_t(FUR_CUDA_BOX) * c->dims;
    pack<<<fur_blocks(places * FUR_WARP, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        items, places, c->dims, from, step, lowest ? 0 : FUR_CUDA_BOX * c->dims, numbers,
        static_cast<Real *>(c->boxes[level]), c->least[level]);
    return fur_cuda_launched(env, "boxes of points");
}

fur_status find_bad(fur_env *env, const fur_vectors_view *points, int64_t *row)
{
    int64_t none = INT64_MAX;
    unsigned long long *bad;
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *bad, &bad));
    fur_status status = fur_cuda_copy(env, bad, &none, sizeof none);
    if (status == FUR_OK)
        status = fur_with_real(points->value_type, [&](auto real) {
            check_points<decltype(real)>
                <<<fur_blocks(points->rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(*points, bad);
            return fur_cuda_launched(env, "check of points");
        });
    int64_t first = none;
    if (status == FUR_OK)
        status = fur_cuda_copy(env, &first, bad, sizeof first);
    fur_cuda_release(env, bad);
    if (status == FUR_OK)
        *row = first == none ? -1 : first;
    return status;
}

fur_status make_cloud(fur_env *env, const fur_neighbours_call *call, fur_cuda_cloud *c)
{
    int32_t *order = nullptr;
    if (!call->grid)
        return fur_cuda_cloud_make(env, call->points, nullptr, c);
    double start = fur_seconds();
    FUR_TRY(fur_cuda_allocate(env, call->points->rows, sizeof *order, &order));
    fur_status status = fur_cuda_curve_sort(env, call->points, order);
    if (status == FUR_OK)
        status = fur_cuda_cloud_make(env, call->points, order, c);
    fur_cuda_release(env, order);
    FUR_TRY(status);
    FUR_TRY(fur_cuda_cloud_pack(env, c));
    FUR_TRY(fur_cuda_wait(env));
    *call->seconds_plan = fur_seconds() - start;
    return FUR_OK;
}

fur_status write_offsets(fur_env *env, const fur_neighbours_call *call, const fur_csr_view *out)
{
    return fur_with_offset(out, [&](auto offsets) {
        using Offset = std::remove_const_t<std::remove_pointer_t<decltype(offsets)>>;
        set_offsets<<<fur_blocks(out->rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            out->rows, call->k, const_cast<Offset *>(offsets));
        return fur_cuda_launched(env, "offsets of neighbours");
    });
}

fur_status find(fur_env *env, const fur_neighbours_call *call, const fur_csr_view *out)
{
    if (call->k > FUR_NEAR_K_MAX || call->points->cols > FUR_NEAR_DIMENSIONS_MAX)
        return FUR_UNSUPPORTED;
    fur_cuda_cloud c = {};
    fur_near_search s = {static_cast<int>(call->k), call->squared, call->with_self,
                         const_cast<int32_t *>(out->columns), const_cast<void *>(out->values)};
    fur_status status = make_cloud(env, call, &c);
    if (status == FUR_OK)
        status = write_offsets(env, call, out);
    if (status == FUR_OK)
        status = call->grid ? fur_cuda_near_boxes(env, &c, &s) : fur_cuda_near_brute(env, &c, &s);
    fur_cuda_cloud_release(env, &c);
    FUR_TRY(status);
    FUR_TRY(fur_cuda_wait(env));
    return FUR_OK;
}

} // namespace

fur_status fur_cuda_cloud_make(fur_env *env, const fur_vectors_view *points, const int32_t *order,
                               fur_cuda_cloud *c)
{
    c->value = points->value_type;
    c->dims = static_cast<int>(points->cols);
    c->count = points->rows;
    c->blocks = fur_ceil_div(points->rows, FUR_CUDA_BOX);
    int64_t places = c->blocks * FUR_CUDA_BOX;
    FUR_TRY(fur_cuda_allocate(env, places, sizeof *c->numbers, &c->numbers));
    FUR_TRY(fur_cuda_allocate(env, places * c->dims, fur_value_size(c->value), &c->points));
    return fur_with_real(c->value, [&](auto real) {
        fill_blocks<<<fur_blocks(places, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            *points, order, places, static_cast<decltype(real) *>(c->points), c->numbers);
        return fur_cuda_launched(env, "blocks of points");
    });
}

fur_status fur_cuda_cloud_pack(fur_env *env, fur_cuda_cloud *c)
{
    int64_t items = c->blocks;
    do {
        int level = c->levels++;
        int64_t groups = fur_ceil_div(items, FUR_CUDA_BOX);
        size_t box = 2 * static_cast<size_t>(c->dims) * fur_value_size(c->value);
        FUR_TRY(fur_cuda_allocate(env, groups * FUR_CUDA_BOX, box, &c->boxes[level]));
        FUR_TRY(fur_cuda_allocate(env, groups * FUR_CUDA_BOX, sizeof *c->least[level],
                                  &c->least[level]));
        FUR_TRY(fur_with_real(
            c->value, [&](auto real) { return pack_level<decltype(real)>(env, c, level, items); }));
        items = groups;
    } while (items > 1);
    return FUR_OK;
}

void fur_cuda_cloud_release(fur_env *env, fur_cuda_cloud *c)
{
    for (int level = 0; level < c->levels; level++) {
        fur_cuda_release(env, c->least[level]);
        fur_cuda_release(env, c->boxes[level]);
    }
    fur_cuda_release(env, c->points);
    fur_cuda_release(env, c->numbers);
}

extern "C" const fur_neighbours_kernels fur_cuda_neighbours = {GRID_FROM, find_bad, find};
