// The order of points along a Z-shaped curve (Morton 1966) through the grid of their ranks, as in
// src/cpu/neighbours/curve.c. The points are sorted in each dimension. Then they are sorted by the
// interleaved bits of their ranks.
//
// Bytes a point, for each dimension: about 16 for every 8 binary digits of a coordinate, to sort
// it, and 8 scattered. Then 24 for every 8 digits of the ranks.
#include "arrange.cuh"
#include "neighbours.cuh"

#define BLOCK 256
#define CODE_BITS 62

namespace
{

// The memory of a sort: keys of up to 8 bytes and numbers of all points, twice, and the codes.
struct room {
    void *keys;
    void *sorted_keys;
    int32_t *numbers;
    int32_t *sorted_numbers;
    uint64_t *codes;
};

// Maps a coordinate to a key that is ordered like the coordinate. Both zeros have the same key.
__device__ uint32_t key_of(float x)
{
    uint32_t bits = __float_as_uint(x + 0.0F);
    return bits >> 31 ? ~bits : bits | 0x80000000U;
}
__device__ uint64_t key_of(double x)
{
    auto bits = static_cast<uint64_t>(__double_as_longlong(x + 0.0));
    return bits >> 63 ? ~bits : bits | uint64_t(1) << 63;
}

// Lists the keys of a dimension. Bytes a point: a coordinate and its key, a number.
template <class Real, class Key>
__global__ void list_keys(fur_vectors_view points, int dim, Key *keys, int32_t *numbers)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i >= points.rows)
        return;
    keys[i] = key_of(fur_coordinate<Real>(points, i, dim));
    numbers[i] = static_cast<int32_t>(i);
}

// Adds the bits of each point's rank to its code. The rank is the first position with the same key.
// Bytes a point: a key, a number, a scattered code; the search stays in the caches.
template <class Key>
__global__ void add_ranks(int64_t n, const Key *keys, const int32_t *numbers, int drop, int bits,
                          int dim, int dims, uint64_t *codes)
{
    int64_t p = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (p >= n)
        return;
    Key key = keys[p];
    int64_t low = 0;
    int64_t high = p;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t code = 0;
    for (int bit = 0; bit < bits; bit++)
        code |= (static_cast<uint64_t>(low) >> (drop + bit) & 1) << (bit * dims + dim);
    codes[numbers[p]] |= code;
}

// Fills `numbers` with 0, 1, 2, ...
__global__ void count_up(int64_t n, int32_t *numbers)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < n)
        numbers[i] = static_cast<int32_t>(i);
}

template <class Real, class Key>
fur_status rank_points(fur_env *env, const fur_vectors_view *points, room *r)
{
    int64_t n = points->rows;
    int dims = static_cast<int>(points->cols);
    int rank_bits = fur_bits(n - 1);
    int bits = rank_bits < CODE_BITS / dims ? rank_bits : CODE_BITS / dims;
    cudaStream_t stream = fur_cuda_stream(env);
    auto keys = static_cast<Key *>(r->keys);
    auto sorted = static_cast<Key *>(r->sorted_keys);
    FUR_TRY(fur_cuda_clear(env, r->codes, n * static_cast<int64_t>(sizeof *r->codes)));
    for (int dim = 0; dim < dims; dim++) {
        list_keys<Real><<<fur_blocks(n, BLOCK), BLOCK, 0, stream>>>(*points, dim, keys, r->numbers);
        FUR_TRY(fur_cuda_launched(env, "keys of coordinates"));
        FUR_TRY(fur_sort_pairs(env, keys, sorted, r->numbers, r->sorted_numbers, n,
                               8 * static_cast<int>(sizeof(Key))));
        add_ranks<<<fur_blocks(n, BLOCK), BLOCK, 0, stream>>>(
            n, sorted, r->sorted_numbers, rank_bits - bits, bits, dim, dims, r->codes);
        FUR_TRY(fur_cuda_launched(env, "ranks of coordinates"));
    }
    count_up<<<fur_blocks(n, BLOCK), BLOCK, 0, stream>>>(n, r->numbers);
    return fur_sort_pairs(env, r->codes, static_cast<uint64_t *>(r->sorted_keys), r->numbers,
                          r->sorted_numbers, n, bits * dims);
}

fur_status make_room(fur_env *env, int64_t n, room *r)
{
    FUR_TRY(fur_cuda_allocate(env, n, sizeof(uint64_t), &r->keys));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof(uint64_t), &r->sorted_keys));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *r->numbers, &r->numbers));
    return fur_cuda_allocate(env, n, sizeof *r->codes, &r->codes);
}

} // namespace

fur_status fur_cuda_curve_sort(fur_env *env, const fur_vectors_view *points, int32_t *order)
{
    room r = {};
    r.sorted_numbers = order;
    fur_status status = make_room(env, points->rows, &r);
    if (status == FUR_OK)
        status = points->value_type == FUR_F32 ? rank_points<float, uint32_t>(env, points, &r)
                                               : rank_points<double, uint64_t>(env, points, &r);
    fur_cuda_release(env, r.codes);
    fur_cuda_release(env, r.numbers);
    fur_cuda_release(env, r.sorted_keys);
    fur_cuda_release(env, r.keys);
    return status;
}
