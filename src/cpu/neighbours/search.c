/* The search for nearest neighbours of a block of points at a time, among blocks of points.
 *
 * The distances of a point to a block are computed side by side. A distance that does not exceed
 * the worst of the point's row is inserted into the row. The row of the result serves as the list,
 * sorted by (distance, number) until the search ends. By brute force a block of points meets all
 * blocks. With boxes it first meets itself and then climbs the levels. At each level it meets the
 * contents of the boxes beside its own, nearest first, if they are near enough.
 *
 * The distance of a box is computed from the gaps between the box and a point, or between two
 * boxes, in the same order as a distance between points. Rounding is monotone, so that no point in
 * the box has a smaller computed distance. Skipping a box therefore cannot change a bit. A box
 * whose distance equals the worst may hold an equally far point with a lower number. */
#ifndef FUR_TEMPLATE
#    include "atomic.h"

#    include <furrow/author/clock.h>

#    include "cloud.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "split.h"
#    include "team.h"

#    include <math.h>

/* If there are at least this many points, the grid saves more time than it costs. */
#    define GRID_FROM 256

/* The pairs of points, or the blocks with boxes, that justify one more thread. */
#    define PAIR_GRAIN 65536
#    define BLOCK_GRAIN 16

#    ifdef FUR_SANITIZED
#        define INLINE static inline
#    else
#        define INLINE static inline __attribute__((always_inline))
#    endif

typedef struct search {
    const fur_neighbours_call *call;
    const fur_csr_view *out;
    const cloud *c;
} search;

#    define FUR_TEMPLATE "neighbours/search.c"
#    include "foreach_value.h"

static fur_status make_cloud(fur_env *env, const fur_neighbours_call *call, cloud *c)
{
    int32_t *order = NULL;
    if (!call->grid)
        return ISA(cloud_make)(env, call->points, NULL, c);
    FUR_TRY(fur_env_allocate(env, call->points->rows, sizeof *order, &order));
    fur_status status = ISA(curve_sort)(env, call->points, order);
    if (status == FUR_OK)
        status = ISA(cloud_make)(env, call->points, order, c);
    fur_env_release(env, order);
    return status == FUR_OK ? ISA(cloud_pack)(env, c) : status;
}

static fur_status find(fur_env *env, const fur_neighbours_call *call, const fur_csr_view *out)
{
    double start = fur_seconds();
    cloud c = {0};
    fur_status status = make_cloud(env, call, &c);
    if (status == FUR_OK) {
        search s = {call, out, &c};
        int64_t pairs = call->grid ? BLOCK_GRAIN : c.blocks * BOX * BOX;
        int64_t grain = call->grid ? BLOCK_GRAIN * BLOCK_GRAIN : PAIR_GRAIN;
        if (call->grid)
            *call->seconds_plan = fur_seconds() - start;
        fur_offsets_set(out->offset_type, (void *)(uintptr_t)out->offsets, 0, 0);
        double worth = (double)pairs * (double)c.blocks / (double)grain;
        fur_parallel(env, worth < INT32_MAX ? (int64_t)worth : INT32_MAX, c.blocks,
                     c.value == FUR_F32 ? search_blocks_f32 : search_blocks_f64, &s);
    }
    ISA(cloud_release)(env, &c);
    return status;
}

typedef struct check {
    const fur_vectors_view *points;
    fur_shared bad;
} check;

static void check_points(void *job, int64_t begin, int64_t end)
{
    check *c = job;
    for (int64_t i = begin; i < end; i++)
        for (int64_t j = 0; j < c->points->cols; j++)
            if (!isfinite(cloud_coordinate(c->points, i, j))) {
                fur_shared_least(&c->bad, i);
                return;
            }
}

static fur_status find_bad(fur_env *env, const fur_vectors_view *points, int64_t *row)
{
    check c = {points, points->rows};
    fur_parallel(env, points->rows * points->cols / PAIR_GRAIN, points->rows, check_points, &c);
    *row = c.bad < points->rows ? c.bad : -1;
    return FUR_OK;
}

