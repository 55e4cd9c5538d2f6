// A^T and A^H on the device. A stable sort of the entries by column (CUB's radix sort) leaves the
// rows of the result sorted.
#include "csr.cuh"
#include "arrange.cuh"

#define BLOCK 256

namespace
{

// The arrays of the sort, of `count` elements each.
template <class Index> struct work {
    int32_t *columns; // sorted
    Index *order;     // 0, 1, 2, ...
    Index *place;     // the positions in A of the transpose's entries
};

// Returns the first position whose key is not below `key`.
template <class Key> __device__ int64_t lower_bound(const Key *keys, int64_t count, int64_t key)
{
    int64_t low = 0;
    while (count > 0) {
        int64_t half = count / 2;
        bool right = keys[low + half] < key;
        low = right ? low + half + 1 : low;
        count = right ? count - half - 1 : half;
    }
    return low;
}

// The offset of each row of the transpose: its first position among the sorted columns, by
// bisection. Bytes a row: an offset, log2(entries) columns.
template <class Offset>
__global__ void find_offsets(int64_t rows, int64_t entries, const int32_t *sorted, Offset *offsets)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row <= rows)
        offsets[row] = static_cast<Offset>(lower_bound(sorted, entries, row));
}

// Writes entry k of the transpose. Its column is the row of A that it comes from.
template <class Value, class Offset, class Index>
__global__ void move_entries(fur_csr_view a, bool conjugate, const Index *place, int32_t *columns,
                             Value *values)
{
    int64_t k = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (k >= a.entries)
        return;
    int64_t from = static_cast<int64_t>(place[k]);
    Value value = static_cast<const Value *>(a.values)[from];
    auto offsets = static_cast<const Offset *>(a.offsets);
    columns[k] = static_cast<int32_t>(lower_bound(offsets, a.rows + 1, from + 1) - 1);
    values[k] = conjugate ? fur_conj(value) : value;
}

// Writes the value of entry k of row j of the transpose. If A has duplicates in this column, they
// keep their order.
template <class Value, class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    refill(fur_csr_view a, bool conjugate, fur_csr_view t, Value *values)
{
    auto offsets = static_cast<const Offset *>(a.offsets);
    auto starts = static_cast<const Offset *>(t.offsets);
    fur_for_entries(t.rows, t.entries, starts, [&](int64_t j, int64_t k) {
        int32_t i = t.columns[k];
        int64_t begin = offsets[i];
        int64_t start = starts[j];
        int64_t first = lower_bound(a.columns + begin, offsets[i + 1] - begin, j);
        int64_t before = k - start - lower_bound(t.columns + start, starts[j + 1] - start, i);
        Value value = static_cast<const Value *>(a.values)[begin + first + before];
        values[k] = conjugate ? fur_conj(value) : value;
    });
}

// w->columns = the sorted columns of A; w->place = their positions before the sort.
template <class Index>
fur_status sort_by_column(fur_env *env, const fur_csr_view *a, work<Index> *w)
{
    FUR_TRY(fur_cuda_allocate(env, a->entries, sizeof *w->columns, &w->columns));
    FUR_TRY(fur_cuda_allocate(env, a->entries, sizeof *w->order, &w->order));
    FUR_TRY(fur_cuda_allocate(env, a->entries, sizeof *w->place, &w->place));
    fur_count_up<<<fur_blocks(a->entries, FUR_ENTRIES_BLOCK), FUR_ENTRIES_BLOCK, 0,
                   fur_cuda_stream(env)>>>(a->entries, w->order);
    FUR_TRY(fur_cuda_launched(env, "count up"));
    return fur_sort_pairs(env, a->columns, w->columns, w->order, w->place, a->entries,
                          fur_bits(a->cols - 1));
}

// Writes the transpose into allocated arrays.
template <class Value, class Offset, class Index>
fur_status fill(fur_env *env, const fur_csr_view *a, bool conjugate, const fur_csr_view *t,
                work<Index> *w)
{
    FUR_TRY(sort_by_column(env, a, w));
    find_offsets<<<fur_blocks(t->rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        t->rows, t->entries, w->columns, fur_writable<Offset>(t->offsets));
    FUR_TRY(fur_cuda_launched(env, "transpose offsets"));
    move_entries<Value, Offset><<<fur_blocks(a->entries, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        *a, conjugate, w->place, fur_writable<int32_t>(t->columns), fur_writable<Value>(t->values));
    return fur_cuda_launched(env, "transpose entries");
}

} // namespace

// T = A^T or A^H, written into the arrays of t.
fur_status fur_cuda_csr_transpose(fur_env *env, const fur_csr_view *a, bool conjugate,
                                  const fur_csr_view *t)
{
    if (a->entries == 0)
        return fur_cuda_clear(env, fur_writable<void>(t->offsets),
                              (t->rows + 1) *
                                  static_cast<int64_t>(fur_offset_size(t->offset_type)));
    return fur_with_types(a, [&](auto value, auto offset) {
        using Value = decltype(value);
        using Offset = decltype(offset);
        using Index = std::make_unsigned_t<Offset>;
        work<Index> w = {};
        fur_status status = fill<Value, Offset>(env, a, conjugate, t, &w);
        fur_cuda_release(env, w.place);
        fur_cuda_release(env, w.order);
        fur_cuda_release(env, w.columns);
        return status;
    });
}

// Bytes an entry: its row and value, the columns of A that a bisection reads, and the written
// value.
fur_status fur_cuda_csr_transpose_values(fur_env *env, const fur_csr_view *a, bool conjugate,
                                         const fur_csr_view *t)
{
    if (a->entries == 0)
        return FUR_OK;
    return fur_with_types(a, [&](auto value, auto offset) {
        using Value = decltype(value);
        using Offset = decltype(offset);
        refill<Value, Offset>
            <<<fur_entries_blocks(t->entries), FUR_ENTRIES_BLOCK, 0, fur_cuda_stream(env)>>>(
                *a, conjugate, *t, fur_writable<Value>(t->values));
        return fur_cuda_launched(env, "values of the transpose");
    });
}
