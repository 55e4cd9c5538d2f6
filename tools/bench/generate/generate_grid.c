/* Laplacians on grids, with one or several unknowns a point. */
#include "generate_kinds.h"

#include <stdlib.h>

/* The coupling of an unknown with the others of its point, and with those of a neighbour, relative
 * to that with its own kind. */
#define COUPLING 0.25

/* One point's neighbours, itself included, in the order of their numbers. */
typedef struct stencil {
    int count;
    int64_t points[27];
    double values[27];
} stencil;

static bool inside(const grid *g, int64_t i)
{
    return i >= 0 && i < g->n;
}

static double value_at(const grid *g, int moved)
{
    if (moved > 0)
        return -1;
    return g->diagonals ? 26 : 2 * g->axes;
}

static stencil stencil_at(const grid *g, int64_t point)
{
    stencil s = {.count = 0};
    int64_t i = point % g->n;
    int64_t j = point / g->n % g->n;
    int64_t k = point / g->n / g->n;
    int depth = g->axes == 3;
    for (int dk = -depth; dk <= depth; dk++) {
        for (int dj = -1; dj <= 1; dj++) {
            for (int di = -1; di <= 1; di++) {
                int moved = abs(di) + abs(dj) + abs(dk);
                if ((moved <= 1 || g->diagonals) && inside(g, i + di) && inside(g, j + dj) &&
                    inside(g, k + dk)) {
                    s.points[s.count] = point + (dk * g->n + dj) * g->n + di;
                    s.values[s.count++] = value_at(g, moved);
                }
            }
        }
    }
    return s;
}

static int64_t grid_row(const void *self, int64_t row, int32_t *columns, double *values)
{
    const grid *g = self;
    stencil s = stencil_at(g, row / g->unknowns);
    int own = (int)(row % g->unknowns);
    for (int p = 0; columns && p < s.count; p++) {
        for (int u = 0; u < g->unknowns; u++) {
            *columns++ = (int32_t)(s.points[p] * g->unknowns + u);
            *values++ = u == own ? s.values[p] : COUPLING * s.values[p];
        }
    }
    return (int64_t)s.count * g->unknowns;
}

fur_status generate_grid(fur_context *context, const grid *g, fur_csr **out)
{
    int64_t points = g->axes == 2 ? g->n * g->n : g->n * g->n * g->n;
    return generate_rows(context, points * g->unknowns, grid_row, g, out);
}
