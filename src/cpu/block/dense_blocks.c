/* Products by dense blocks along the diagonal. Each row of a block is a lane with its own sum, so
 * that every instruction set gives the same bits.
 *
 * Bytes a row in blocks of k rows: k entries in their form, 16 / k of the block, two entries for x
 * and y. */
#ifndef FUR_TEMPLATE
#    include "half.h"
#    include "isa.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

#    define BLOCK_GRAIN 1024
#    define INLINE static inline __attribute__((always_inline))

typedef struct applying {
    const fur_dense_blocks *m;
    const void *x;
    void *y;
} applying;

#    define FUR_TEMPLATE "block/dense_blocks.c"
#    include "foreach_value.h"

extern fur_dense_blocks_apply ISA(dense_blocks_apply);
fur_status ISA(dense_blocks_apply)(fur_env *env, const fur_dense_blocks *m, const void *x, void *y)
{
    static fur_body *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(apply_blocks);
    applying job = {m, x, y};
    fur_parallel(env, m->count / BLOCK_GRAIN, m->count, table[m->value_type], &job);
    return FUR_OK;
}
#else

INLINE REAL FN(part)(const void *entries, fur_dense_form form, int64_t k)
{
    switch (form) {
    case FUR_DENSE_SINGLE:
        return (REAL)((const float *)entries)[k];
    case FUR_DENSE_HALF:
        return (REAL)fur_half_value(((const uint16_t *)entries)[k]);
    default:
        return ((const REAL *)entries)[k];
    }
}

INLINE VALUE FN(entry)(const void *entries, fur_dense_form form, int64_t k)
{
#    if COMPLEX
    return (VALUE){FN(part)(entries, form, 2 * k), FN(part)(entries, form, 2 * k + 1)};
#    else
    return FN(part)(entries, form, k);
#    endif
}

INLINE VALUE FN(scale)(VALUE s, REAL factor)
{
#    if COMPLEX
    return (VALUE){s.re * factor, s.im * factor};
#    else
    return s * factor;
#    endif
}

/* y = 2^exponent M x for a block of n rows. */
INLINE void FN(multiply)(const void *entries, fur_dense_form form, REAL factor, int n,
                         const VALUE *x, VALUE *y)
{
    VALUE sum[FUR_DENSE_BLOCK_MAX];
    for (int i = 0; i < n; i++)
        sum[i] = V(from)((fur_scalar){0, 0});
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            sum[i] = V(fma)(FN(entry)(entries, form, j * n + i), x[j], sum[i]);
    for (int i = 0; i < n; i++)
        y[i] = FN(scale)(sum[i], factor);
}

/* As above, but the loops of small blocks are unrolled, and their sums stay in registers. */
INLINE void FN(multiply_form)(const fur_dense_block *b, const void *entries, fur_dense_form form,
                              const VALUE *x, VALUE *y)
{
    REAL factor = (REAL)fur_power_of_two(b->exponent);
    switch (b->rows) {
#    define SIZE(n)                                                                                \
    case n:                                                                                        \
        FN(multiply)(entries, form, factor, n, x, y);                                              \
        break
        SIZE(1);
        SIZE(2);
        SIZE(3);
        SIZE(4);
        SIZE(5);
        SIZE(6);
        SIZE(7);
        SIZE(8);
#    undef SIZE
    default:
        FN(multiply)(entries, form, factor, b->rows, x, y);
    }
}

static void FN(apply_blocks)(void *job, int64_t begin, int64_t end)
{
    const applying *a = job;
    for (int64_t k = begin; k < end; k++) {
        const fur_dense_block *b = &a->m->blocks[k];
        const void *entries = (const char *)a->m->entries + b->start;
        const VALUE *x = (const VALUE *)a->x + b->first;
        VALUE *y = (VALUE *)a->y + b->first;
        switch (b->form) {
        case FUR_DENSE_SINGLE:
            FN(multiply_form)(b, entries, FUR_DENSE_SINGLE, x, y);
            break;
        case FUR_DENSE_HALF:
            FN(multiply_form)(b, entries, FUR_DENSE_HALF, x, y);
            break;
        default:
            FN(multiply_form)(b, entries, FUR_DENSE_FULL, x, y);
        }
    }
}

#endif
