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

// What an axis adds to the equation of a point.
template <class Value> struct fur_equation {
    Value lower;
    Value upper;
    Value diagonal;
};

template <class Value>
__device__ inline fur_equation<Value> fur_axis_equation(const fur_grid_axis &a, int64_t i)
{
    return {fur_axis_weight<Value>(a, FUR_GRID_LOWER, i),
            fur_axis_weight<Value>(a, FUR_GRID_UPPER, i),
            fur_axis_weight<Value>(a, FUR_GRID_DIAGONAL, i)};
}

// A point of an axis, its neighbours, and the weights of its equation.
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

// The equation of a point: those of the three axes.
template <class Value>
__device__ inline Value fur_point_diagonal(const fur_equation<Value> &x,
                                           const fur_equation<Value> &y,
                                           const fur_equation<Value> &z)
{
    return x.diagonal + (y.diagonal + z.diagonal);
}

// b - A x at a point, from its neighbours by rising entry and then itself.
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

__device__ inline int64_t fur_grid_entry(const fur_grid &g, int64_t i, int64_t j, int64_t k)
{
    return i + g.axis[0].points * (j + g.axis[1].points * k);
}

// b - A x at a point of a level.
template <class Value>
__device__ inline Value
fur_grid_residual(const fur_grid &g, const fur_axis_row<Value> &x, const fur_axis_row<Value> &y,
                  const fur_axis_row<Value> &z, const Value *b, const Value *entries)
{
    int64_t line = fur_grid_entry(g, 0, y.at, z.at);
    int64_t own = line + x.at;
    const Value around[6] = {entries[fur_grid_entry(g, x.at, y.at, z.before)],
                             entries[fur_grid_entry(g, x.at, y.before, z.at)],
                             entries[line + x.before],
                             entries[line + x.after],
                             entries[fur_grid_entry(g, x.at, y.after, z.at)],
                             entries[fur_grid_entry(g, x.at, y.at, z.after)]};
    return fur_point_residual<Value>(x, y, z, b[own], around, entries[own]);
}

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
        fur_axis_row<Value> row_x(g.axis[0], i);
        fur_axis_row<Value> row_y(g.axis[1], j);
        fur_axis_row<Value> row_z(g.axis[2], k);
        Value step = fur_grid_residual(g, row_x, row_y, row_z, b, x) /
                     fur_point_diagonal<Value>(row_x, row_y, row_z);
        Value *own = &x[fur_grid_entry(g, i, j, k)];
        *own = fur_fma(static_cast<Value>(g.omega), step, *own);
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
        fur_axis_row<Value> row_x(g.axis[0], i);
        fur_axis_row<Value> row_y(g.axis[1], j);
        fur_axis_row<Value> row_z(g.axis[2], k);
        Value residual = fur_grid_residual(g, row_x, row_y, row_z, b, x);
        r[fur_grid_entry(g, i, j, k)] = fur_add(residual, Value(0)); // the CPU's is no -0
    }
};

// The up to three points that coarse point c takes from: the n-th of them.
template <class Value> struct fur_axis_reach {
    const fur_grid_axis &a;
    int64_t c;
    int64_t centre;

    __device__ fur_axis_reach(const fur_grid_axis &axis, int64_t coarse)
        : a(axis), c(coarse), centre(fur_axis_place(axis, FUR_GRID_CENTRE, coarse))
    {
    }

    __device__ int64_t place(int n) const
    {
        return fur_grid_inside(a.periodic, a.points, centre + n - 1);
    }

    __device__ Value weight(int n) const
    {
        return fur_axis_weight<Value>(a, static_cast<fur_grid_weight>(FUR_GRID_BEFORE + n), c);
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

    // The residual of the up to nine lines around coarse line (j, k), weighted, at point i, which
    // may lie one beyond either end.
    __device__ Value sum_lines(int64_t i, int64_t j, int64_t k) const
    {
        const fur_grid_axis *a = g.axis;
        fur_axis_row<Value> row_x(a[0], fur_grid_inside(a[0].periodic, a[0].points, i));
        fur_axis_reach<Value> y(a[1], j);
        fur_axis_reach<Value> z(a[2], k);
        Value sum = 0;
#pragma unroll 1 // registers are too few for three planes at once
        for (int n = 0; n < 3; n++) {
            fur_axis_row<Value> row_z(a[2], z.place(n));
            for (int m = 0; m < 3; m++) {
                Value w = fur_mul(y.weight(m), z.weight(n));
                if (fur_is_zero(w))
                    continue;
                fur_axis_row<Value> row_y(a[1], y.place(m));
                sum = fur_fma(w, fur_grid_residual(g, row_x, row_y, row_z, b, x), sum);
            }
        }
        return sum;
    }

    // sum_at(i): sum_lines at point i, for the points before, at and after coarse point c, of which
    // the first and the last may lie one beyond the ends.
    template <class Sum>
    __device__ void weight_along(int64_t c, int64_t j, int64_t k, Sum sum_at) const
    {
        fur_axis_reach<Value> reach(g.axis[0], c);
        Value sum = fur_mul(reach.weight(0), sum_at(reach.centre - 1));
        sum = fur_fma(reach.weight(1), sum_at(reach.centre), sum);
        sum = fur_fma(reach.weight(2), sum_at(reach.centre + 1), sum);
        coarse[c + extent(0) * (j + extent(1) * k)] = sum;
    }
};

// The coarse points before and after point i: the n-th of them.
template <class Value> struct fur_axis_sides {
    const fur_grid_axis &a;
    int64_t i;
    int64_t right;

    __device__ fur_axis_sides(const fur_grid_axis &axis, int64_t point)
        : a(axis), i(point), right(fur_axis_place(axis, FUR_GRID_RIGHT, point))
    {
    }

    __device__ int64_t place(int n) const
    {
        return fur_grid_inside(a.periodic, a.coarse, right + n - 1);
    }

    __device__ Value weight(int n) const
    {
        return fur_axis_weight<Value>(a, static_cast<fur_grid_weight>(FUR_GRID_FROM_LEFT + n), i);
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
        fur_axis_sides<Value> sides_x(a[0], i);
        fur_axis_sides<Value> sides_y(a[1], j);
        fur_axis_sides<Value> sides_z(a[2], k);
        Value *own = &x[fur_grid_entry(g, i, j, k)];
        Value before = *own; // comes from farthest
        Value left = 0;
        Value right = 0;
        for (int n = 0; n < 2; n++)
            for (int m = 0; m < 2; m++) {
                Value w = fur_mul(sides_y.weight(m), sides_z.weight(n));
                if (fur_is_zero(w))
                    continue;
                const Value *line =
                    coarse + a[0].coarse * (sides_y.place(m) + a[1].coarse * sides_z.place(n));
                left = fur_fma(w, line[sides_x.place(0)], left);
                right = fur_fma(w, line[sides_x.place(1)], right);
            }
        Value sum = fur_fma(sides_x.weight(0), left, before);
        *own = fur_fma(sides_x.weight(1), right, sum);
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
        x[fur_grid_entry(g, i, j, k)] = 0;
    }
};

#endif
