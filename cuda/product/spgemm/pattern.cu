// The pattern of C: which rows follow from others, the lengths of all rows, offsets, columns, and
// the place in its row of each product of a leader.
#include "arrange.cuh"
#include "cub.cuh"
#include "spgemm.cuh"

#include <cub/device/device_scan.cuh>

#include <stdint.h>

#define BLOCK 256
// Lanes that compare or copy a row.
#define LANES 8
// SAME: a row has the columns of the row before. NEXT: it has these columns plus one.
#define SAME 1u
#define NEXT 2u

namespace
{

// repeats[i]: how row i follows from row i - 1. Two empty rows set both bits. Sets has_duplicates
// if a row contains a column twice. Bytes: all columns twice.
__global__ void __launch_bounds__(BLOCK)
    find_repeats(fur_rows m, int64_t rows, uint8_t *repeats, int *has_duplicates)
{
    int64_t row = (blockIdx.x * int64_t(BLOCK) + threadIdx.x) / LANES;
    int lane = threadIdx.x % LANES;
    unsigned bits = 0;
    if (row < rows) {
        int64_t begin = m.start(row);
        int64_t count = m.start(row + 1) - begin;
        int64_t before = row > 0 ? m.start(row - 1) : begin;
        bits = row > 0 && begin - before == count ? SAME | NEXT : 0;
        for (int64_t k = lane; k < count; k += LANES) {
            int32_t column = m.columns[begin + k];
            if (k + 1 < count && m.columns[begin + k + 1] == column)
                *has_duplicates = 1;
            if (bits) {
                int32_t other = m.columns[before + k];
                bits &= (column == other ? SAME : 0) | (column == other + 1 ? NEXT : 0);
            }
        }
    }
    for (int step = LANES / 2; step > 0; step /= 2)
        bits &= __shfl_xor_sync(0xffffffffu, bits, step);
    if (row < rows && lane == 0)
        repeats[row] = static_cast<uint8_t>(bits);
}

// leader[i] = i, or 0 if row i of C follows from the row before. steps[i] = 1 if its columns are
// those of that row plus one. products[i] = its number of products. The figures get their sum, and
// the maximum over the leaders. Bytes: the columns of A, and two offsets of B for each.
__global__ void __launch_bounds__(BLOCK)
    follow(fur_rows a, fur_rows b, int64_t rows, const uint8_t *of_a, const uint8_t *of_b,
           int32_t *leader, int64_t *steps, int64_t *products, fur_spgemm_figures *figures)
{
    __shared__ unsigned long long all;
    __shared__ unsigned long long most;
    if (threadIdx.x == 0)
        all = most = 0;
    __syncthreads();
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row < rows) {
        unsigned bits = of_a[row] & SAME ? SAME : of_a[row] & NEXT ? SAME | NEXT : 0;
        bool by_b = bits == (SAME | NEXT);
        int64_t sum = 0;
        int64_t end = a.start(row + 1);
        for (int64_t e = a.start(row); e < end; e++) {
            int32_t k = a.columns[e];
            sum += b.start(k + 1) - b.start(k);
            bits &= by_b ? of_b[k] : SAME | NEXT;
        }
        leader[row] = bits ? 0 : static_cast<int32_t>(row);
        steps[row] = bits == NEXT;
        products[row] = sum;
        atomicAdd(&all, static_cast<unsigned long long>(sum));
        if (!bits)
            atomicMax(&most, static_cast<unsigned long long>(sum));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&figures->products, all);
        atomicMax(&figures->most, most);
    }
}

struct larger {
    __device__ int32_t operator()(int32_t a, int32_t b) const
    {
        return max(a, b);
    }
};

// Returns the bin of a row with these numbers of products and entries of A, or -1 if the range of
// columns decides.
__device__ int bin_of(int64_t products, int64_t entries)
{
    if (max(products, entries) <= FUR_SPGEMM_FEW_LANES)
        return FUR_SPGEMM_FEW;
    if (max(products, entries) <= FUR_SPGEMM_SOME_LANES)
        return FUR_SPGEMM_SOME;
    return products <= FUR_SPGEMM_SORTED ? FUR_SPGEMM_SORT : -1;
}

__device__ int bin_of_range(fur_spgemm_range range)
{
    int64_t width = int64_t(range.last) - range.first + 1;
    if (width <= FUR_SPGEMM_NEAR_COLUMNS)
        return FUR_SPGEMM_NEAR;
    return width <= FUR_SPGEMM_WIDE_COLUMNS ? FUR_SPGEMM_WIDE : FUR_SPGEMM_ALL;
}

