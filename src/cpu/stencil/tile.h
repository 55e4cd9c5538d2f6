/* Parts of one line of a grid, or of two lines side by side, in registers; a template over VALUE.
 *
 * Blocks of REGISTERS registers advance along the lines. Each loaded entry of x is added to all
 * sums that use it, and y is written once, from registers. At the ends of a line, lanes are masked.
 *
 * The stores of a block follow after all its loads have been issued. A load stalls behind a recent
 * store whose address has the same low 20 bits, and x and y often agree in these bits. */

/* Points from <= i < to of the line that begins at entry p, and of the next line. Points closer
 * than `near` to the ends may have neighbours outside. */
typedef struct FN(tile) {
    FN(output) out;
    row row;
    bool fields;   /* coefficients have a value for each point */
    unsigned box;  /* as in `blocks` */
    int64_t plane; /* points of a plane */
    int64_t from;
    int64_t to;
    int64_t near;
    int64_t ahead; /* as in a cut */
    bool uncut;    /* lines are not cut */
    int64_t p;
    const VALUE *x; /* the line in x, from p on; y likewise */
    VALUE *y;
} FN(tile);

/* One bit for each point of block i: set if the point is computed and has a neighbour at dx. */
INLINE uint64_t FN(bits)(const FN(tile) * t, int64_t i, int dx)
{
    return fur_bits_between(fur_larger(t->from, -dx) - i,
                            fur_smaller(t->to, t->out.points - dx) - i);
}

/* Loads a register: all lanes if `whole`, else the lanes of the mask. */
INLINE FN(wide) FN(take)(const VALUE *p, unsigned mask, bool whole)
{
    return whole ? W(load)(p) : W(load_some)(p, mask);
}

INLINE FN(wide) FN(add)(FN(wide) c, FN(wide) entry, FN(wide) sum, unsigned mask, bool whole)
{
    return whole ? W(madd)(c, entry, sum) : W(madd_some)(c, entry, sum, mask);
}

/* Adds term k of a stencil to the sums of a block in `lines` lines. Its coefficient is a constant,
 * or an entry of a field. */
INLINE void FN(add_term)(const FN(tile) * t, const term *at, bool field, int64_t i, int lines,
                         bool whole, FN(wide) * sum)
{
    const int wide = REGISTERS / lines;
    const VALUE *c = at->c;
    const VALUE *x = t->x + at->step + i;
    FN(wide) own = W(all)(*c);
    uint64_t bits = whole ? 0 : FN(bits)(t, i, at->dx);
#pragma GCC unroll 4
    for (int n = 0; n < REGISTERS; n++) {
        unsigned mask = whole ? ALL_WIDE : bits >> n % wide * WIDTH & ALL_WIDE;
        int64_t step = n / wide * t->out.points + n % wide * WIDTH;
        if (field)
            own = FN(take)(c + t->p + i + step, mask, whole);
        FN(wide) entry = FN(take)(x + step, mask, whole);
        sum[n] = FN(add)(own, entry, sum[n], mask, whole);
    }
}

/* Sums the terms first, first + step, ... before `last`. */
INLINE void FN(add_terms)(const FN(tile) * t, int first, int last, int step, int64_t i, int lines,
                          bool whole, FN(wide) * sum)
{
#pragma GCC unroll 4
    for (int n = 0; n < REGISTERS; n++)
        sum[n] = W(zero)();
    for (int k = first; k < last; k += step) {
        const term *at = t->row.terms + k;
        if (t->fields)
            FN(add_term)(t, at, true, i, lines, whole, sum);
        else
            FN(add_term)(t, at, false, i, lines, whole, sum);
    }
}

/* Sums the terms of a row that is longer than a segment. */
static void FN(add_long_row)(const FN(tile) * t, int64_t i, int lines, bool whole, FN(wide) * sum)
{
    FN(long_sum) s;
    FN(abreast) lane[FUR_ROW_LANES];
    const int count = t->row.count;
    FN(long_start)(&s, SUMS_SIDE);
    for (int k = 0; k < count; k += FUR_ROW_SEGMENT) {
        int end = (int)fur_smaller(count, k + FUR_ROW_SEGMENT);
        for (int l = 0; l < FUR_ROW_LANES; l++) {
            FN(add_terms)(t, k + l, end, FUR_ROW_LANES, i, lines, whole, sum);
            for (int n = 0; n < REGISTERS; n++)
                W(store)(lane[l] + (ptrdiff_t)n * WIDTH, sum[n]);
        }
        FN(add_segment)(&s, lane);
    }
    FN(long_total)(&s, lane[0]);
    for (int n = 0; n < REGISTERS; n++)
        sum[n] = W(load)(lane[0] + (ptrdiff_t)n * WIDTH);
}

/* Sums all terms of a row of any length. */
INLINE void FN(add_row)(const FN(tile) * t, int64_t i, int lines, bool whole, FN(wide) * sum)
{
    if (t->row.count > FUR_ROW_SEGMENT)
        FN(add_long_row)(t, i, lines, whole, sum);
    else
        FN(add_terms)(t, 0, t->row.count, 1, i, lines, whole, sum);
}

