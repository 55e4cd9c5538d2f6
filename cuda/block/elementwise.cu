// Fills, copies and adds blocks of vectors of any layout and stride. The kernels are bound by
// memory. Bytes an entry: fill 1 entry size, copy 2, axpby 3 (2 with beta = 0).
//
// Outer and inner are the dimensions of Y: inner entries are contiguous. If X has the other layout,
// a tile goes through shared memory, so that both X and Y are accessed contiguously (Ruetsch and
// Micikevicius, Optimizing Matrix Transpose in CUDA, 2009).
#include "block.cuh"
#include "value.cuh"

#define TILE 32
#define ROWS 8 // rows of a tile that are copied at once

namespace
{

// Two blocks in the dimensions of y. x is null if the operation has no input.
template <class Value> struct sides {
    int64_t outer;
    int64_t inner;
    const Value *x;
    int64_t x_stride;
    bool crosses; // x has the other layout, so that it is contiguous along y's outer dimension
    Value *y;
    int64_t y_stride;

    explicit sides(const fur_block_call *call)
    {
        const fur_vectors_view *v = call->y;
        bool by_rows = v->layout == FUR_LAYOUT_ROWS;
        outer = by_rows ? v->rows : v->cols;
        inner = by_rows ? v->cols : v->rows;
        x = call->x ? static_cast<const Value *>(call->x->data) : nullptr;
        x_stride = call->x ? call->x->stride : 0;
        crosses = call->x && call->x->layout != v->layout;
        y = static_cast<Value *>(v->data);
        y_stride = v->stride;
    }
};

template <class Value> struct constant {
    Value value;
    __device__ Value operator()(Value, const Value *) const
    {
        return value;
    }
};

template <class Value> struct same {
    __device__ Value operator()(Value x, const Value *) const
    {
        return x;
    }
};

template <class Value> struct scaled {
    Value alpha;
    __device__ Value operator()(Value x, const Value *) const
    {
        return fur_mul(alpha, x);
    }
};

// Adds y without multiplying it: a product of infinity and 1 + 0i would be NaN.
template <class Value> struct scaled_added {
    Value alpha;
    __device__ Value operator()(Value x, const Value *y) const
    {
        return fur_fma(alpha, x, *y);
    }
};

template <class Value> struct both_scaled {
    Value alpha;
    Value beta;
    __device__ Value operator()(Value x, const Value *y) const
    {
        return fur_fma(alpha, x, fur_mul(beta, *y));
    }
};

// y = f(x, y), entry by entry in the order of the inner side. Bytes an entry: above.
template <class F, class Value>
__global__ void __launch_bounds__(TILE *ROWS) map(F f, sides<Value> s)
{
    int64_t count = s.outer * s.inner;
    int64_t step = gridDim.x * int64_t(TILE * ROWS);
    for (int64_t at = blockIdx.x * int64_t(TILE * ROWS) + threadIdx.x; at < count; at += step) {
        int64_t o = at / s.inner;
        int64_t i = at - o * s.inner;
        Value *y = s.y + o * s.y_stride + i;
        *y = f(s.x ? s.x[o * s.x_stride + i] : fur_zero<Value>(), y);
    }
}

// As above, for an x of the other layout. Bytes an entry: above.
template <class F, class Value>
__global__ void __launch_bounds__(TILE *ROWS) map_across(F f, sides<Value> s)
{
    __shared__ Value tile[TILE][TILE + 1];
    int lane = threadIdx.x % TILE;
    int row = threadIdx.x / TILE;
    int64_t tiles_inner = (s.inner + TILE - 1) / TILE;
    int64_t tiles = tiles_inner * ((s.outer + TILE - 1) / TILE);
    for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        int64_t o = t / tiles_inner * TILE;
        int64_t i = t % tiles_inner * TILE;
        for (int k = row; k < TILE; k += ROWS)
            if (i + k < s.inner && o + lane < s.outer)
                tile[k][lane] = s.x[(i + k) * s.x_stride + o + lane];
        __syncthreads();
        for (int k = row; k < TILE; k += ROWS)
            if (o + k < s.outer && i + lane < s.inner) {
                Value *y = s.y + (o + k) * s.y_stride + i + lane;
                *y = f(tile[lane][k], y);
            }
        __syncthreads();
    }
}

template <class F, class Value> fur_status run(const fur_block_call *call, F f, sides<Value> s)
{
    cudaStream_t stream = fur_cuda_stream(call->env);
    int64_t most = int64_t(16) * call->env->device->multiprocessors;
    int64_t work = s.crosses ? fur_ceil_div(s.inner, TILE) * fur_ceil_div(s.outer, TILE)
                             : fur_ceil_div(s.inner * s.outer, TILE * ROWS);
    unsigned blocks = static_cast<unsigned>(work < most ? work : most);
    if (s.crosses)
        map_across<<<blocks, TILE * ROWS, 0, stream>>>(f, s);
    else
        map<<<blocks, TILE * ROWS, 0, stream>>>(f, s);
    return fur_cuda_launched(call->env, "block of vectors");
}

fur_status fill(const fur_block_call *call)
{
    return fur_with_value(call->y->value_type, [&](auto zero) {
        using Value = decltype(zero);
        return run(call, constant<Value>{fur_from<Value>(call->alpha)}, sides<Value>(call));
    });
}

fur_status copy(const fur_block_call *call)
{
    return fur_with_value(call->y->value_type, [&](auto zero) {
        using Value = decltype(zero);
        return run(call, same<Value>{}, sides<Value>(call));
    });
}

fur_status axpby(const fur_block_call *call)
{
    return fur_with_value(call->y->value_type, [&](auto zero) {
        using Value = decltype(zero);
        Value alpha = fur_from<Value>(call->alpha);
        Value beta = fur_from<Value>(call->beta);
        sides<Value> s(call);
        if (fur_is_zero(beta))
            return run(call, scaled<Value>{alpha}, s);
        if (call->beta.re == 1 && call->beta.im == 0)
            return run(call, scaled_added<Value>{alpha}, s);
        return run(call, both_scaled<Value>{alpha, beta}, s);
    });
}

} // namespace

extern "C" const fur_block_kernels fur_cuda_block = {{fill, copy, axpby, fur_cuda_block_multiply}};