__device__ fur_spgemm_range range_of(fur_rows a, fur_rows b, int64_t row)
{
    fur_spgemm_range range = {INT32_MAX, -1};
    int64_t end = a.start(row + 1);
    for (int64_t e = a.start(row); e < end; e++) {
        int64_t from = b.start(a.columns[e]);
        int64_t stop = b.start(a.columns[e] + 1);
        if (from < stop) {
            range.first = min(range.first, b.columns[from]);
            range.last = max(range.last, b.columns[stop - 1]);
        }
    }
    return range;
}

// Lists the leaders by bin, in any order. The length of a row without products is set to 0.
__global__ void __launch_bounds__(BLOCK)
    list_leaders(fur_rows a, fur_rows b, int64_t rows, const int32_t *leader,
                 const int64_t *products, fur_spgemm_range *ranges, int64_t *starts, int32_t *lists,
                 fur_spgemm_figures *figures)
{
    __shared__ unsigned counts[FUR_SPGEMM_BINS];
    __shared__ unsigned places[FUR_SPGEMM_BINS];
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    int bin = -1;
    unsigned place = 0;
    if (threadIdx.x < FUR_SPGEMM_BINS)
        counts[threadIdx.x] = 0;
    __syncthreads();
    if (row < rows && leader[row] == row) {
        starts[row] = 0;
        if (products[row] > 0) {
            bin = bin_of(products[row], a.start(row + 1) - a.start(row));
            if (bin < 0) {
                ranges[row] = range_of(a, b, row);
                bin = bin_of_range(ranges[row]);
            }
            place = atomicAdd(&counts[bin], 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x < FUR_SPGEMM_BINS && counts[threadIdx.x] > 0)
        places[threadIdx.x] = atomicAdd(&figures->lists[threadIdx.x], counts[threadIdx.x]);
    __syncthreads();
    if (bin >= 0)
        lists[bin * rows + places[bin] + place] = static_cast<int32_t>(row);
}

// Sets the lengths of all rows of C from those of the leaders, followed by a 0.
__global__ void __launch_bounds__(BLOCK)
    spread_lengths(int64_t rows, const int32_t *leader, int64_t *lengths,
                   fur_spgemm_figures *figures)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row > rows)
        return;
    int64_t length = row < rows ? lengths[leader[row]] : 0;
    lengths[row] = length;
    if (static_cast<unsigned long long>(length) > figures->longest)
        atomicMax(&figures->longest, static_cast<unsigned long long>(length));
}

// Stores the offsets of C in their type.
__global__ void __launch_bounds__(BLOCK)
    set_offsets(int64_t rows, const int64_t *starts, void *offsets, bool is_wide)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row > rows)
        return;
    if (is_wide)
        static_cast<int64_t *>(offsets)[row] = starts[row];
    else
        static_cast<int32_t *>(offsets)[row] = static_cast<int32_t>(starts[row]);
}

// Writes the columns of rows that follow a leader. Bytes: the columns of C twice.
__global__ void __launch_bounds__(BLOCK)
    spread_columns(int64_t rows, const int32_t *leader, const int64_t *steps, const int64_t *starts,
                   int32_t *columns)
{
    int64_t row = (blockIdx.x * int64_t(BLOCK) + threadIdx.x) / LANES;
    if (row >= rows || leader[row] == row)
        return;
    int64_t from = starts[leader[row]];
    int64_t to = starts[row];
    int64_t count = starts[row + 1] - to;
    auto shift = static_cast<int32_t>(steps[row + 1] - steps[leader[row]]);
    for (int64_t k = threadIdx.x % LANES; k < count; k += LANES)
        columns[to + k] = columns[from + k] + shift;
}

// Sets the product counts of other rows to 0, because only leaders need places. A 0 follows the
// last row.
__global__ void __launch_bounds__(BLOCK)
    keep_leaders(int64_t rows, const int32_t *leader, int64_t *products)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row == rows || (row < rows && leader[row] != row))
        products[row] = 0;
}

__global__ void __launch_bounds__(BLOCK)
    spread_places(int64_t rows, const int32_t *leader, int64_t *place_start)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row < rows)
        place_start[row] = place_start[leader[row]];
}

// Lists the rows whose sums do not fit into shared memory.
__global__ void __launch_bounds__(BLOCK)
    list_long_rows(int64_t rows, const int64_t *starts, int64_t room, int32_t *list,
                   fur_spgemm_figures *figures)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row < rows && starts[row + 1] - starts[row] > room)
        list[atomicAdd(&figures->long_rows, 1u)] = static_cast<int32_t>(row);
}

