/* Stencils line by line, in blocks whose planes stay in the second-level cache while the blocks
 * advance along z (Rivera, Tseng 2000).
 *
 * All points of a line have the same terms, with lines of x at fixed steps. A register adds eight
 * points, and two lines are computed at once (tile.h). At the ends of a line, lanes whose terms do
 * not exist are masked. If x is mirrored or periodic there, those points are computed one by one.
 *
 * Bytes a point: two entries for x and y, and one for each field.
 *
 * Tried: two streams of prefetches within one page cost a tenth to a fifth of the memory's rate,
 * and two pages cost nothing. If x and y agree in the low 20 bits of their addresses, registers of
 * y written one at a time reach 45 % of a copy, four together 90 %. Sums of three planes in
 * registers fail if planes are powers of two, because their lines share the sets of the caches. */
#ifndef FUR_TEMPLATE
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "split.h"
#    include "cut.h"
#    include "stream.h"
#    include "table.h"

#    include <string.h>

/* Registers that are summed side by side. */
#    define REGISTERS 4

/* The named stencils of radius 1 in three axes, a bit for each point by z, then y, then x. */
#    define BOX_POINTS 27
#    define BOX_27 0x7ffffffU
#    define BOX_19 0x2ebfebaU
#    define BOX_7 0x0417410U

/* A term of a point. Its entry of x is `step` entries away, of which dx are along the line. Its
 * coefficient is at c, or in the field that begins at c. */
typedef struct term {
    int64_t step;
    const void *c;
    int dx;
} term;

typedef struct row {
    int count;
    term *terms;
} row;

/* The points of an axis, grouped by their terms. The points low <= i < high have all neighbours
 * inside, and therefore the same terms: they share one place in lists, number `low`. Each point at
 * the ends has its own place, before or behind `low`. */
typedef struct axis {
    int64_t low;
    int64_t high;
    int64_t places;
} axis;

typedef struct blocks {
    fur_cut cut;
    axis axis[3];
    bool masked;  /* all points of a line share one place, and terms outside the grid are masked */
    unsigned box; /* the points of radius 1 with constant coefficients, as BOX_27; else 0 */
    row *rows;    /* by the places along x, then y, then z */
    term *pool;   /* of all terms */
} blocks;

static axis axis_of(int64_t n, int64_t radius)
{
    int64_t low = fur_smaller(radius, n);
    int64_t high = fur_larger(low, n - radius);
    return (axis){low, high, low + 1 + n - high};
}

/* Returns whether all neighbours of the point are inside. */
static bool is_inside(const axis *a, int64_t point)
{
    return point >= a->low && point < a->high;
}

static int64_t place_of(const axis *a, int64_t point)
{
    if (point < a->low)
        return point;
    return point < a->high ? a->low : point - a->high + a->low + 1;
}

/* The first point that has this place. */
static int64_t point_at(const axis *a, int64_t place)
{
    return place <= a->low ? place : place - a->low - 1 + a->high;
}

static const void *coefficient(const fur_stencil_view *s, int k)
{
    const char *constants = s->coefficients;
    return constants ? constants + (size_t)k * fur_value_size(s->value_type) : s->fields[k];
}

static unsigned box_of(const fur_stencil_view *s)
{
    if (s->fields || s->radius[0] > 1 || s->radius[1] > 1 || s->radius[2] > 1)
        return 0;
    unsigned box = 0;
    for (int k = 0; k < s->points; k++) {
        fur_stencil_offset o = s->offsets[k];
        box |= 1U << (9 * (o.z + 1) + 3 * (o.y + 1) + o.x + 1);
    }
    return box;
}

/* Lists the terms of a point, and returns their number. `masked`: the list includes the terms that
 * are masked at the ends of the line. */
static int list_terms(const fur_stencil_view *s, bool masked, const int64_t at[3], term *terms)
{
    int64_t p = at[0] + s->extent[0] * (at[1] + s->extent[1] * at[2]);
    int count = 0;
    for (int k = 0; k < s->points; k++) {
        fur_stencil_offset o = s->offsets[k];
        int dx = o.x;
        if (masked)
            o.x = 0;
        int64_t neighbour = fur_stencil_neighbour(s, at, o);
        if (neighbour >= 0)
            terms[count++] = (term){neighbour - p + (masked ? dx : 0), coefficient(s, k), dx};
    }
    return count;
}

static void list_rows(const fur_stencil_view *s, blocks *b)
{
    row *out = b->rows;
    term *terms = b->pool;
    for (int64_t k = 0; k < b->axis[2].places; k++)
        for (int64_t j = 0; j < b->axis[1].places; j++)
            for (int64_t i = 0; i < b->axis[0].places; i++, terms += s->points) {
                const int64_t at[3] = {point_at(&b->axis[0], i), point_at(&b->axis[1], j),
                                       point_at(&b->axis[2], k)};
                *out++ = (row){list_terms(s, b->masked, at, terms), terms};
            }
}

/* The rows of a line's points, by their places. */
static const row *rows_of_line(const blocks *b, int64_t j, int64_t k)
{
    int64_t line = place_of(&b->axis[1], j) + b->axis[1].places * place_of(&b->axis[2], k);
    return b->rows + b->axis[0].places * line;
}

/* Sums of a long row that are computed side by side. */
#    define SUMS_SIDE (REGISTERS * WIDTH)

#    define FUR_TEMPLATE "stencil/blocked.c"
#    include "foreach_value.h"

static void release(fur_env *env, void *state)
{
    blocks *b = state;
    if (!b)
        return;
    fur_env_release(env, b->pool);
    fur_env_release(env, b->rows);
    fur_env_release(env, b);
}

