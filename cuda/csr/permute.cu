// Permutes the rows and columns of a matrix on the device. The offsets come from the row lengths.
// Then every entry is fetched from its old position, and its column is renumbered. In a short row,
// the position of an entry is the number of entries that come before it. The entries of long rows
// are sorted by row and column. CUB's radix sort is stable, so that duplicates keep their order.
#include "csr.cuh"
#include "arrange.cuh"

#define BLOCK 256
// Longest row that is sorted by counting: a row takes length^2 reads from the first-level cache.
#define RANK_MAX 128

namespace
{

// The permutation from A to B. A null order leaves that side unchanged.
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

    // Returns the position in A of entry k of B, which is in row `row`.
    __device__ int64_t origin(int64_t row, int64_t k) const
    {
        int64_t from = row_order ? row_order[row] : row;
        return int64_t(a_offsets[from]) + (k - offsets[row]);
    }
};

// The workspace of the sort of long rows. `starts` holds the first entry of each long row among the
// `count` entries of all long rows. Keys and origins have an input and an output array.
template <class Index> struct work {
    int32_t *renumbered; // columns of B's entries before they are sorted
    Index *starts;
    int64_t count;
    int col_bits;
    uint64_t *keys[2];
    Index *origins[2];
};

// The lengths of B's rows, followed by a 0, in the array of offsets. Bytes a row: 4 for its number,
// two offsets of A, one of B.
template <class Value, class Offset> __global__ void set_lengths(renumbering<Value, Offset> r)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row > r.rows)
        return;
    int64_t from = row < r.rows && r.row_order ? r.row_order[row] : row;
    r.offsets[row] = row < r.rows ? r.a_offsets[from + 1] - r.a_offsets[from] : Offset(0);
}

// The lengths of the rows with more than RANK_MAX entries; 0 for the others.
template <class Offset, class Index>
__global__ void set_long_lengths(int64_t rows, const Offset *offsets, Index *lengths)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    Index length = row < rows ? Index(offsets[row + 1] - offsets[row]) : Index(0);
    if (row <= rows)
        lengths[row] = length > RANK_MAX ? length : Index(0);
}

// Copies all entries when columns keep their numbers. Bytes an entry: twice the sizes of the entry
// and its column.
template <class Value, class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK) copy_entries(renumbering<Value, Offset> r)
{
    fur_for_entries(r.rows, r.entries, r.offsets, [&](int64_t row, int64_t k) {
        int64_t from = r.origin(row, k);
        r.columns[k] = fur_stream(r.a_columns + from);
        r.values[k] = fur_stream(r.a_values + from);
    });
}

// The new columns of all entries, in A's order within each row. Bytes an entry: 12, of which 4 are
// scattered reads of col_position.
template <class Value, class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    renumber(renumbering<Value, Offset> r, int32_t *renumbered)
{
    fur_for_entries(r.rows, r.entries, r.offsets, [&](int64_t row, int64_t k) {
        renumbered[k] = r.col_position[fur_stream(r.a_columns + r.origin(row, k))];
    });
}

// Returns the position of an entry in its sorted row. Equal columns keep their order.
__device__ inline int64_t place_of(const int32_t *renumbered, int64_t begin, int64_t end, int64_t k)
{
    int32_t column = renumbered[k];
    int64_t place = begin;
    for (int64_t j = begin; j < end; j++)
        place += renumbered[j] < column + (j < k);
    return place;
}

// Moves the entries of rows of at most RANK_MAX entries to their positions. Bytes an entry: twice
// its size, and 8 for its column. A row of n entries takes n reads of 4 bytes an entry from the
// first-level cache.
template <class Value, class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    place_short_rows(renumbering<Value, Offset> r, const int32_t *renumbered)
{
    fur_for_entries(r.rows, r.entries, r.offsets, [&](int64_t row, int64_t k) {
        int64_t begin = r.offsets[row];
        int64_t end = r.offsets[row + 1];
        if (end - begin > RANK_MAX)
            return;
        int64_t place = place_of(renumbered, begin, end, k);
        r.columns[place] = renumbered[k];
        r.values[place] = fur_stream(r.a_values + r.origin(row, k));
    });
}

// Sets the keys of the entries of long rows, which combine row and new column, and their positions
// in A. Bytes an entry: 12 and its origin.
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

// Writes the sorted entries of long rows. Bytes an entry: 12, its origin, and twice its size, once
// as a scattered read.
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

// Sorts the entries of long rows by row and column into B.
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

// Counts the entries in long rows, and finds the first entry of each long row among them.
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

// Writes all entries with new columns into B. Short rows are sorted by counting, and long rows by a
// radix sort.
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

// Computes the offsets of B: the prefix sum of the row lengths in their new order.
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

// Writes the offsets of B, then its entries.
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
                                        fur_writable<Offset>(b->offsets),
                                        fur_writable<int32_t>(b->columns),
                                        fur_writable<Value>(b->values)};
        return permute(env, r, a->cols);
    });
}
