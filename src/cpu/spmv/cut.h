/* Cutting a slice, eight consecutive rows, into steps: in each, every lane that takes part consumes
 * the next entry of its row. */
#ifndef FURROW_CPU_CUT_H
#define FURROW_CPU_CUT_H

#include "kernel.h"
#include "lanes_index.h"
#include "split.h"

/* A diagonal with fewer entries than this is not worth a step of its own. */
#define LEAST_RUN 3
/* Steps of a slice at most: one that leaves out a row with entries takes LEAST_RUN entries, any
 * other one of the longest row. */
#define MOST_STEPS (FUR_ROW_SEGMENT + LANES * FUR_ROW_SEGMENT / LEAST_RUN)
/* In place of a base: the step's columns are stored. */
#define GATHER INT32_MIN
/* In place of a diagonal: the row has no entry left. */
#define ENDED INT32_MAX

/* A slice cut into steps. */
typedef struct cut {
    int steps;
    int gathers;
    int32_t base[MOST_STEPS]; /* GATHER or the column of lane 0, negative if it takes no part */
    uint8_t mask[MOST_STEPS];
    int32_t columns[LANES * FUR_ROW_SEGMENT]; /* of gathering steps */
} cut;

/* Entries of each row of the slice, if all eight have as many. */
static int64_t common_length(const fur_csr_view *a, int64_t row)
{
    if (row + LANES > a->rows)
        return -1;
    int64_t first = fur_offset_at(a, row);
    int64_t length = fur_offset_at(a, row + 1) - first;
    for (int i = 2; i <= LANES; i++)
        if (fur_offset_at(a, row + i) != first + i * length)
            return -1;
    return length;
}

/* Whether eight rows of `length` entries lie on the same diagonals: each entry is one column right
 * of that of the row before. */
static bool on_diagonals(const int32_t *columns, int64_t length)
{
    int32_t apart = 0;
    for (int64_t k = 0; k < (LANES - 1) * length; k++)
        apart |= (columns[k + length] - 1) ^ columns[k];
    return apart == 0;
}

/* Progress through the rows of a slice while it is cut. Entries count from its first one. */
typedef struct cursor {
    const int32_t *columns;
    lanes_index next;
    lanes_index end;
} cursor;

static cursor open_slice(const fur_csr_view *a, int64_t row)
{
    int64_t first = fur_offset_at(a, row);
    int32_t start[LANES + 1];
    for (int i = 0; i <= LANES; i++)
        start[i] = (int32_t)(fur_offset_at(a, fur_smaller(row + i, a->rows)) - first);
    return (cursor){a->columns + first, index_load(start), index_load(start + 1)};
}

/* Cuts the slice at row. A step has the leftmost diagonal if enough rows have an entry on it, else
 * the next entry of every row that has any left. */
static void cut_steps(const fur_csr_view *a, int64_t row, cut *out)
{
    const int32_t numbers[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    const lanes_index lane = index_load(numbers);
    cursor c = open_slice(a, row);
    for (lanes_index left = index_below(c.next, c.end); index_bits(left);
         left = index_below(c.next, c.end)) {
        lanes_index column = index_fetch(c.columns, c.next, left, index_all(0));
        lanes_index diagonal = index_select(left, index_minus(column, lane), index_all(ENDED));
        lanes_index leftmost = index_least(diagonal);
        lanes_index on = index_equal(diagonal, leftmost);
        unsigned bits = index_bits(on);
        bool run = bits == index_bits(left) || __builtin_popcount(bits) >= LEAST_RUN;
        if (run) {
            int32_t base[LANES];
            index_store(base, leftmost);
            out->base[out->steps] = base[0];
            out->mask[out->steps++] = (uint8_t)bits;
            c.next = index_minus(c.next, on);
        } else {
            index_store(out->columns + LANES * (ptrdiff_t)out->gathers++, column);
            out->base[out->steps] = GATHER;
            out->mask[out->steps++] = (uint8_t)index_bits(left);
            c.next = index_minus(c.next, left);
        }
    }
}

/* The steps of the slice at row. In most slices of a grid all rows have the same diagonals. */
static void cut_slice(const fur_csr_view *a, int64_t row, cut *out)
{
    int64_t first = fur_offset_at(a, row);
    int64_t length = common_length(a, row);
    out->steps = 0;
    out->gathers = 0;
    if (first == fur_offset_at(a, fur_smaller(row + LANES, a->rows)))
        return;
    if (length < 0 || !on_diagonals(a->columns + first, length)) {
        cut_steps(a, row, out);
        return;
    }
    out->steps = (int)length;
    memcpy(out->base, a->columns + first, (size_t)length * sizeof *out->base);
    memset(out->mask, ALL_LANES, (size_t)length);
}

#endif
