// Rows of a factorised approximate inverse, with the bits of src/cpu/triangular/fsai.c. A thread
// has a row and its dense matrix. The matrices of neighbouring threads are interleaved, so that a
// warp reads the same entry of all of them together.
//
// Bytes a row of m columns: m rows of A and 4 m of their columns, m^3 / 3 entries of the dense
// matrix, mostly from the caches, and m entries written.
#include "triangular.cuh"

#define BLOCK 128

namespace
{

template <class Value> struct inverting {
    int64_t rows;
    fur_row_starts a;
    const int32_t *a_columns;
    const Value *a_values;
    fur_row_starts g;
    const int32_t *columns;
    Value *values;
    Value *work;
    int64_t lanes;
    int64_t longest;
    unsigned long long *failed; // the first row without positive pivots; all bits are set at first
};

// An m x m matrix, or a column of it.
template <class Value> struct dense {
    Value *first;
    int64_t lanes;
    int m;

    __device__ Value &at(int p, int q) const
    {
        return first[(p * m + q) * lanes];
    }
};

// Stores the lower triangle of A(J, J) by rows. Duplicates are added.
template <class Value>
__device__ void gather(const inverting<Value> &s, const int32_t *columns, const dense<Value> &l)
{
    for (int p = 0; p < l.m; p++) {
        int64_t k = s.a[columns[p]];
        int64_t end = s.a[columns[p] + int64_t(1)];
        for (int q = 0; q <= p; q++) {
            Value sum = fur_zero<Value>();
            while (k < end && s.a_columns[k] < columns[q])
                k++;
            for (; k < end && s.a_columns[k] == columns[q]; k++)
                sum = fur_add(sum, s.a_values[k]);
            l.at(p, q) = sum;
        }
    }
}

// Replaces l by L, where l = L L^H. Returns false if a pivot is not positive.
template <class Value> __device__ bool factor(const dense<Value> &l)
{
    for (int p = 0; p < l.m; p++)
        for (int q = 0; q <= p; q++) {
            Value sum = l.at(p, q);
#pragma unroll 2 // complex values do not fit into the registers for more
            for (int k = 0; k < q; k++)
                sum = fur_fma(fur_negative(l.at(p, k)), fur_conj(l.at(q, k)), sum);
            if (q < p) {
                l.at(p, q) = fur_over_real(sum, l.at(q, q));
                continue;
            }
            double pivot = sqrt(double(fur_real_part(sum)));
            if (!(pivot > 0) || !isfinite(pivot))
                return false;
            l.at(p, p) = fur_from<Value>({pivot, 0});
        }
    return true;
}

// out = conj(y), where L^H y = e.
template <class Value>
__device__ void solve(const dense<Value> &l, const dense<Value> &y, Value *out)
{
    for (int p = l.m - 1; p >= 0; p--) {
        Value sum = fur_from<Value>({p == l.m - 1 ? 1.0 : 0.0, 0});
#pragma unroll 2
        for (int k = p + 1; k < l.m; k++)
            sum = fur_fma(fur_negative(fur_conj(l.at(k, p))), y.at(k, 0), sum);
        sum = fur_over_real(sum, l.at(p, p));
        y.at(p, 0) = sum;
        out[p] = fur_conj(sum);
    }
}

template <class Value>
__global__ void __launch_bounds__(BLOCK) invert_rows(const __grid_constant__ inverting<Value> s)
{
    int64_t lane = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (lane >= s.lanes)
        return;
    for (int64_t i = lane; i < s.rows; i += s.lanes) {
        int64_t begin = s.g[i];
        dense<Value> l = {s.work + lane, s.lanes, static_cast<int>(s.g[i + 1] - begin)};
        dense<Value> y = {l.first + s.longest * s.longest * s.lanes, s.lanes, 1};
        gather(s, s.columns + begin, l);
        if (factor(l))
            solve(l, y, s.values + begin);
        else
            atomicMin(s.failed, static_cast<unsigned long long>(i));
    }
}

fur_status invert(const fur_fsai_call *call, unsigned long long *memory, int64_t *failed)
{
    fur_env *env = const_cast<fur_env *>(call->env);
    cudaStream_t stream = fur_cuda_stream(env);
    const fur_csr_view *a = call->a;
    const fur_csr_view *g = call->g;
    FUR_CUDA(env, cudaMemsetAsync(memory, 0xff, sizeof *memory, stream));
    FUR_TRY(fur_with_value(g->value_type, [&](auto zero) {
        using Value = decltype(zero);
        inverting<Value> s = {g->rows,
                              {a->offsets, a->offset_type == FUR_I64},
                              a->columns,
                              static_cast<const Value *>(a->values),
                              {g->offsets, g->offset_type == FUR_I64},
                              g->columns,
                              static_cast<Value *>(call->values),
                              static_cast<Value *>(call->work),
                              call->lanes,
                              call->longest,
                              memory};
        invert_rows<<<fur_blocks(call->lanes, BLOCK), BLOCK, 0, stream>>>(s);
        return fur_cuda_launched(env, "approximate inverse");
    }));
    return fur_cuda_copy(env, failed, memory, sizeof *failed); // all bits set means -1
}

} // namespace

int64_t fur_cuda_fsai(const fur_fsai_call *call)
{
    fur_env *env = const_cast<fur_env *>(call->env);
    int64_t failed = -1;
    unsigned long long *memory;
    if (call->g->rows == 0)
        return failed;
    fur_status status = fur_cuda_allocate(env, 1, sizeof *memory, &memory);
    if (status == FUR_OK) {
        status = invert(call, memory, &failed);
        fur_cuda_release(env, memory);
    }
    return status == FUR_OK ? failed : -1 - static_cast<int64_t>(status);
}
