/* The 27 points of radius 1 with eight constants c(|dx|, |dy|, |dz|). Entries with the same
 * constant are added before the multiplication.
 *
 * A column is the nine entries at one x. It has two weighted sums: `own`, with the constants of dx
 * = 0, for the point in its middle, and `side`, with the constants of |dx| = 1, for the points
 * beside it:
 *
 *     y(x) = own(x) + (side(x - 1) + side(x + 1))
 *
 * A point then takes 14 operations instead of 27. All loads are aligned if lines are, because sums
 * are moved from lane to lane, not entries. The additions are not in the order of the offsets
 * (docs/numerics.md).
 *
 * Bytes a point: two entries.
 *
 * Tried: sums of columns in a buffer for a line, and a second pass, reached 66 to 92 % of a
 * copy, because the second pass loads what was just stored. Sums moved between lanes reach 94 to
 * 106 %. */
#ifndef FUR_TEMPLATE
#    include "isa.h"
#    include "kernel.h"
#    include "lanes.h"
#    include "scalar.h"
#    include "cut.h"
#    include "stream.h"
#    include "table.h"

#    include <stdlib.h>

#    define BOX_POINTS 27
#    define CENTRE 13
/* Lines that are computed side by side, at most. */
#    define LINES (1 + PAIRS)

typedef struct plan_state {
    fur_cut cut;
    void *zeros; /* a line of zeros, for lines beyond a Dirichlet boundary */
} plan_state;

/* The number of the offset whose coefficient is used for |dx|, |dy|, |dz|. Offsets are ordered by
 * z, then y, then x. */
static int place_of(int dx, int dy, int dz)
{
    return CENTRE + dx + 3 * dy + 9 * dz;
}

static bool is_symmetric(const fur_stencil_view *s)
{
    const char *c = s->coefficients;
    const size_t size = fur_value_size(s->value_type);
    bool same = true;
    for (int k = 0; k < s->points; k++) {
        fur_stencil_offset o = s->offsets[k];
        int place = place_of(abs(o.x), abs(o.y), abs(o.z));
        same = same && memcmp(c + (size_t)k * size, c + (size_t)place * size, size) == 0;
    }
    return same;
}

#    define FUR_TEMPLATE "stencil/symmetric.c"
#    include "foreach_value.h"

/* An infinite coefficient times the zeros beyond a Dirichlet boundary would give NaN. */
static bool is_finite(const fur_stencil_view *s)
{
    static bool (*const table[FUR_VALUE_COUNT])(const fur_stencil_view *) =
        FUR_VALUE_TABLE(is_finite);
    return table[s->value_type](s);
}

static const char *refusal(const fur_stencil_view *s)
{
    if (s->points != BOX_POINTS || s->radius[0] != 1 || s->radius[1] != 1 || s->radius[2] != 1)
        return "it has other points than the 27 of radius 1";
    if (!s->coefficients)
        return "its coefficients are not constant";
    if (!is_symmetric(s))
        return "its coefficients differ at -1 and +1 along an axis";
    return is_finite(s) ? NULL : "its coefficients are not finite";
}

static void release(fur_env *env, void *state)
{
    plan_state *p = state;
    if (!p)
        return;
    fur_env_release(env, p->zeros);
    fur_env_release(env, p);
}

static fur_status plan(fur_env *env, const fur_stencil_view *s, void **state)
{
    plan_state *p;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *p, &p));
    p->cut = fur_cut_of(s, (int64_t)fur_value_size(s->value_type));
    fur_status status =
        fur_env_allocate_zeros(env, s->extent[0], fur_value_size(s->value_type), &p->zeros);
    if (status == FUR_OK)
        *state = p;
    else
        release(env, p);
    return status;
}

static fur_status apply(const fur_stencil_call *call)
{
    static void (*const table[FUR_VALUE_COUNT])(const fur_stencil_call *, int64_t, int64_t) =
        FUR_VALUE_TABLE(multiply);
    const plan_state *p = call->state;
    return fur_stencil_by_slices(call, &p->cut, table[call->s->value_type]);
}

extern const fur_stencil_kernel ISA(stencil_symmetric);
const fur_stencil_kernel ISA(stencil_symmetric) = {
    .info.name = "symmetric",
    .info.summary = "27 points with symmetric constant coefficients: adds before it multiplies",
    .info.source = "",
    .info.exact = false,
    .refusal = refusal,
    .plan = plan,
    .apply = apply,
    .release = release,
};
#else
#    include "output.h"

static bool FN(is_finite)(const fur_stencil_view *s)
{
    const REAL *parts = s->coefficients;
    bool finite = true;
    for (int i = 0; i < BOX_POINTS * (1 + COMPLEX); i++)
        finite = finite && isfinite(parts[i]);
    return finite;
}

