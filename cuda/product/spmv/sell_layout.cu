// Builds the sliced layout on the device. Bytes: the offsets once or twice. An array that is spread
// is read once and written once with padding.
#include "arrange.cuh"
#include "sell_layout.cuh"
#include "spmv.cuh"

#include <cub/block/block_radix_sort.cuh>

#define BLOCK 256
#define SORT_BLOCK 256
#define SORT_ITEMS (SELL_WINDOW / SORT_BLOCK)
#define SPREAD_WARPS 2
#define SPREAD_BLOCK (SPREAD_WARPS * FUR_WARP)

namespace
{

// The number of segments of each long row, and 0 for other rows.
template <class Offset>
__global__ void count_segments(int64_t rows, const Offset *offsets, int32_t *segments)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    int64_t length = row < rows ? offsets[row + 1] - offsets[row] : 0;
    if (row <= rows)
        segments[row] = length > FUR_ROW_SEGMENT ? fur_ceil_segments(length) : 0;
}

// Lists the row of each segment.
__global__ void list_segments(fur_sell s)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row >= s.rows)
        return;
    for (int32_t segment = s.row_segment[row]; segment < s.row_segment[row + 1]; segment++)
        s.segment_row[segment] = static_cast<int32_t>(row);
}

// The entries of a unit in CSR. The entries of a row are contiguous. The entries of a lane of a
// segment are FUR_ROW_LANES apart. A negative length means that the unit has no entries of its own.
// Units are sorted by rank; the units of a segment have the same rank.
struct range {
    int64_t begin;
    int length;
    int rank;
};

// Returns the entries of a row, or of a lane of a segment of a long row.
template <class Offset>
__device__ range range_of(const fur_sell &s, const Offset *offsets, int64_t unit)
{
    if (unit >= s.rows && unit < s.first_long)
        return {0, -1, 0};
    if (unit < s.rows) {
        int64_t begin = offsets[unit];
        int64_t length = offsets[unit + 1] - begin;
        if (length > FUR_ROW_SEGMENT)
            return {0, -1, 0};
        return {begin, static_cast<int>(length), static_cast<int>(length)};
    }
    int64_t segment = (unit - s.first_long) / FUR_ROW_LANES;
    int lane = static_cast<int>((unit - s.first_long) % FUR_ROW_LANES);
    int64_t row = s.segment_row[segment];
    int64_t begin = offsets[row] + (segment - s.row_segment[row]) * FUR_ROW_SEGMENT;
    int length = static_cast<int>(min(offsets[row + 1] - begin, int64_t(FUR_ROW_SEGMENT)));
    int most = (length + FUR_ROW_LANES - 1) / FUR_ROW_LANES;
    return {begin + lane, max(0, (length - lane + FUR_ROW_LANES - 1) / FUR_ROW_LANES), most};
}

// Sorts the units of a window by descending length, stably, with one block for each window. A key
// holds the longest length minus the unit's length, and the unit's number.
template <class Offset>
__global__ void __launch_bounds__(SORT_BLOCK)
    sort_window(fur_sell s, const Offset *offsets, int longest, int length_bits, int64_t *widths)
{
    using sorter = cub::BlockRadixSort<uint32_t, SORT_BLOCK, SORT_ITEMS>;
    __shared__ typename sorter::TempStorage storage;
    uint32_t key[SORT_ITEMS];
    int64_t window = blockIdx.x * int64_t(SELL_WINDOW);
    for (int i = 0; i < SORT_ITEMS; i++) {
        uint32_t local = threadIdx.x * SORT_ITEMS + i;
        range r = {0, -1, 0};
        if (window + local < s.units)
            r = range_of(s, offsets, window + local);
        uint32_t number = r.length < 0 ? SELL_WINDOW : local;
        key[i] = static_cast<uint32_t>(longest - r.rank) << 16 | number;
    }
    sorter(storage).Sort(key, 16, 16 + length_bits);
    for (int i = 0; i < SORT_ITEMS; i++) {
        int64_t place = window + threadIdx.x * SORT_ITEMS + i;
        int rank = longest - static_cast<int>(key[i] >> 16);
        int number = static_cast<int>(key[i] & 0xffff);
        int length = rank;
        if (number < SELL_WINDOW && s.long_slices > 0)
            length = range_of(s, offsets, window + number).length;
        s.lanes[place] = {static_cast<uint16_t>(number), static_cast<uint16_t>(length)};
        if (place % SELL_LANES == 0)
            widths[place / SELL_LANES] = int64_t(rank) * SELL_LANES;
    }
}