// Returns the number of blocks for `count` items with `lanes` threads each.
unsigned blocks_for(int64_t count, int lanes = 1)
{
    return fur_blocks(count * lanes, BLOCK);
}

fur_status look_for_repeats(fur_env *env, fur_spgemm_state *s, const fur_csr_view *m,
                            uint8_t **repeats)
{
    FUR_TRY(fur_cuda_allocate(env, m->rows + 1, 1, repeats));
    if (m->rows == 0)
        return FUR_OK;
    find_repeats<<<blocks_for(m->rows, LANES), BLOCK, 0, fur_cuda_stream(env)>>>(
        fur_rows(m), m->rows, *repeats, &s->figures->has_duplicates);
    return fur_cuda_launched(env, "find rows that repeat");
}

fur_status fetch_figures(fur_env *env, fur_spgemm_state *s)
{
    return fur_cuda_copy(env, &s->host, s->figures, sizeof s->host);
}

fur_status find_leaders(fur_env *env, fur_spgemm_state *s, fur_rows a, fur_rows b)
{
    int64_t n = s->rows;
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *s->leader, &s->leader));
    FUR_TRY(fur_cuda_allocate(env, n + 1, sizeof *s->steps, &s->steps));
    FUR_TRY(fur_cuda_allocate(env, n + 1, sizeof *s->place_start, &s->place_start));
    follow<<<blocks_for(n), BLOCK, 0, stream>>>(a, b, n, s->repeats_a, s->repeats_b, s->leader,
                                                s->steps, s->place_start, s->figures);
    FUR_TRY(fur_cuda_launched(env, "find rows that follow"));
    FUR_TRY(fur_with_storage(env, "cub::DeviceScan::InclusiveScan", [&](void *t, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(t, bytes, s->leader, s->leader, larger(), n, stream);
    }));
    return fur_exclusive_scan(env, s->steps, n + 1);
}

// Allocates the arrays of the leaders, with one place for each of their products.
fur_status make_room(fur_env *env, fur_spgemm_state *s)
{
    int64_t n = s->rows;
    int64_t total;
    keep_leaders<<<blocks_for(n + 1), BLOCK, 0, fur_cuda_stream(env)>>>(n, s->leader,
                                                                        s->place_start);
    FUR_TRY(fur_cuda_launched(env, "keep leaders"));
    FUR_TRY(fur_exclusive_scan(env, s->place_start, n + 1));
    FUR_TRY(fur_cuda_copy(env, &total, s->place_start + n, sizeof total));
    FUR_TRY(fetch_figures(env, s));
    FUR_TRY(fur_cuda_allocate(env, total, sizeof *s->formed, &s->formed));
    return fur_cuda_allocate(env, total, s->wide_places() ? sizeof(uint32_t) : sizeof(uint16_t),
                             &s->places);
}

// Computes the row lengths of C and turns them into offsets.
fur_status count_rows(fur_env *env, fur_spgemm_state *s, fur_rows a, fur_rows b)
{
    int64_t n = s->rows;
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_TRY(fur_cuda_allocate(env, n * FUR_SPGEMM_BINS, sizeof *s->lists, &s->lists));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *s->ranges, &s->ranges));
    list_leaders<<<blocks_for(n), BLOCK, 0, stream>>>(a, b, n, s->leader, s->place_start, s->ranges,
                                                      s->starts, s->lists, s->figures);
    FUR_TRY(fur_cuda_launched(env, "list rows of a product"));
    FUR_TRY(make_room(env, s));
    FUR_TRY(fur_cuda_spgemm_form(env, s, a, b, nullptr));
    spread_lengths<<<blocks_for(n + 1), BLOCK, 0, stream>>>(n, s->leader, s->starts, s->figures);
    FUR_TRY(fur_cuda_launched(env, "lengths of rows of a product"));
    return fur_exclusive_scan(env, s->starts, n + 1);
}

