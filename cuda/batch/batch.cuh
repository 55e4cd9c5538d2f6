// Batches of systems on the device. Blocks are row-major, so that neighbouring threads access
// neighbouring systems.
#ifndef FURROW_CUDA_BATCH_CUH
#define FURROW_CUDA_BATCH_CUH

#include "device.cuh"
#include "long_sum.cuh"

// Entry (i, s) is at data[i stride + s].
template <class Value> struct fur_batch_side {
    Value *data;
    int64_t stride;

    fur_batch_side(const fur_vectors_view *v)
        : data(static_cast<Value *>(v->data)), stride(v->stride)
    {
    }
    fur_batch_side(void *memory, int64_t step) : data(static_cast<Value *>(memory)), stride(step)
    {
    }
    __device__ Value &operator()(int64_t i, int64_t s) const
    {
        return data[i * stride + s];
    }
};

// The matrices of all systems, which share one pattern.
template <class Value> struct fur_batch_systems {
    int64_t rows;
    int64_t count;
    fur_row_starts starts;
    const int32_t *columns;
    fur_batch_side<const Value> values;

    explicit fur_batch_systems(const fur_batch_view &a)
        : rows(a.pattern->rows),
          count(a.values->cols), starts{a.pattern->offsets, a.pattern->offset_type == FUR_I64},
          columns(a.pattern->columns), values(a.values)
    {
    }

    // Row i of A_s x, added in the order of FUR_ROW_SEGMENT.
    template <class X> __device__ Value multiply(int64_t i, int64_t s, const X &x) const
    {
        int64_t begin = starts[i];
        int64_t end = starts[i + 1];
        auto term = [values = values, columns = columns, s, x](int64_t k, Value sum) {
            return fur_fma(values(k, s), x(__ldg(columns + k)), sum);
        };
        if (end - begin > FUR_ROW_SEGMENT)
            return fur_long_sum<Value>(begin, end, term);
        Value sum = fur_zero<Value>();
#pragma unroll 4
        for (int64_t k = begin; k < end; k++)
            sum = term(k, sum);
        return sum;
    }
};

// The workspace of solves: `size` bytes of entries, and the results.
struct fur_batch_room {
    void *memory;
    fur_batch_result *results;
};

extern "C" {
extern const fur_batch_kernels fur_cuda_batch;
fur_status fur_cuda_batch_apply(const fur_batch_call *call);
// For each method: the bytes of entries that a solve needs, and the solve.
int64_t fur_cuda_batch_cg_bytes(const fur_batch_view *a, const fur_batch_form *form);
fur_status fur_cuda_batch_cg(const fur_batch_solve_call *call, const fur_batch_room *room);
int64_t fur_cuda_batch_band_bytes(const fur_batch_view *a, const fur_batch_form *form);
fur_status fur_cuda_batch_band(const fur_batch_solve_call *call, const fur_batch_room *room);
}

#endif