/* Sums the terms of a known subset of the 27 points of radius 1, whose coefficients are c. Each
 * entry of x is loaded once for both lines. */
INLINE void FN(add_box)(const FN(tile) * t, unsigned box, const FN(wide) * c, int64_t i, int lines,
                        bool whole, FN(wide) * sum)
{
    const int wide = REGISTERS / lines;
    const VALUE *x = t->x + i - t->out.points - t->plane;
    uint64_t bits[3];
    for (int dx = 0; dx < 3; dx++)
        bits[dx] = FN(bits)(t, i, dx - 1);
#pragma GCC unroll 4
    for (int n = 0; n < REGISTERS; n++)
        sum[n] = W(zero)();
#pragma GCC unroll 3
    for (int z = 0; z < 3; z++, x += t->plane - (lines + 2) * t->out.points)
#pragma GCC unroll 4
        for (int line = 0; line < lines + 2; line++, x += t->out.points) {
            __asm__("" : "+r"(x)); /* one pointer in a register instead of 12 in memory */
#pragma GCC unroll 12
            for (int n = 0; n < 3 * wide; n++) {
                int dx = n / wide;
                int v = n % wide;
                int first = 9 * z + 3 * line + dx; /* the point of the first line */
                bool one = line < 3 && box >> first & 1;
                bool two = lines == 2 && line > 0 && box >> (first - 3) & 1;
                if (!one && !two)
                    continue;
                unsigned mask = whole ? ALL_WIDE : bits[dx] >> v * WIDTH & ALL_WIDE;
                FN(wide) entry = FN(take)(x + v * WIDTH + dx - 1, mask, whole);
                W(keep)(&entry);
                if (two)
                    sum[wide + v] = FN(add)(c[first - 3], entry, sum[wide + v], mask, whole);
                if (one)
                    sum[v] = FN(add)(c[first], entry, sum[v], mask, whole);
            }
        }
}

INLINE void FN(put_block)(const FN(tile) * t, const FN(wide) * sum, int64_t i, int lines,
                          bool whole)
{
    const int wide = REGISTERS / lines;
    uint64_t bits = FN(bits)(t, i, 0);
#pragma GCC unroll 4
    for (int n = 0; n < REGISTERS; n++) {
        unsigned mask = whole ? ALL_WIDE : bits >> n % wide * WIDTH & ALL_WIDE;
        FN(put)(&t->out, sum[n], mask, t->y + i + n / wide * t->out.points + n % wide * WIDTH);
    }
}

INLINE void FN(sweep_block)(const FN(tile) * t, unsigned box, const FN(wide) * c, int64_t i,
                            int lines, bool whole)
{
    const int wide = REGISTERS / lines;
    const int size = (int)sizeof(VALUE);
    FN(wide) sum[REGISTERS];
    fur_prefetch_lines(t->x + t->ahead, i * size, t->out.points * size, wide * WIDTH * size, lines,
                       t->uncut);
    if (box)
        FN(add_box)(t, box, c, i, lines, whole, sum);
    else
        FN(add_row)(t, i, lines, whole, sum);
    FN(put_block)(t, sum, i, lines, whole);
}

/* Blocks begin at the start of a cache line of y. Stores cannot change a local copy of the tile, so
 * that the copy stays in registers. */
INLINE void FN(sweep)(const FN(tile) * of, unsigned box, int lines)
{
    const FN(tile) copy = *of;
    const FN(tile) *t = &copy;
    const int64_t size = (int64_t)REGISTERS / lines * WIDTH;
    const int64_t skew = FN(skew)(t->y + t->from);
    const int64_t first = fur_larger(t->from, t->near);
    const int64_t last = fur_smaller(t->to, t->out.points - t->near) - size;
    FN(wide) c[BOX_POINTS];
#pragma GCC unroll 27
    for (int k = 0, n = 0; k < BOX_POINTS; k++)
        if (box >> k & 1)
            c[k] = W(all)(*(const VALUE *)t->row.terms[n++].c);
    for (int64_t i = t->from - skew; i < t->to; i += size)
        if (i >= first && i <= last)
            FN(sweep_block)(t, box, c, i, lines, true);
        else
            FN(sweep_block)(t, box, c, i, lines, false);
}

/* Common boxes are compiled separately. With sanitizers, which check every load, this would take
 * minutes. */
#if PAIRS
static void FN(sweep_two)(const FN(tile) * t)
{
#    if !COMPLEX && !defined(FUR_SANITIZED)
    switch (t->box) {
    case BOX_7:
        FN(sweep)(t, BOX_7, 2);
        return;
    case BOX_19:
        FN(sweep)(t, BOX_19, 2);
        return;
    case BOX_27:
        FN(sweep)(t, BOX_27, 2);
        return;
    default:;
    }
#    endif
    FN(sweep)(t, 0, 2);
}
#endif

/* Computes the line, and the next if `lines` is 2. */
static void FN(sweep_lines)(const FN(tile) * t, int lines)
{
#if PAIRS
    if (lines == 2) {
        FN(sweep_two)(t);
        return;
    }
#endif
    (void)lines;
    FN(sweep)(t, 0, 1);
}