extern const fur_neighbours_kernels ISA(neighbours_kernels);
const fur_neighbours_kernels ISA(neighbours_kernels) = {
    .grid_from = GRID_FROM, .find_bad = find_bad, .find = find};

#elif !COMPLEX

/* The points of a block, and the neighbours that each has found. */
typedef struct FN(group) {
    const search *s;
    const REAL *points; /* their coordinates */
    int64_t k;          /* length of each row */
    /* largest distance of a full row; infinite before; -1 if there is no point */
    REAL worst[BOX];
    int32_t last[BOX];   /* number of the point at that distance; INT32_MAX before */
    int32_t itself[BOX]; /* the number that is excluded; -1: none */
    int64_t found[BOX];  /* entries of each row so far */
    REAL *values[BOX];   /* the rows */
    int32_t *columns[BOX];
    REAL low[FUR_NEIGHBOURS_GRID_DIMENSIONS]; /* the box around the points, if there are boxes */
    REAL high[FUR_NEIGHBOURS_GRID_DIMENSIONS];
    REAL bound;         /* the largest of worst */
    int32_t bound_last; /* the largest of last */
} FN(group);

/* Inserts a point into a row. */
static void FN(insert)(FN(group) * g, int lane, REAL distance, int32_t number)
{
    REAL *values = g->values[lane];
    int32_t *columns = g->columns[lane];
    int64_t p = g->found[lane];
    if (p < g->k)
        g->found[lane]++;
    else
        p--;
    for (; p > 0 &&
           (values[p - 1] > distance || (values[p - 1] == distance && columns[p - 1] > number));
         p--) {
        values[p] = values[p - 1];
        columns[p] = columns[p - 1];
    }
    values[p] = distance;
    columns[p] = number;
    if (g->found[lane] == g->k) {
        g->worst[lane] = values[g->k - 1];
        g->last[lane] = columns[g->k - 1];
    }
}

/* Offers the points of a block to one point of the group. Only points that are near enough
 * enter. */
INLINE void FN(offer_block)(FN(group) * g, int lane, const REAL *points, const int32_t *numbers,
                            int dims)
{
    REAL distance[BOX];
    unsigned near = 0;
    REAL worst = g->worst[lane];
    for (int i = 0; i < BOX; i++) {
        REAL difference = points[i] - g->points[lane];
        distance[i] = difference * difference;
    }
    for (int j = 1; j < dims; j++)
        for (int i = 0; i < BOX; i++) {
            REAL difference = points[j * BOX + i] - g->points[j * BOX + lane];
            distance[i] = V(fma)(difference, difference, distance[i]);
        }
#    pragma omp simd reduction(| : near)
    for (int i = 0; i < BOX; i++)
        near |= distance[i] <= worst ? 1U << i : 0;
    for (; near; near &= near - 1) {
        int i = __builtin_ctz(near);
        bool nearer = distance[i] < g->worst[lane] ||
                      (distance[i] == g->worst[lane] && numbers[i] < g->last[lane]);
        if (nearer && numbers[i] != g->itself[lane])
            FN(insert)(g, lane, distance[i], numbers[i]);
    }
}

/* The points of the group that may have a neighbour in a box. The low and high ends in dimension j
 * are low[BOX j] and high[BOX j]. */
INLINE unsigned FN(near_box)(const FN(group) * g, const REAL *low, const REAL *high, int32_t least,
                             int dims)
{
    REAL distance[BOX];
    unsigned near = 0;
    for (int i = 0; i < BOX; i++)
        distance[i] = 0;
    for (int j = 0; j < dims; j++)
        for (int i = 0; i < BOX; i++) {
            REAL x = g->points[j * BOX + i];
            REAL below = low[j * BOX] - x;
            REAL above = x - high[j * BOX];
            REAL gap = below > above ? below : above;
            gap = gap > 0 ? gap : 0;
            distance[i] = V(fma)(gap, gap, distance[i]);
        }
#    pragma omp simd reduction(| : near)
    for (int i = 0; i < BOX; i++) {
        bool nearer =
            (distance[i] < g->worst[i]) | ((distance[i] == g->worst[i]) & (least < g->last[i]));
        near |= nearer ? 1U << i : 0;
    }
    return near;
}