/* Points from <= i < to of lines. */
typedef struct FN(piece) {
    FN(output) out;
    fur_boundary boundary; /* along x */
    int64_t ahead;         /* as in a cut */
    bool uncut;            /* lines are whole */
    int64_t from;
    int64_t to;
    const VALUE *c; /* of the offsets */
} FN(piece);

/* A line and the next: lines y - 1 to y + 2 of planes z - 1 to z + 1, or their replacements at a
 * boundary. */
typedef struct FN(lines) {
    const VALUE *x[3][LINES + 2];
    const VALUE *centre; /* the address of the line in x */
    VALUE *y;
} FN(lines);

/* The constants in registers, for |dx| = 0 and 1. Each has (|dy|, |dz|) = (0, 0), (1, 0), (0, 1),
 * (1, 1). */
typedef struct FN(constants) {
    FN(wide) at[2][4];
} FN(constants);

/* Sums of the columns of a register, for each line: `own` for the points in it, `side` for the
 * points beside them. */
typedef struct FN(columns) {
    FN(wide) own[LINES];
    FN(wide) side[LINES];
} FN(columns);

INLINE FN(constants) FN(constants_of)(const VALUE *c)
{
    FN(constants) all;
#    pragma GCC unroll 8
    for (int n = 0; n < 8; n++)
        all.at[n / 4][n % 4] = W(all)(c[place_of(n / 4, n % 2, n / 2 % 2)]);
    return all;
}

INLINE FN(wide) FN(weigh)(const FN(wide) c[4], const FN(wide) part[4])
{
    FN(wide) sum = W(zero)();
#    pragma GCC unroll 4
    for (int n = 0; n < 4; n++)
        sum = W(madd)(c[n], part[n], sum);
    return sum;
}

/* The sums of the columns from i on. If not `whole`, only the lanes of the mask are computed. */
INLINE FN(columns) FN(add_columns)(const FN(lines) * at, const FN(constants) * c, int64_t i,
                                   unsigned mask, bool whole, int lines)
{
    FN(columns) sums;
    FN(wide) middle[4];
    FN(wide) outer[4];
#    pragma GCC unroll 4
    for (int n = 0; n < lines + 2; n++) {
        FN(wide) entry[3];
#    pragma GCC unroll 3
        for (int z = 0; z < 3; z++)
            entry[z] = whole ? W(load)(at->x[z][n] + i) : W(load_some)(at->x[z][n] + i, mask);
        middle[n] = entry[1];
        outer[n] = W(plus)(entry[0], entry[2]);
    }
#    pragma GCC unroll 2
    for (int n = 0; n < lines; n++) {
        const FN(wide) part[4] = {middle[n + 1], W(plus)(middle[n], middle[n + 2]), outer[n + 1],
                                  W(plus)(outer[n], outer[n + 2])};
        sums.own[n] = FN(weigh)(c->at[0], part);
        sums.side[n] = FN(weigh)(c->at[1], part);
    }
    return sums;
}

/* The sums in the lanes of the mask. Other lanes are +0. If the mask is empty nothing is loaded:
 * the entries before a line would conflict, modulo 2^20, with the line that has just been
 * written. */
static FN(columns) FN(add_some)(const FN(piece) * t, const FN(lines) * at, int64_t i, unsigned mask)
{
    if (mask) {
        const FN(constants) c = FN(constants_of)(t->c);
        return FN(add_columns)(at, &c, i, mask, false, LINES);
    }
    FN(columns) none;
    for (int n = 0; n < LINES; n++)
        none.own[n] = none.side[n] = W(zero)();
    return none;
}

/* The sums at the ends of a line. A position just outside the line gets the column of the point
 * that replaces it. */
static __attribute__((noinline)) FN(columns)
    FN(add_end)(const FN(piece) * t, const FN(lines) * at, int64_t i)
{
    const int64_t points = t->out.points;
    const int64_t beyond[2] = {-1, points};
    const uint64_t inside = fur_bits_between(-i, points - i);
    FN(columns) sums = FN(add_some)(t, at, i, (unsigned)inside & ALL_WIDE);
    for (int end = 0; end < 2; end++) {
        int64_t lane = beyond[end] - i;
        int64_t point = fur_boundary_point(t->boundary, points, beyond[end]);
        if (lane < 0 || lane >= WIDTH || point < 0)
            continue;
        FN(columns) more = FN(add_some)(t, at, point - lane, 1U << lane);
        for (int n = 0; n < LINES; n++)
            sums.side[n] = W(plus)(sums.side[n], more.side[n]);
    }
    return sums;
}

