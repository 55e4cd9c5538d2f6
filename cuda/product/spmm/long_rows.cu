// Long rows, one block each. A block has one thread for each lane of several segments and each of
// several columns.
#include "long_rows.cuh"
#include "long_sum.cuh"

#define BLOCK 256
// The most columns of a block.
#define COLUMNS 32

namespace
{

struct long_rows {
    int64_t count;
    int32_t *list;
};

// Lists the long rows in any order, and counts them. Bytes a row: an offset. 0 flops.
__global__ void __launch_bounds__(BLOCK)
    list_rows(fur_row_starts starts, int64_t rows, int32_t *list, unsigned *count)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row < rows && starts[row + 1] - starts[row] > FUR_ROW_SEGMENT)
        list[atomicAdd(count, 1u)] = static_cast<int32_t>(row);
}

// A block multiplies a long row by some columns. Its threads are ordered by column, and each has
// one lane of a segment slot. Bytes a row of n entries: n (entry + 4) + offset for A, two entries a
// column for X and Y; 2 n flops a column.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    multiply_rows(const __grid_constant__ fur_block_product<Value> p, const int32_t *list,
                  int columns)
{
    __shared__ Value memory[BLOCK];
    int segments = BLOCK / columns / FUR_ROW_LANES; // processed together
    int slot = static_cast<int>(threadIdx.x) / columns;
    int64_t j = blockIdx.y * int64_t(columns) + static_cast<int>(threadIdx.x) % columns;
    int64_t row = list[blockIdx.x];
    int64_t end = p.starts[row + 1];
    bool works = slot < segments * FUR_ROW_LANES && j < p.cols;
    const Value *x = p.x.data + j * p.x.column;
    fur_segment_sums<Value, FUR_ROW_LEVELS> sums;
    for (int64_t from = p.starts[row]; from < end; from += int64_t(segments) * FUR_ROW_SEGMENT) {
        int64_t begin = from + slot / FUR_ROW_LANES * int64_t(FUR_ROW_SEGMENT);
        int64_t stop = min(end, begin + FUR_ROW_SEGMENT);
        Value sum = fur_zero<Value>();
        if (works)
#pragma unroll 4
            for (int64_t k = begin + slot % FUR_ROW_LANES; k < stop; k += FUR_ROW_LANES)
                sum = fur_fma(fur_read(p.values + k),
                              fur_read(x + fur_read(p.columns + k) * p.x.row), sum);
        memory[threadIdx.x] = sum;
        __syncthreads();
        if (slot == 0 && works)
            for (int s = 0; s < segments && from + s * int64_t(FUR_ROW_SEGMENT) < end; s++) {
                Value lane[FUR_ROW_LANES];
#pragma unroll
                for (int i = 0; i < FUR_ROW_LANES; i++)
                    lane[i] = memory[(s * FUR_ROW_LANES + i) * columns + threadIdx.x];
                sums.add(fur_fold(lane));
            }
        __syncthreads();
    }
    if (slot == 0 && works)
        p.finish(sums.total(), p.y.data + row * p.y.row + j * p.y.column);
}

fur_status find_rows(fur_env *env, const fur_csr_view *a, long_rows *found)
{
    unsigned *count;
    unsigned counted = 0;
    if (a->rows == 0 || a->entries <= FUR_ROW_SEGMENT)
        return FUR_OK;
    fur_row_starts starts = {a->offsets, a->offset_type == FUR_I64};
    FUR_TRY(
        fur_cuda_allocate(env, a->entries / FUR_ROW_SEGMENT, sizeof *found->list, &found->list));
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *count, &count));
    fur_status status = fur_cuda_clear(env, count, sizeof *count);
    if (status == FUR_OK) {
        list_rows<<<fur_blocks(a->rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            starts, a->rows, found->list, count);
        status = fur_cuda_launched(env, "spmm long rows");
    }
    if (status == FUR_OK)
        status = fur_cuda_copy(env, &counted, count, sizeof counted);
    fur_cuda_release(env, count);
    found->count = counted;
    return status;
}

} // namespace

extern "C" void fur_cuda_long_rows_release(fur_env *env, void *state)
{
    long_rows *found = static_cast<long_rows *>(state);
    if (found && found->list)
        fur_cuda_release(env, found->list);
    fur_env_release(env, found);
}

extern "C" fur_status fur_cuda_long_rows_plan(fur_env *env, const fur_csr_view *a, void **state)
{
    return fur_make_state<long_rows>(env, fur_cuda_long_rows_release, state,
                                     [&](long_rows *found) { return find_rows(env, a, found); });
}

extern "C" fur_status fur_cuda_long_rows_apply(const fur_spmm_call *call)
{
    const long_rows *found = static_cast<const long_rows *>(call->state);
    if (found->count == 0)
        return FUR_OK;
    return fur_with_block_product(call, [&](auto p) {
        int columns = static_cast<int>(p.cols < COLUMNS ? p.cols : COLUMNS);
        dim3 grid(static_cast<unsigned>(found->count), fur_blocks(p.cols, columns));
        multiply_rows<<<grid, BLOCK, 0, fur_cuda_stream(call->env)>>>(p, found->list, columns);
        return fur_cuda_launched(call->env, "spmm long rows");
    });
}
