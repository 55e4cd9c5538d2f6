// Stencils on row-major blocks of vectors. Neighbouring threads have neighbouring pieces of a row
// of X, of 16 bytes if rows are aligned to 16 bytes, then the pieces of the next point. A block has
// some points of several lines, which share rows of X through the first-level cache.
//
// Bytes a point: two entries a column for X and Y, and one for each field. 2 flops a term and
// column.
#include "carried.cuh"

#define BLOCK 256
// Threads of a block along a line, if the grid has other axes.
#define WIDTH 64
// The least number of blocks on a multiprocessor.
#define RESIDENT 2

namespace
{

template <class Value, int width> struct alignas(width * sizeof(Value)) columns_of {
    Value entry[width];
};

// The sums of a point for several columns.
template <class Value, bool Long, int width> struct column_sums {
    fur_term_sum<Value, Long> own[width];

    __device__ void add(Value coefficient, const columns_of<Value, width> &x)
    {
#pragma unroll
        for (int i = 0; i < width; i++)
            own[i].add(coefficient, x.entry[i]);
    }
};

// Y = alpha S X + beta Y, with the terms in either place, and `width` columns in each thread.
template <class Value, class Terms, bool Long, int width> struct block_product {
    using piece = columns_of<Value, width>;
    using sums = column_sums<Value, Long, width>;

    fur_stencil_view s;
    Terms terms;
    int64_t pieces; // pieces of a row
    const Value *x;
    int64_t x_row;
    Value *y;
    int64_t y_row;
    fur_finish<Value> finish;

    block_product(const fur_stencil_block_call *call, const void *planned)
        : s(*call->s), terms(call->s, planned), pieces(call->y->cols / width),
          x(static_cast<const Value *>(call->x->data)), x_row(call->x->stride),
          y(static_cast<Value *>(call->y->data)), y_row(call->y->stride), finish(call)
    {
    }

    // Adds the terms of a point whose neighbours are all in the grid.
    __device__ void add_inner(int64_t p, const Value *from, sums *sum) const
    {
#pragma unroll Long ? 1 : 4
        for (int k = 0; k < s.points; k++)
            sum->add(terms[k].coefficient(p),
                     *reinterpret_cast<const piece *>(from + (p + terms[k].step) * x_row));
    }

    // Adds the terms of any point. Each neighbour is found by the rules of the boundary.
    __device__ void add_outer(const int64_t at[3], int64_t p, const Value *from, sums *sum) const
    {
        for (int k = 0; k < s.points; k++) {
            fur_stencil_offset o = terms[k].offset;
            int64_t neighbour = fur_stencil_reaches(s, at, o) ? p + terms[k].step
                                                              : fur_stencil_neighbour(&s, at, o);
            if (neighbour >= 0)
                sum->add(terms[k].coefficient(p),
                         *reinterpret_cast<const piece *>(from + neighbour * x_row));
        }
    }

    // Computes the columns of a point from `first` on.
    __device__ void multiply(const int64_t at[3], int64_t first) const
    {
        int64_t p = fur_stencil_point(s, at);
        sums sum;
        if (fur_stencil_inside(s, at))
            add_inner(p, x + first, &sum);
        else
            add_outer(at, p, x + first, &sum);
        piece *to = reinterpret_cast<piece *>(y + p * y_row + first);
        piece out;
        if (!finish.overwrite)
            out = *to;
#pragma unroll
        for (int i = 0; i < width; i++)
            out.entry[i] = finish.combine(sum.own[i].result(), &out.entry[i]);
        *to = out;
    }
};

// One thread computes one piece of a point, in steps of the launch grid along y and z. Bytes and
// flops: above.
template <class Product>
__global__ void __launch_bounds__(BLOCK, RESIDENT) multiply(const __grid_constant__ Product product)
{
    const fur_stencil_view &s = product.s;
    int64_t thread = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    int64_t at[3] = {thread / product.pieces};
    int64_t piece = thread - at[0] * product.pieces;
    if (at[0] >= s.extent[0])
        return;
    constexpr int width = sizeof(typename Product::piece) / sizeof(*product.x);
    for (at[2] = blockIdx.z; at[2] < s.extent[2]; at[2] += gridDim.z)
        for (at[1] = blockIdx.y * int64_t(blockDim.y) + threadIdx.y; at[1] < s.extent[1];
             at[1] += gridDim.y * int64_t(blockDim.y))
            product.multiply(at, piece * width);
}

template <class Product> fur_status launch(const fur_stencil_block_call *call, const void *planned)
{
    const Product product(call, planned);
    const int64_t *extent = call->s->extent;
    dim3 block = extent[1] > 1 ? dim3(WIDTH, BLOCK / WIDTH) : dim3(BLOCK);
    int64_t blocks = fur_ceil_div(extent[0] * product.pieces, block.x);
    if (blocks > INT32_MAX)
        return fur_env_fail(call->env, FUR_UNSUPPORTED,
                            "lines of %lld points with %lld columns are too long for this device",
                            static_cast<long long>(extent[0]),
                            static_cast<long long>(call->y->cols));
    dim3 grid(static_cast<unsigned>(blocks), fur_grid_blocks(fur_ceil_div(extent[1], block.y)),
              fur_grid_blocks(extent[2]));
    multiply<<<grid, block, 0, fur_cuda_stream(call->env)>>>(product);
    return fur_cuda_launched(call->env, "stencil on a block of vectors");
}

// Returns whether rows consist of whole pieces of 16 bytes.
template <class Value> bool in_pieces(const fur_vectors_view *v)
{
    constexpr int64_t width = fur_piece<Value>::entries;
    return v->stride % width == 0 && v->cols % width == 0 &&
           reinterpret_cast<uintptr_t>(v->data) % 16 == 0;
}

template <class Value, int width>
fur_status launch_width(const fur_stencil_block_call *call, const void *planned)
{
    using carried = block_product<Value, fur_carried_terms<Value>, false, width>;
    using large = block_product<Value, fur_planned_terms<Value>, true, width>;
    return fur_is_carried(call->s) ? launch<carried>(call, planned) : launch<large>(call, planned);
}

fur_status apply(const fur_stencil_block_call *call, const void *planned)
{
    return fur_with_value(call->s->value_type, [&](auto value) {
        using Value = decltype(value);
        constexpr int width = fur_piece<Value>::entries;
        return in_pieces<Value>(call->x) && in_pieces<Value>(call->y)
                   ? launch_width<Value, width>(call, planned)
                   : launch_width<Value, 1>(call, planned);
    });
}

} // namespace

extern "C" fur_status fur_cuda_stencil_block(const fur_stencil_block_call *call)
{
    void *planned = nullptr;
    if (!fur_is_carried(call->s))
        FUR_TRY(fur_cuda_stencil_terms(call->env, call->s, &planned));
    fur_status status = apply(call, planned);
    fur_cuda_release(call->env, planned);
    return status;
}