static fur_status build(fur_env *env, const fur_stencil_view *s, blocks *b)
{
    /* If terms were left out, the segments of a long row would begin elsewhere. Lines shorter than
     * a register have more masked lanes than points. */
    b->masked = s->boundary[0] == FUR_BOUNDARY_DIRICHLET && s->points <= FUR_ROW_SEGMENT &&
                s->extent[0] >= LANES;
    b->box = box_of(s);
    int64_t rows = 1;
    for (int number = 0; number < 3; number++) {
        bool one_place = number == 0 && b->masked;
        b->axis[number] = axis_of(s->extent[number], one_place ? 0 : s->radius[number]);
        rows *= b->axis[number].places;
    }
    b->cut = fur_cut_of(s, (int64_t)fur_value_size(s->value_type));
    FUR_TRY(fur_env_allocate(env, rows, sizeof *b->rows, &b->rows));
    FUR_TRY(fur_env_allocate(env, rows * s->points, sizeof *b->pool, &b->pool));
    list_rows(s, b);
    return FUR_OK;
}

static fur_status plan(fur_env *env, const fur_stencil_view *s, void **state)
{
    blocks *b;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *b, &b));
    fur_status status = build(env, s, b);
    if (status == FUR_OK)
        *state = b;
    else
        release(env, b);
    return status;
}

static fur_status apply(const fur_stencil_call *call)
{
    static void (*const table[FUR_VALUE_COUNT])(const fur_stencil_call *, int64_t, int64_t) =
        FUR_VALUE_TABLE(multiply);
    const blocks *b = call->state;
    return fur_stencil_by_slices(call, &b->cut, table[call->s->value_type]);
}

extern const fur_stencil_kernel ISA(stencil_blocked);
const fur_stencil_kernel ISA(stencil_blocked) = {
    .info.name = "blocked",
    .info.summary = "lines of points in registers, in blocks that march along z",
    .info.source = "Rivera, Tseng 2000",
    .info.exact = true,
    .plan = plan,
    .apply = apply,
    .release = release,
};
#else
#    include "finish.h"
#    include "output.h"
#    include "long_sum.h"
#    include "tile.h"

/* Computes point i of the tile's line from its own row of terms. */
static void FN(multiply_point)(const FN(tile) * t, const row *of, int64_t i)
{
    FN(long_sum) s;
    VALUE sum = V(from)((fur_scalar){0, 0});
    bool is_long = of->count > FUR_ROW_SEGMENT;
    FN(long_start)(&s, 1);
    for (const term *k = of->terms; k < of->terms + of->count; k++) {
        VALUE c = ((const VALUE *)k->c)[t->fields ? t->p + i : 0];
        if (is_long)
            FN(add_product)(&s, c, t->x[i + k->step]);
        else
            sum = V(fma)(c, t->x[i + k->step], sum);
    }
    if (is_long)
        FN(long_total)(&s, &sum);
    t->y[i] =
        FN(combine)(t->out.alpha, sum, t->out.beta, t->out.overwrite, FN(other)(&t->out, &t->y[i]));
}

static FN(tile) FN(tile_of)(const fur_stencil_call *call)
{
    const fur_stencil_view *s = call->s;
    const blocks *b = call->state;
    return (FN(tile)){
        .out = FN(output_of)(call),
        .fields = s->fields,
        .plane = s->extent[0] * s->extent[1],
        .near = b->masked ? s->radius[0] : 0,
        .ahead = b->cut.ahead,
        .uncut = b->cut.columns == 1,
        .x = call->x,
        .y = call->y,
    };
}

/* Returns whether lines j and j + 1 of a plane can be computed side by side. */
static bool FN(pair)(const blocks *b, const FN(tile) * t, int64_t j)
{
    return FN(goes_in_pairs)(&t->out) && is_inside(&b->axis[1], j) && is_inside(&b->axis[1], j + 1);
}

/* Computes the points t.from <= i < t.to of line j in plane k, and of the next line if `lines` is
 * 2. */
static void FN(multiply_lines)(const blocks *b, FN(tile) t, int64_t j, int64_t k, int lines)
{
    const axis *a = &b->axis[0];
    const row *rows = rows_of_line(b, j, k);
    int64_t from = t.from;
    int64_t to = t.to;
    t.p = t.out.points * j + t.plane * k;
    t.x += t.p;
    t.y += t.p;
    t.from = fur_larger(from, a->low);
    t.to = fur_smaller(to, a->high);
    t.row = rows[a->low];
    t.box = is_inside(&b->axis[1], j) && is_inside(&b->axis[2], k) ? b->box : 0;
    if (t.from < t.to)
        FN(sweep_lines)(&t, lines);
    for (; lines > 0; lines--, t.p += t.out.points, t.x += t.out.points, t.y += t.out.points) {
        for (int64_t i = from; i < fur_smaller(to, a->low); i++)
            FN(multiply_point)(&t, &rows[place_of(a, i)], i);
        for (int64_t i = fur_larger(from, a->high); i < to; i++)
            FN(multiply_point)(&t, &rows[place_of(a, i)], i);
    }
}

static void FN(multiply)(const fur_stencil_call *call, int64_t begin, int64_t end)
{
    const fur_stencil_view *s = call->s;
    const blocks *b = call->state;
    FN(tile) t = FN(tile_of)(call);
    for (int64_t slice = begin; slice < end; slice++) {
        const fur_slice at = fur_slice_of(s, &b->cut, slice);
        t.from = at.from;
        t.to = at.to;
        for (int64_t j = at.first, lines; j < at.last; j += lines) {
            lines = j + 1 < at.last && FN(pair)(b, &t, j) ? 2 : 1;
            FN(multiply_lines)(b, t, j, at.plane, (int)lines);
        }
    }
    if (t.out.stream)
        fur_stream_end();
}

#endif