static void FN(set_bound)(FN(group) * g)
{
    REAL bound = -1;
    int32_t last = -1;
    for (int i = 0; i < BOX; i++) {
        bound = g->worst[i] > bound ? g->worst[i] : bound;
        last = g->last[i] > last ? g->last[i] : last;
    }
    g->bound = bound;
    g->bound_last = last;
}

INLINE void FN(meet)(FN(group) * g, int64_t block, unsigned lanes, int dims)
{
    const cloud *c = g->s->c;
    const REAL *points = (const REAL *)c->points + block * BOX * dims;
    for (; lanes; lanes &= lanes - 1)
        FN(offer_block)(g, __builtin_ctz(lanes), points, c->numbers + block * BOX, dims);
}

/* Compares the group's points with the points of a block: of a box on the lowest level, or of the
 * group's own block. */
static void FN(meet_block)(FN(group) * g, int64_t block, unsigned lanes)
{
    switch (g->s->c->dims) {
    case 2:
        FN(meet)(g, block, lanes, 2);
        break;
    case 3:
        FN(meet)(g, block, lanes, 3);
        break;
    default:
        FN(meet)(g, block, lanes, g->s->c->dims);
    }
}

static bool FN(may_hold)(const FN(group) * g, REAL distance, int32_t least)
{
    return distance < g->bound || (distance == g->bound && least < g->bound_last);
}

/* The distances of the group's box from all boxes of a group, and the distances between the
 * middles. */
static void FN(box_distances)(const FN(group) * g, const REAL *low, const REAL *high,
                              REAL *distance, REAL *between)
{
    for (int i = 0; i < BOX; i++)
        distance[i] = between[i] = 0;
    for (int j = 0; j < g->s->c->dims; j++) {
        REAL middle = g->low[j] / 2 + g->high[j] / 2;
        for (int i = 0; i < BOX; i++) {
            REAL below = low[j * BOX + i] - g->high[j];
            REAL above = g->low[j] - high[j * BOX + i];
            REAL gap = below > above ? below : above; /* NaN if the box does not exist */
            REAL away = low[j * BOX + i] / 2 + high[j * BOX + i] / 2 - middle;
            gap = gap < 0 ? 0 : gap;
            distance[i] = V(fma)(gap, gap, distance[i]);
            between[i] = V(fma)(away, away, between[i]);
        }
    }
}

/* Chooses the boxes that may hold a neighbour, except box `but`. Boxes whose middles are near come
 * first, because the lists then shrink sooner. Equal distances are ordered by the least point
 * number. Returns the number of boxes. */
static int FN(choose)(const FN(group) * g, const REAL *distance, const REAL *between,
                      const int32_t *least, int but, int *chosen)
{
    int count = 0;
    for (int i = 0; i < BOX; i++) {
        if (i == but || !FN(may_hold)(g, distance[i], least[i]))
            continue;
        int p = count++;
        for (; p > 0 && (between[chosen[p - 1]] > between[i] ||
                         (between[chosen[p - 1]] == between[i] && least[chosen[p - 1]] > least[i]));
             p--)
            chosen[p] = chosen[p - 1];
        chosen[p] = i;
    }
    return count;
}

/* Meets the contents of a group of boxes, except box `but`. */
static void FN(visit)(FN(group) * g, int level, int64_t boxes, int but)
{
    const cloud *c = g->s->c;
    const REAL *low = (const REAL *)c->boxes[level] + boxes * 2 * BOX * c->dims;
    const REAL *high = low + BOX * c->dims;
    const int32_t *least = c->least[level] + boxes * BOX;
    REAL distance[BOX];
    REAL between[BOX];
    int chosen[BOX];
    FN(box_distances)(g, low, high, distance, between);
    int count = FN(choose)(g, distance, between, least, but, chosen);
    for (int p = 0; p < count; p++) {
        int i = chosen[p];
        if (!FN(may_hold)(g, distance[i], least[i]))
            continue;
        if (level > 0) {
            FN(visit)(g, level - 1, boxes * BOX + i, -1);
            continue;
        }
        FN(meet_block)(g, boxes * BOX + i, FN(near_box)(g, low + i, high + i, least[i], c->dims));
        FN(set_bound)(g);
    }
}

