/* A block of vectors times a small matrix, Y = alpha X C + beta Y.
 *
 * NEAR_ROWS rows are computed at a time. Their entries of X are copied side by side. They are then
 * multiplied by one column of C after the other, and C stays in the caches. The sums go to Y, which
 * may be X. Bytes a row: one entry for each column of X and of Y (two with beta). */
#ifndef FUR_TEMPLATE
#    include "block_kernel.h"
#    include "isa.h"
#    include "kernel.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

#    define PRODUCT_GRAIN 65536
/* Rows at a time. */
#    define NEAR_ROWS 16

#    define FUR_TEMPLATE "block/small.c"
#    include "foreach_value.h"

extern fur_block_operation ISA(block_multiply);
fur_status ISA(block_multiply)(const fur_block_call *call)
{
    static fur_body *const table[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(multiply_rows);
    const fur_vectors_view *y = call->y;
    int64_t products = y->rows * y->cols * (call->x->cols + 1);
    fur_parallel(call->env, products / PRODUCT_GRAIN, y->rows, table[y->value_type],
                 (void *)(uintptr_t)call);
    return FUR_OK;
}
#else
#    include "finish.h"

/* Copies `count` rows of X, from row i on, side by side for each column. Missing rows become 0. */
static void FN(take_rows)(const fur_vectors_view *x, int64_t i, int64_t count, VALUE *rows)
{
    const VALUE *from = (const VALUE *)x->data + i * fur_row_step(x);
    for (int64_t l = 0; l < x->cols; l++)
        for (int64_t r = 0; r < NEAR_ROWS; r++)
            rows[l * NEAR_ROWS + r] = r < count ? from[r * fur_row_step(x) + l * fur_column_step(x)]
                                                : V(from)((fur_scalar){0, 0});
}

/* sum_r = sum_l x_rl C(l), in the order of l. The entries of this column of C are m apart. */
static void FN(multiply_column)(const VALUE *restrict rows, int64_t k, const VALUE *restrict c,
                                int64_t m, VALUE *restrict sum)
{
    VALUE own[NEAR_ROWS];
    for (int64_t r = 0; r < NEAR_ROWS; r++)
        own[r] = V(from)((fur_scalar){0, 0});
    for (int64_t l = 0; l < k; l++)
        for (int64_t r = 0; r < NEAR_ROWS; r++)
            own[r] = V(fma)(c[l * m], rows[l * NEAR_ROWS + r], own[r]);
    for (int64_t r = 0; r < NEAR_ROWS; r++)
        sum[r] = own[r];
}

static void FN(multiply_rows)(void *job, int64_t begin, int64_t end)
{
    const fur_block_call *call = job;
    const fur_vectors_view *y = call->y;
    const VALUE *c = call->c;
    const int64_t k = call->x->cols;
    VALUE alpha = V(from)(call->alpha);
    VALUE beta = V(from)(call->beta);
    bool overwrite = V(is_zero)(beta);
    VALUE rows[NEAR_ROWS * FUR_SMALL_MAX];
    VALUE sum[NEAR_ROWS];
    for (int64_t i = begin; i < end; i += NEAR_ROWS) {
        int64_t count = fur_smaller(NEAR_ROWS, end - i);
        FN(take_rows)(call->x, i, count, rows);
        for (int64_t j = 0; j < y->cols; j++) {
            VALUE *to = (VALUE *)y->data + i * fur_row_step(y) + j * fur_column_step(y);
            FN(multiply_column)(rows, k, c + j, y->cols, sum);
            for (int64_t r = 0; r < count; r++)
                FN(finish)(alpha, sum[r], beta, overwrite, to + r * fur_row_step(y));
        }
    }
}

#endif
