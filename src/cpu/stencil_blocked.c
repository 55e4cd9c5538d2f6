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
/* Of the second-level cache: what a block may have in it of x. */
#    define BLOCK_BYTES (512 << 10)
/* Registers that are added to side by side. */
#    define REGISTERS 4
#    define MOST_KNOWN 27

#    define INLINE static inline __attribute__((always_inline))

/* A term of a point: from there its entry of x is `step` entries away, and its coefficient at c, or
 * in the field that begins at c. */
typedef struct term {
    int64_t step;
    const void *c;
} term;

typedef struct terms {
    int count;
    term *list;
} terms;

/* The terms of the points of a line: of those whose neighbours along x are all inside, low <= i <
 * high, and of each of the others, the ends, from left to right. */
typedef struct line {
    terms inside;
    terms end[2 * FUR_STENCIL_RADIUS];
} line;

/* The grid in blocks of lines: `width` points of `height` lines in each plane. Slices of blocks,
 * one plane thick, are numbered along z, then by block along x and y. */
typedef struct blocks {
    const fur_stencil_view *s;
    int64_t low;
    int64_t high;
    int64_t width;
    int64_t height;
    int64_t columns; /* of blocks, along x */
    int64_t slices;
    line inner;  /* a line whose neighbours are all inside */
    line *outer; /* for each thread, of the other line at hand */
    term *pool;  /* of all lists */
} blocks;

static int64_t parts_of(int64_t count, int64_t size)
{
    return (count + size - 1) / size;
}

static void cut(blocks *b, const fur_stencil_view *s)
{
    int64_t n = s->extent[0];
    int64_t parts = parts_of(n, LINE_POINTS);
    b->s = s;
    b->low = fur_smaller(s->radius[0], n);
    b->high = n - s->radius[0] > b->low ? n - s->radius[0] : b->low;
    b->width = parts_of(parts_of(n, parts), LANES) * LANES;
    b->columns = parts_of(n, b->width);
    int64_t line_bytes = (2 * s->radius[2] + 1) * b->width * (int64_t)fur_value_size(s->value);
    int64_t most = BLOCK_BYTES / line_bytes;
    int64_t rows = parts_of(s->extent[1], most > 1 ? most : 1);
    b->height = parts_of(s->extent[1], rows);
    b->slices = b->columns * parts_of(s->extent[1], b->height) * s->extent[2];
}

/* Points for all distances along an axis from point i of it. */
static void neighbours(const fur_stencil_view *s, int axis, int64_t i,
                       int64_t point[FUR_STENCIL_WIDTH])
{
    for (int d = -s->radius[axis]; d <= s->radius[axis]; d++)
        point[d + FUR_STENCIL_RADIUS] =
            fur_boundary_point(s->boundary[axis], s->extent[axis], i + d);
}

/* The terms of point (i, j, k). */
static void list_terms(const fur_stencil_view *s, const int64_t at[3], terms *out)
{
    int64_t point[3][FUR_STENCIL_WIDTH];
    int64_t p = at[0] + s->extent[0] * (at[1] + s->extent[1] * at[2]);
    for (int axis = 0; axis < 3; axis++)
        neighbours(s, axis, at[axis], point[axis]);
    out->count = 0;
    for (int n = 0; n < s->points; n++) {
        int64_t x = point[0][s->offsets[n].x + FUR_STENCIL_RADIUS];
        int64_t y = point[1][s->offsets[n].y + FUR_STENCIL_RADIUS];
        int64_t z = point[2][s->offsets[n].z + FUR_STENCIL_RADIUS];
        if (x < 0 || y < 0 || z < 0)
            continue;
        const void *c = s->coefficients
                            ? (const char *)s->coefficients + (size_t)n * fur_value_size(s->value)
                            : s->fields[n];
        out->list[out->count++] = (term){x + s->extent[0] * (y + s->extent[1] * z) - p, c};
    }
}

static int64_t ends_of(const blocks *b)
{
    return b->low + b->s->extent[0] - b->high;
}

static int64_t place_of_end(const blocks *b, int64_t end)
{
    return end < b->low ? end : end - b->low + b->high;
}

static void list_line(const blocks *b, int64_t j, int64_t k, line *out)
{
    const fur_stencil_view *s = b->s;
    if (b->low < b->high)
        list_terms(s, (const int64_t[3]){b->low, j, k}, &out->inside);
    for (int64_t end = 0; end < ends_of(b); end++) {
        list_terms(s, (const int64_t[3]){place_of_end(b, end), j, k}, &out->end[end]);
    }
}

static bool is_inner(const fur_stencil_view *s, int axis, int64_t i)
{
    return i >= s->radius[axis] && i < s->extent[axis] - s->radius[axis];
}

/* Where the segment that begins at term `first` ends. */
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
    fur_env_release(env, b->outer);
    fur_env_release(env, b);
}

