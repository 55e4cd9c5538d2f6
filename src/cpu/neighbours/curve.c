/* The order of points along a Z-shaped curve (Morton 1966) through a grid of their ranks.
 *
 * The rank of a point in a dimension is the number of points with a smaller coordinate. The place
 * on the curve interleaves the bits of the ranks, highest first. Half of the grid then has half of
 * the points, wherever they lie. Outliers and clusters need no special case. */
#include "cloud.h"
#include "sort.h"
#include "split.h"
#include "team.h"

#include <string.h>

#define POINT_GRAIN 4096

/* Keys are sorted by half of their bits at a time, the lower half first. */
#define HALF_BITS 31
#define HALF_MAX INT32_MAX
#define CODE_BITS (2 * HALF_BITS)

#define TABLE_BITS 11

typedef struct curve {
    const fur_env *env;
    const fur_vectors_view *points;
    int parts;
    int dim;         /* the dimension whose ranks are being found */
    int rank_bits;   /* bits of a rank */
    int bits;        /* bits of a rank that are used */
    uint64_t *items; /* (key, number) */
    uint64_t *room;
    uint64_t *codes; /* the interleaved ranks of the points */
    int32_t *counts;
    int32_t *order;
    uint64_t spread[1 << TABLE_BITS]; /* a number's bits, moved apart by the number of dimensions */
} curve;

/* The number of bits of a key of this type. */
static int key_bits(fur_value_type type)
{
    return type == FUR_F32 ? HALF_BITS : 2 * HALF_BITS;
}

/* The key of a number of this type. Keys compare as the numbers do, except for their last bits. */
static uint64_t key_of(fur_value_type type, double x)
{
    x += 0.0; /* +0 and -0 get the same key */
    if (type == FUR_F32) {
        float single = (float)x;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        bits = bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
        return bits >> (32 - key_bits(type));
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits >> 63 ? ~bits : bits | UINT64_C(1) << 63) >> (64 - key_bits(type));
}

static double coordinate(const curve *c, int64_t number)
{
    return cloud_coordinate(c->points, number, c->dim);
}

static uint64_t coordinate_key(const curve *c, int32_t number)
{
    return key_of(c->points->value_type, coordinate(c, number));
}

/* Makes the items of all points, in the points' order, with the lower half of their coordinates as
 * key. */
static void begin_coordinates(void *job, int64_t begin, int64_t end)
{
    const curve *c = job;
    for (int64_t i = begin; i < end; i++)
        c->items[i] = fur_item((int32_t)(coordinate_key(c, (int32_t)i) & HALF_MAX), (int32_t)i);
}

static void turn_coordinates(void *job, int64_t begin, int64_t end)
{
    const curve *c = job;
    for (int64_t p = begin; p < end; p++) {
        int32_t number = fur_item_number(c->items[p]);
        c->items[p] = fur_item((int32_t)(coordinate_key(c, number) >> HALF_BITS), number);
    }
}

static void begin_codes(void *job, int64_t begin, int64_t end)
{
    const curve *c = job;
    for (int64_t i = begin; i < end; i++)
        c->items[i] = fur_item((int32_t)(c->codes[i] & HALF_MAX), (int32_t)i);
}

static void turn_codes(void *job, int64_t begin, int64_t end)
{
    const curve *c = job;
    for (int64_t p = begin; p < end; p++) {
        int32_t number = fur_item_number(c->items[p]);
        c->items[p] = fur_item((int32_t)(c->codes[number] >> HALF_BITS), number);
    }
}

/* Moves the bits of the rank to their places in a code. */
static uint64_t spread_rank(const curve *c, int64_t rank)
{
    uint64_t kept = (uint64_t)rank >> (c->rank_bits - c->bits);
    uint64_t code = 0;
    int dims = (int)c->points->cols;
    for (int shift = 0; shift < c->bits; shift += TABLE_BITS)
        code |= c->spread[kept >> shift & ((1 << TABLE_BITS) - 1)] << shift * dims;
    return code << c->dim;
}

