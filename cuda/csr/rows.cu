// Extracts some rows of a matrix as a matrix: offsets from the row lengths, then every entry is
// fetched. Bytes: twice the sizes of each entry and its column, and the offsets of each row.
#include "csr.cuh"
#include "arrange.cuh"

#define BLOCK 256

namespace
{

// lengths[i] = the entries of row numbers[i], or 0 if it has more than `most`; a 0 follows. Bytes a
// row: 12, and two offsets from scattered addresses.
template <class Offset>
__global__ void __launch_bounds__(BLOCK)
    set_lengths(const Offset *offsets, int64_t count, const int32_t *numbers, int64_t most,
                int64_t *lengths)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i > count)
        return;
    int64_t length = i < count ? offsets[numbers[i] + 1] - offsets[numbers[i]] : 0;
    lengths[i] = length > most ? 0 : length;
}

// Stores the offsets in the offset type of the matrix. Bytes a row: 8 and an offset.
template <class Offset>
__global__ void __launch_bounds__(BLOCK)
    set_offsets(int64_t count, const int64_t *starts, Offset *offsets)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i <= count)
        offsets[i] = static_cast<Offset>(starts[i]);
}

// Copies all entries of the rows. Bytes an entry: twice the sizes of the entry and its column.
template <class Value, class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    copy_entries(const Offset *offsets, const int32_t *from_columns, const Value *from_values,
                 int64_t count, int64_t entries, const int32_t *numbers, const int64_t *starts,
                 int32_t *columns, Value *values)
{
    fur_for_entries(count, entries, starts, [&](int64_t row, int64_t k) {
        int64_t from = offsets[numbers[row]] + (k - starts[row]);
        columns[k] = from_columns[from];
        values[k] = from_values[from];
    });
}

} // namespace

// Computes the offsets of the matrix of some rows of A. A row of more than `most` entries becomes
// empty.
fur_status fur_cuda_row_starts(fur_env *env, const fur_csr_view *a, int64_t count,
                               const int32_t *numbers, int64_t most, int64_t *starts)
{
    FUR_TRY(fur_with_offset(a, [&](auto offsets) {
        set_lengths<<<fur_blocks(count + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            offsets, count, numbers, most, starts);
        return fur_cuda_launched(env, "lengths of some rows");
    }));
    return fur_exclusive_scan(env, starts, count + 1);
}

// Copies the offsets, columns and values of these rows to `out`.
fur_status fur_cuda_take_rows(fur_env *env, const fur_csr_view *a, const int32_t *numbers,
                              const int64_t *starts, const fur_csr_view *out)
{
    FUR_TRY(fur_with_offset(out, [&](auto offsets) {
        using Offset = std::remove_const_t<std::remove_pointer_t<decltype(offsets)>>;
        set_offsets<<<fur_blocks(out->rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            out->rows, starts, fur_writable<Offset>(out->offsets));
        return fur_cuda_launched(env, "offsets of some rows");
    }));
    if (out->entries == 0)
        return FUR_OK;
    return fur_with_types(a, [&](auto value, auto offset) {
        using Value = decltype(value);
        using Offset = decltype(offset);
        copy_entries<<<fur_entries_blocks(out->entries), FUR_ENTRIES_BLOCK, 0,
                       fur_cuda_stream(env)>>>(
            static_cast<const Offset *>(a->offsets), a->columns,
            static_cast<const Value *>(a->values), out->rows, out->entries, numbers, starts,
            fur_writable<int32_t>(out->columns), fur_writable<Value>(out->values));
        return fur_cuda_launched(env, "copy some rows");
    });
}
