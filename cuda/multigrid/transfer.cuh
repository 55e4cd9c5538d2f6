// Transfers between two levels of multigrid. They add in the order of src/cpu/multigrid/transfer.c,
// so that they give the bits of the CPU.
#ifndef FURROW_CUDA_MULTIGRID_TRANSFER_CUH
#define FURROW_CUDA_MULTIGRID_TRANSFER_CUH

#include "multigrid.cuh"

// The up to three fine points that coarse point c reads, and their weights.
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

// Full weighting of the residual to the coarser level, whose points form the box.
template <class Value> struct fur_restrict {
    fur_grid g;
    const Value *b;
    const Value *x;
    Value *coarse;

    __host__ __device__ int64_t extent(int axis) const
    {
        return g.axis[axis].coarse;
    }

    // The weighted sum of the residuals on the up to nine lines around coarse line (j, k), at point
    // i. Point i may be one beyond either end. Calls done(k, sum) for each k with begin <= k < end.
    template <class Done>
    __device__ void sum_lines(int64_t i, int64_t j, int64_t begin, int64_t end, Done done) const
    {
        const fur_grid_axis *a = g.axis;
        fur_axis_reach<Value> y(a[1], j);
        fur_axis_reach<Value> first(a[2], begin);
        int64_t reach = min(fur_axis_place(a[2], FUR_GRID_CENTRE, end - 1) + 2, a[2].points);
        int64_t inside = fur_grid_inside(a[0].periodic, a[0].points, i);
        // the next plane to be read
        int64_t plane = first.centre - (fur_is_zero(first.weight[0]) ? 0 : 1);
        fur_column<Value, 3> column(g, b, x, inside, y.centre, place_z(plane), reach);
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

    // As above, from stored residuals and for one k.
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

    // Stores coarse point c from sum_at(i) at the points before, at and after it. sum_at(i) is
    // sum_lines at point i. The first and the last point may be one beyond the ends.
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
    // Returns the plane with a number that may be one beyond either end.
    __device__ int64_t place_z(int64_t plane) const
    {
        return fur_grid_inside(g.axis[2].periodic, g.axis[2].points, plane);
    }

    // Adds the three weighted lines of a plane. residual(m) is the residual on line m.
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

// The coarse points before and after fine point i, and their weights.
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

// The coarse points around a column of fine points, plane after plane.
template <class Value> struct fur_coarse_column {
    const fur_grid &g;
    const Value *coarse; // at the first of the four coarse points in the first plane
    int64_t next_x;      // distance to the next coarse point along x
    int64_t next_y;
    Value weight_x[2];
    Value weight_y[2];
    bool asks;
    int64_t right; // the coarse plane in `after`
    Value before[2][2] = {};
    Value after[2][2] = {};

    // Starts at plane k, for this plane and later ones.
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

    // Advances by one coarse plane: the four points of `after` become `before`.
    __device__ void take(int64_t plane)
    {
        int64_t points = g.axis[0].coarse * g.axis[1].coarse;
        const Value *first = coarse + points * plane;
        if (asks && plane + FUR_COLUMN_AHEAD / 2 < g.axis[2].coarse)
            fur_prefetch(first + points * (FUR_COLUMN_AHEAD / 2));
        for (int m = 0; m < 2; m++)
            for (int n = 0; n < 2; n++) {
                before[m][n] = after[m][n];
                after[m][n] = first[m * next_y + n * next_x];
            }
    }

    // Returns the corrected x at the point of plane k.
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

    // sum[n] += the points of a plane on side n along x, weighted along y and z.
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

// x += coarse, by linear interpolation.
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
        int64_t asked_end = i % (FUR_CACHE_LINE / sizeof(Value)) == 0 ? end : 0;
        Value *own = x + fur_grid_entry(g, i, j, begin);
#pragma unroll 1
        for (int64_t k = begin; k < end; k++, own += plane) {
            Value before = *own; // loaded first, because it has the longest latency
            if (k + FUR_COLUMN_AHEAD < asked_end)
                fur_prefetch(own + FUR_COLUMN_AHEAD * plane);
            *own = c.correct(k, before);
        }
    }
};

#endif
