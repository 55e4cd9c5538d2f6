// What is done at a point of a multigrid level, with the additions of src/cpu/multigrid_line.h and
// src/cpu/multigrid_transfer.c in their order, so that the bits are the CPU's.
#ifndef FURROW_CUDA_MULTIGRID_CUH
#define FURROW_CUDA_MULTIGRID_CUH

#include "device.cuh"
#include "value.cuh"

template <class Value>
__device__ inline Value fur_axis_weight(const fur_grid_axis &a, fur_grid_weight kind, int64_t i)
{
    return static_cast<const Value *>(a.weights)[kind * a.points + i];
}

__device__ inline int64_t fur_axis_place(const fur_grid_axis &a, fur_grid_place kind, int64_t i)
{
    return a.places[kind * a.points + i];
}

// An axis's neighbours of point i, and the weights of its equation.
template <class Value> struct fur_axis_row {
    int64_t before;
    int64_t after;
    Value lower;
    Value upper;
    Value diagonal;

    __device__ fur_axis_row(const fur_grid_axis &a, int64_t i)
        : before(fur_grid_inside(a.periodic, a.points, i - 1)),
          after(fur_grid_inside(a.periodic, a.points, i + 1)),
          lower(fur_axis_weight<Value>(a, FUR_GRID_LOWER, i)),
          upper(fur_axis_weight<Value>(a, FUR_GRID_UPPER, i)),
          diagonal(fur_axis_weight<Value>(a, FUR_GRID_DIAGONAL, i))
    {
    }
};

// The equation of a point: its rows of the three axes.
template <class Value>
__device__ inline Value fur_point_diagonal(const fur_axis_row<Value> &x,
                                           const fur_axis_row<Value> &y,
                                           const fur_axis_row<Value> &z)
{
    return x.diagonal + (y.diagonal + z.diagonal);
}

// b - A x at a point, from its neighbours by rising entry and then itself.
template <class Value>
__device__ inline Value
fur_point_residual(const fur_axis_row<Value> &x, const fur_axis_row<Value> &y,
                   const fur_axis_row<Value> &z, Value b, const Value around[6], Value own)
{
    Value sum = fur_fma(z.lower, around[0], b);
    sum = fur_fma(y.lower, around[1], sum);
    sum = fur_fma(x.lower, around[2], sum);
    sum = fur_fma(x.upper, around[3], sum);
    sum = fur_fma(y.upper, around[4], sum);
    sum = fur_fma(z.upper, around[5], sum);
    return fur_fma(-fur_point_diagonal(x, y, z), own, sum);
}

// Line (j, k) of a level, and what a residual there takes from the arrays.
template <class Value> struct fur_grid_line {
    const fur_grid &g;
    fur_axis_row<Value> y;
    fur_axis_row<Value> z;
    int64_t start; // entry of the line's first point
    int64_t across[4];

    __device__ fur_grid_line(const fur_grid &grid, int64_t j, int64_t k)
        : g(grid), y(grid.axis[1], j), z(grid.axis[2], k),
          start(start_of(j, k)), across{start_of(j, z.before), start_of(y.before, k),
                                        start_of(y.after, k), start_of(j, z.after)}
    {
    }

    __device__ int64_t start_of(int64_t j, int64_t k) const
    {
        return g.axis[0].points * (j + g.axis[1].points * k);
    }

    __device__ Value residual(const fur_axis_row<Value> &row, int64_t i, const Value *b,
                              const Value *x) const
    {
        const Value around[6] = {x[across[0] + i],     x[across[1] + i], x[start + row.before],
                                 x[start + row.after], x[across[2] + i], x[across[3] + i]};
        return fur_point_residual(row, y, z, b[start + i], around, x[start + i]);
    }

    // The residual at point i, which may lie one beyond either end.
    __device__ Value residual_at(int64_t i, const Value *b, const Value *x) const
    {
        int64_t in = fur_grid_inside(g.axis[0].periodic, g.axis[0].points, i);
        return residual(fur_axis_row<Value>(g.axis[0], in), in, b, x);
    }
};

// Operations at points (i, j, k) of a box of `extent` points: what a launch has threads for.

// One colour of a sweep: i counts pairs of points, of which one has the colour.
template <class Value> struct fur_relax_colour {
    fur_grid g;
    fur_colour colour;
    const Value *b;
    Value *x;

    __host__ __device__ int64_t extent(int axis) const
    {
        return axis == 0 ? (g.axis[0].points + 1) / 2 : g.axis[axis].points;
    }

    __device__ void operator()(int64_t pair, int64_t j, int64_t k) const
    {
        int64_t i = 2 * pair + (j + k + colour) % 2;
        if (i >= g.axis[0].points)
            return;
        fur_grid_line<Value> line(g, j, k);
        fur_axis_row<Value> row(g.axis[0], i);
        Value step = line.residual(row, i, b, x) / fur_point_diagonal(row, line.y, line.z);
        x[line.start + i] = fur_fma(static_cast<Value>(g.omega), step, x[line.start + i]);
    }
};