// Transposes a slice in shared memory. It is read along the rows, with `Group` lanes for each row,
// and written across them. Many loads are in flight together.
template <int Group, class T>
__device__ void turn(const fur_sell_place &p, const range &r, const T *from,
                     T (*turned)[FUR_WARP + 1], T *to)
{
    constexpr int rows = FUR_WARP / Group; // rows that are read at once
    constexpr int batch = sizeof(T) * 16 > 128 ? 8 : 16;
    int k = p.lane() % Group;
    for (int first = 0; first < p.width(); first += Group) {
        for (int base = 0; base < SELL_LANES; base += batch * rows) {
            T held[batch];
#pragma unroll
            for (int i = 0; i < batch; i++) {
                int unit = base + i * rows + p.lane() / Group;
                int64_t begin = __shfl_sync(~0U, r.begin, unit % SELL_LANES);
                int length = __shfl_sync(~0U, r.length, unit % SELL_LANES);
                bool there = unit < SELL_LANES && first + k < length;
                held[i] = there ? fur_stream(from + begin + first + k) : T{};
            }
#pragma unroll
            for (int i = 0; i < batch; i++) {
                int unit = base + i * rows + p.lane() / Group;
                if (unit < SELL_LANES)
                    turned[unit][k] = held[i];
            }
        }
        __syncwarp();
        for (int j = 0; j < Group && first + j < p.width(); j++)
            to[p.start + (first + j) * SELL_LANES + p.lane()] = turned[p.lane()][j];
        __syncwarp();
    }
}

// Spreads an array of the entries into slices, one warp for each slice. Bytes an entry: read once,
// written once with padding.
template <class T, class Offset>
__global__ void __launch_bounds__(SPREAD_BLOCK)
    spread(fur_sell s, const Offset *offsets, const T *from, T *to)
{
    __shared__ T memory[SPREAD_WARPS][SELL_LANES][FUR_WARP + 1];
    auto turned = memory[threadIdx.x / FUR_WARP];
    fur_sell_for_slice(s, [&](int64_t slice, const fur_sell_place &p) {
        int64_t unit = p.unit(slice);
        range r = unit >= 0 ? range_of(s, offsets, unit) : range{0, 0, 0};
        if (slice >= s.slices - s.long_slices)
            for (int k = 0; k < p.width(); k++)
                to[p.start + k * SELL_LANES + p.lane()] =
                    k < r.length ? fur_stream(from + r.begin + k * FUR_ROW_LANES) : T{};
        else if (p.width() <= 8)
            turn<8>(p, r, from, turned, to);
        else if (p.width() <= 16)
            turn<16>(p, r, from, turned, to);
        else
            turn<FUR_WARP>(p, r, from, turned, to);
    });
}

