// Building the sliced layout on the device. Bytes: offsets once; values once in, once out padded.
#include "sell.cuh"

#include <cub/block/block_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#define SORT_BLOCK 256
#define SORT_ITEMS (SELL_WINDOW / SORT_BLOCK)
#define LENGTH_BITS 13

namespace
{

// Sorts a window's rows by falling length, equal ones in order: one block a window. A key holds
// what the length lacks to SELL_LONGEST above the row's number.
template <class Offset>
__global__ void __launch_bounds__(SORT_BLOCK)
    sort_window(int64_t rows, const Offset *offsets, fur_sell_lane *lanes, int64_t *widths)
{
    using sorter = cub::BlockRadixSort<uint32_t, SORT_BLOCK, SORT_ITEMS>;
    __shared__ typename sorter::TempStorage storage;
    uint32_t key[SORT_ITEMS];
    int64_t window = blockIdx.x * int64_t(SELL_WINDOW);
    for (int i = 0; i < SORT_ITEMS; i++) {
        uint32_t local = threadIdx.x * SORT_ITEMS + i;
        int64_t row = window + local;
        uint32_t length = row < rows ? static_cast<uint32_t>(offsets[row + 1] - offsets[row]) : 0;
        uint32_t number = row < rows ? local : SELL_WINDOW;
        key[i] = (SELL_LONGEST - length) << 16 | number;
    }
    sorter(storage).Sort(key, 0, 16 + LENGTH_BITS);
    for (int i = 0; i < SORT_ITEMS; i++) {
        int64_t place = window + threadIdx.x * SORT_ITEMS + i;
        uint32_t length = SELL_LONGEST - (key[i] >> 16);
        lanes[place] = {static_cast<uint16_t>(key[i] & 0xffff), static_cast<uint16_t>(length)};
        if (place % SELL_ROWS == 0)
            widths[place / SELL_ROWS] = int64_t(length) * SELL_ROWS;
    }
}

template <class Value, class Offset>
__global__ void __launch_bounds__(SELL_BLOCK)
    fill(fur_sell s, const Offset *offsets, const Value *from)
{
    fur_sell_place p = fur_sell_find(s);
    if (p.slice < 0 || p.length == 0)
        return;
    Value *to = static_cast<Value *>(s.values) + p.start + p.lane;
    Offset begin = offsets[p.row];
    for (int k = 0; k < p.length; k++)
        to[int64_t(k) * SELL_ROWS] = from[begin + k];
}

fur_status sort_rows(fur_env *env, const fur_csr_view *a, int64_t *widths, const fur_sell *s)
{
    auto windows = static_cast<unsigned>(s->slices / SELL_SLICES);
    if (a->offset == FUR_I32)
        sort_window<<<windows, SORT_BLOCK, 0, fur_cuda_stream(env)>>>(
            a->rows, static_cast<const int32_t *>(a->offsets), s->lanes, widths);
    else
        sort_window<<<windows, SORT_BLOCK, 0, fur_cuda_stream(env)>>>(
            a->rows, static_cast<const int64_t *>(a->offsets), s->lanes, widths);
    return fur_cuda_launched(env, "sell: sort rows");
}

} // namespace

fur_status fur_sell_add_up(fur_env *env, int64_t count, int64_t *sizes, int64_t *total)
{
    void *storage = nullptr;
    size_t bytes = 0;
    fur_status status = FUR_OK;
    FUR_TRY(fur_cuda_clear(env, sizes + count, sizeof *sizes));
    FUR_CUDA(env, cub::DeviceScan::ExclusiveSum(nullptr, bytes, sizes, sizes, count + 1,
                                                fur_cuda_stream(env)));
    FUR_TRY(fur_cuda_allocate(env, static_cast<int64_t>(bytes), 1, &storage));
    cudaError_t error = cub::DeviceScan::ExclusiveSum(storage, bytes, sizes, sizes, count + 1,
                                                      fur_cuda_stream(env));
    fur_cuda_release(env, storage);
    if (error != cudaSuccess)
        status = fur_cuda_fail(env, "cub::DeviceScan::ExclusiveSum", error);
    return status == FUR_OK ? fur_cuda_copy(env, total, sizes + count, sizeof *total) : status;
}

fur_status fur_sell_layout(fur_env *env, const fur_csr_view *a, fur_sell *s)
{
    s->rows = a->rows;
    s->slices = fur_ceil_div(a->rows, SELL_WINDOW) * SELL_SLICES;
    if (s->slices == 0)
        return FUR_OK;
    FUR_TRY(fur_cuda_allocate(env, s->slices * SELL_ROWS, sizeof *s->lanes, &s->lanes));
    FUR_TRY(fur_cuda_allocate(env, s->slices + 1, sizeof *s->start, &s->start));
    FUR_TRY(sort_rows(env, a, s->start, s));
    return fur_sell_add_up(env, s->slices, s->start, &s->padded);
}

fur_status fur_sell_fill_values(fur_env *env, const fur_csr_view *a, fur_sell *s)
{
    FUR_TRY(fur_cuda_allocate(env, s->padded, fur_value_size(a->value), &s->values));
    if (s->padded == 0)
        return FUR_OK;
    return fur_with_types(a, [&](auto value, auto offset) {
        using Value = decltype(value);
        using Offset = decltype(offset);
        fill<Value, Offset><<<fur_sell_blocks(s), SELL_BLOCK, 0, fur_cuda_stream(env)>>>(
            *s, static_cast<const Offset *>(a->offsets), static_cast<const Value *>(a->values));
        return fur_cuda_launched(env, "sell: fill values");
    });
}

void fur_sell_release(fur_env *env, fur_sell *s)
{
    fur_cuda_release(env, s->lanes);
    fur_cuda_release(env, s->start);
    fur_cuda_release(env, s->values);
}
