// Multigrid: the steps of a cycle, on one level each or on several small levels fused. The
// operations at a point add in the order of src/cpu/multigrid/line.h, so that they give the bits of
// the CPU.
#ifndef FURROW_CUDA_MULTIGRID_CUH
#define FURROW_CUDA_MULTIGRID_CUH

#include "ahead.cuh"
#include "device.cuh"
#include "value.cuh"

// Returns the weight of point i of an axis.
template <class Value>
__device__ inline Value fur_axis_weight(const fur_grid_axis &a, fur_grid_weight kind, int64_t i)
{
    return static_cast<const Value *>(a.weights)[kind * a.points + i];
}

// Returns the index on the other level for point i of an axis; fur_grid_place says which index.
__device__ inline int64_t fur_axis_place(const fur_grid_axis &a, fur_grid_place kind, int64_t i)
{
    return a.places[kind * a.points + i];
}

// The coefficients of one axis in the equation of a point.
template <class Value> struct fur_equation {
    Value lower;
    Value upper;
    Value diagonal;
};

// Returns the coefficients of point i along one axis.
template <class Value>
__device__ inline fur_equation<Value> fur_axis_equation(const fur_grid_axis &a, int64_t i)
{
    return {fur_axis_weight<Value>(a, FUR_GRID_LOWER, i),
            fur_axis_weight<Value>(a, FUR_GRID_UPPER, i),
            fur_axis_weight<Value>(a, FUR_GRID_DIAGONAL, i)};
}

// A point of an axis, its neighbours, and the coefficients of its equation.
template <class Value> struct fur_axis_row : fur_equation<Value> {
    int64_t at;
    int64_t before;
    int64_t after;

    __device__ fur_axis_row(const fur_grid_axis &a, int64_t i)
        : fur_equation<Value>(fur_axis_equation<Value>(a, i)), at(i),
          before(fur_grid_inside(a.periodic, a.points, i - 1)),
          after(fur_grid_inside(a.periodic, a.points, i + 1))
    {
    }
};

// Returns the diagonal of a point: the sum of the diagonals of the three axes.
template <class Value>
__device__ inline Value fur_point_diagonal(const fur_equation<Value> &x,
                                           const fur_equation<Value> &y,
                                           const fur_equation<Value> &z)
{
    return x.diagonal + (y.diagonal + z.diagonal);
}

// Returns the index of point (i, j, k).
__device__ inline int64_t fur_grid_entry(const fur_grid &g, int64_t i, int64_t j, int64_t k)
{
    return i + g.axis[0].points * (j + g.axis[1].points * k);
}

// b - A x at a point. The neighbours are added in ascending index order, and the point itself last.
template <class Value>
__device__ inline Value
fur_point_residual(const fur_equation<Value> &x, const fur_equation<Value> &y,
                   const fur_equation<Value> &z, Value b, const Value around[6], Value own)
{
    Value sum = fur_fma(z.lower, around[0], b);
    sum = fur_fma(y.lower, around[1], sum);
    sum = fur_fma(x.lower, around[2], sum);
    sum = fur_fma(x.upper, around[3], sum);
    sum = fur_fma(y.upper, around[4], sum);
    sum = fur_fma(z.upper, around[5], sum);
    return fur_fma(-fur_point_diagonal(x, y, z), own, sum);
}

// Planes between a prefetch into the second-level cache and the use of a plane.
#define FUR_COLUMN_AHEAD 4

