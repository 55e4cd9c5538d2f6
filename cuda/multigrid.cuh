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

__device__ inline int64_t fur_grid_entry(const fur_grid &g, int64_t i, int64_t j, int64_t k)
{
    return i + g.axis[0].points * (j + g.axis[1].points * k);
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

// So many planes before a column comes to one, the second-level cache is asked for it.
#define FUR_COLUMN_AHEAD 4

// Some lines of points along z side by side, plane after plane: x in the plane and in the two
// around it. The points are neighbours along y, the middle one at (i, j).
template <class Value, int lines> struct fur_column {
    const fur_grid_axis &z;
    int64_t plane;  // entries
    const Value *b; // at the middle point of the next plane
    const Value *x;
    bool asks; // the thread does, for the line of the cache
    fur_axis_row<Value> row_x;
    fur_equation<Value> row_y[lines];
    int64_t line[lines + 2]; // entries from the middle one, with the neighbours
    Value below[lines];
    Value here[lines];
    Value above[lines];

    // Before plane k.
    __device__ fur_column(const fur_grid &g, const Value *b_level, const Value *x_level, int64_t i,
                          int64_t j, int64_t k)
        : z(g.axis[2]), plane(g.axis[0].points * g.axis[1].points),
          b(b_level + fur_grid_entry(g, i, j, k)), x(x_level + fur_grid_entry(g, i, j, k)),
          asks(i % (FUR_CACHE_LINE / sizeof(Value)) == 0), row_x(g.axis[0], i)
    {
        set_lines(g, j);
        int64_t under = plane * (fur_grid_inside(z.periodic, z.points, k - 1) - k);
        for (int n = 0; n < lines; n++) {
            here[n] = x[line[n + 1] + under];
            above[n] = x[line[n + 1]];
        }
    }

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

    // b - A x in the next plane, which is k; row_z: its row.
    __device__ void next(int64_t k, const fur_equation<Value> &row_z, Value residual[lines])
    {
        const Value *own = x;
        const Value *own_b = b;
        int64_t step = k + 1 < z.points ? plane : z.periodic ? plane - plane * z.points : 0;
        x += step;
        b += step;
        if (asks && k + FUR_COLUMN_AHEAD < z.points)
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

    // The lines before the middle one are another thread's to ask for.
    __device__ void ask(const Value *own, const Value *own_b) const
    {
        for (int n = lines / 2 + 1; n <= lines; n++) {
            fur_ask(own + line[n] + FUR_COLUMN_AHEAD * plane);
            fur_ask(own_b + line[n] + FUR_COLUMN_AHEAD * plane);
        }
    }
};

// Operations at points (i, j, begin) to (i, j, end - 1) of a box of `extent` points: what a launch
// has threads for. blocks: of FUR_BOX_THREADS on a multiprocessor at once, for which there are
// registers.
#define FUR_BOX_THREADS 256

// One colour of a sweep: i counts pairs of points, of which one has the colour.
template <class Value> struct fur_relax_colour {
    static constexpr int blocks = 4;
    fur_grid g;
    fur_colour colour;
    const Value *b;
    Value *x;

    __host__ __device__ int64_t extent(int axis) const
    {
        return axis == 0 ? (g.axis[0].points + 1) / 2 : g.axis[axis].points;
    }

    __device__ void operator()(int64_t pair, int64_t j, int64_t begin, int64_t end) const
    {
#pragma unroll 1
        for (int64_t k = begin; k < end; k++) {
            int64_t i = 2 * pair + (j + k + colour) % 2;
            if (i >= g.axis[0].points)
                continue;
            fur_column<Value, 1> c(g, b, x, i, j, k);
            fur_equation<Value> row_z = fur_axis_equation<Value>(g.axis[2], k);
            Value residual;
            c.next(k, row_z, &residual);
            Value step = residual / fur_point_diagonal<Value>(c.row_x, c.row_y[0], row_z);
            x[fur_grid_entry(g, i, j, k)] = fur_fma(static_cast<Value>(g.omega), step, c.here[0]);
        }
    }
};

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
        fur_column<Value, 1> c(g, b, x, i, j, begin);
        Value *out = r + fur_grid_entry(g, i, j, begin);
#pragma unroll 1
        for (int64_t k = begin; k < end; k++, out += c.plane) {
            Value residual;
            c.next(k, fur_axis_equation<Value>(g.axis[2], k), &residual);
            *out = fur_add(residual, Value(0)); // the CPU's is no -0
        }
    }
};

