/* The sum of a row of more than FUR_ROW_SEGMENT entries, in the order of docs/numerics.md. It has
 * lanes on several levels. The lanes of the first level add products. The lanes of every other
 * level add the sums of segments of the level below. A template over VALUE. SUMS_SIDE sums (default
 * 1) are computed side by side. */
#ifndef SUMS_SIDE
#    define SUMS_SIDE 1
#endif
/* Enough for 128^6 entries. */
#ifndef SUMS_LEVELS
#    define SUMS_LEVELS 6
#endif

typedef VALUE FN(abreast)[SUMS_SIDE];

typedef struct FN(long_sum) {
    int width; /* sums that are used */
    int64_t count[SUMS_LEVELS];
    FN(abreast) lane[SUMS_LEVELS][FUR_ROW_LANES]; /* cleared when a segment begins */
} FN(long_sum);

static inline void FN(long_start)(FN(long_sum) * s, int width)
{
    s->width = width;
    memset(s->count, 0, sizeof s->count);
}

/* Folds the lanes in halves, so that the first lane has the sums. */
static inline void FN(fold_lanes)(FN(abreast) * lane, int width)
{
    for (int apart = FUR_ROW_LANES / 2; apart > 0; apart /= 2)
        for (int i = 0; i < apart; i++)
            for (int j = 0; j < width; j++)
                lane[i][j] = V(add)(lane[i][j], lane[i + apart][j]);
}

/* The lane for the next number of a level. The number is counted. */
static inline VALUE *FN(next_lane)(FN(long_sum) * s, int level)
{
    int place = (int)(s->count[level]++ % FUR_ROW_SEGMENT);
    if (place == 0)
        memset(s->lane[level], 0, sizeof s->lane[level]);
    return s->lane[level][place % FUR_ROW_LANES];
}

/* Adds the sum of a segment of the level below. If this completes a segment, its sum goes one level
 * up. */
static inline void FN(add_sum)(FN(long_sum) * s, int level, const VALUE *sum)
{
    for (;; level++) {
        VALUE *lane = FN(next_lane)(s, level);
        for (int j = 0; j < s->width; j++)
            lane[j] = V(add)(lane[j], sum[j]);
        if (s->count[level] % FUR_ROW_SEGMENT > 0)
            return;
        FN(fold_lanes)(s->lane[level], s->width);
        sum = s->lane[level][0];
    }
}

/* Folds the lanes of a segment of entries, and adds the sum. */
static inline void FN(add_segment)(FN(long_sum) * s, FN(abreast) * lane)
{
    FN(fold_lanes)(lane, s->width);
    FN(add_sum)(s, 1, lane[0]);
}

/* Adds one product, if there is only one sum. */
static inline void FN(add_product)(FN(long_sum) * s, VALUE a, VALUE x)
{
    VALUE *lane = FN(next_lane)(s, 0);
    lane[0] = V(fma)(a, x, lane[0]);
    if (s->count[0] % FUR_ROW_SEGMENT == 0)
        FN(add_segment)(s, s->lane[0]);
}

/* Ends all open segments, and returns the sums. */
static inline void FN(long_total)(FN(long_sum) * s, VALUE *sum)
{
    if (s->count[0] % FUR_ROW_SEGMENT > 0)
        FN(add_segment)(s, s->lane[0]);
    int level = 1;
    for (; s->count[level] > FUR_ROW_SEGMENT; level++)
        if (s->count[level] % FUR_ROW_SEGMENT > 0) {
            FN(fold_lanes)(s->lane[level], s->width);
            FN(add_sum)(s, level + 1, s->lane[level][0]);
        }
    if (s->count[level] < FUR_ROW_SEGMENT)
        FN(fold_lanes)(s->lane[level], s->width);
    memcpy(sum, s->lane[level][0], (size_t)s->width * sizeof *sum);
}

/* The sum of entries begin to end - 1 of a row of any length, for a vector x whose entries lie
 * `step` apart. It is plain, for the reference kernels. */
static inline VALUE FN(plain_row_sum)(const VALUE *values, const int32_t *columns, int64_t begin,
                                      int64_t end, const VALUE *x, int64_t step)
{
    FN(long_sum) s;
    VALUE sum = V(from)((fur_scalar){0, 0});
    if (end - begin <= FUR_ROW_SEGMENT) {
        for (int64_t k = begin; k < end; k++)
            sum = V(fma)(values[k], x[columns[k] * step], sum);
        return sum;
    }
    FN(long_start)(&s, 1);
    for (int64_t k = begin; k < end; k++)
        FN(add_product)(&s, values[k], x[columns[k] * step]);
    FN(long_total)(&s, &sum);
    return sum;
}
