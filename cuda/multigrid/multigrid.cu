// The operations of multigrid, with one thread for a column of points. All steps on small levels
// are fused into one launch.
//
// Bytes a point: one colour of a sweep 3 entries, as both colours share their sectors; restriction
// 2 1/8; correction 2 1/8.
#include "march.cuh"
#include "multigrid.cuh"
#include "transfer.cuh"

// Columns of a block along x, one warp wide, and along y.
#define WIDTH FUR_WARP
#define HEIGHT (FUR_BOX_THREADS / WIDTH)
// Coarse points of a restriction block along x and y. A block has one thread along x for each of
// the 2 COARSE + 1 points of a line that these coarse points read. STRETCHES blocks run on a
// multiprocessor at once.
#define COARSE 31
#define ROWS 4
#define STRETCH 64
#define STRETCHES 2
// On a level of at most SMALL_POINTS points, one block takes less time for a step than a launch
// does. A cycle on 16^3 and below would need fifty launches.
#define SMALL_POINTS 4096
#define CHAIN_THREADS 512
// The numbers of levels and steps that fit into the argument of one launch, 4 KB.
#define CHAIN_LEVELS 12
#define CHAIN_STEPS 128

namespace
{

// Calls f with a real value of the type. Multigrid has no complex types.
template <class F> fur_status with_real(fur_value_type value, F f)
{
    return value == FUR_F32 ? f(float()) : f(double());
}

// Divides the points of a box into tiles along x and y, times chunks of planes. Tiles are numbered
// in this order.
struct tiling {
    unsigned columns;
    unsigned rows;
    int64_t chunk;
    unsigned blocks;

    // extra: the cost of a block besides its planes, in units of planes.
    tiling(const fur_env *env, int64_t width, int64_t height, int64_t depth, int64_t resident,
           int64_t extra)
        : columns(static_cast<unsigned>(width)), rows(static_cast<unsigned>(height)),
          chunk(fur_march_chunk(width * height, depth, resident * env->device->multiprocessors,
                                extra)),
          blocks(static_cast<unsigned>(width * height * fur_ceil_div(depth, chunk)))
    {
    }

    // Returns the block's column of tiles.
    __device__ int64_t column() const
    {
        return blockIdx.x % columns;
    }

    // Returns the block's row of tiles.
    __device__ int64_t row() const
    {
        return blockIdx.x / columns % rows;
    }

    // Returns the first plane of the block.
    __device__ int64_t begin() const
    {
        return blockIdx.x / columns / rows * chunk;
    }

