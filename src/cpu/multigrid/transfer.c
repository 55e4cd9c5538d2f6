/* Restriction of the residual to the coarser level, and the correction from it. Both are sums over
 * a line and some of its neighbours. The order of additions is fixed, so that the number of threads
 * does not change the result.
 *
 * Bytes a point: restriction 2 1/8 entries, correction 2 1/8. */
#ifndef FUR_TEMPLATE
#    include "relax.h"
#    include "scalar.h"
#    include "split.h"
#    include "team.h"

#    include <string.h>

#    define POINT_GRAIN 16384
/* The points of a coarse line in one piece, and the points of this level that a piece reads. */
#    define COARSE_POINTS 256
#    define FINE_POINTS (2 * COARSE_POINTS + 1)

/* Two levels and the data that moves between them. */
typedef struct transfer {
    const fur_grid *g;
    const void *b;
    const void *x;
    void *out;
} transfer;

#    define FUR_TEMPLATE "multigrid/transfer.c"
#    include "foreach_value.h"

/* The work for a line (j, k) of y. */
typedef void line_work(const transfer *t, int64_t j, int64_t k);
typedef struct lines {
    const transfer *t;
    int64_t ny;
    line_work *work;
} lines;

static void run_lines(void *job, int64_t begin, int64_t end)
{
    const lines *l = job;
    for (int64_t line = begin; line < end; line++)
        l->work(l->t, line % l->ny, line / l->ny);
}

/* Calls `work` for all lines of ny x nz. */
static void run(fur_env *env, const transfer *t, int64_t ny, int64_t nz, line_work *work)
{
    fur_parallel(env, fur_grid_points(t->g) / POINT_GRAIN, ny * nz, run_lines,
                 &(lines){t, ny, work});
}

static fur_status restriction(fur_env *env, const fur_grid *g, const void *b, const void *x,
                              void *coarse)
{
    const transfer t = {g, b, x, coarse};
    run(env, &t, g->axis[1].coarse, g->axis[2].coarse,
        g->value_type == FUR_F32 ? gather_f32 : gather_f64);
    return FUR_OK;
}

static fur_status correction(fur_env *env, const fur_grid *g, const void *coarse, void *x)
{
    const transfer t = {g, NULL, coarse, x};
    run(env, &t, g->axis[1].points, g->axis[2].points,
        g->value_type == FUR_F32 ? spread_f32 : spread_f64);
    return FUR_OK;
}

extern const fur_multigrid_kernels ISA(multigrid_kernels);
const fur_multigrid_kernels ISA(multigrid_kernels) = {
    .relax = ISA(multigrid_relax),
    .restriction = restriction,
    .correction = correction,
};
#elif !COMPLEX
#    include "line.h"

/* sum[i - from] += w times the residual at points from <= i < to of a line. The first and the last
 * point may lie one beyond the ends of the line. */
static void FN(add_residual)(const FN(line) * l, VALUE w, int64_t from, int64_t to, VALUE *sum)
{
    int64_t begin = from > 1 ? from : 1;
    int64_t end = fur_smaller(to, l->points - 1);
    for (int64_t i = from; i < fur_smaller(begin, to); i++)
        sum[i - from] = V(fma)(w, FN(residual_at)(l, fur_grid_inside(l->periodic, l->points, i)),
                               sum[i - from]);
#    pragma omp simd
    for (int64_t i = begin; i < end; i++)
        sum[i - from] = V(fma)(w, FN(residual_between)(l, i, i - 1, i + 1), sum[i - from]);
    for (int64_t i = begin > end ? begin : end; i < to; i++)
        sum[i - from] = V(fma)(w, FN(residual_at)(l, fur_grid_inside(l->periodic, l->points, i)),
                               sum[i - from]);
}

/* The up to three fine points that restriction to coarse point c reads: their places and
 * weights. */
typedef struct FN(reach) {
    int64_t place[3];
    VALUE weight[3];
} FN(reach);

static FN(reach) FN(reach_of)(const fur_grid_axis *a, int64_t c)
{
    int64_t centre = FN(places)(a, FUR_GRID_CENTRE)[c];
    return (FN(reach)){
        .place = {fur_grid_inside(a->periodic, a->points, centre - 1), centre,
                  fur_grid_inside(a->periodic, a->points, centre + 1)},
        .weight = {FN(weights)(a, FUR_GRID_BEFORE)[c], FN(weights)(a, FUR_GRID_AT)[c],
                   FN(weights)(a, FUR_GRID_AFTER)[c]},
    };
}

