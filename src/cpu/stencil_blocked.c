/* Stencils line by line, in blocks whose planes stay in the second-level cache while they march
 * along z (Rivera, Tseng 2000).
 *
 * All points of a line but those at its ends have the same terms, with lines of x at fixed steps:
 * they are added eight points a register. Sums gather in a small array, from which y is written
 * once, past the caches where it is large.
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

/* Points below which a further thread costs more than it brings. */
#    define POINT_GRAIN 16384
/* Points of a line whose sums gather before they are written. */
#    define LINE_POINTS 512
/* Of the second-level cache: what a block may have in it of x, and lines it has at least. */
#    define BLOCK_BYTES (1 << 20)
#    define BLOCK_LINES 16
/* Registers that are added to side by side. */
#    define REGISTERS 4

/* The most terms whose number the compiler knows; 0 stands for one that it does not. */
#    define MOST_KNOWN 27
#    define ANY 0

#    define INLINE static inline __attribute__((always_inline))

/* A term of a point: its entry of x is `step` entries away, its coefficient at c, or in the field
 * that begins at c. */
typedef struct term {
    int64_t step;
    const void *c;
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
    row *rows;     /* by the places along x, then y, then z */
    term *pool;    /* of all terms */
} blocks;

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static axis axis_of(const fur_stencil_view *s, int number)
{
    int64_t n = s->extent[number];
    int64_t low = fur_smaller(s->radius[number], n);
    int64_t high = larger(low, n - s->radius[number]);
    return (axis){low, high, low + 1 + n - high};
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

static int64_t parts_of(int64_t count, int64_t size)
{
    return (count + size - 1) / size;
}

static void cut(const fur_stencil_view *s, blocks *b)
{
    int64_t point_bytes = (2 * s->radius[2] + 1) * (int64_t)fur_value_size(s->value);
    int64_t columns = parts_of(s->extent[0], BLOCK_BYTES / BLOCK_LINES / point_bytes);
    b->width = parts_of(parts_of(s->extent[0], columns), LANES) * LANES;
    int64_t most = BLOCK_BYTES / (b->width * point_bytes);
    int64_t rows = parts_of(s->extent[1], larger(most, 1));
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

/* The terms of a point; returns how many there are. */
static int list_terms(const fur_stencil_view *s, const int64_t at[3], term *terms)
{
    int64_t p = at[0] + s->extent[0] * (at[1] + s->extent[1] * at[2]);
    int count = 0;
    for (int k = 0; k < s->points; k++) {
        int64_t neighbour = fur_stencil_neighbour(s, at, s->offsets[k]);
        if (neighbour >= 0)
            terms[count++] = (term){neighbour - p, coefficient(s, k)};
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
                *out++ = (row){list_terms(s, at, terms), terms};
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
    int64_t rows = 1;
    for (int number = 0; number < 3; number++) {
        b->axis[number] = axis_of(s, number);
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
};
#else
#    include "finish.h"

typedef FUR_LANES(VALUE_NAME) FN(lanes);

/* Points one after the other that have the same terms. */
typedef struct FN(run) {
    row row;
    bool fields;    /* coefficients have a value for each point */
    int64_t ahead;  /* as in blocks */
    int64_t p;      /* the first point */
    const VALUE *x; /* its entry */
} FN(run);

static VALUE FN(segment_at)(const FN(run) * r, int first, int last)
{
    VALUE sum = V(from)((fur_scalar){0, 0});
    for (const term *t = r->row.terms + first; t < r->row.terms + last; t++) {
        const VALUE *c = t->c;
        sum = V(fma)(c[r->fields ? r->p : 0], r->x[t->step], sum);
    }
    return sum;
}

/* The sum at the first point. */
static VALUE FN(sum_at)(const FN(run) * r)
{
    int count = r->row.count;
    VALUE sum = FN(segment_at)(r, 0, segment_end(count, 0));
    for (int t = FUR_ROW_SEGMENT; t < count; t += FUR_ROW_SEGMENT)
        sum = V(add)(sum, FN(segment_at)(r, t, segment_end(count, t)));
    return sum;
}

/* A segment at n registers of points, from the run's i-th on. */
INLINE void FN(segment_lanes)(const FN(run) * r, int first, int last, int64_t i, int n,
                              FN(lanes) * sum)
{
#    pragma GCC unroll 4
    for (int v = 0; v < n; v++)
        sum[v] = V(zero)();
    for (const term *t = r->row.terms + first; t < r->row.terms + last; t++) {
        const VALUE *c = t->c;
        const VALUE *x = r->x + t->step + i;
        FN(lanes) all = V(all)(*c);
#    pragma GCC unroll 4
        for (int v = 0; v < n; v++) {
            FN(lanes) own = r->fields ? V(load)(c + r->p + i + v * LANES) : all;
            sum[v] = V(madd)(own, V(load)(x + v * LANES), sum[v]);
        }
    }
}

INLINE void FN(sum_lanes)(const FN(run) * r, int64_t i, int n, VALUE *out)
{
    int count = r->row.count;
    FN(lanes) sum[REGISTERS];
    FN(lanes) next[REGISTERS];
    FN(segment_lanes)(r, 0, segment_end(count, 0), i, n, sum);
    for (int t = FUR_ROW_SEGMENT; t < count; t += FUR_ROW_SEGMENT) {
        FN(segment_lanes)(r, t, segment_end(count, t), i, n, next);
#    pragma GCC unroll 4
        for (int v = 0; v < n; v++)
            sum[v] = V(plus_some)(sum[v], next[v], ALL_LANES);
    }
#    pragma GCC unroll 4
    for (int v = 0; v < n; v++)
        V(store)(out + v * LANES, sum[v]);
}

/* The same for a number of constant coefficients that the compiler knows. */
INLINE void FN(sum_known)(const FN(lanes) * c, const VALUE *const *x, int count, int64_t i,
                          VALUE *out)
{
    FN(lanes) sum[REGISTERS];
#    pragma GCC unroll 4
    for (int v = 0; v < REGISTERS; v++)
        sum[v] = V(zero)();
#    pragma GCC unroll 27
    for (int t = 0; t < count; t++)
#    pragma GCC unroll 4
        for (int v = 0; v < REGISTERS; v++)
            sum[v] = V(madd)(c[t], V(load)(x[t] + i + v * LANES), sum[v]);
#    pragma GCC unroll 4
    for (int v = 0; v < REGISTERS; v++)
        V(store)(out + v * LANES, sum[v]);
}

/* The sums of `count` points, in blocks of n registers: one at their beginning, others from the
 * next cache line of x on, the last at their end. Where they overlap sums are computed again.
 * known: the number of terms, or ANY. */
INLINE void FN(sum_blocks)(const FN(run) * r, int known, int64_t count, int n, VALUE *out)
{
    const int64_t size = (int64_t)n * LANES;
    FN(lanes) c[MOST_KNOWN];
    const VALUE *x[MOST_KNOWN];
#    pragma GCC unroll 27
    for (int t = 0; t < known; t++) {
        c[t] = V(all)(*(const VALUE *)r->row.terms[t].c);
        x[t] = r->x + r->row.terms[t].step;
    }
    int64_t next = LANES - (int64_t)((uintptr_t)r->x / sizeof(VALUE) % LANES);
    for (int64_t begin = 0; begin < count; begin = next, next += size) {
        int64_t i = fur_smaller(begin, count - size);
        for (int v = 0; v < n; v++)
            fur_prefetch_ahead(r->x + r->ahead + i + v * LANES);
        if (known)
            FN(sum_known)(c, x, known, i, out + i);
        else
            FN(sum_lanes)(r, i, n, out + i);
    }
}

/* The sums of a run of at least `REGISTERS` registers. Common numbers of terms are compiled on
 * their own, where registers can hold their coefficients. */
static void FN(sum_long)(const FN(run) * r, int64_t count, VALUE *out)
{
    switch (r->fields || COMPLEX || !FUR_REAL_REGISTERS ? 0 : r->row.count) {
    case 5:
        FN(sum_blocks)(r, 5, count, REGISTERS, out);
        break;
    case 7:
        FN(sum_blocks)(r, 7, count, REGISTERS, out);
        break;
    case 9:
        FN(sum_blocks)(r, 9, count, REGISTERS, out);
        break;
    case 13:
        FN(sum_blocks)(r, 13, count, REGISTERS, out);
        break;
    case 19:
        FN(sum_blocks)(r, 19, count, REGISTERS, out);
        break;
    case 27:
        FN(sum_blocks)(r, 27, count, REGISTERS, out);
        break;
    default:
        FN(sum_blocks)(r, ANY, count, REGISTERS, out);
    }
}

/* The sums of `count` points. */
static void FN(sum_run)(FN(run) r, int64_t count, VALUE *out)
{
    if (count >= (int64_t)REGISTERS * LANES)
        FN(sum_long)(&r, count, out);
    else if (count >= LANES)
        FN(sum_blocks)(&r, ANY, count, 1, out);
    else
        for (int64_t i = 0; i < count; i++, r.p++, r.x++)
            out[i] = FN(sum_at)(&r);
}

/* The sums of `count` points from p on, which have one row. */
static void FN(sum_points)(const fur_stencil_call *call, const row *of, int64_t p, int64_t count,
                           VALUE *out)
{
    const blocks *b = call->state;
    const VALUE *x = call->x;
    FN(run) r = {*of, call->s->fields, b->ahead, p, x + p};
    FN(sum_run)(r, count, out);
}

/* The sums of the points from <= i < to of the line that begins at p. Those at both ends come
 * first: they are added while the first registers of the others are loaded. */
static void FN(sum_line)(const fur_stencil_call *call, const row *rows, int64_t p, int64_t from,
                         int64_t to, VALUE *out)
{
    const axis *a = &((const blocks *)call->state)->axis[0];
    int64_t low = larger(from, fur_smaller(to, a->low));
    int64_t high = larger(low, fur_smaller(to, a->high));
    for (int64_t i = from; i < low; i++)
        FN(sum_points)(call, &rows[place_of(a, i)], p + i, 1, out + (i - from));
    for (int64_t i = high; i < to; i++)
        FN(sum_points)(call, &rows[place_of(a, i)], p + i, 1, out + (i - from));
    FN(sum_points)(call, &rows[a->low], p + low, high - low, out + (low - from));
}

/* y = alpha sums + beta y for the points from p on. */
static void FN(write)(const fur_stencil_call *call, VALUE *sums, int64_t p, int64_t count,
                      bool stream)
{
    VALUE *y = (VALUE *)call->y + p;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    bool overwrite = V(is_zero)(beta);
    VALUE *to = stream ? sums : y;
    if (overwrite)
        for (int64_t i = 0; i < count; i++)
            to[i] = V(mul)(alpha, sums[i]);
    else
        for (int64_t i = 0; i < count; i++)
            FN(finish)(alpha, sums[i], beta, false, &y[i]);
    if (stream)
        fur_stream_copy(y, sums, (size_t)count * sizeof *y);
}

/* The points from <= i < to of line j in plane k. */
static void FN(multiply_line)(const fur_stencil_call *call, int64_t j, int64_t k, int64_t from,
                              int64_t to, bool stream)
{
    const fur_stencil_view *s = call->s;
    const row *rows = rows_of_line(call->state, j, k);
    int64_t p = s->extent[0] * (j + s->extent[1] * k);
    _Alignas(FUR_ALIGNMENT) VALUE sums[LINE_POINTS];
    for (int64_t next; from < to; from = next) {
        next = fur_smaller(to, from + LINE_POINTS);
        FN(sum_line)(call, rows, p, from, next, sums);
        FN(write)(call, sums, p + from, next - from, stream);
    }
}

static void FN(multiply)(const fur_stencil_call *call, int64_t begin, int64_t end)
{
    const fur_stencil_view *s = call->s;
    const blocks *b = call->state;
    bool stream = V(is_zero)(V(from)(call->beta)) &&
                  fur_streams(fur_stencil_rows(s) * (int64_t)sizeof(VALUE));
    for (int64_t slice = begin; slice < end; slice++) {
        int64_t k = slice % s->extent[2];
        int64_t block = slice / s->extent[2];
        int64_t from = block % b->columns * b->width;
        int64_t to = fur_smaller(s->extent[0], from + b->width);
        int64_t first = block / b->columns * b->height;
        int64_t last = fur_smaller(s->extent[1], first + b->height);
        for (int64_t j = first; j < last; j++)
            FN(multiply_line)(call, j, k, from, to, stream);
    }
    if (stream)
        fur_stream_end();
}

#endif