/* Writes the register before i. The columns at i, which it needs, are known now. */
INLINE void FN(finish)(const FN(piece) * t, const FN(lines) * at, int64_t i, unsigned mask,
                       int lines, const FN(columns) * next, FN(columns) * now,
                       FN(wide) behind[LINES])
{
    const int64_t points = t->out.points;
    const int size = (int)sizeof(VALUE);
    fur_prefetch_lines(at->centre + t->ahead, (i - WIDTH) * size, points * size, WIDTH * size,
                       lines, t->uncut);
#    pragma GCC unroll 2
    for (int n = 0; n < lines; n++) {
        const FN(wide) sides =
            W(plus)(W(lower)(behind[n], now->side[n]), W(upper)(now->side[n], next->side[n]));
        FN(put)(&t->out, W(plus)(now->own[n], sides), mask, at->y + i - WIDTH + n * points);
        behind[n] = now->side[n];
    }
    *now = *next;
}

/* Registers begin at the start of a cache line of y. Stores cannot change local copies, so that
 * these stay in registers. Calls for the ends of lines use another copy of the lines. */
INLINE void FN(sweep)(const FN(piece) * of, const FN(lines) * at, int lines)
{
    const FN(piece) copy = *of;
    const FN(piece) *t = &copy;
    const FN(lines) ends = *at;
    const FN(constants) c = FN(constants_of)(t->c);
    const int64_t last = t->out.points - WIDTH;
    int64_t i = t->from - FN(skew)(at->y + t->from);
    FN(columns) before = FN(add_end)(of, &ends, i - WIDTH);
    FN(columns) now = FN(add_end)(of, &ends, i);
    do {
        for (i += WIDTH; i - WIDTH >= t->from && i <= fur_smaller(t->to, last); i += WIDTH) {
            const FN(columns) next = FN(add_columns)(at, &c, i, ALL_WIDE, true, lines);
            FN(finish)(t, at, i, ALL_WIDE, lines, &next, &now, before.side);
        }
        const FN(columns) next = FN(add_end)(of, &ends, i);
        uint64_t some = fur_bits_between(t->from - i + WIDTH, t->to - i + WIDTH);
        FN(finish)(t, at, i, (unsigned)some & ALL_WIDE, lines, &next, &now, before.side);
    } while (i < t->to);
}

/* Line j of plane z[1], and the next if `lines` is 2. z has the numbers of the planes around it. */
static void FN(multiply_lines)(const fur_stencil_call *call, const FN(piece) * t, int64_t j,
                               const int64_t z[3], int lines)
{
    const fur_stencil_view *s = call->s;
    const plan_state *state = call->state;
    const VALUE *x = call->x;
    int64_t p = s->extent[0] * (j + s->extent[1] * z[1]);
    FN(lines) at = {.centre = x + p, .y = (VALUE *)call->y + p};
#    pragma GCC unroll 4
    for (int n = 0; n < LINES + 2; n++) {
        int64_t y = fur_boundary_point(s->boundary[1], s->extent[1], j + n - 1);
#    pragma GCC unroll 3
        for (int k = 0; k < 3; k++)
            at.x[k][n] =
                y < 0 || z[k] < 0 ? state->zeros : x + s->extent[0] * (y + s->extent[1] * z[k]);
    }
    if (LINES == 2 && lines == 2)
        FN(sweep)(t, &at, LINES);
    else
        FN(sweep)(t, &at, 1);
}

static FN(piece) FN(piece_of)(const fur_stencil_call *call)
{
    const plan_state *p = call->state;
    return (FN(piece)){.out = FN(output_of)(call),
                       .boundary = call->s->boundary[0],
                       .ahead = p->cut.ahead,
                       .uncut = p->cut.columns == 1,
                       .c = call->s->coefficients};
}

static void FN(multiply)(const fur_stencil_call *call, int64_t begin, int64_t end)
{
    const fur_stencil_view *s = call->s;
    const plan_state *p = call->state;
    FN(piece) t = FN(piece_of)(call);
    const int side_by_side = FN(goes_in_pairs)(&t.out) ? 2 : 1;
    for (int64_t number = begin; number < end; number++) {
        const fur_slice at = fur_slice_of(s, &p->cut, number);
        int64_t z[3];
        for (int k = 0; k < 3; k++)
            z[k] = fur_boundary_point(s->boundary[2], s->extent[2], at.plane + k - 1);
        t.from = at.from;
        t.to = at.to;
        for (int64_t j = at.first, lines; j < at.last; j += lines) {
            lines = fur_smaller(at.last - j, side_by_side);
            FN(multiply_lines)(call, &t, j, z, (int)lines);
        }
    }
    if (t.out.stream)
        fur_stream_end();
}

#endif