/* Lists of a line in memory of the pool; returns what is left of it. */
static term *place_line(const blocks *b, term *pool, line *out)
{
    int points = b->s->points;
    out->inside.list = pool;
    for (int64_t end = 0; end < ends_of(b); end++)
        out->end[end].list = pool += points;
    return pool + points;
}

static fur_status build(fur_env *env, blocks *b)
{
    const fur_stencil_view *s = b->s;
    int64_t lines = 1 + env->threads;
    FUR_TRY(fur_env_allocate(env, env->threads, sizeof *b->outer, &b->outer));
    FUR_TRY(fur_env_allocate(env, lines * (1 + ends_of(b)) * s->points, sizeof *b->pool, &b->pool));
    term *pool = place_line(b, b->pool, &b->inner);
    for (int thread = 0; thread < env->threads; thread++)
        pool = place_line(b, pool, &b->outer[thread]);
    if (is_inner(s, 1, s->radius[1]) && is_inner(s, 2, s->radius[2]))
        list_line(b, s->radius[1], s->radius[2], &b->inner);
    return FUR_OK;
}

static fur_status plan(fur_env *env, const fur_stencil_view *s, void **state)
{
    blocks *b;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *b, &b));
    cut(b, s);
    fur_status status = build(env, b);
    if (status == FUR_OK)
        *state = b;
    else
        release(env, b);
    return status;
}