template <class Value> struct fur_take_residual {
    fur_grid g;
    const Value *b;
    const Value *x;
    Value *r;

    __host__ __device__ int64_t extent(int axis) const
    {
        return g.axis[axis].points;
    }

    __device__ void operator()(int64_t i, int64_t j, int64_t k) const
    {
        fur_grid_line<Value> line(g, j, k);
        r[line.start + i] = fur_add(line.residual_at(i, b, x), Value(0)); // the CPU's is no -0
    }
};

// The up to three points that coarse point c takes from.
template <class Value> struct fur_axis_reach {
    int64_t place[3];
    Value weight[3];

    __device__ fur_axis_reach(const fur_grid_axis &a, int64_t c)
        : weight{fur_axis_weight<Value>(a, FUR_GRID_BEFORE, c),
                 fur_axis_weight<Value>(a, FUR_GRID_AT, c),
                 fur_axis_weight<Value>(a, FUR_GRID_AFTER, c)}
    {
        int64_t centre = fur_axis_place(a, FUR_GRID_CENTRE, c);
        for (int n = 0; n < 3; n++)
            place[n] = fur_grid_inside(a.periodic, a.points, centre + n - 1);
    }
};

// Full weighting of the residual to the coarser level, whose points are those of the box.
template <class Value> struct fur_restrict {
    fur_grid g;
    const Value *b;
    const Value *x;
    Value *coarse;

    __host__ __device__ int64_t extent(int axis) const
    {
        return g.axis[axis].coarse;
    }

    // The residual of the up to nine lines around coarse line (j, k) at point i, weighted.
    __device__ Value sum_lines(int64_t i, int64_t j, int64_t k) const
    {
        fur_axis_reach<Value> y(g.axis[1], j);
        fur_axis_reach<Value> z(g.axis[2], k);
        Value sum = 0;
        for (int n = 0; n < 3; n++)
            for (int m = 0; m < 3; m++) {
                Value w = fur_mul(y.weight[m], z.weight[n]);
                if (fur_is_zero(w))
                    continue;
                fur_grid_line<Value> line(g, y.place[m], z.place[n]);
                sum = fur_fma(w, line.residual_at(i, b, x), sum);
            }
        return sum;
    }

    // sums: sum_lines of the point where coarse point c lies and of those before and after it.
    __device__ void store(const Value sums[3], int64_t c, int64_t j, int64_t k) const
    {
        const fur_grid_axis *a = g.axis;
        Value sum = fur_mul(fur_axis_weight<Value>(a[0], FUR_GRID_BEFORE, c), sums[0]);
        sum = fur_fma(fur_axis_weight<Value>(a[0], FUR_GRID_AT, c), sums[1], sum);
        coarse[c + a[0].coarse * (j + a[1].coarse * k)] =
            fur_fma(fur_axis_weight<Value>(a[0], FUR_GRID_AFTER, c), sums[2], sum);
    }

    __device__ void operator()(int64_t c, int64_t j, int64_t k) const
    {
        int64_t centre = fur_axis_place(g.axis[0], FUR_GRID_CENTRE, c);
        Value sums[3];
        for (int n = 0; n < 3; n++)
            sums[n] = sum_lines(centre + n - 1, j, k);
        store(sums, c, j, k);
    }
};

// The coarse points on both sides of point i.
template <class Value> struct fur_axis_sides {
    int64_t place[2];
    Value weight[2];

    __device__ fur_axis_sides(const fur_grid_axis &a, int64_t i)
        : weight{fur_axis_weight<Value>(a, FUR_GRID_FROM_LEFT, i),
                 fur_axis_weight<Value>(a, FUR_GRID_FROM_RIGHT, i)}
    {
        int64_t right = fur_axis_place(a, FUR_GRID_RIGHT, i);
        for (int n = 0; n < 2; n++)
            place[n] = fur_grid_inside(a.periodic, a.coarse, right + n - 1);
    }
};

// x += coarse, interpolated.
template <class Value> struct fur_correct {
    fur_grid g;
    const Value *coarse;
    Value *x;

    __host__ __device__ int64_t extent(int axis) const
    {
        return g.axis[axis].points;
    }

    __device__ void operator()(int64_t i, int64_t j, int64_t k) const
    {
        const fur_grid_axis *a = g.axis;
        fur_axis_sides<Value> sides[3] = {{a[0], i}, {a[1], j}, {a[2], k}};
        Value *own = &x[i + a[0].points * (j + a[1].points * k)];
        Value before = *own;    // comes from farthest
        Value sums[2] = {0, 0}; // left and right
        for (int n = 0; n < 2; n++)
            for (int m = 0; m < 2; m++) {
                Value w = fur_mul(sides[1].weight[m], sides[2].weight[n]);
                if (fur_is_zero(w))
                    continue;
                const Value *line =
                    coarse + a[0].coarse * (sides[1].place[m] + a[1].coarse * sides[2].place[n]);
                for (int side = 0; side < 2; side++)
                    sums[side] = fur_fma(w, line[sides[0].place[side]], sums[side]);
            }
        Value sum = fur_fma(sides[0].weight[0], sums[0], before);
        *own = fur_fma(sides[0].weight[1], sums[1], sum);
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

    __device__ void operator()(int64_t i, int64_t j, int64_t k) const
    {
        x[i + g.axis[0].points * (j + g.axis[1].points * k)] = 0;
    }
};

#endif
