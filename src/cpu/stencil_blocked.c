/* Stencils line by line, in blocks whose planes stay in the second-level cache while they march
 * along z (Rivera, Tseng 2000).
 *
 * All points of a line have the same terms, with lines of x at fixed steps: they are added eight
 * points a register, two lines at once (stencil_tile.h). Lanes at the ends of a line are masked
 * where their terms are left out, and go one by one where x is mirrored or goes round.
 *
 * Bytes a point: two entries for x and y, and one for each field. */
#ifndef FUR_TEMPLATE
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "split.h"
#    include "stream.h"
#    include "table.h"

#    include <unistd.h>

/* Points below which a further thread costs more than it brings. */
#    define POINT_GRAIN 16384
/* Of the second-level cache: what a block may have in it of x, and lines it has at least. */
#    define BLOCK_BYTES (1 << 20)
#    define BLOCK_LINES 16
/* Points: whole cache lines of every type. */
#    define BLOCK_STEP 16
/* Registers that are added to side by side. */
#    define REGISTERS 4

/* The named stencils of radius 1 in three axes, a bit for each point by z, then y, then x. */
#    define BOX_POINTS 27
#    define BOX_27 0x7ffffffU
#    define BOX_19 0x2ebfebaU
#    define BOX_7 0x0417410U

#    ifdef FUR_SANITIZED
#        define INLINE static inline
#    else
#        define INLINE static inline __attribute__((always_inline))
#    endif
/* Lanes in plain C gain nothing by a second line. */
#    define PAIRS FUR_REAL_REGISTERS

/* A term of a point: its entry of x is `step` entries away, dx of them along the line, its
 * coefficient at c, or in the field that begins at c. */
typedef struct term {
    int64_t step;
    const void *c;
    int dx;
} term;

typedef struct row {
    int count;
    term *terms;
} row;

/* The points of an axis by their terms: those with all neighbours inside, low <= i < high, have
 * the same and one place in lists, number `low`; those at the ends have places before and behind.
 */
typedef struct axis {
    int64_t low;
    int64_t high;
    int64_t places;
} axis;

/* The grid in blocks of lines: `width` points of `height` lines in each plane. Slices of blocks,
 * one plane thick, are numbered along z, then by block along x and y. */
typedef struct blocks {
    axis axis[3];
    int64_t width;
    int64_t height;
    int64_t columns; /* of blocks, along x */
    int64_t slices;
    int64_t ahead; /* entries from a point to the last of its neighbours in memory */
    bool masked;   /* all points of a line have one place: terms that are left out are masked */
    unsigned box;  /* the points of radius 1 with constant coefficients, as BOX_27; else 0 */
    row *rows;     /* by the places along x, then y, then z */
    term *pool;    /* of all terms */
} blocks;

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static axis axis_of(int64_t n, int64_t radius)
{
    int64_t low = fur_smaller(radius, n);
    int64_t high = larger(low, n - radius);
    return (axis){low, high, low + 1 + n - high};
}

/* Whether all neighbours of the point are inside. */
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

/* A point of the place. */
static int64_t point_at(const axis *a, int64_t place)
{
    return place <= a->low ? place : place - a->low - 1 + a->high;
}

/* Bits 0 <= i < to */
static inline uint64_t bits_below(int64_t to)
{
    return to < 64 ? ~(UINT64_MAX << larger(to, 0)) : UINT64_MAX;
}

/* Bits from <= i < to */
static inline uint64_t bits_between(int64_t from, int64_t to)
{
    return bits_below(to) & ~bits_below(from);
}

static int64_t parts_of(int64_t count, int64_t size)
{
    return (count + size - 1) / size;
}

/* Planes that fit so are not cut: three quarters of the second-level cache, if its size is known.
 */
static int64_t uncut_bytes(void)
{
    int64_t cache = 0;
#    ifdef _SC_LEVEL2_CACHE_SIZE
    cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#    endif
    return larger(cache / 4 * 3, BLOCK_BYTES);
}

static void cut(const fur_stencil_view *s, blocks *b)
{
    int64_t point_bytes = (2 * s->radius[2] + 1) * (int64_t)fur_value_size(s->value);
    int64_t columns = parts_of(s->extent[0], BLOCK_BYTES / BLOCK_LINES / point_bytes);
    b->width = parts_of(parts_of(s->extent[0], columns), BLOCK_STEP) * BLOCK_STEP;
    int64_t line_bytes = b->width * point_bytes;
    int64_t most = larger(BLOCK_BYTES / line_bytes, 1);
    int64_t rows = s->extent[1] <= uncut_bytes() / line_bytes ? 1 : parts_of(s->extent[1], most);
    b->height = parts_of(s->extent[1], rows);
    b->columns = parts_of(s->extent[0], b->width);
    b->slices = b->columns * parts_of(s->extent[1], b->height) * s->extent[2];
    fur_stencil_offset last = s->offsets[s->points - 1];
    b->ahead = last.x + s->extent[0] * (last.y + s->extent[1] * last.z);
}

