// Nearest neighbours on the device: blocks of points, one warp each; lists of the nearest points in
// shared memory; the order along a curve; and a hierarchy of boxes.
#ifndef FURROW_CUDA_NEIGHBOURS_CUH
#define FURROW_CUDA_NEIGHBOURS_CUH

#include <furrow/graph.h>

#include "device.cuh"
#include "value.cuh"

// Points in a block, blocks in a box, and boxes in a larger box. The levels of boxes cover 2^26
// blocks.
#define FUR_CUDA_BOX FUR_WARP
#define FUR_CUDA_BOX_LEVELS 6

// Threads of a block in both searches, and the largest k and number of dimensions for which the
// lists have room.
#define FUR_NEAR_BLOCK 64
#define FUR_NEAR_K_MAX 128
#define FUR_NEAR_DIMENSIONS_MAX 64

// Points that are compared at once, with loads of 16 bytes or more.
#define FUR_NEAR_FOUR 4

// A cloud, as in src/cpu/neighbours/cloud.h. The coordinates of a block are stored by dimension,
// with NaN after the last point. Boxes are stored in groups: the low ends by dimension, then the
// high ends, with NaN for an empty box.
struct fur_cuda_cloud {
    fur_value_type value;
    int dims;
    int64_t count;
    int64_t blocks;
    void *points;
    int32_t *numbers; // -1 after the last point
    int levels;
    void *boxes[FUR_CUDA_BOX_LEVELS];
    int32_t *least[FUR_CUDA_BOX_LEVELS];
};

// The request and the output arrays of a search.
struct fur_near_search {
    int k;
    bool squared;
    bool with_self;
    int32_t *columns;
    void *values;
};

extern "C" {
extern const fur_neighbours_kernels fur_cuda_neighbours;

// Writes the numbers of the points along the curve into `order`.
fur_status fur_cuda_curve_sort(fur_env *env, const fur_vectors_view *points, int32_t *order);
// The first function fills a cleared cloud, in the points' own order if `order` is null. The second
// adds the boxes.
fur_status fur_cuda_cloud_make(fur_env *env, const fur_vectors_view *points, const int32_t *order,
                               fur_cuda_cloud *c);
fur_status fur_cuda_cloud_pack(fur_env *env, fur_cuda_cloud *c);
void fur_cuda_cloud_release(fur_env *env, fur_cuda_cloud *c);
// The search through all points, and the search through the boxes.
fur_status fur_cuda_near_brute(fur_env *env, const fur_cuda_cloud *c, const fur_near_search *s);
fur_status fur_cuda_near_boxes(fur_env *env, const fur_cuda_cloud *c, const fur_near_search *s);
}

// Coordinate j of point i.
template <class Real>
__device__ inline Real fur_coordinate(const fur_vectors_view &points, int64_t i, int64_t j)
{
    bool by_rows = points.layout == FUR_LAYOUT_ROWS;
    int64_t at = by_rows ? i * points.stride + j : i + j * points.stride;
    return static_cast<const Real *>(points.data)[at];
}

// Calls f with a value of a real type.
template <class F> fur_status fur_with_real(fur_value_type value, F f)
{
    return value == FUR_F32 ? f(float()) : f(double());
}

// Calls f with the number of dimensions as a constant, if the grid supports that number.
template <class F> fur_status fur_with_dimensions(int dims, F f)
{
    static_assert(FUR_NEIGHBOURS_GRID_DIMENSIONS == 4, "a case for each number of dimensions");
    switch (dims) {
    case 1:
        return f(std::integral_constant<int, 1>());
    case 2:
        return f(std::integral_constant<int, 2>());
    case 3:
        return f(std::integral_constant<int, 3>());
    default:
        return f(std::integral_constant<int, 4>());
    }
}

#endif
