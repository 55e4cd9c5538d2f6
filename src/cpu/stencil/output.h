/* The end of a stencil's product: y = alpha sum + beta z from sums in registers. A template over
 * VALUE. */

typedef FUR_WIDE_LANES(VALUE_NAME) FN(wide);

typedef struct FN(output) {
    bool stream;     /* whole registers are stored past the caches */
    bool overwrite;  /* beta = 0: z is not read */
    uintptr_t apart; /* bytes from y to z, modulo 2^64 */
    int64_t points;  /* of a line */
    VALUE alpha;
    VALUE beta;
} FN(output);

static FN(output) FN(output_of)(const fur_stencil_call *call)
{
    VALUE beta = V(from)(call->beta);
    /* x, and y twice: a store through the caches reads its line first. */
    int64_t bytes = 3 * fur_stencil_rows(call->s) * (int64_t)sizeof(VALUE);
    return (FN(output)){
        .stream = (V(is_zero)(beta) || call->z != call->y) &&
                  (uintptr_t)call->y % sizeof(VALUE) == 0 && fur_streams(bytes),
        .overwrite = V(is_zero)(beta),
        .apart = (uintptr_t)call->z - (uintptr_t)call->y,
        .points = call->s->extent[0],
        .alpha = V(from)(call->alpha),
        .beta = beta,
    };
}

/* Returns whether two lines can be computed side by side. If y is stored past the caches, the
 * registers of both lines must have the same offset in a cache line. */
static bool FN(goes_in_pairs)(const FN(output) * out)
{
    return PAIRS && (!out->stream || out->points * (int64_t)sizeof(VALUE) % FUR_STREAM_LINE == 0);
}

/* Entries from the beginning of a cache line to y. */
INLINE int64_t FN(skew)(const VALUE *y)
{
    return (int64_t)((uintptr_t)y % FUR_STREAM_LINE / sizeof(VALUE));
}

/* The entry of z that belongs to this entry of y. */
INLINE const VALUE *FN(other)(const FN(output) * out, const VALUE *y)
{
    return (const VALUE *)((uintptr_t)y + out->apart);
}

/* Stores the lanes of the mask. Adding -0 to a product changes nothing. A store of some lanes reads
 * the cache line first. The cache line of the next lines of the grid is therefore prefetched. */
INLINE void FN(put)(const FN(output) * out, FN(wide) sum, unsigned mask, VALUE *y)
{
    FN(wide) rest = W(all)(V(from)((fur_scalar){-0.0, -0.0}));
    if (!out->overwrite)
        rest = W(madd)(W(all)(out->beta), W(load_some)(FN(other)(out, y), mask), rest);
    sum = W(madd)(W(all)(out->alpha), sum, rest);
    if (mask == ALL_WIDE && out->stream)
        fur_stream(y, &sum, sizeof sum);
    else if (mask == ALL_WIDE)
        W(store)(y, sum);
    else if (mask) {
        W(store_some)(y, sum, mask);
        __builtin_prefetch(y + 2 * out->points, 1);
    }
}