fur_status count(fur_env *env, const fur_csr_view *a, const fur_csr_view *b, fur_spgemm_state *s,
                 fur_spgemm_size *size)
{
    s->rows = a->rows;
    s->columns = b->cols;
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *s->figures, &s->figures));
    FUR_TRY(fur_cuda_clear(env, s->figures, sizeof *s->figures));
    FUR_TRY(fur_cuda_allocate(env, a->rows + 1, sizeof *s->starts, &s->starts));
    FUR_TRY(look_for_repeats(env, s, b, &s->repeats_b));
    FUR_TRY(fetch_figures(env, s));
    if (s->host.has_duplicates)
        return fur_env_fail(env, FUR_UNSUPPORTED,
                            "b has duplicate entries; sum them by fur_csr_from_coo");
    s->repeats_a = s->repeats_b;
    if (a->columns != b->columns || a->rows != b->rows)
        FUR_TRY(look_for_repeats(env, s, a, &s->repeats_a));
    *size = {0, 0};
    if (a->rows == 0)
        return fur_cuda_clear(env, s->starts, sizeof *s->starts);
    FUR_TRY(find_leaders(env, s, fur_rows(a), fur_rows(b)));
    FUR_TRY(count_rows(env, s, fur_rows(a), fur_rows(b)));
    FUR_TRY(fetch_figures(env, s));
    size->products = static_cast<int64_t>(s->host.products);
    return fur_cuda_copy(env, &size->entries, s->starts + s->rows, sizeof size->entries);
}

fur_status set_long_rows(fur_env *env, fur_spgemm_state *s, fur_value_type value)
{
    auto room = static_cast<int64_t>(FUR_SPGEMM_SHORT / fur_value_size(value));
    if (static_cast<int64_t>(s->host.longest) <= room)
        return FUR_OK;
    FUR_TRY(fur_cuda_allocate(env, s->rows, sizeof *s->long_rows, &s->long_rows));
    list_long_rows<<<blocks_for(s->rows), BLOCK, 0, fur_cuda_stream(env)>>>(
        s->rows, s->starts, room, s->long_rows, s->figures);
    FUR_TRY(fur_cuda_launched(env, "list long rows"));
    return fetch_figures(env, s);
}

void release_array(fur_env *env, void *array)
{
    if (array)
        fur_cuda_release(env, array);
}

// Releases the arrays that only the pattern needs.
void drop_pattern(fur_env *env, fur_spgemm_state *s)
{
    if (s->repeats_a != s->repeats_b)
        release_array(env, s->repeats_a);
    release_array(env, s->repeats_b);
    release_array(env, s->leader);
    release_array(env, s->steps);
    release_array(env, s->starts);
    release_array(env, s->lists);
    release_array(env, s->ranges);
    release_array(env, s->formed);
    s->repeats_a = s->repeats_b = nullptr;
    s->leader = s->lists = s->formed = nullptr;
    s->steps = s->starts = nullptr;
    s->ranges = nullptr;
}

fur_status fill(fur_env *env, void *state, const fur_csr_view *a, const fur_csr_view *b,
                const fur_csr_view *c)
{
    auto s = static_cast<fur_spgemm_state *>(state);
    auto columns = const_cast<int32_t *>(c->columns);
    cudaStream_t stream = fur_cuda_stream(env);
    set_offsets<<<blocks_for(s->rows + 1), BLOCK, 0, stream>>>(
        s->rows, s->starts, const_cast<void *>(c->offsets), c->offset_type == FUR_I64);
    FUR_TRY(fur_cuda_launched(env, "offsets of a product"));
    if (c->entries > 0) {
        FUR_TRY(fur_cuda_spgemm_form(env, s, fur_rows(a), fur_rows(b), columns));
        spread_columns<<<blocks_for(s->rows, LANES), BLOCK, 0, stream>>>(
            s->rows, s->leader, s->steps, s->starts, columns);
        FUR_TRY(fur_cuda_launched(env, "columns of rows that follow"));
        spread_places<<<blocks_for(s->rows), BLOCK, 0, stream>>>(s->rows, s->leader,
                                                                 s->place_start);
        FUR_TRY(fur_cuda_launched(env, "places of rows that follow"));
        FUR_TRY(set_long_rows(env, s, c->value_type));
    }
    drop_pattern(env, s);
    return FUR_OK;
}

void release(fur_env *env, void *state)
{
    auto s = static_cast<fur_spgemm_state *>(state);
    if (!s)
        return;
    drop_pattern(env, s);
    release_array(env, s->figures);
    release_array(env, s->place_start);
    release_array(env, s->places);
    release_array(env, s->long_rows);
    fur_env_release(env, s);
}

fur_status make(fur_env *env, const fur_csr_view *a, const fur_csr_view *b, void **state,
                fur_spgemm_size *size)
{
    return fur_make_state<fur_spgemm_state>(
        env, release, state, [&](fur_spgemm_state *s) { return count(env, a, b, s, size); });
}

} // namespace

extern "C" const fur_spgemm_kernels fur_cuda_spgemm = {make, fill, fur_cuda_spgemm_apply, release};