    // Returns the plane after the block's last.
    __device__ int64_t end(int64_t depth) const
    {
        return min(begin() + chunk, depth);
    }
};

// Calls op(i, j, begin, end) for all columns (i, j) of a box, chunk by chunk. Bytes a point: see
// the operations above.
template <class Op>
__global__ void __launch_bounds__(FUR_BOX_THREADS, Op::blocks) over_columns(Op op, tiling t)
{
    int64_t i = t.column() * WIDTH + threadIdx.x;
    int64_t j = t.row() * HEIGHT + threadIdx.y;
    if (i < op.extent(0) && j < op.extent(1))
        op(i, j, t.begin(), t.end(op.extent(2)));
}

// Runs an operation on all columns of its box.
template <class Op> fur_status launch(fur_env *env, const char *name, const Op &op)
{
    tiling t(env, fur_ceil_div(op.extent(0), WIDTH), fur_ceil_div(op.extent(1), HEIGHT),
             op.extent(2), Op::blocks, FUR_MARCH_FILL);
    over_columns<<<t.blocks, dim3(WIDTH, HEIGHT), 0, fur_cuda_stream(env)>>>(op, t);
    return fur_cuda_launched(env, name);
}

fur_colour other(fur_colour colour)
{
    return colour == FUR_RED ? FUR_BLACK : FUR_RED;
}

// Red-black Gauss-Seidel on A x = b: `sweeps` sweeps of both colours. On large grids, sweeps run in
// pairs, from x to `spare` and back, and each sweep is one pass over the grid.
fur_status relax(fur_env *env, const fur_grid *g, fur_colour first, int sweeps, const void *b,
                 void *x, void *spare)
{
    for (; sweeps >= 2 && fur_cuda_multigrid_marches(g); sweeps -= 2) {
        FUR_TRY(fur_cuda_multigrid_sweep(env, g, first, b, x, spare));
        FUR_TRY(fur_cuda_multigrid_sweep(env, g, first, b, spare, x));
    }
    return with_real(g->value_type, [&](auto value) {
        using Value = decltype(value);
        fur_relax_colour<Value> op = {*g, first, static_cast<const Value *>(b),
                                      static_cast<Value *>(x)};
        for (int half = 0; half < 2 * sweeps; half++, op.colour = other(op.colour))
            FUR_TRY(launch(env, "multigrid relaxation", op));
        return FUR_OK;
    });
}

// Handles a stretch of some lines at a time. Their sums over the surrounding lines are shared by
// the coarse points.
template <class Value>
__global__ void __launch_bounds__(STRETCH *ROWS, STRETCHES) gather(fur_restrict<Value> op, tiling t)
{
    __shared__ Value sums[2][ROWS][STRETCH];
    const fur_grid_axis &a = op.g.axis[0];
    int64_t first = t.column() * COARSE;
    int64_t end = min(first + COARSE, a.coarse);
    int64_t from = fur_axis_place(a, FUR_GRID_CENTRE, first) - 1;
    int64_t to = fur_axis_place(a, FUR_GRID_CENTRE, end - 1) + 2;
    int64_t i = min(from + threadIdx.x, to - 1);
    int64_t c = first + threadIdx.x;
    int64_t j = t.row() * ROWS + threadIdx.y;
    // threads without a point repeat the last one, so that all threads reach the barriers
    op.sum_lines(i, min(j, op.extent(1) - 1), t.begin(), t.end(op.extent(2)),
                 [&](int64_t k, Value sum) {
                     Value *line = sums[k % 2][threadIdx.y];
                     line[threadIdx.x] = sum;
                     __syncthreads();
                     if (c < end && j < op.extent(1))
                         op.weight_along(c, j, k, [&](int64_t p) { return line[p - from]; });
                 });
}

// coarse = R (b - A x), by full weighting of the residual.
fur_status restriction(fur_env *env, const fur_grid *g, const void *b, const void *x, void *coarse)
{
    const fur_grid_axis *a = g->axis;
    tiling t(env, fur_ceil_div(a[0].coarse, COARSE), fur_ceil_div(a[1].coarse, ROWS), a[2].coarse,
             STRETCHES, FUR_MARCH_FILL);
    return with_real(g->value_type, [&](auto value) {
        using Value = decltype(value);
        gather<<<t.blocks, dim3(STRETCH, ROWS), 0, fur_cuda_stream(env)>>>(
            fur_restrict<Value>{*g, static_cast<const Value *>(b), static_cast<const Value *>(x),
                                static_cast<Value *>(coarse)},
            t);
        return fur_cuda_launched(env, "multigrid restriction");
    });
}

// x += P coarse, by linear interpolation.
fur_status correction(fur_env *env, const fur_grid *g, const void *coarse, void *x)
{
    return with_real(g->value_type, [&](auto value) {
        using Value = decltype(value);
        return launch(
            env, "multigrid correction",
            fur_correct<Value>{*g, static_cast<const Value *>(coarse), static_cast<Value *>(x)});
    });
}

// Steps on consecutive levels.
struct chain {
    fur_grid_level levels[CHAIN_LEVELS];
    fur_grid_step steps[CHAIN_STEPS]; // levels are numbered from the chain's first
    int count;
};
static_assert(sizeof(chain) <= 4096, "an argument of a launch");

// One block does all points of a box. Afterwards, all its threads see the results.
template <class F>
__device__ void by_block(int64_t width, int64_t height, int64_t depth, const F &f)
{
    auto w = static_cast<unsigned>(width);
    auto h = static_cast<unsigned>(height);
    unsigned points = w * h * static_cast<unsigned>(depth);
#pragma unroll 1
    for (unsigned n = threadIdx.x; n < points; n += CHAIN_THREADS)
        f(n % w, n / w % h, n / w / h);
    __syncthreads();
}

// As above, for an operation on its whole box.
template <class Op> __device__ void by_block(const Op &op)
{
    by_block(op.extent(0), op.extent(1), op.extent(2),
             [&](int64_t i, int64_t j, int64_t k) { op(i, j, k, k + 1); });
}

// residual: workspace for the residual on the level.
template <class Value>
__device__ void restrict_by_block(const fur_restrict<Value> &op, Value *residual)
{
    by_block(fur_take_residual<Value>{op.g, op.b, op.x, residual});
    by_block(op.extent(0), op.extent(1), op.extent(2), [&](int64_t c, int64_t j, int64_t k) {
        op.weight_along(c, j, k, [&](int64_t i) { return op.sum_lines(residual, i, j, k); });
    });
}

// The sweeps of a step by one block.
template <class Value>
__device__ void relax_by_block(const fur_grid_level &level, const fur_grid_step &step)
{
    for (int half = 0; half < 2 * step.sweeps; half++) {
        auto colour = static_cast<fur_colour>((step.first + half) % 2);
        by_block(fur_relax_colour<Value>{level.grid, colour, static_cast<const Value *>(level.b),
                                         static_cast<Value *>(level.x)});
    }
}

// Runs all steps of a chain in one block. The data fit into the second-level cache, so that
// barriers dominate the time.
template <class Value>
__global__ void __launch_bounds__(CHAIN_THREADS, 1) run(const __grid_constant__ chain c)
{
    __shared__ Value residual[SMALL_POINTS];
    for (int n = 0; n < c.count; n++) {
        const fur_grid_step &step = c.steps[n];
        const fur_grid_level &level = c.levels[step.level];
        const fur_grid_level &next = c.levels[min(step.level + 1, CHAIN_LEVELS - 1)];
        auto b = static_cast<const Value *>(level.b);
        auto x = static_cast<Value *>(level.x);
        if (step.work == FUR_GRID_RELAX)
            relax_by_block<Value>(level, step);
        else if (step.work == FUR_GRID_RESTRICT)
            restrict_by_block(
                fur_restrict<Value>{level.grid, b, x,
                                    const_cast<Value *>(static_cast<const Value *>(next.b))},
                residual);
        else if (step.work == FUR_GRID_CORRECT)
            by_block(fur_correct<Value>{level.grid, static_cast<const Value *>(next.x), x});
        else
            by_block(fur_clear_level<Value>{level.grid, x});
    }
}

// Returns the coarsest level that a step reads or writes.
int last_level(const fur_grid_step &step)
{
    bool moves = step.work == FUR_GRID_RESTRICT || step.work == FUR_GRID_CORRECT;
    return step.level + (moves ? 1 : 0);
}

// Adds the first steps to the chain, up to its capacity.
void fill(chain *c, const fur_grid_level *levels, const fur_grid_step *steps, int64_t count)
{
    int low = steps[0].level;
    int high = low;
    for (c->count = 0; c->count < count && c->count < CHAIN_STEPS; c->count++) {
        const fur_grid_step &step = steps[c->count];
        int lower = min(low, step.level);
        int higher = max(high, last_level(step));
        if (fur_grid_points(&levels[step.level].grid) > SMALL_POINTS ||
            higher - lower >= CHAIN_LEVELS)
            break;
        low = lower;
        high = higher;
        c->steps[c->count] = step;
    }
    for (int l = low; l <= high; l++)
        c->levels[l - low] = levels[l];
    for (int n = 0; n < c->count; n++)
        c->steps[n].level -= low;
}

// Runs the first steps, as long as their levels are small, in one launch of one block. *done = the
// number of these steps.
fur_status fuse(fur_env *env, const fur_grid_level *levels, const fur_grid_step *steps,
                int64_t count, int64_t *done)
{
    chain c;
    fill(&c, levels, steps, count);
    *done = c.count;
    if (c.count == 0)
        return FUR_OK;
    return with_real(levels->grid.value_type, [&](auto value) {
        run<decltype(value)><<<1, CHAIN_THREADS, 0, fur_cuda_stream(env)>>>(c);
        return fur_cuda_launched(env, "multigrid on small levels");
    });
}

} // namespace

extern "C" const fur_multigrid_kernels fur_cuda_multigrid = {
    relax,
    restriction,
    correction,
    fuse,
};