// The up to three points that coarse point c takes from: the n-th of them.
template <class Value> struct fur_axis_reach {
    const fur_grid_axis &a;
    int64_t centre;
    Value weight[3];

    __device__ fur_axis_reach(const fur_grid_axis &axis, int64_t c)
        : a(axis), centre(fur_axis_place(axis, FUR_GRID_CENTRE, c)),
          weight{fur_axis_weight<Value>(a, FUR_GRID_BEFORE, c),
                 fur_axis_weight<Value>(a, FUR_GRID_AT, c),
                 fur_axis_weight<Value>(a, FUR_GRID_AFTER, c)}
    {
    }

    __device__ int64_t place(int n) const
    {
        return fur_grid_inside(a.periodic, a.points, centre + n - 1);
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

    // The residuals of the up to nine lines around coarse line (j, k), weighted, at point i, which
    // may lie one beyond either end; done(k, sum) for each of begin <= k < end.
    template <class Done>
    __device__ void sum_lines(int64_t i, int64_t j, int64_t begin, int64_t end, Done done) const
    {
        const fur_grid_axis *a = g.axis;
        fur_axis_reach<Value> y(a[1], j);
        fur_axis_reach<Value> first(a[2], begin);
        int64_t inside = fur_grid_inside(a[0].periodic, a[0].points, i);
        int64_t plane = first.centre - (fur_is_zero(first.weight[0]) ? 0 : 1); // the next to come
        fur_column<Value, 3> column(g, b, x, inside, y.centre, place_z(plane));
        Value residual[3] = {};
#pragma unroll 1
        for (int64_t k = begin; k < end; k++) {
            fur_axis_reach<Value> z(a[2], k);
            Value sum = 0;
            for (int n = 0; n < 3; n++) {
                if (fur_is_zero(z.weight[n]))
                    continue;
                if (plane < z.centre + n) {
                    int64_t place = place_z(plane++);
                    column.next(place, fur_axis_equation<Value>(a[2], place), residual);
                }
                sum = add_lines(sum, y, z.weight[n], [&](int m) { return residual[m]; });
            }
            done(k, sum);
        }
    }

    // The same of residuals at hand, for one k.
    __device__ Value sum_lines(const Value *residual, int64_t i, int64_t j, int64_t k) const
    {
        const fur_grid_axis *a = g.axis;
        fur_axis_reach<Value> y(a[1], j);
        fur_axis_reach<Value> z(a[2], k);
        const Value *own = residual + fur_grid_inside(a[0].periodic, a[0].points, i);
        Value sum = 0;
        for (int n = 0; n < 3; n++)
            sum = add_lines(sum, y, z.weight[n], [&](int m) {
                return own[fur_grid_entry(g, 0, y.place(m), z.place(n))];
            });
        return sum;
    }

    // sum_at(i): sum_lines at point i, for the points before, at and after coarse point c, of which
    // the first and the last may lie one beyond the ends.
    template <class Sum>
    __device__ void weight_along(int64_t c, int64_t j, int64_t k, Sum sum_at) const
    {
        fur_axis_reach<Value> reach(g.axis[0], c);
        Value sum = fur_mul(reach.weight[0], sum_at(reach.centre - 1));
        sum = fur_fma(reach.weight[1], sum_at(reach.centre), sum);
        sum = fur_fma(reach.weight[2], sum_at(reach.centre + 1), sum);
        coarse[c + extent(0) * (j + extent(1) * k)] = sum;
    }

  private:
    // The plane of a number that may lie one beyond either end.
    __device__ int64_t place_z(int64_t plane) const
    {
        return fur_grid_inside(g.axis[2].periodic, g.axis[2].points, plane);
    }

    // And the three lines of a plane, weighted; residual(m): of the m-th.
    template <class Residual>
    __device__ static Value add_lines(Value sum, const fur_axis_reach<Value> &y, Value weight_z,
                                      Residual residual)
    {
        for (int m = 0; m < 3; m++) {
            Value w = fur_mul(y.weight[m], weight_z);
            if (!fur_is_zero(w))
                sum = fur_fma(w, residual(m), sum);
        }
        return sum;
    }
};

// The coarse points before and after point i: the n-th of them.
template <class Value> struct fur_axis_sides {
    const fur_grid_axis &a;
    int64_t right;
    Value weight[2];

    __device__ fur_axis_sides(const fur_grid_axis &axis, int64_t i)
        : a(axis), right(fur_axis_place(axis, FUR_GRID_RIGHT, i)),
          weight{fur_axis_weight<Value>(a, FUR_GRID_FROM_LEFT, i),
                 fur_axis_weight<Value>(a, FUR_GRID_FROM_RIGHT, i)}
    {
    }

    __device__ int64_t place(int n) const
    {
        return fur_grid_inside(a.periodic, a.coarse, right + n - 1);
    }
};

// The coarse points around a column of points, plane after plane.
template <class Value> struct fur_coarse_column {
    const fur_grid &g;
    const Value *coarse; // at the first of the four points in the first plane
    int64_t next_x;      // entries to the next along x
    int64_t next_y;
    Value weight_x[2];
    Value weight_y[2];
    bool asks;
    int64_t right; // the coarse plane of `after`
    Value before[2][2];
    Value after[2][2];

    // For plane k and those behind it.
    __device__ fur_coarse_column(const fur_grid &grid, const Value *entries, int64_t i, int64_t j,
                                 int64_t k)
        : g(grid), asks(i % (2 * FUR_CACHE_LINE / sizeof(Value)) == 0)
    {
        fur_axis_sides<Value> x(g.axis[0], i);
        fur_axis_sides<Value> y(g.axis[1], j);
        fur_axis_sides<Value> z(g.axis[2], k);
        coarse = entries + x.place(0) + g.axis[0].coarse * y.place(0);
        next_x = x.place(1) - x.place(0);
        next_y = g.axis[0].coarse * (y.place(1) - y.place(0));
        for (int n = 0; n < 2; n++) {
            weight_x[n] = x.weight[n];
            weight_y[n] = y.weight[n];
        }
        take(z.place(0));
        take(z.place(1));
        right = z.right;
    }

    __device__ void take(int64_t plane)
    {
        int64_t points = g.axis[0].coarse * g.axis[1].coarse;
        const Value *first = coarse + points * plane;
        if (asks && plane + FUR_COLUMN_AHEAD < g.axis[2].coarse)
            fur_ask(first + points * FUR_COLUMN_AHEAD);
        for (int m = 0; m < 2; m++)
            for (int n = 0; n < 2; n++) {
                before[m][n] = after[m][n];
                after[m][n] = first[m * next_y + n * next_x];
            }
    }

    // x at the point of plane k, corrected.
    __device__ Value correct(int64_t k, Value x)
    {
        fur_axis_sides<Value> z(g.axis[2], k);
        if (z.right > right) {
            right = z.right;
            take(z.place(1));
        }
        Value sum[2] = {};
        add_plane(before, z.weight[0], sum);
        add_plane(after, z.weight[1], sum);
        return fur_fma(weight_x[1], sum[1], fur_fma(weight_x[0], sum[0], x));
    }

    __device__ void add_plane(const Value points[2][2], Value weight_z, Value sum[2]) const
    {
        for (int m = 0; m < 2; m++) {
            Value w = fur_mul(weight_y[m], weight_z);
            if (fur_is_zero(w))
                continue;
            for (int n = 0; n < 2; n++)
                sum[n] = fur_fma(w, points[m][n], sum[n]);
        }
    }
};

// x += coarse, interpolated.
template <class Value> struct fur_correct {
    static constexpr int blocks = 4;
    fur_grid g;
    const Value *coarse;
    Value *x;

    __host__ __device__ int64_t extent(int axis) const
    {
        return g.axis[axis].points;
    }

    __device__ void operator()(int64_t i, int64_t j, int64_t begin, int64_t end) const
    {
        fur_coarse_column<Value> c(g, coarse, i, j, begin);
        int64_t plane = g.axis[0].points * g.axis[1].points;
        bool asks = i % (FUR_CACHE_LINE / sizeof(Value)) == 0;
        Value *own = x + fur_grid_entry(g, i, j, begin);
#pragma unroll 1
        for (int64_t k = begin; k < end; k++, own += plane) {
            Value before = *own; // comes from farthest
            if (asks && k + FUR_COLUMN_AHEAD < end)
                fur_ask(own + FUR_COLUMN_AHEAD * plane);
            *own = c.correct(k, before);
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

#endif
