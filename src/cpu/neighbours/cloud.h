/* Points as the search for nearest neighbours reads them: in blocks of as many as lie side by side,
 * in their own order or along a curve, and with it the boxes around blocks, and around boxes. */
#ifndef FURROW_CPU_NEIGHBOURS_CLOUD_H
#define FURROW_CPU_NEIGHBOURS_CLOUD_H

#include <furrow/neighbours.h>

#include "isa.h"
#include "neighbours_kernel.h"

/* Points of a block, blocks of a box, boxes of a larger one: a register of floats, two of doubles.
 */
#define BOX 16
/* BOX to this power is more than the blocks of 2^31 points. */
#define BOX_LEVELS 7

/* Each block has dims x BOX coordinates, those of one dimension side by side; behind the last point
 * NaN, which is near nothing. So has each group of BOX boxes, for their low ends, then their high
 * ends. */
typedef struct cloud {
    fur_value_type value;
    int dims;
    int64_t count;    /* points */
    int64_t blocks;   /* of BOX points */
    void *points;     /* of the value type */
    int32_t *numbers; /* of the points, blocks BOX of them; -1 behind the last */
    int levels;       /* of boxes; 0: there are none */
    /* For each level: the boxes, and the least number of a point in each. Boxes of level 0 are
     * around a block, of the next around a group of the level before. */
    void *boxes[BOX_LEVELS];
    int32_t *least[BOX_LEVELS];
} cloud;

static inline int64_t cloud_groups(int64_t items)
{
    return (items + BOX - 1) / BOX;
}

/* Fills a cleared cloud. order: numbers of the points in the order that they take; NULL: theirs. */
fur_status ISA(cloud_make)(fur_env *env, const fur_vectors_view *points, const int32_t *order,
                           cloud *c);
/* The boxes, for at most FUR_NEIGHBOURS_GRID_DIMENSIONS dimensions. */
fur_status ISA(cloud_pack)(fur_env *env, cloud *c);
void ISA(cloud_release)(fur_env *env, cloud *c);

/* order[p] = the number of the point at place p along the curve. */
fur_status ISA(curve_sort)(fur_env *env, const fur_vectors_view *points, int32_t *order);

/* Coordinate j of point i, of a real type. */
static inline double cloud_coordinate(const fur_vectors_view *points, int64_t i, int64_t j)
{
    bool by_rows = points->layout == FUR_LAYOUT_ROWS;
    int64_t at = by_rows ? i * points->stride + j : i + j * points->stride;
    return points->value_type == FUR_F32 ? (double)((const float *)points->data)[at]
                                         : ((const double *)points->data)[at];
}

#endif
