/* Coarsening of one axis.
 *
 * A point that is removed has both neighbours on the coarser level. It is interpolated as if no
 * force acted on it: x(i) = (e(i) x(i-1) + e(i+1) x(i+1)) / (e(i) + e(i+1)). This is linear
 * interpolation. The coarse axis is then the Galerkin operator P^T K P: the two edges of a removed
 * point become one edge, like springs in series. The masses are lumped: the mass of a removed point
 * goes to its neighbours in the same proportion.
 *
 * Points with odd numbers are kept. The number of points is therefore arbitrary. If the last point
 * is kept, the next level's edge to the boundary is as short as this level's edge. Otherwise it is
 * as long as the other edges. Periodic axes need an even number of points because of the two
 * colours, so that sometimes a point with an even number is also kept. */
#include "multigrid.h"

static fur_status allocate(fur_env *env, fur_axis *axis)
{
    FUR_TRY(fur_env_allocate_zeros(env, 2 * axis->points + 1, sizeof(double), &axis->edges));
    axis->masses = axis->edges + axis->points + 1;
    return FUR_OK;
}

/* The point with an even number that is kept, so that the coarser level of a periodic axis has an
 * even number of points. It is the point farthest from its neighbours, the first of several. */
static int64_t find_spare(const fur_axis *axis)
{
    int64_t n = axis->points;
    int64_t spare = 0;
    if (!axis->periodic || n <= 2 || n / 2 % 2 == 0)
        return -1;
    for (int64_t i = 2; i < n; i += 2)
        if (axis->edges[i] + axis->edges[i + 1] < axis->edges[spare] + axis->edges[spare + 1])
            spare = i;
    return spare;
}

fur_status fur_axis_create(fur_env *env, fur_boundary boundary, int64_t points, double edge,
                           fur_axis *out)
{
    fur_axis axis = {.points = points, .periodic = boundary == FUR_BOUNDARY_PERIODIC};
    double end = boundary == FUR_BOUNDARY_NEUMANN || (axis.periodic && points == 1) ? 0 : edge;
    FUR_TRY(allocate(env, &axis));
    for (int64_t i = 0; i < points; i++) {
        axis.edges[i] = i > 0 ? edge : end;
        axis.masses[i] = 1;
    }
    axis.edges[points] = end;
    axis.spare = find_spare(&axis);
    *out = axis;
    return FUR_OK;
}

void fur_axis_release(fur_env *env, fur_axis *axis)
{
    fur_env_release(env, axis->edges);
}

/* Returns whether a point is also on the coarser level. `coarse` is the number of points of that
 * level. */
static bool stays(const fur_axis *fine, int64_t coarse, int64_t i)
{
    return i % 2 == 1 || coarse == fine->points || i == fine->spare;
}

static double in_series(double e, double f)
{
    return e * f / (e + f);
}

/* The edge before a point that is kept, or before the end of the axis. */
static double edge_before(const fur_axis *fine, int64_t coarse, int64_t i)
{
    bool direct = i == 0 || stays(fine, coarse, i - 1);
    return direct ? fine->edges[i] : in_series(fine->edges[i - 1], fine->edges[i]);
}

static void set_edges(const fur_axis *fine, fur_axis *out)
{
    int64_t c = 0;
    for (int64_t i = 0; i < fine->points; i++)
        if (stays(fine, out->points, i))
            out->edges[c++] = edge_before(fine, out->points, i);
    if (out->periodic && out->points == 1) /* the edge leads around to the point itself */
        out->edges[0] = 0;
    out->edges[c] = out->periodic ? out->edges[0] : edge_before(fine, out->points, fine->points);
}

/* The weights of the neighbours in the interpolation of x(i). The weight is 0 without a
 * neighbour. */
static void interpolate(const fur_axis *fine, int64_t i, double *left, double *right)
{
    double before = fine->edges[i];
    double after = fine->edges[i + 1];
    *left = i > 0 || fine->periodic ? before / (before + after) : 0;
    *right = i < fine->points - 1 || fine->periodic ? after / (before + after) : 0;
}

static void set_masses(const fur_axis *fine, fur_axis *out)
{
    int64_t c = 0;
    for (int64_t i = 0; i < fine->points; i++) {
        double left = 0;
        double right = 1;
        bool stay = stays(fine, out->points, i);
        if (!stay)
            interpolate(fine, i, &left, &right);
        out->masses[fur_grid_inside(out->periodic, out->points, c - 1)] += left * fine->masses[i];
        out->masses[fur_grid_inside(out->periodic, out->points, c)] += right * fine->masses[i];
        c += stay;
    }
}

fur_status fur_axis_coarsen(fur_env *env, const fur_axis *fine, bool halve, fur_axis *out)
{
    int64_t half = fine->points / 2 + (fine->spare >= 0);
    fur_axis axis = {.points = halve ? half : fine->points, .periodic = fine->periodic};
    FUR_TRY(allocate(env, &axis));
    set_edges(fine, &axis);
    set_masses(fine, &axis);
    axis.spare = find_spare(&axis);
    *out = axis;
    return FUR_OK;
}

void fur_axis_set_rows(const fur_axis *axis, double shift, double *weights)
{
    int64_t n = axis->points;
    for (int64_t i = 0; i < n; i++) {
        double lower = axis->edges[i] / axis->masses[i];
        double upper = axis->edges[i + 1] / axis->masses[i];
        weights[FUR_GRID_LOWER * n + i] = i > 0 || axis->periodic ? lower : 0;
        weights[FUR_GRID_UPPER * n + i] = i < n - 1 || axis->periodic ? upper : 0;
        weights[FUR_GRID_DIAGONAL * n + i] = lower + upper + shift;
    }
}

/* Full weighting is the transpose of interpolation, with respect to the masses. Coarse point c
 * takes the value of point i times the weight of c in x(i), times m(i), over the mass of c. */
static void set_restriction(const fur_axis *fine, const fur_axis *coarse, double *weights,
                            const int64_t *places)
{
    int64_t n = fine->points;
    for (int64_t c = 0; c < coarse->points; c++) {
        int64_t i = places[FUR_GRID_CENTRE * n + c];
        int64_t before = fur_grid_inside(fine->periodic, n, i - 1);
        int64_t after = fur_grid_inside(fine->periodic, n, i + 1);
        double left = before == i || stays(fine, coarse->points, before)
                          ? 0
                          : weights[FUR_GRID_FROM_RIGHT * n + before];
        double right = after == i || stays(fine, coarse->points, after)
                           ? 0
                           : weights[FUR_GRID_FROM_LEFT * n + after];
        weights[FUR_GRID_BEFORE * n + c] = left * fine->masses[before] / coarse->masses[c];
        weights[FUR_GRID_AT * n + c] = fine->masses[i] / coarse->masses[c];
        weights[FUR_GRID_AFTER * n + c] = right * fine->masses[after] / coarse->masses[c];
    }
}

void fur_axis_set_transfer(const fur_axis *fine, const fur_axis *coarse, double *weights,
                           int64_t *places)
{
    int64_t n = fine->points;
    int64_t c = 0;
    for (int64_t i = 0; i < n; i++) {
        double left = 0;
        double right = 1;
        places[FUR_GRID_RIGHT * n + i] = c;
        if (stays(fine, coarse->points, i))
            places[FUR_GRID_CENTRE * n + c++] = i;
        else
            interpolate(fine, i, &left, &right);
        weights[FUR_GRID_FROM_LEFT * n + i] = left;
        weights[FUR_GRID_FROM_RIGHT * n + i] = right;
    }
    set_restriction(fine, coarse, weights, places);
}
