/* Stencils by name: negated Laplacians. */
#include <furrow/stencil.h>

#include <stdbool.h>

/* The neighbours along each axis, then the second neighbours. The stencils of 3, 5 and 7 points are
 * the first elements. */
static const fur_stencil_offset star[13] = {
    {0, 0, 0},  {-1, 0, 0}, {1, 0, 0},  {0, -1, 0}, {0, 1, 0},  {0, 0, -1}, {0, 0, 1},
    {-2, 0, 0}, {2, 0, 0},  {0, -2, 0}, {0, 2, 0},  {0, 0, -2}, {0, 0, 2},
};

static const fur_stencil_offset square[9] = {
    {0, 0, 0},   {-1, 0, 0}, {1, 0, 0},  {0, -1, 0}, {0, 1, 0},
    {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}, {1, 1, 0},
};

/* The centre, 6 neighbours across faces, 12 across edges, 8 across corners. */
static const fur_stencil_offset cube[27] = {
    {0, 0, 0},   {-1, 0, 0},  {1, 0, 0},   {0, -1, 0}, {0, 1, 0},   {0, 0, -1},   {0, 0, 1},
    {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0},  {1, 1, 0},  {-1, 0, -1}, {1, 0, -1},   {-1, 0, 1},
    {1, 0, 1},   {0, -1, -1}, {0, 1, -1},  {0, -1, 1}, {0, 1, 1},   {-1, -1, -1}, {1, -1, -1},
    {-1, 1, -1}, {1, 1, -1},  {-1, -1, 1}, {1, -1, 1}, {-1, 1, 1},  {1, 1, 1},
};

static const fur_scalar second_order_1d[3] = {{2, 0}, {-1, 0}, {-1, 0}};
static const fur_scalar second_order_2d[5] = {{4, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}};
static const fur_scalar second_order_3d[7] = {{6, 0},  {-1, 0}, {-1, 0}, {-1, 0},
                                              {-1, 0}, {-1, 0}, {-1, 0}};
static const fur_scalar fourth_order_3d[13] = {{90, 0},  {-16, 0}, {-16, 0}, {-16, 0}, {-16, 0},
                                               {-16, 0}, {-16, 0}, {1, 0},   {1, 0},   {1, 0},
                                               {1, 0},   {1, 0},   {1, 0}};
static const fur_scalar with_corners_2d[9] = {{8, 0},  {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0},
                                              {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}};
static const fur_scalar with_edges_3d[19] = {
    {24, 0}, {-2, 0}, {-2, 0}, {-2, 0}, {-2, 0}, {-2, 0}, {-2, 0}, {-1, 0}, {-1, 0}, {-1, 0},
    {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}};
static const fur_scalar with_corners_3d[27] = {
    {26, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0},
    {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0},
    {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}};

typedef struct named {
    int points;
    int axes;
    const fur_stencil_offset *offsets;
    const fur_scalar *coefficients;
} named;

static const named stencils[] = {
    {3, 1, star, second_order_1d},   {5, 2, star, second_order_2d},  {7, 3, star, second_order_3d},
    {9, 2, square, with_corners_2d}, {13, 3, star, fourth_order_3d}, {19, 3, cube, with_edges_3d},
    {27, 3, cube, with_corners_3d},
};

int fur_stencil_named(int points, fur_stencil_definition *definition)
{
    for (size_t i = 0; i < sizeof stencils / sizeof *stencils; i++) {
        const named *s = &stencils[i];
        if (s->points != points || !definition)
            continue;
        definition->axes = s->axes;
        definition->points = s->points;
        definition->offsets = s->offsets;
        definition->coefficients = s->coefficients;
        return true;
    }
    return false;
}