static fur_status apply(const fur_stencil_call *call)
{
    static void (*const table[FUR_VALUE_COUNT])(const fur_stencil_call *, line *, int64_t,
                                                int64_t) = FUR_VALUE_TABLE(multiply);
    const blocks *b = call->state;
    int parts = fur_team(call->env->threads, fur_stencil_rows(call->s), POINT_GRAIN);
#    pragma omp parallel for schedule(static, 1) num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; part++)
        table[call->s->value](call, &b->outer[part], fur_split(b->slices, parts, part),
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

typedef FUR_LANES(VALUE_NAME) FN(lanes);

/* What the points of a run have in common. */
typedef struct FN(run) {
    const term *terms;
    int count;
    bool fields;    /* coefficients have a value for each point */
    int64_t p;      /* the first point */
    const VALUE *x; /* its entry */
} FN(run);

static VALUE FN(segment_at)(const FN(run) * r, int first, int last)
{
    VALUE sum = V(from)((fur_scalar){0, 0});
    for (int t = first; t < last; t++) {
        const VALUE *c = r->terms[t].c;
        sum = V(fma)(c[r->fields ? r->p : 0], r->x[r->terms[t].step], sum);
    }
    return sum;
}

/* The sum at the first point. */
static VALUE FN(sum_at)(const FN(run) * r)
{
    VALUE sum = FN(segment_at)(r, 0, segment_end(r->count, 0));
    for (int t = FUR_ROW_SEGMENT; t < r->count; t += FUR_ROW_SEGMENT)
        sum = V(add)(sum, FN(segment_at)(r, t, segment_end(r->count, t)));
    return sum;
}

/* A segment at n registers of points, from the run's i-th on. */
INLINE void FN(segment_lanes)(const FN(run) * r, int first, int last, int64_t i, int n,
                              FN(lanes) * sum)
{
    for (int v = 0; v < n; v++)
        sum[v] = V(zero)();
    for (int t = first; t < last; t++) {
        const VALUE *c = r->terms[t].c;
        const VALUE *x = r->x + r->terms[t].step + i;
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
    FN(lanes) sum[REGISTERS];
    FN(lanes) next[REGISTERS];
    FN(segment_lanes)(r, 0, segment_end(r->count, 0), i, n, sum);
    for (int t = FUR_ROW_SEGMENT; t < r->count; t += FUR_ROW_SEGMENT) {
        FN(segment_lanes)(r, t, segment_end(r->count, t), i, n, next);
#    pragma GCC unroll 4
        for (int v = 0; v < n; v++)
            sum[v] = V(plus_some)(sum[v], next[v], ALL_LANES);
    }
#    pragma GCC unroll 4
    for (int v = 0; v < n; v++)
        V(store)(out + v * LANES, sum[v]);
}

/* The same for a number of constant terms that the compiler knows. */
INLINE void FN(sum_known)(const FN(lanes) * c, const VALUE *const *x, int points, int64_t i,
                          VALUE *out)
{
    FN(lanes) sum[REGISTERS];
#    pragma GCC unroll 4
    for (int v = 0; v < REGISTERS; v++)
        sum[v] = V(zero)();
#    pragma GCC unroll 27
    for (int t = 0; t < points; t++)
#    pragma GCC unroll 4
        for (int v = 0; v < REGISTERS; v++)
            sum[v] = V(madd)(c[t], V(load)(x[t] + i + v * LANES), sum[v]);
#    pragma GCC unroll 4
    for (int v = 0; v < REGISTERS; v++)
        V(store)(out + i + v * LANES, sum[v]);
}

/* The sums of a run, in blocks of n registers: one at its beginning, others from the next cache
 * line of x on, the last at its end. Where they overlap sums are computed again. */
INLINE void FN(sum_run)(const FN(run) * r, int points, int64_t count, int n, VALUE *out)
{
    const int64_t size = (int64_t)n * LANES;
    const VALUE *ahead = r->x + r->terms[r->count - 1].step;
    FN(lanes) c[MOST_KNOWN];
    const VALUE *x[MOST_KNOWN];
#    pragma GCC unroll 27
    for (int t = 0; t < points; t++) {
        c[t] = V(all)(*(const VALUE *)r->terms[t].c);
        x[t] = r->x + r->terms[t].step;
    }
    int64_t next = LANES - (int64_t)((uintptr_t)r->x / sizeof(VALUE) % LANES);
    for (int64_t begin = 0; begin < count; begin = next, next += size) {
        int64_t i = fur_smaller(begin, count - size);
        for (int v = 0; v < n; v++)
            fur_prefetch_ahead(ahead + i + v * LANES);
        if (points)
            FN(sum_known)(c, x, points, i, out);
        else
            FN(sum_lanes)(r, i, n, out + i);
    }
}

/* The sums of `count` points. */
static void FN(sum_points)(const FN(run) * r, int64_t count, VALUE *out)
{
    if (count < LANES) {
        FN(run) at = *r;
        for (int64_t i = 0; i < count; i++, at.p++, at.x++)
            out[i] = FN(sum_at)(&at);
        return;
    }
    if (count < REGISTERS * LANES) {
        FN(sum_run)(r, 0, count, 1, out);
        return;
    }
    switch (r->fields || COMPLEX ? 0 : r->count) {
#    ifndef NOKNOWN
    case 7:
        FN(sum_run)(r, 7, count, REGISTERS, out);
        break;
    case 27:
        FN(sum_run)(r, 27, count, REGISTERS, out);
        break;
#    endif
    default:
        FN(sum_run)(r, 0, count, REGISTERS, out);
    }
}

/* y from the sums of the points from p on. */
static void FN(write)(const fur_stencil_call *call, VALUE *sum, int64_t p, int64_t count,
                      bool streams)
{
    VALUE *y = (VALUE *)call->y + p;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    if (streams) {
        for (int64_t i = 0; i < count; i++)
            sum[i] = V(mul)(alpha, sum[i]);
        fur_stream_copy(y, sum, (size_t)count * sizeof *y);
    } else if (V(is_zero)(beta)) {
        for (int64_t i = 0; i < count; i++)
            y[i] = V(mul)(alpha, sum[i]);
    } else {
        for (int64_t i = 0; i < count; i++)
            y[i] = V(fma)(alpha, sum[i], V(mul)(beta, y[i]));
    }
}

/* Points from <= i < to of the line that begins at p. */
static void FN(multiply_line)(const fur_stencil_call *call, const line *l, int64_t p, int64_t from,
                              int64_t to, bool streams)
{
    const blocks *b = call->state;
    const VALUE *x = (const VALUE *)call->x + p;
    bool fields = call->s->fields;
    VALUE sum[LINE_POINTS];
    for (int64_t end = 0; end < ends_of(b); end++) {
        int64_t i = place_of_end(b, end);
        if (i >= from && i < to)
            sum[i - from] =
                FN(sum_at)(&(FN(run)){l->end[end].list, l->end[end].count, fields, p + i, x + i});
    }
    int64_t first = from > b->low ? from : b->low;
    int64_t last = fur_smaller(to, b->high);
    if (first < last)
        FN(sum_points)
        (&(FN(run)){l->inside.list, l->inside.count, fields, p + first, x + first}, last - first,
         sum + (first - from));
    FN(write)(call, sum, p + from, to - from, streams);
}

static void FN(multiply)(const fur_stencil_call *call, line *outer, int64_t begin, int64_t end)
{
    const blocks *b = call->state;
    const fur_stencil_view *s = call->s;
    bool streams = V(is_zero)(V(from)(call->beta)) &&
                   fur_streams(fur_stencil_rows(s) * (int64_t)sizeof(VALUE));
    for (int64_t slice = begin; slice < end; slice++) {
        int64_t k = slice % s->extent[2];
        int64_t block = slice / s->extent[2];
        int64_t from = block % b->columns * b->width;
        int64_t to = fur_smaller(s->extent[0], from + b->width);
        int64_t j = block / b->columns * b->height;
        int64_t last = fur_smaller(s->extent[1], j + b->height);
        for (; j < last; j++) {
            bool inner = is_inner(s, 1, j) && is_inner(s, 2, k);
            if (!inner)
                list_line(b, j, k, outer);
            FN(multiply_line)
            (call, inner ? &b->inner : outer, s->extent[0] * (j + s->extent[1] * k), from, to,
             streams);
        }
    }
    if (streams)
        fur_stream_end();
}

#endif