// Some neighbouring lines of points along z, plane after plane: x in the plane and in the two
// planes around it. The lines are neighbours along y, and the middle line is at (i, j).
template <class Value, int lines> struct fur_column {
    const fur_grid_axis &z;
    int64_t plane;  // entries
    const Value *b; // at the middle line's point in the next plane
    const Value *x;
    // end of the planes that this thread prefetches; only if its entry begins a cache line
    int64_t asked_end;
    fur_axis_row<Value> row_x;
    fur_equation<Value> row_y[lines];
    int64_t line[lines + 2]; // offsets of the lines and their neighbours from the middle line
    Value below[lines];
    Value here[lines];
    Value above[lines];

    // Starts before plane k, and goes up to plane end - 1.
    __device__ fur_column(const fur_grid &g, const Value *b_level, const Value *x_level, int64_t i,
                          int64_t j, int64_t k, int64_t end)
        : z(g.axis[2]), plane(g.axis[0].points * g.axis[1].points),
          b(b_level + fur_grid_entry(g, i, j, k)), x(x_level + fur_grid_entry(g, i, j, k)),
          asked_end(i % (FUR_CACHE_LINE / sizeof(Value)) == 0 ? end : 0), row_x(g.axis[0], i)
    {
        set_lines(g, j);
        int64_t under = plane * (fur_grid_inside(z.periodic, z.points, k - 1) - k);
        for (int n = 0; n < lines; n++) {
            here[n] = x[line[n + 1] + under];
            above[n] = x[line[n + 1]];
        }
    }

    // Sets the offsets from the middle line to each line and to their two neighbours, and the
    // lines' equations along y.
    __device__ void set_lines(const fur_grid &g, int64_t j)
    {
        const fur_grid_axis &y = g.axis[1];
        int64_t place[lines + 2];
        place[lines / 2 + 1] = j;
        for (int n = lines / 2 + 1; n > 0; n--)
            place[n - 1] = fur_grid_inside(y.periodic, y.points, place[n] - 1);
        for (int n = lines / 2 + 1; n <= lines; n++)
            place[n + 1] = fur_grid_inside(y.periodic, y.points, place[n] + 1);
        for (int n = 0; n < lines + 2; n++)
            line[n] = g.axis[0].points * (place[n] - j);
        for (int n = 0; n < lines; n++)
            row_y[n] = fur_axis_equation<Value>(y, place[n + 1]);
    }

    // b - A x in the next plane, k. row_z is its equation along z.
    __device__ void next(int64_t k, const fur_equation<Value> &row_z, Value residual[lines])
    {
        const Value *own = x;
        const Value *own_b = b;
        int64_t step = k + 1 < z.points ? plane : z.periodic ? plane - plane * z.points : 0;
        x += step;
        b += step;
        if (k + FUR_COLUMN_AHEAD < asked_end)
            ask(own, own_b);
        for (int n = 0; n < lines; n++) {
            below[n] = here[n];
            here[n] = above[n];
            above[n] = x[line[n + 1]];
        }
        for (int n = 0; n < lines; n++) {
            const Value *point = own + line[n + 1];
            const Value around[6] = {below[n],
                                     n > 0 ? here[n - 1] : own[line[0]],
                                     point[row_x.before - row_x.at],
                                     point[row_x.after - row_x.at],
                                     n + 1 < lines ? here[n + 1] : own[line[lines + 1]],
                                     above[n]};
            residual[n] = fur_point_residual<Value>(row_x, row_y[n], row_z, own_b[line[n + 1]],
                                                    around, here[n]);
        }
    }

    // Prefetches the middle line and those after it. The lines before it are prefetched by another
    // thread.
    __device__ void ask(const Value *own, const Value *own_b) const
    {
        for (int n = lines / 2 + 1; n <= lines; n++) {
            fur_prefetch(own + line[n] + FUR_COLUMN_AHEAD * plane);
            fur_prefetch(own_b + line[n] + FUR_COLUMN_AHEAD * plane);
        }
    }
};

// Operations at points (i, j, begin) to (i, j, end - 1) of a box. `extent` gives the number of
// points along each axis, for the threads of a launch. `blocks` is the number of blocks of
// FUR_BOX_THREADS threads on a multiprocessor for which there are registers.
#define FUR_BOX_THREADS 256

// One colour of a sweep. i counts pairs of points, and one point of each pair has the colour.
template <class Value> struct fur_relax_colour {
    static constexpr int blocks = 4;
    fur_grid g;
    fur_colour colour;
    const Value *b;
    Value *x;

    // Pairs of points along x; points along y and z.
    __host__ __device__ int64_t extent(int axis) const
    {
        return axis == 0 ? (g.axis[0].points + 1) / 2 : g.axis[axis].points;
    }

    // x_p += omega (b - A x)_p / A_pp at the points p of the colour.
    __device__ void operator()(int64_t pair, int64_t j, int64_t begin, int64_t end) const
    {
#pragma unroll 1
        for (int64_t k = begin; k < end; k++) {
            int64_t i = 2 * pair + (j + k + colour) % 2;
            if (i >= g.axis[0].points)
                continue;
            fur_column<Value, 1> c(g, b, x, i, j, k, k + 1);
            fur_equation<Value> row_z = fur_axis_equation<Value>(g.axis[2], k);
            Value residual;
            c.next(k, row_z, &residual);
            Value step = residual / fur_point_diagonal<Value>(c.row_x, c.row_y[0], row_z);
            x[fur_grid_entry(g, i, j, k)] = fur_fma(static_cast<Value>(g.omega), step, c.here[0]);
        }
    }
};

// r = b - A x
template <class Value> struct fur_take_residual {
    static constexpr int blocks = 3;
    fur_grid g;
    const Value *b;
    const Value *x;
    Value *r;

    __host__ __device__ int64_t extent(int axis) const
    {
        return g.axis[axis].points;
    }

    __device__ void operator()(int64_t i, int64_t j, int64_t begin, int64_t end) const
    {
        fur_column<Value, 1> c(g, b, x, i, j, begin, end);
        Value *out = r + fur_grid_entry(g, i, j, begin);
#pragma unroll 1
        for (int64_t k = begin; k < end; k++, out += c.plane) {
            Value residual;
            c.next(k, fur_axis_equation<Value>(g.axis[2], k), &residual);
            *out = fur_add(residual, Value(0)); // turns -0 into 0, as on the CPU
        }
    }
};

// x = 0
template <class Value> struct fur_clear_level {
    fur_grid g;
    Value *x;

    __host__ __device__ int64_t extent(int axis) const
    {
        return g.axis[axis].points;
    }

    __device__ void operator()(int64_t i, int64_t j, int64_t begin, int64_t end) const
    {
        for (int64_t k = begin; k < end; k++)
            x[fur_grid_entry(g, i, j, k)] = 0;
    }
};

extern "C" {
extern const fur_multigrid_kernels fur_cuda_multigrid;

// A red-black sweep in one pass pays only on a large grid. Returns whether the level is large
// enough.
bool fur_cuda_multigrid_marches(const fur_grid *g);

// to = `from` after one sweep: all points of the colour `first`, then the other colour.
fur_status fur_cuda_multigrid_sweep(fur_env *env, const fur_grid *g, fur_colour first,
                                    const void *b, const void *from, void *to);
}

#endif