/* The residual of up to nine lines around coarse line (j, k), weighted. */
static void FN(sum_lines)(const transfer *t, int64_t j, int64_t k, int64_t from, int64_t to,
                          VALUE *sum)
{
    const FN(reach) y = FN(reach_of)(&t->g->axis[1], j);
    const FN(reach) z = FN(reach_of)(&t->g->axis[2], k);
    memset(sum, 0, (size_t)(to - from) * sizeof *sum);
    for (int n = 0; n < 3; n++)
        for (int m = 0; m < 3; m++) {
            VALUE w = V(mul)(y.weight[m], z.weight[n]);
            if (V(is_zero)(w))
                continue;
            const FN(line) l = FN(line_at)(t->g, y.place[m], z.place[n], t->b, t->x);
            FN(add_residual)(&l, w, from, to, sum);
        }
}

/* Computes coarse line (j, k) in pieces. */
static void FN(gather)(const transfer *t, int64_t j, int64_t k)
{
    const fur_grid_axis *a = t->g->axis;
    const int64_t *centre = FN(places)(a, FUR_GRID_CENTRE);
    const VALUE *before = FN(weights)(a, FUR_GRID_BEFORE);
    const VALUE *at = FN(weights)(a, FUR_GRID_AT);
    const VALUE *after = FN(weights)(a, FUR_GRID_AFTER);
    VALUE *out = (VALUE *)t->out + a[0].coarse * (j + a[1].coarse * k);
    VALUE sum[FINE_POINTS];
    for (int64_t c = 0, end; c < a[0].coarse; c = end) {
        end = fur_smaller(c + COARSE_POINTS, a[0].coarse);
        int64_t from = centre[c] - 1;
        FN(sum_lines)(t, j, k, from, centre[end - 1] + 2, sum);
        for (int64_t i = c; i < end; i++) {
            const VALUE *r = sum + (centre[i] - from);
            out[i] = V(fma)(after[i], r[1], V(fma)(at[i], r[0], V(mul)(before[i], r[-1])));
        }
    }
}

/* The coarse points on both sides of point i, and their weights. */
static FN(reach) FN(sides_of)(const fur_grid_axis *a, int64_t i)
{
    int64_t right = FN(places)(a, FUR_GRID_RIGHT)[i];
    return (FN(reach)){
        .place = {fur_grid_inside(a->periodic, a->coarse, right - 1),
                  fur_grid_inside(a->periodic, a->coarse, right)},
        .weight = {FN(weights)(a, FUR_GRID_FROM_LEFT)[i], FN(weights)(a, FUR_GRID_FROM_RIGHT)[i]},
    };
}

/* sum[c - from] += w x(c) at points from <= c < to of a coarse line. The first and the last point
 * may lie one beyond the ends of the line. */
static void FN(add_coarse)(const fur_grid_axis *a, VALUE w, const VALUE *x, int64_t from,
                           int64_t to, VALUE *sum)
{
    for (int64_t c = from; c < to; c++)
        sum[c - from] = V(fma)(w, x[fur_grid_inside(a->periodic, a->coarse, c)], sum[c - from]);
}

/* Up to four coarse lines around line (j, k), weighted. */
static void FN(sum_coarse)(const transfer *t, int64_t j, int64_t k, int64_t from, int64_t to,
                           VALUE *sum)
{
    const fur_grid_axis *a = t->g->axis;
    const FN(reach) y = FN(sides_of)(&a[1], j);
    const FN(reach) z = FN(sides_of)(&a[2], k);
    memset(sum, 0, (size_t)(to - from) * sizeof *sum);
    for (int n = 0; n < 2; n++)
        for (int m = 0; m < 2; m++) {
            VALUE w = V(mul)(y.weight[m], z.weight[n]);
            const VALUE *x = t->x;
            x += a[0].coarse * (y.place[m] + a[1].coarse * z.place[n]);
            if (!V(is_zero)(w))
                FN(add_coarse)(a, w, x, from, to, sum);
        }
}

/* Corrects line (j, k) in pieces. */
static void FN(spread)(const transfer *t, int64_t j, int64_t k)
{
    const fur_grid_axis *a = t->g->axis;
    const int64_t *right = FN(places)(a, FUR_GRID_RIGHT);
    const VALUE *from_left = FN(weights)(a, FUR_GRID_FROM_LEFT);
    const VALUE *from_right = FN(weights)(a, FUR_GRID_FROM_RIGHT);
    VALUE *out = (VALUE *)t->out + FN(line_start)(t->g, j, k);
    VALUE sum[COARSE_POINTS + 1];
    for (int64_t i = 0, end; i < a[0].points; i = end) {
        end = fur_smaller(i + COARSE_POINTS, a[0].points);
        int64_t from = right[i] - 1;
        FN(sum_coarse)(t, j, k, from, right[end - 1] + 1, sum);
        for (int64_t p = i; p < end; p++) {
            const VALUE *c = sum + (right[p] - from);
            out[p] = V(fma)(from_right[p], c[0], V(fma)(from_left[p], c[-1], out[p]));
        }
    }
}
#endif