/* Adds the ranks of sorted points to their codes. */
static void rank_points(void *job, int64_t begin, int64_t end)
{
    const curve *c = job;
    int64_t rank = begin;
    double last = coordinate(c, fur_item_number(c->items[begin]));
    while (rank > 0 && coordinate(c, fur_item_number(c->items[rank - 1])) == last)
        rank--;
    for (int64_t p = begin; p < end; p++) {
        int32_t number = fur_item_number(c->items[p]);
        double x = coordinate(c, number);
        if (x != last)
            rank = p;
        last = x;
        c->codes[number] |= spread_rank(c, rank);
    }
}

static void list_order(void *job, int64_t begin, int64_t end)
{
    const curve *c = job;
    for (int64_t p = begin; p < end; p++)
        c->order[p] = fur_item_number(c->items[p]);
}

static void for_points(curve *c, fur_body *body)
{
    fur_parallel(c->env, c->points->rows / POINT_GRAIN, c->points->rows, body, c);
}

static void sort(curve *c, int bits)
{
    int32_t most = (int32_t)((UINT64_C(1) << bits) - 1);
    uint64_t *sorted =
        fur_sort_items(c->env, c->items, c->room, c->points->rows, most, c->parts, c->counts);
    if (sorted != c->items)
        c->room = c->items;
    c->items = sorted;
}

/* Sorts items by a key of `bits` bits. `begin` sets the lower half of the key, `turn` the upper
 * half. */
static void sort_halves(curve *c, int bits, fur_body *begin, fur_body *turn)
{
    for_points(c, begin);
    sort(c, (int)fur_smaller(bits, HALF_BITS));
    if (bits > HALF_BITS) {
        for_points(c, turn);
        sort(c, bits - HALF_BITS);
    }
}

static void fill_table(curve *c)
{
    int dims = (int)c->points->cols;
    for (int value = 0; value < 1 << TABLE_BITS; value++) {
        c->spread[value] = 0;
        for (int bit = 0; bit < TABLE_BITS && bit * dims < 64; bit++)
            c->spread[value] |= (uint64_t)(value >> bit & 1) << bit * dims;
    }
}

static void run(curve *c)
{
    int dims = (int)c->points->cols;
    c->rank_bits = 1;
    while ((c->points->rows - 1) >> c->rank_bits > 0)
        c->rank_bits++;
    c->bits = (int)fur_smaller(c->rank_bits, CODE_BITS / dims);
    fill_table(c);
    for (c->dim = 0; c->dim < dims; c->dim++) {
        sort_halves(c, key_bits(c->points->value_type), begin_coordinates, turn_coordinates);
        for_points(c, rank_points);
    }
    sort_halves(c, c->bits * dims, begin_codes, turn_codes);
    for_points(c, list_order);
}

fur_status ISA(curve_sort)(fur_env *env, const fur_vectors_view *points, int32_t *order)
{
    fur_status status = FUR_OK;
    int64_t n = points->rows;
    curve *c;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *c, &c));
    c->env = env;
    c->points = points;
    c->order = order;
    c->parts = fur_lanes(env->threads, n / POINT_GRAIN);
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *c->items, &c->items));
    FUR_TRY_DONE(fur_env_allocate(env, n, sizeof *c->room, &c->room));
    FUR_TRY_DONE(fur_env_allocate_zeros(env, n, sizeof *c->codes, &c->codes));
    FUR_TRY_DONE(
        fur_env_allocate(env, (int64_t)c->parts << FUR_DIGIT_BITS, sizeof *c->counts, &c->counts));
    run(c);
done:
    fur_env_release(env, c->counts);
    fur_env_release(env, c->codes);
    fur_env_release(env, c->room);
    fur_env_release(env, c->items);
    fur_env_release(env, c);
    return status;
}
