/* Points as the search for nearest neighbours reads them. They are stored in blocks of BOX points,
 * in the caller's order or along a curve. If they follow a curve, boxes enclose blocks, and larger
 * boxes enclose boxes. */
#ifndef FURROW_CPU_NEIGHBOURS_CLOUD_H
#define FURROW_CPU_NEIGHBOURS_CLOUD_H

#include <furrow/graph.h>

#include "isa.h"
#include "neighbours_kernel.h"

/* Points of a block, blocks of a box, and boxes of a larger box. It is one register of floats, or
 * two of doubles. */
#define BOX 16
/* BOX to this power exceeds the number of blocks of 2^31 points. */
#define BOX_LEVELS 7

/* Each block has dims x BOX coordinates, and the coordinates of one dimension are contiguous.
 * Behind the last point there is NaN, which is near nothing. Each group of BOX boxes has the same
 * layout twice, for the low ends and then for the high ends. */
typedef struct cloud {
    fur_value_type value;
    int dims;
    int64_t count;    /* number of points */
    int64_t blocks;   /* blocks of BOX points */
    void *points;     /* of the value type */
    int32_t *numbers; /* numbers of the points, BOX of them for each block; -1 behind the last */
    int levels;       /* levels of boxes; 0: no boxes */
    /* For each level: the boxes, and the least number of a point in each box. A box of level 0
     * encloses a block, a box of the next level encloses a group of the level before. */
    void *boxes[BOX_LEVELS];
    int32_t *least[BOX_LEVELS];
} cloud;

static inline int64_t cloud_groups(int64_t items)
{
    return (items + BOX - 1) / BOX;
}

/* Fills a cleared cloud. order[p] is the number of the point at place p; NULL keeps the caller's
 * order. */
fur_status ISA(cloud_make)(fur_env *env, const fur_vectors_view *points, const int32_t *order,
                           cloud *c);
/* Makes the boxes, for at most FUR_NEIGHBOURS_GRID_DIMENSIONS dimensions. */
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
