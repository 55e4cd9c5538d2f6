// Stencils from tiles along x in shared memory. A block owns consecutive points of a line. Of each
// line of neighbours it loads the same stretch, with a halo at both ends. `tile` has room for one
// such line. `tiles` has room for all of them, in shared memory whose size is set at launch, so
// that the block waits only once. Einkemmer, GPU programming in CUDA: advanced topics, PRACE Autumn
// School. Later beaten by `points`, which reads neighbours through the caches (2 to 5 times on an
// H200).
//
// Bytes a point: two entries for x and y, and one for each field. From the second-level cache: one
// entry for each line of neighbours. 2 flops a term.
#include "stencil.cuh"

#define BLOCK 256
#define STRETCH (BLOCK + 2 * FUR_STENCIL_RADIUS)

namespace
{

// The arguments of a product.
template <class Value, bool Long> struct product {
    static constexpr int resident = Long ? 2 : 4; // least number of blocks on a multiprocessor
    fur_stencil_view s;
    const fur_stencil_term<Value> *terms;
    const Value *x;
    Value *y;
    fur_stencil_finish<Value> finish;

    explicit product(const fur_stencil_call *call)
        : s(*call->s), terms(static_cast<const fur_stencil_term<Value> *>(call->state)),
          x(static_cast<const Value *>(call->x)), y(static_cast<Value *>(call->y)), finish(call)
    {
    }

    // Returns the beginning in x of the line of a term, from line (j, k) of the grid, or -1 if it
    // is outside.
    __device__ int64_t line_of(int term, int64_t j, int64_t k) const
    {
        const int64_t at[3] = {0, j, k};
        fur_stencil_offset o = terms[term].offset;
        o.x = 0;
        return fur_stencil_neighbour(&s, at, o);
    }

    // Loads the stretch of a line for the points from `first` on.
    __device__ void load(int64_t line, int64_t first, Value *stretch) const
    {
        int radius = s.radius[0];
        for (int i = threadIdx.x; i < BLOCK + 2 * radius; i += BLOCK) {
            int64_t from = fur_boundary_point(s.boundary[0], s.extent[0], first - radius + i);
            if (from >= 0)
                stretch[i] = x[line + from];
        }
    }

    // Adds the terms of the line that begins with term k, for point i of the line. Its index is p.
    __device__ void add(int k, int64_t i, int64_t p, const Value *stretch,
                        fur_term_sum<Value, Long> *sum) const
    {
        const Value *own = stretch + threadIdx.x + s.radius[0];
        bool open = s.boundary[0] != FUR_BOUNDARY_DIRICHLET;
        for (int end = terms[k].next; k < end; k++) {
            int64_t neighbour = i + terms[k].offset.x;
            if (open || (neighbour >= 0 && neighbour < s.extent[0]))
                sum->add(terms[k].coefficient(p), own[terms[k].offset.x]);
        }
    }

    // Sums over the lines of neighbours one after the other, through one stretch of shared memory.
    __device__ Value sum_by_lines(int64_t first, int64_t j, int64_t k, int64_t p) const
    {
        __shared__ Value stretch[STRETCH];
        int64_t i = first + threadIdx.x;
        fur_term_sum<Value, Long> sum;
        for (int term = 0; term < s.points; term = terms[term].next) {
            int64_t line = line_of(term, j, k);
            if (line < 0)
                continue;
            __syncthreads(); // all threads have finished reading the previous line
            load(line, first, stretch);
            __syncthreads();
            if (i < s.extent[0])
                add(term, i, p, stretch, &sum);
        }
        return sum.result();
    }

    // Loads all lines of neighbours into shared memory, then adds all terms.
    __device__ Value sum_at_once(int64_t first, int64_t j, int64_t k, int64_t p) const
    {
        extern __shared__ __align__(16) unsigned char memory[];
        int64_t i = first + threadIdx.x;
        int size = BLOCK + 2 * s.radius[0];
        fur_term_sum<Value, Long> sum;
        auto stretch = reinterpret_cast<Value *>(memory);
        __syncthreads();
        for (int term = 0; term < s.points; term = terms[term].next, stretch += size)
            if (line_of(term, j, k) >= 0)
                load(line_of(term, j, k), first, stretch);
        __syncthreads();
        stretch = reinterpret_cast<Value *>(memory);
        for (int term = 0; term < s.points; term = terms[term].next, stretch += size)
            if (line_of(term, j, k) >= 0 && i < s.extent[0])
                add(term, i, p, stretch, &sum);
        return sum.result();
    }
};

// One block computes a stretch of a line, in steps of the launch grid along y and z. Bytes and
// flops a point: above.
template <bool AtOnce, class Product>
__global__ void __launch_bounds__(BLOCK, Product::resident) multiply(Product product)
{
    const int64_t *extent = product.s.extent;
    int64_t first = blockIdx.x * int64_t(BLOCK);
    int64_t i = first + threadIdx.x;
    for (int64_t k = blockIdx.z; k < extent[2]; k += gridDim.z)
        for (int64_t j = blockIdx.y; j < extent[1]; j += gridDim.y) {
            int64_t p = i + extent[0] * (j + extent[1] * k);
            auto sum =
                AtOnce ? product.sum_at_once(first, j, k, p) : product.sum_by_lines(first, j, k, p);
            if (i < extent[0])
                product.finish.put(sum, &product.y[p]);
        }
}

// Returns the bytes of all lines of neighbours in shared memory.
int64_t bytes_at_once(const fur_stencil_view *s)
{
    int64_t lines = 1;
    for (int k = 1; k < s->points; k++)
        lines += s->offsets[k].y != s->offsets[k - 1].y || s->offsets[k].z != s->offsets[k - 1].z;
    return lines * (BLOCK + 2 * s->radius[0]) * int64_t(fur_value_size(s->value_type));
}

const char *refusal(const fur_stencil_view *s)
{
    return bytes_at_once(s) > FUR_SHARED_MAX ? "its lines of neighbours do not fit in shared memory"
                                             : nullptr;
}

// Allows the shared memory for all lines at once.
fur_status plan_at_once(fur_env *env, const fur_stencil_view *s, void **state)
{
    FUR_TRY(fur_with_terms(s, [&](auto value, auto is_long) {
        return fur_allow_shared(env, multiply<true, product<decltype(value), is_long>>);
    }));
    return fur_cuda_stencil_terms(env, s, state);
}

template <bool AtOnce> fur_status apply(const fur_stencil_call *call)
{
    const int64_t *extent = call->s->extent;
    size_t bytes = AtOnce ? static_cast<size_t>(bytes_at_once(call->s)) : 0;
    dim3 grid(fur_blocks(extent[0], BLOCK), fur_grid_blocks(extent[1]), fur_grid_blocks(extent[2]));
    return fur_with_terms(call->s, [&](auto value, auto is_long) {
        multiply<AtOnce><<<grid, BLOCK, bytes, fur_cuda_stream(call->env)>>>(
            product<decltype(value), is_long>(call));
        return fur_cuda_launched(call->env, "stencil tile");
    });
}

} // namespace

extern "C" const fur_stencil_kernel fur_cuda_stencil_tile = {
    {"tile", "history: a stretch of one line at a time in shared memory",
     "Einkemmer, PRACE Autumn School", true, 0},
    true,    // by_name
    nullptr, // yields
    nullptr, // refusal
    fur_cuda_stencil_terms,
    apply<false>,
    fur_cuda_release,
};

extern "C" const fur_stencil_kernel fur_cuda_stencil_tiles = {
    {"tiles", "history: a stretch of all lines at once in shared memory",
     "Einkemmer, PRACE Autumn School", true, 0},
    true,    // by_name
    nullptr, // yields
    refusal,
    plan_at_once,
    apply<true>,
    fur_cuda_release,
};