static const void *coefficient(const fur_stencil_view *s, int k)
{
    const char *constants = s->coefficients;
    return constants ? constants + (size_t)k * fur_value_size(s->value) : s->fields[k];
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

/* The terms of a point; returns how many there are. masked: those that its line leaves out at its
 * ends are among them. */
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

/* Where the segment that begins at a term ends. */
static inline int segment_end(int count, int first)
{
    return count - first < FUR_ROW_SEGMENT ? count : first + FUR_ROW_SEGMENT;
}

#    define FUR_TEMPLATE "stencil_blocked.c"
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
    /* Where terms are left out, segments of a long row begin elsewhere; shorter lines than a
     * register have more lanes to mask than points. */
    b->masked =
        s->boundary[0] == FUR_DIRICHLET && s->points <= FUR_ROW_SEGMENT && s->extent[0] >= LANES;
    b->box = box_of(s);
    int64_t rows = 1;
    for (int number = 0; number < 3; number++) {
        bool one_place = number == 0 && b->masked;
        b->axis[number] = axis_of(s->extent[number], one_place ? 0 : s->radius[number]);
        rows *= b->axis[number].places;
    }
    cut(s, b);
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
    int parts = fur_team(call->env->threads, fur_stencil_rows(call->s), POINT_GRAIN);
#    pragma omp parallel for schedule(static, 1) num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; part++)
        table[call->s->value](call, fur_split(b->slices, parts, part),
                              fur_split(b->slices, parts, part + 1));
    return FUR_OK;
}

extern const fur_stencil_kernel ISA(stencil_blocked);
const fur_stencil_kernel ISA(stencil_blocked) = {
    .name = "blocked",
    .summary = "lines of points in registers, in blocks that march along z",
    .source = "Rivera, Tseng 2000",
    .exact = true,
    .plan = plan,
    .apply = apply,
    .release = release,
    .depth = 1,
};
#else
#    include "finish.h"
#    include "stencil_tile.h"

static VALUE FN(segment_at)(const FN(tile) * t, const row *of, int first, int64_t i)
{
    int last = segment_end(of->count, first);
    VALUE sum = V(from)((fur_scalar){0, 0});
    for (const term *k = of->terms + first; k < of->terms + last; k++) {
        const VALUE *c = k->c;
        sum = V(fma)(c[t->fields ? t->p + i : 0], t->x[i + k->step], sum);
    }
    return sum;
}

/* Point i of the tile's line, whose terms are those of a row of its own. */
static void FN(multiply_point)(const FN(tile) * t, const row *of, int64_t i)
{
    VALUE sum = FN(segment_at)(t, of, 0, i);
    for (int k = FUR_ROW_SEGMENT; k < of->count; k += FUR_ROW_SEGMENT)
        sum = V(add)(sum, FN(segment_at)(t, of, k, i));
    t->y[i] = FN(combine)(t->alpha, sum, t->beta, t->overwrite, FN(other)(t, &t->y[i]));
}

static FN(tile) FN(tile_of)(const fur_stencil_call *call)
{
    const fur_stencil_view *s = call->s;
    const blocks *b = call->state;
    VALUE beta = V(from)(call->beta);
    return (FN(tile)){
        .fields = s->fields,
        .stream = (V(is_zero)(beta) || call->z != call->y) &&
                  (uintptr_t)call->y % sizeof(VALUE) == 0 &&
                  fur_streams(fur_stencil_rows(s) * (int64_t)sizeof(VALUE)),
        .overwrite = V(is_zero)(beta),
        .apart = (uintptr_t)call->z - (uintptr_t)call->y,
        .points = s->extent[0],
        .plane = s->extent[0] * s->extent[1],
        .near = b->masked ? s->radius[0] : 0,
        .ahead = b->ahead,
        .x = call->x,
        .y = call->y,
        .alpha = V(from)(call->alpha),
        .beta = beta,
    };
}

/* Whether lines j and j + 1 of a plane can go side by side. */
static bool FN(pair)(const blocks *b, const FN(tile) * t, int64_t j)
{
    return PAIRS && is_inside(&b->axis[1], j) && is_inside(&b->axis[1], j + 1) &&
           (!t->stream || t->points * (int64_t)sizeof(VALUE) % FUR_STREAM_LINE == 0);
}

/* The points t.from <= i < t.to of line j in plane k, and of the next if `lines` is 2. */
static void FN(multiply_lines)(const blocks *b, FN(tile) t, int64_t j, int64_t k, int lines)
{
    const axis *a = &b->axis[0];
    const row *rows = rows_of_line(b, j, k);
    int64_t from = t.from;
    int64_t to = t.to;
    t.p = t.points * j + t.plane * k;
    t.x += t.p;
    t.y += t.p;
    t.from = larger(from, a->low);
    t.to = fur_smaller(to, a->high);
    t.row = rows[a->low];
    t.box = is_inside(&b->axis[1], j) && is_inside(&b->axis[2], k) ? b->box : 0;
    if (t.from < t.to)
        FN(sweep_lines)(&t, lines);
    for (; lines > 0; lines--, t.p += t.points, t.x += t.points, t.y += t.points) {
        for (int64_t i = from; i < fur_smaller(to, a->low); i++)
            FN(multiply_point)(&t, &rows[place_of(a, i)], i);
        for (int64_t i = larger(from, a->high); i < to; i++)
            FN(multiply_point)(&t, &rows[place_of(a, i)], i);
    }
}

static void FN(multiply)(const fur_stencil_call *call, int64_t begin, int64_t end)
{
    const fur_stencil_view *s = call->s;
    const blocks *b = call->state;
    FN(tile) t = FN(tile_of)(call);
    for (int64_t slice = begin; slice < end; slice++) {
        int64_t k = slice % s->extent[2];
        int64_t block = slice / s->extent[2];
        t.from = block % b->columns * b->width;
        t.to = fur_smaller(s->extent[0], t.from + b->width);
        int64_t first = block / b->columns * b->height;
        int64_t last = fur_smaller(s->extent[1], first + b->height);
        for (int64_t j = first, lines; j < last; j += lines) {
            lines = j + 1 < last && FN(pair)(b, &t, j) ? 2 : 1;
            FN(multiply_lines)(b, t, j, k, (int)lines);
        }
    }
    if (t.stream)
        fur_stream_end();
}

#endif
