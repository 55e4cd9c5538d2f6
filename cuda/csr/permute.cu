// Rows and columns in another order on the device: offsets from the rows' lengths, then every entry
// is fetched from where it was and renumbered. In short rows it counts which entries come before
// it; entries of long rows are sorted by row and column (CUB's radix sort is stable, so that
// entries of one position stay in their order).
#include "csr.cuh"
#include "arrange.cuh"

#define BLOCK 256
// Longest row whose entries are counted: a row takes length^2 reads, from the first cache.
#define RANK_MOST 128

namespace
{

// From A, by these orders, to B; null leaves a side as it is.
template <class Value, class Offset> struct renumbering {
    int64_t rows;
    int64_t entries;
    const int32_t *row_order;
    const int32_t *col_position;
    const Offset *a_offsets;
    const int32_t *a_columns;
    const Value *a_values;
    Offset *offsets;
    int32_t *columns;
    Value *values;

    // Where entry k of B, in that row, is in A.
    __device__ int64_t origin(int64_t row, int64_t k) const
    {
        int64_t from = row_order ? row_order[row] : row;
        return int64_t(a_offsets[from]) + (k - offsets[row]);
    }
};

// The memory to sort long rows: the starts of their entries among the `count` entries of all long
// rows, and keys and origins before and after.
template <class Index> struct work {
    int32_t *renumbered; // columns of B's entries before they are sorted
    Index *starts;
    int64_t count;
    int col_bits;
    uint64_t *keys[2];
    Index *origins[2];
};

// The lengths of B's rows, and a 0 behind them, where their offsets will be. Bytes a row: 4 for its
// number, two offsets of A, one of B.
template <class Value, class Offset> __global__ void set_lengths(renumbering<Value, Offset> r)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row > r.rows)
        return;
    int64_t from = row < r.rows && r.row_order ? r.row_order[row] : row;
    r.offsets[row] = row < r.rows ? r.a_offsets[from + 1] - r.a_offsets[from] : Offset(0);
}

// The same of rows of more than RANK_MOST entries only; 0 for others.
template <class Offset, class Index>
__global__ void set_long_lengths(int64_t rows, const Offset *offsets, Index *lengths)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    Index length = row < rows ? Index(offsets[row + 1] - offsets[row]) : Index(0);
    if (row <= rows)
        lengths[row] = length > RANK_MOST ? length : Index(0);
}

// All entries, where columns keep their numbers. Bytes an entry: twice its size and its column's.
template <class Value, class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK) copy_entries(renumbering<Value, Offset> r)
{
    fur_for_entries(r.rows, r.entries, r.offsets, [&](int64_t row, int64_t k) {
        int64_t from = r.origin(row, k);
        r.columns[k] = fur_stream(r.a_columns + from);
        r.values[k] = fur_stream(r.a_values + from);
    });
}

// The new columns of all entries, in A's order within each row. Bytes an entry: 12, of which 4 from
// anywhere in col_position.
template <class Value, class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    renumber(renumbering<Value, Offset> r, int32_t *renumbered)
{
    fur_for_entries(r.rows, r.entries, r.offsets, [&](int64_t row, int64_t k) {
        renumbered[k] = r.col_position[fur_stream(r.a_columns + r.origin(row, k))];
    });
}

// The place of an entry in its sorted row; equal columns keep their order.
__device__ inline int64_t place_of(const int32_t *renumbered, int64_t begin, int64_t end, int64_t k)
{
    int32_t column = renumbered[k];
    int64_t place = begin;
    for (int64_t j = begin; j < end; j++)
        place += renumbered[j] < column + (j < k);
    return place;
}

// Entries of rows of RANK_MOST at most, each to its place. Bytes an entry: twice its size, 8 for
// its column; in a row of n, n reads of 4 bytes from the first cache.
template <class Value, class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    place_short_rows(renumbering<Value, Offset> r, const int32_t *renumbered)
{
    fur_for_entries(r.rows, r.entries, r.offsets, [&](int64_t row, int64_t k) {
        int64_t begin = r.offsets[row];
        int64_t end = r.offsets[row + 1];
        if (end - begin > RANK_MOST)
            return;
        int64_t place = place_of(renumbered, begin, end, k);
        r.columns[place] = renumbered[k];
        r.values[place] = fur_stream(r.a_values + r.origin(row, k));
    });
}

// For entries of long rows row and new column as one key, and where in A they are. Bytes an entry:
// 12 and its origin.
template <class Value, class Offset, class Index>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    set_keys(renumbering<Value, Offset> r, work<Index> w)
{
    fur_for_entries(r.rows, w.count, w.starts, [&](int64_t row, int64_t t) {
        int64_t k = r.offsets[row] + (t - int64_t(w.starts[row]));
        w.keys[0][t] = static_cast<uint64_t>(row) << w.col_bits | w.renumbered[k];
        w.origins[0][t] = static_cast<Index>(r.origin(row, k));
    });
}

// Sorted entries of long rows, in order. Bytes an entry: 12, its origin, and twice its size, once
// from anywhere.
template <class Value, class Offset, class Index>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    place_long_rows(renumbering<Value, Offset> r, work<Index> w)
{
    fur_for_entries(r.rows, w.count, w.starts, [&](int64_t row, int64_t t) {
        int64_t k = r.offsets[row] + (t - int64_t(w.starts[row]));
        uint64_t mask = (uint64_t(1) << w.col_bits) - 1;
        r.columns[k] = static_cast<int32_t>(w.keys[1][t] & mask);
        r.values[k] = r.a_values[w.origins[1][t]];
    });
}

