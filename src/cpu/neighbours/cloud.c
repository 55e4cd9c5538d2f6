/* Clouds of points, which are copied into blocks and packed into boxes. */
#ifndef FUR_TEMPLATE
#    include "cloud.h"
#    include "split.h"
#    include "team.h"

#    include <math.h>
#    include <stddef.h>

#    define BLOCK_GRAIN 256

/* One pass over the blocks, or over the groups of boxes of a level. */
typedef struct cloud_pass {
    cloud *c;
    const fur_vectors_view *points;
    const int32_t *order;
    int level;
    int64_t items; /* that the level's boxes enclose */
} cloud_pass;

#    define FUR_TEMPLATE "neighbours/cloud.c"
#    include "foreach_value.h"

static void number_block(const cloud_pass *p, int64_t block)
{
    int32_t *numbers = p->c->numbers + block * BOX;
    for (int64_t lane = 0; lane < BOX; lane++) {
        int64_t place = block * BOX + lane;
        numbers[lane] = place >= p->c->count ? -1 : p->order ? p->order[place] : (int32_t)place;
    }
}

static void fill_blocks(void *job, int64_t begin, int64_t end)
{
    const cloud_pass *p = job;
    for (int64_t block = begin; block < end; block++) {
        number_block(p, block);
        if (p->c->value == FUR_F32)
            fill_block_f32(p, block);
        else
            fill_block_f64(p, block);
    }
}

fur_status ISA(cloud_make)(fur_env *env, const fur_vectors_view *points, const int32_t *order,
                           cloud *c)
{
    c->value = points->value_type;
    c->dims = (int)points->cols;
    c->count = points->rows;
    c->blocks = cloud_groups(c->count);
    FUR_TRY(fur_env_allocate(env, c->blocks * BOX, sizeof *c->numbers, &c->numbers));
    FUR_TRY(fur_env_allocate(env, c->blocks * BOX, (size_t)c->dims * fur_value_size(c->value),
                             &c->points));
    cloud_pass p = {c, points, order, 0, 0};
    fur_parallel(env, c->blocks / BLOCK_GRAIN, c->blocks, fill_blocks, &p);
    return FUR_OK;
}

static void pack_groups(void *job, int64_t begin, int64_t end)
{
    const cloud_pass *p = job;
    for (int64_t group = begin; group < end; group++) {
        if (p->c->value == FUR_F32)
            pack_group_f32(p, group);
        else
            pack_group_f64(p, group);
    }
}

fur_status ISA(cloud_pack)(fur_env *env, cloud *c)
{
    int64_t items = c->blocks;
    do {
        int level = c->levels++;
        int64_t groups = cloud_groups(items);
        FUR_TRY(fur_env_allocate(env, groups * BOX, 2 * (size_t)c->dims * fur_value_size(c->value),
                                 &c->boxes[level]));
        FUR_TRY(fur_env_allocate(env, groups * BOX, sizeof *c->least[level], &c->least[level]));
        cloud_pass p = {c, NULL, NULL, level, items};
        fur_parallel(env, groups / BLOCK_GRAIN, groups, pack_groups, &p);
        items = groups;
    } while (items > 1);
    return FUR_OK;
}

void ISA(cloud_release)(fur_env *env, cloud *c)
{
    for (int level = 0; level < c->levels; level++) {
        fur_env_release(env, c->least[level]);
        fur_env_release(env, c->boxes[level]);
    }
    fur_env_release(env, c->points);
    fur_env_release(env, c->numbers);
}

#elif !COMPLEX

static void FN(fill_block)(const cloud_pass *p, int64_t block)
{
    const cloud *c = p->c;
    const int32_t *numbers = c->numbers + block * BOX;
    REAL *to = (REAL *)c->points + block * BOX * c->dims;
    for (int lane = 0; lane < BOX; lane++)
        for (int j = 0; j < c->dims; j++)
            to[j * BOX + lane] =
                numbers[lane] < 0 ? (REAL)NAN : (REAL)cloud_coordinate(p->points, numbers[lane], j);
}

/* The smallest and the largest of BOX numbers; NaN is ignored. */
static void FN(range_of)(const REAL *low, const REAL *high, REAL *least, REAL *largest)
{
    REAL a = INFINITY;
    REAL b = -INFINITY;
    for (int i = 0; i < BOX; i++) {
        a = low[i] < a ? low[i] : a;
        b = high[i] > b ? high[i] : b;
    }
    *least = a <= b ? a : (REAL)NAN;
    *largest = a <= b ? b : (REAL)NAN;
}

/* Makes the boxes around the items of a group. An item is a block, or a group of the level
 * below. */
static void FN(pack_group)(const cloud_pass *p, int64_t group)
{
    const cloud *c = p->c;
    bool lowest = p->level == 0;
    const REAL *from = lowest ? c->points : c->boxes[p->level - 1];
    const int32_t *numbers = lowest ? c->numbers : c->least[p->level - 1];
    int64_t step = (lowest ? 1 : 2) * BOX * c->dims;
    ptrdiff_t highs = lowest ? 0 : BOX * c->dims;
    REAL *low = (REAL *)c->boxes[p->level] + group * 2 * BOX * c->dims;
    REAL *high = low + BOX * c->dims;
    for (int i = 0; i < BOX; i++) {
        int64_t item = group * BOX + i;
        int32_t least = INT32_MAX;
        for (int j = 0; j < c->dims; j++)
            low[j * BOX + i] = high[j * BOX + i] = (REAL)NAN;
        for (int j = 0; item < p->items && j < c->dims; j++)
            FN(range_of)
        (from + item * step + j * BOX, from + item * step + highs + j * BOX, &low[j * BOX + i],
         &high[j * BOX + i]);
        for (int lane = 0; item < p->items && lane < BOX; lane++) {
            int32_t number = numbers[item * BOX + lane];
            least = number >= 0 && number < least ? number : least;
        }
        c->least[p->level][group * BOX + i] = least;
    }
}
#endif