/* Starts the rows of a block's points. */
static void FN(begin_group)(FN(group) * g, int64_t block)
{
    const cloud *c = g->s->c;
    const fur_csr_view *out = g->s->out;
    g->points = (const REAL *)c->points + block * BOX * c->dims;
    for (int i = 0; i < BOX; i++) {
        int32_t number = c->numbers[block * BOX + i];
        int64_t begin = fur_larger(number, 0) * g->k;
        g->worst[i] = number < 0 ? (REAL)-1 : (REAL)INFINITY;
        g->last[i] = number < 0 ? -1 : INT32_MAX;
        g->itself[i] = g->s->call->with_self ? -1 : number;
        g->found[i] = 0;
        g->values[i] = (REAL *)(uintptr_t)out->values + begin;
        g->columns[i] = (int32_t *)(uintptr_t)out->columns + begin;
    }
}

/* Sorts a full row by columns, and stores the values that are asked for. */
static void FN(close_row)(const search *s, REAL *values, int32_t *columns)
{
    int64_t k = s->call->k;
    for (int64_t p = 1; p < k; p++) {
        REAL value = values[p];
        int32_t column = columns[p];
        int64_t q = p;
        for (; q > 0 && columns[q - 1] > column; q--) {
            values[q] = values[q - 1];
            columns[q] = columns[q - 1];
        }
        values[q] = value;
        columns[q] = column;
    }
    for (int64_t p = 0; p < k && !s->call->squared; p++)
        values[p] = sizeof(REAL) == sizeof(float) ? (REAL)sqrtf((float)values[p])
                                                  : (REAL)sqrt((double)values[p]);
}

static void FN(end_group)(const FN(group) * g, int64_t block)
{
    const fur_csr_view *out = g->s->out;
    const int32_t *numbers = g->s->c->numbers + block * BOX;
    for (int i = 0; i < BOX; i++) {
        if (numbers[i] < 0)
            continue;
        FN(close_row)(g->s, g->values[i], g->columns[i]);
        fur_offsets_set(out->offset_type, (void *)(uintptr_t)out->offsets, numbers[i] + INT64_C(1),
                        (numbers[i] + INT64_C(1)) * g->k);
    }
}

/* Meets the block itself, then its surroundings. */
static void FN(search_boxes)(FN(group) * g, int64_t block)
{
    const cloud *c = g->s->c;
    const REAL *own = (const REAL *)c->boxes[0] + block / BOX * 2 * BOX * c->dims + block % BOX;
    for (int j = 0; j < c->dims; j++) {
        g->low[j] = own[j * BOX];
        g->high[j] = own[(c->dims + j) * BOX];
    }
    FN(meet_block)(g, block, (1U << fur_smaller(BOX, c->count - block * BOX)) - 1);
    FN(set_bound)(g);
    for (int level = 0; level < c->levels; level++) {
        FN(visit)(g, level, block / BOX, (int)(block % BOX));
        block /= BOX;
    }
}

static void FN(search_blocks)(void *job, int64_t begin, int64_t end)
{
    const search *s = job;
    FN(group) g = {.s = s, .k = s->call->k};
    for (int64_t block = begin; block < end; block++) {
        unsigned lanes = (1U << fur_smaller(BOX, s->c->count - block * BOX)) - 1;
        FN(begin_group)(&g, block);
        if (s->c->levels > 0)
            FN(search_boxes)(&g, block);
        for (int64_t other = 0; s->c->levels == 0 && other < s->c->blocks; other++)
            FN(meet_block)(&g, other, lanes);
        FN(end_group)(&g, block);
    }
}
#endif
