/* Generates matrices by name: Laplacians on grids, with one or several unknowns a point. */
#include "generate.h"

#include <stdlib.h>
#include <string.h>

#include "generate_kinds.h"

/* A grid of n points along each of `axes` axes, with `unknowns` at each point. */
typedef struct grid {
    int64_t n;
    int axes;
    bool diagonals; /* neighbours that differ along several axes count too */
    int unknowns;
} grid;

typedef struct grid_name {
    const char *prefix;
    grid grid; /* its number of points is not set yet */
} grid_name;

/* The coupling of an unknown with the other unknowns of its point and with those of a neighbour. It
 * is relative to the coupling with its own kind. */
#define COUPLING 0.25

/* The neighbours of a point, including itself, in the order of their numbers. */
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

static fur_status generate_grid(fur_context *context, const grid *g, fur_csr **out)
{
    int64_t points = g->axes == 2 ? g->n * g->n : g->n * g->n * g->n;
    return generate_rows(context, points * g->unknowns, grid_row, g, out);
}

static bool starts(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static const grid_name grid_names[] = {{"5-point:", {0, 2, false, 1}},
                                       {"9-point:", {0, 2, true, 1}},
                                       {"7-point:", {0, 3, false, 1}},
                                       {"27-point:", {0, 3, true, 1}},
                                       {"nodes3:", {0, 3, true, 3}}};

static const grid_name *find_grid(const char *name)
{
    for (size_t i = 0; i < sizeof grid_names / sizeof *grid_names; i++)
        if (starts(name, grid_names[i].prefix))
            return &grid_names[i];
    return NULL;
}

bool generate_knows(const char *name)
{
    return find_grid(name) || starts(name, "random:") || starts(name, "rmat:") ||
           starts(name, "power:");
}

/* Reads the positive number after the first colon, and the number after a following x. A missing
 * number is 0. */
static void read_sizes(const char *name, long long *first, long long *second)
{
    char *end;
    *first = strtoll(strchr(name, ':') + 1, &end, 10);
    *second = *end == 'x' ? strtoll(end + 1, &end, 10) : 0;
    if (*end != '\0')
        *first = 0;
}

/* Points along an axis for which the number of rows stays below 2^31. */
static long long most_points(const grid_name *named)
{
    if (named->grid.axes == 2)
        return 40000;
    return named->grid.unknowns == 1 ? 1200 : 800;
}

fur_status generate_matrix(fur_context *context, const char *name, fur_csr **out)
{
    long long first;
    long long second;
    const grid_name *named = find_grid(name);
    read_sizes(name, &first, &second);
    if (named && first > 0 && first <= most_points(named) && second == 0) {
        grid g = named->grid;
        g.n = first;
        return generate_grid(context, &g, out);
    }
    bool rows_fit = !named && first > 0 && first <= INT32_MAX;
    if (starts(name, "random:") && rows_fit && second > 0 && second <= 1000)
        return generate_random(context, first, second, out);
    if (starts(name, "rmat:") && rows_fit && first <= 26 && second == 0)
        return generate_rmat(context, (int)first, out);
    if (starts(name, "power:") && rows_fit && second == 0)
        return generate_power(context, first, out);
    return fur_context_fail(
        context, FUR_INVALID,
        "\"%s\" is not a generated matrix; use 5-point:N, 7-point:N, 9-point:N, 27-point:N, "
        "nodes3:N, random:ROWSxENTRIES, rmat:SCALE or power:ROWS",
        name);
}
