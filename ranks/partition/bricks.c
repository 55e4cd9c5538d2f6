/* Bricks of a grid along a Morton curve (Morton 1966). Consecutive bricks are close to each other,
 * so that a rank's share of the grid has few neighbours along all axes. */
#include "partition.h"

#include <furrow/author/context.h>
#include <furrow/author/recognised.h>
#include <furrow/stencil.h>

#include <string.h>

/* Sides of a brick, by the number of axes that the grid has. A brick has 2048 points, a leaf of
 * reductions in f64. */
static const int64_t sides[4][3] = {{1, 1, 1}, {2048, 1, 1}, {64, 32, 1}, {16, 16, 8}};

typedef struct grid {
    const int64_t *extent;
    int64_t side[3];   /* of a brick */
    int64_t bricks[3]; /* along each axis */
    int32_t *part;     /* brick of each point; x is the fastest axis */
    int32_t next;
} grid;

/* Chooses the sides of bricks so that their number does not exceed the maximum of parts. */
static void choose_sides(grid *g)
{
    int axes = 0;
    for (int i = 0; i < 3; i++)
        axes += g->extent[i] > 1;
    const int64_t *side = sides[axes];
    for (int i = 0; i < 3; i++)
        g->side[i] = g->extent[i] > 1 ? *side++ : 1;
    for (int axis = 0;; axis = (axis + 1) % 3) {
        for (int i = 0; i < 3; i++)
            g->bricks[i] = (g->extent[i] + g->side[i] - 1) / g->side[i];
        if (g->bricks[0] * g->bricks[1] * g->bricks[2] <= PARTS_MAX)
            return;
        g->side[axis] *= 2;
    }
}

/* Assigns the number of a brick to its points. */
static void number_points(grid *g, const int64_t at[3])
{
    int64_t begin[3];
    int64_t end[3];
    for (int i = 0; i < 3; i++) {
        begin[i] = at[i] * g->side[i];
        end[i] = begin[i] + g->side[i] < g->extent[i] ? begin[i] + g->side[i] : g->extent[i];
    }
    for (int64_t z = begin[2]; z < end[2]; z++)
        for (int64_t y = begin[1]; y < end[1]; y++)
            for (int64_t x = begin[0]; x < end[0]; x++)
                g->part[x + g->extent[0] * (y + g->extent[1] * z)] = g->next;
    g->next++;
}

/* Finds the brick of a Morton code, whose bits belong to z, y and x in turn, from the lowest bit
 * on. z is the fastest axis because bricks are short along it: two bricks form a cube. */
static void find_brick(uint64_t code, int64_t at[3])
{
    at[0] = at[1] = at[2] = 0;
    for (int bit = 0; code >> 3 * bit != 0; bit++)
        for (int i = 0; i < 3; i++)
            at[2 - i] |= (int64_t)(code >> (3 * bit + i) & 1) << bit;
}

/* Numbers the bricks by their codes. If the brick of a code is outside the grid, so is the largest
 * cube of bricks that begins with it, and it is skipped. */
static void number_grid(const int64_t extent[3], int32_t *part)
{
    grid g = {.extent = extent, .part = part};
    choose_sides(&g);
    int64_t left = g.bricks[0] * g.bricks[1] * g.bricks[2];
    for (uint64_t code = 0; left > 0;) {
        int64_t at[3];
        uint64_t step = 1;
        find_brick(code, at);
        if (at[0] < g.bricks[0] && at[1] < g.bricks[1] && at[2] < g.bricks[2]) {
            number_points(&g, at);
            left--;
        } else {
            while (code % (8 * step) == 0)
                step *= 8;
        }
        code += step;
    }
}

/* Finds the grid for which the matrix is a stencil. */
static fur_status find_grid(const fur_csr *a, int64_t extent[3])
{
    fur_recognise_report report = {.size = sizeof report};
    fur_recognised *found = NULL;
    fur_status status = fur_stencil_recognise(a, NULL, &report, &found);
    fur_recognised_destroy(found);
    memcpy(extent, report.extent, sizeof report.extent);
    if (status != FUR_OK || report.recognised)
        return status;
    return fur_context_fail(fur_csr_context(a), FUR_UNSUPPORTED,
                            "\"bricks\" needs the matrix of a grid: %s; use metis or scotch, or "
                            "give the extent of the grid in the options",
                            report.reason);
}

fur_status brick_parts(const fur_csr *a, const int64_t extent[3], int32_t *part)
{
    int64_t found[3] = {extent[0], extent[1], extent[2]};
    int64_t rows = fur_csr_get(a)->rows;
    if (rows == 0)
        return FUR_OK;
    if (extent[0] == 0) {
        fur_status status = find_grid(a, found);
        if (status != FUR_OK)
            return status;
    }
    number_grid(found, part);
    return FUR_OK;
}
