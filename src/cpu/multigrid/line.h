/* A line of grid points along the first axis, with the lines around it; a template over VALUE. */

/* The neighbours of point i are x at i - 1 and i + 1, and the four lines across at i. A line beyond
 * the boundary is replaced by the line itself, with weight 0. */
typedef struct FN(line) {
    int64_t points;
    bool periodic;
    const VALUE *lower;
    const VALUE *upper;
    const VALUE *diagonal;
    VALUE across_diagonal; /* what the other axes add to the diagonal */
    VALUE weight[4];
    const VALUE *across[4];
    const VALUE *x;
    const VALUE *b;
} FN(line);

static inline const VALUE *FN(weights)(const fur_grid_axis *axis, fur_grid_weight kind)
{
    return (const VALUE *)axis->weights + (int64_t)kind * axis->points;
}

static inline const int64_t *FN(places)(const fur_grid_axis *axis, fur_grid_place kind)
{
    return axis->places + (int64_t)kind * axis->points;
}

/* The first entry of line (j, k). */
static inline int64_t FN(line_start)(const fur_grid *g, int64_t j, int64_t k)
{
    return g->axis[0].points * (j + g->axis[1].points * k);
}

static inline FN(line)
    FN(line_at)(const fur_grid *g, int64_t j, int64_t k, const VALUE *b, const VALUE *x)
{
    const fur_grid_axis *a = g->axis;
    int64_t south = fur_grid_inside(a[1].periodic, a[1].points, j - 1);
    int64_t north = fur_grid_inside(a[1].periodic, a[1].points, j + 1);
    int64_t below = fur_grid_inside(a[2].periodic, a[2].points, k - 1);
    int64_t above = fur_grid_inside(a[2].periodic, a[2].points, k + 1);
    int64_t start = FN(line_start)(g, j, k);
    return (FN(line)){
        .points = a[0].points,
        .periodic = a[0].periodic,
        .lower = FN(weights)(&a[0], FUR_GRID_LOWER),
        .upper = FN(weights)(&a[0], FUR_GRID_UPPER),
        .diagonal = FN(weights)(&a[0], FUR_GRID_DIAGONAL),
        .across_diagonal =
            FN(weights)(&a[1], FUR_GRID_DIAGONAL)[j] + FN(weights)(&a[2], FUR_GRID_DIAGONAL)[k],
        .weight = {FN(weights)(&a[2], FUR_GRID_LOWER)[k], FN(weights)(&a[1], FUR_GRID_LOWER)[j],
                   FN(weights)(&a[1], FUR_GRID_UPPER)[j], FN(weights)(&a[2], FUR_GRID_UPPER)[k]},
        .across = {x + FN(line_start)(g, j, below), x + FN(line_start)(g, south, k),
                   x + FN(line_start)(g, north, k), x + FN(line_start)(g, j, above)},
        .x = x + start,
        .b = b + start,
    };
}

static inline VALUE FN(diagonal_at)(const FN(line) * l, int64_t i)
{
    return l->diagonal[i] + l->across_diagonal;
}

/* The residual at point i. Its neighbours along the line are the points `before` and `after`. */
static inline VALUE FN(residual_between)(const FN(line) * l, int64_t i, int64_t before,
                                         int64_t after)
{
    VALUE sum = V(fma)(l->weight[0], l->across[0][i], l->b[i]);
    sum = V(fma)(l->weight[1], l->across[1][i], sum);
    sum = V(fma)(l->lower[i], l->x[before], sum);
    sum = V(fma)(l->upper[i], l->x[after], sum);
    sum = V(fma)(l->weight[2], l->across[2][i], sum);
    sum = V(fma)(l->weight[3], l->across[3][i], sum);
    return V(fma)(-FN(diagonal_at)(l, i), l->x[i], sum);
}

/* The residual at any point, including the ends of the line. */
static inline VALUE FN(residual_at)(const FN(line) * l, int64_t i)
{
    return FN(residual_between)(l, i, fur_grid_inside(l->periodic, l->points, i - 1),
                                fur_grid_inside(l->periodic, l->points, i + 1));
}
