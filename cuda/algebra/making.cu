// Makes matrices from other matrices: selects the kernels by kind, narrows offsets, and makes
// diagonal matrices.
#include "algebra.cuh"
#include "arrange.cuh"

#define BLOCK 256

namespace
{

struct maker {
    fur_status (*lengths)(fur_env *env, const fur_making *m, int64_t *lengths);
    fur_status (*fill)(fur_env *env, const fur_making *m, const int64_t *starts,
                       const fur_csr_view *out);
};

maker maker_of(fur_making_kind kind)
{
    switch (kind) {
    case FUR_MAKING_ADD:
    case FUR_MAKING_MULTIPLY:
        return {fur_cuda_merge_lengths, fur_cuda_merge_fill};
    case FUR_MAKING_KRON:
        return {fur_cuda_kron_lengths, fur_cuda_kron_fill};
    case FUR_MAKING_SHIFT:
        return {fur_cuda_shift_lengths, fur_cuda_shift_fill};
    case FUR_MAKING_SLICE:
        return {fur_cuda_slice_lengths, fur_cuda_slice_fill};
    case FUR_MAKING_BLOCKS:
        return {fur_cuda_blocks_lengths, fur_cuda_blocks_fill};
    default:
        return {fur_cuda_sieve_lengths, fur_cuda_sieve_fill};
    }
}

// Stores the offsets in the offset type of the result. Bytes a row: 8 and an offset.
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

// Offsets and columns of a diagonal matrix. Bytes a row: 8.
__global__ void __launch_bounds__(BLOCK) count_up(int64_t n, int32_t *offsets, int32_t *columns)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i <= n)
        offsets[i] = static_cast<int32_t>(i);
    if (i < n)
        columns[i] = static_cast<int32_t>(i);
}

} // namespace

// Sets `starts` to the offsets of the result, followed by the number of its entries.
fur_status fur_cuda_making_count(fur_env *env, const fur_making *m, int64_t *starts)
{
    FUR_TRY(maker_of(m->kind).lengths(env, m, starts));
    return fur_exclusive_scan(env, starts, m->rows + 1);
}

// Writes the result into allocated arrays.
fur_status fur_cuda_making_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                                const fur_csr_view *out)
{
    set_offsets<<<fur_blocks(out->rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        out->rows, starts, fur_writable<void>(out->offsets), out->offset_type == FUR_I64);
    FUR_TRY(fur_cuda_launched(env, "offsets of a result"));
    return out->entries > 0 ? maker_of(m->kind).fill(env, m, starts, out) : FUR_OK;
}

// Writes 32-bit offsets and the columns of a diagonal matrix.
fur_status fur_cuda_count_up(fur_env *env, const fur_csr_view *out)
{
    count_up<<<fur_blocks(out->rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        out->rows, fur_writable<int32_t>(out->offsets), fur_writable<int32_t>(out->columns));
    return fur_cuda_launched(env, "a diagonal matrix");
}