// Cuts long rows into segments.
fur_status cut(fur_env *env, const fur_csr_view *a, fur_sell *s)
{
    FUR_TRY(fur_cuda_allocate(env, a->rows + 1, sizeof *s->row_segment, &s->row_segment));
    FUR_TRY(fur_with_offset(a, [&](auto offsets) {
        count_segments<<<fur_blocks(a->rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            a->rows, offsets, s->row_segment);
        return fur_cuda_launched(env, "sell: count segments");
    }));
    FUR_TRY(fur_exclusive_scan(env, s->row_segment, a->rows + 1));
    int32_t segments;
    FUR_TRY(fur_cuda_copy(env, &segments, s->row_segment + a->rows, sizeof segments));
    int64_t windows = fur_ceil_div(int64_t(segments) * FUR_ROW_LANES, SELL_WINDOW);
    s->first_long = fur_ceil_div(a->rows, SELL_WINDOW) * SELL_WINDOW;
    s->long_slices = windows * SELL_SLICES;
    s->units = s->first_long + int64_t(segments) * FUR_ROW_LANES;
    FUR_TRY(fur_cuda_allocate(env, segments, sizeof *s->segment_row, &s->segment_row));
    FUR_TRY(fur_cuda_allocate(env, segments, fur_value_size(a->value_type), &s->sums));
    FUR_TRY(fur_cuda_allocate(env, segments, sizeof *s->arrived, &s->arrived));
    FUR_TRY(fur_cuda_clear(env, s->arrived, segments * static_cast<int64_t>(sizeof *s->arrived)));
    list_segments<<<fur_blocks(a->rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(*s);
    return fur_cuda_launched(env, "sell: list segments");
}

// Sets the units: the rows and, if some rows are long, the lanes of their segments.
fur_status find_units(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile,
                      fur_sell *s)
{
    s->rows = s->units = a->rows;
    if (profile->rows.row_max <= FUR_ROW_SEGMENT)
        return FUR_OK;
    if (a->entries / (FUR_ROW_SEGMENT / 2) > INT32_MAX)
        return fur_env_fail(env, FUR_UNSUPPORTED, "it has too many segments of long rows");
    return cut(env, a, s);
}

// Sorts the units of each window by length. s->start = the width of each slice.
fur_status sort_units(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile,
                      fur_sell *s)
{
    int64_t row_max = profile->rows.row_max;
    int longest = static_cast<int>(row_max < FUR_ROW_SEGMENT ? row_max : FUR_ROW_SEGMENT);
    return fur_with_offset(a, [&](auto offsets) {
        auto windows = static_cast<unsigned>(s->slices / SELL_SLICES);
        sort_window<<<windows, SORT_BLOCK, 0, fur_cuda_stream(env)>>>(*s, offsets, longest,
                                                                      fur_bits(longest), s->start);
        return fur_cuda_launched(env, "sell: sort units");
    });
}

// Copies an array of A's entries into the order of the slices, with zeros as padding.
template <class T>
fur_status spread_typed(fur_env *env, const fur_csr_view *a, const fur_sell *s, const void *from,
                        void *to)
{
    return fur_with_offset(a, [&](auto offsets) {
        unsigned blocks = fur_blocks(s->slices, SPREAD_WARPS);
        spread<<<blocks, SPREAD_BLOCK, 0, fur_cuda_stream(env)>>>(
            *s, offsets, static_cast<const T *>(from), static_cast<T *>(to));
        return fur_cuda_launched(env, "sell: spread");
    });
}

} // namespace

fur_status fur_sell_add_up(fur_env *env, int64_t count, int64_t *sizes, int64_t *total)
{
    FUR_TRY(fur_cuda_clear(env, sizes + count, sizeof *sizes));
    FUR_TRY(fur_exclusive_scan(env, sizes, count + 1));
    return fur_cuda_copy(env, total, sizes + count, sizeof *total);
}

fur_status fur_sell_layout(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile,
                           double most, fur_sell *s)
{
    if (a->rows == 0)
        return FUR_OK;
    FUR_TRY(find_units(env, a, profile, s));
    s->slices = fur_ceil_div(s->units, SELL_WINDOW) * SELL_SLICES;
    FUR_TRY(fur_cuda_allocate(env, s->slices * SELL_LANES, sizeof *s->lanes, &s->lanes));
    FUR_TRY(fur_cuda_allocate(env, s->slices + 1, sizeof *s->start, &s->start));
    FUR_TRY(sort_units(env, a, profile, s));
    FUR_TRY(fur_sell_add_up(env, s->slices, s->start, &s->padded));
    double padding = static_cast<double>(s->padded) / static_cast<double>(a->entries);
    if (a->entries > 0 && padding > most)
        return fur_env_fail(env, FUR_UNSUPPORTED,
                            "with padding it would have %.2f times its entries", padding);
    return FUR_OK;
}

fur_status fur_sell_spread(fur_env *env, const fur_csr_view *a, const fur_sell *s, size_t size,
                           const void *from, void *to)
{
    if (s->padded == 0)
        return FUR_OK;
    switch (size) {
    case 4:
        return spread_typed<float>(env, a, s, from, to);
    case 8:
        return spread_typed<double>(env, a, s, from, to);
    default:
        return spread_typed<double2>(env, a, s, from, to);
    }
}

void fur_sell_release(fur_env *env, fur_sell *s)
{
    fur_cuda_release(env, s->lanes);
    fur_cuda_release(env, s->start);
    fur_cuda_release(env, s->segment_row);
    fur_cuda_release(env, s->row_segment);
    fur_cuda_release(env, s->arrived);
    fur_cuda_release(env, s->sums);
}