// Entries of long rows into B, sorted by row and column.
template <class Value, class Offset, class Index>
fur_status sort_long_rows(fur_env *env, const renumbering<Value, Offset> &r, work<Index> *w)
{
    cudaStream_t stream = fur_cuda_stream(env);
    for (int side = 0; side < 2; side++) {
        FUR_TRY(fur_cuda_allocate(env, w->count, sizeof *w->keys[side], &w->keys[side]));
        FUR_TRY(fur_cuda_allocate(env, w->count, sizeof *w->origins[side], &w->origins[side]));
    }
    set_keys<<<fur_entries_blocks(w->count), FUR_ENTRIES_BLOCK, 0, stream>>>(r, *w);
    FUR_TRY(fur_cuda_launched(env, "keys of long rows"));
    FUR_TRY(fur_sort_pairs(env, w->keys[0], w->keys[1], w->origins[0], w->origins[1], w->count,
                           w->col_bits + fur_bits(r.rows - 1)));
    place_long_rows<<<fur_entries_blocks(w->count), FUR_ENTRIES_BLOCK, 0, stream>>>(r, *w);
    return fur_cuda_launched(env, "places in long rows");
}

// How many entries are in long rows, and where the first of each row is among them.
template <class Value, class Offset, class Index>
fur_status count_long_rows(fur_env *env, const renumbering<Value, Offset> &r, work<Index> *w)
{
    Index count;
    FUR_TRY(fur_cuda_allocate(env, r.rows + 1, sizeof *w->starts, &w->starts));
    set_long_lengths<<<fur_blocks(r.rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        r.rows, r.offsets, w->starts);
    FUR_TRY(fur_cuda_launched(env, "lengths of long rows"));
    FUR_TRY(fur_exclusive_scan(env, w->starts, r.rows + 1));
    FUR_TRY(fur_cuda_copy(env, &count, w->starts + r.rows, sizeof count));
    w->count = static_cast<int64_t>(count);
    return FUR_OK;
}

// All entries with new columns into B, short rows by counting, long ones by sorting.
template <class Value, class Offset, class Index>
fur_status renumber_and_sort(fur_env *env, const renumbering<Value, Offset> &r, work<Index> *w)
{
    unsigned blocks = fur_entries_blocks(r.entries);
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_TRY(count_long_rows(env, r, w));
    FUR_TRY(fur_cuda_allocate(env, r.entries, sizeof *w->renumbered, &w->renumbered));
    renumber<<<blocks, FUR_ENTRIES_BLOCK, 0, stream>>>(r, w->renumbered);
    FUR_TRY(fur_cuda_launched(env, "renumber"));
    if (w->count < r.entries)
        place_short_rows<<<blocks, FUR_ENTRIES_BLOCK, 0, stream>>>(r, w->renumbered);
    FUR_TRY(fur_cuda_launched(env, "places in short rows"));
    return w->count > 0 ? sort_long_rows(env, r, w) : FUR_OK;
}

// The offsets of B: the lengths of the rows in their new order, added up.
template <class Value, class Offset>
fur_status set_offsets(fur_env *env, const renumbering<Value, Offset> &r)
{
    set_lengths<<<fur_blocks(r.rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(r);
    FUR_TRY(fur_cuda_launched(env, "lengths of rows"));
    return fur_exclusive_scan(env, r.offsets, r.rows + 1);
}

template <class Index> void release(fur_env *env, const work<Index> &w)
{
    for (int side = 1; side >= 0; side--) {
        fur_cuda_release(env, w.origins[side]);
        fur_cuda_release(env, w.keys[side]);
    }
    fur_cuda_release(env, w.renumbered);
    fur_cuda_release(env, w.starts);
}

template <class T> T *writable(const void *array)
{
    return static_cast<T *>(const_cast<void *>(array));
}

// The offsets of B, then its entries.
template <class Value, class Offset>
fur_status permute(fur_env *env, const renumbering<Value, Offset> &r, int64_t cols)
{
    FUR_TRY(set_offsets(env, r));
    if (r.entries == 0)
        return FUR_OK;
    if (!r.col_position) {
        copy_entries<<<fur_entries_blocks(r.entries), FUR_ENTRIES_BLOCK, 0, fur_cuda_stream(env)>>>(
            r);
        return fur_cuda_launched(env, "copy rows");
    }
    work<std::make_unsigned_t<Offset>> w = {};
    w.col_bits = fur_bits(cols - 1);
    fur_status status = renumber_and_sort(env, r, &w);
    release(env, w);
    return status;
}

} // namespace

// B = P A Q^T into the arrays of b.
fur_status fur_cuda_csr_permute(fur_env *env, const fur_csr_view *a, const int32_t *row_order,
                                const int32_t *col_position, const fur_csr_view *b)
{
    return fur_with_types(a, [&](auto value, auto offset) {
        using Value = decltype(value);
        using Offset = decltype(offset);
        renumbering<Value, Offset> r = {a->rows,
                                        a->entries,
                                        row_order,
                                        col_position,
                                        static_cast<const Offset *>(a->offsets),
                                        a->columns,
                                        static_cast<const Value *>(a->values),
                                        writable<Offset>(b->offsets),
                                        writable<int32_t>(b->columns),
                                        writable<Value>(b->values)};
        return permute(env, r, a->cols);
    });
}
