/* Cuts a slice, eight consecutive rows, into steps. In a step, every lane that takes part consumes
 * the next entry of its row. */
#ifndef FURROW_CPU_CUT_H
#define FURROW_CPU_CUT_H

#include "kernel.h"
#include "lanes_index.h"
#include "split.h"

/* A diagonal with fewer entries than this does not justify a separate step. */
#define LEAST_RUN 3
/* The most steps of a slice. A step that skips a row with entries takes at least LEAST_RUN entries.
 * Any other step takes one entry of the longest row. */
#define MAX_STEPS (FUR_ROW_SEGMENT + LANES * FUR_ROW_SEGMENT / LEAST_RUN)
/* Replaces a base: the columns of this step are stored. */
#define GATHER INT32_MIN
/* Replaces a diagonal: all entries of the row have been taken. */
#define ENDED INT32_MAX

/* A slice that is cut into steps. */
typedef struct cut {
    int steps;
    int gathers;
    /* GATHER, or the column of lane 0, negative if lane 0 takes no part */
    int32_t base[MAX_STEPS];
    uint8_t mask[MAX_STEPS];
    int32_t columns[LANES * FUR_ROW_SEGMENT]; /* columns of the gathering steps */
} cut;

/* The number of entries of each row, if all eight rows have equally many; else -1. */
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

/* Returns whether eight rows of `length` entries lie on the same diagonals. Each entry is then one
 * column right of its entry in the row before. */
static bool on_diagonals(const int32_t *columns, int64_t length)
{
    int32_t apart = 0;
    for (int64_t k = 0; k < (LANES - 1) * length; k++)
        apart |= (columns[k + length] - 1) ^ columns[k];
    return apart == 0;
}

/* The state of the rows of a slice while it is cut. Entries are counted from the slice's first
 * entry. */
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

/* Cuts the slice at row. If enough rows have an entry on the leftmost diagonal, a step takes this
 * diagonal. Otherwise it takes the next entry of every row that still has one. */
static void cut_steps(const fur_csr_view *a, int64_t row, cut *out)
{
    const int32_t numbers[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    const lanes_index lane = index_load(numbers);
    cursor c = open_slice(a, row);
    int steps = 0;
    int gathers = 0;
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
            out->base[steps] = base[0];
            out->mask[steps++] = (uint8_t)bits;
            c.next = index_minus(c.next, on);
        } else {
            index_store(out->columns + LANES * (ptrdiff_t)gathers++, column);
            out->base[steps] = GATHER;
            out->mask[steps++] = (uint8_t)index_bits(left);
            c.next = index_minus(c.next, left);
        }
    }
    out->steps = steps;
    out->gathers = gathers;
}

#define CUTS_KEPT 4

/* Slices that were cut before. In a grid the ends of its lines look alike. */
typedef struct cuts {
    int count;  /* slices stored so far; only the last CUTS_KEPT are still there */
    int useful; /* times that a stored cut was used again */
    int64_t row[CUTS_KEPT];
    cut slice[CUTS_KEPT];
    cut regular; /* the last slice whose rows all have the same diagonals */
} cuts;

/* Returns whether the slice at row equals the slice at `before` with all columns shifted by *shift.
 */
static bool is_shifted(const fur_csr_view *a, int64_t row, int64_t before, int32_t *shift)
{
    if (row + LANES > a->rows || before + LANES > a->rows)
        return false;
    const int64_t first = fur_offset_at(a, row);
    const int64_t other = fur_offset_at(a, before);
    for (int i = LANES; i > 0; i--)
        if (fur_offset_at(a, row + i) - first != fur_offset_at(a, before + i) - other)
            return false;
    const int32_t *columns = a->columns + first;
    const int32_t *shifted = a->columns + other;
    int64_t entries = fur_offset_at(a, row + LANES) - first;
    uint32_t apart = 0;
    *shift = columns[0] - shifted[0];
    for (int64_t k = 0; k < entries; k++)
        apart |= ((uint32_t)columns[k] - (uint32_t)*shift) ^ (uint32_t)shifted[k];
    return apart == 0;
}

static void shift_cut(cut *c, int32_t shift)
{
    for (int k = 0; k < c->steps; k++)
        c->base[k] += c->base[k] == GATHER ? 0 : shift;
    for (int k = 0; k < c->gathers * LANES; k++)
        c->columns[k] += shift;
}

/* In a mesh hardly any slice repeats. Then a single place is enough. */
static bool is_futile(const cuts *kept)
{
    return kept->count > 8 * (CUTS_KEPT + kept->useful);
}

/* The cut of a slice with entries. If a similar slice is stored, its cut is used. */
static const cut *cut_irregular(const fur_csr_view *a, int64_t row, cuts *kept)
{
    int32_t shift = 0;
    int places = is_futile(kept) ? 1 : CUTS_KEPT;
    for (int i = 0; places > 1 && i < places && i < kept->count; i++)
        if (is_shifted(a, row, kept->row[i], &shift)) {
            shift_cut(&kept->slice[i], shift);
            kept->row[i] = row;
            kept->useful++;
            return &kept->slice[i];
        }
    int place = kept->count++ % places;
    kept->row[place] = row;
    cut_steps(a, row, &kept->slice[place]);
    return &kept->slice[place];
}

/* The cut of a slice whose rows all have the same `steps` diagonals. An empty slice has 0 steps. */
static const cut *cut_regular(const fur_csr_view *a, int64_t row, int steps, cuts *kept)
{
    cut *c = &kept->regular;
    c->steps = steps;
    c->gathers = 0;
    if (steps > 0)
        memcpy(c->base, a->columns + fur_offset_at(a, row), (size_t)steps * sizeof *c->base);
    memset(c->mask, ALL_LANES, (size_t)steps);
    return c;
}

/* The cut of the slice at row. It is valid until the next call. */
static const cut *cut_slice(const fur_csr_view *a, int64_t row, cuts *kept)
{
    int64_t first = fur_offset_at(a, row);
    int64_t length = common_length(a, row);
    bool empty = first == fur_offset_at(a, fur_smaller(row + LANES, a->rows));
    if (empty || (length > 0 && on_diagonals(a->columns + first, length)))
        return cut_regular(a, row, empty ? 0 : (int)length, kept);
    return cut_irregular(a, row, kept);
}

#endif
