/* A triangle of a square matrix, with its rows in the order in which they are solved. All entries
 * of a row off the diagonal belong to rows at earlier places. */
#ifndef FURROW_GRAPH_TRIANGLE_H
#define FURROW_GRAPH_TRIANGLE_H

#include "kernel.h"

#include <stdbool.h>

typedef struct fur_strict {
    const fur_csr_view *a; /* readable by the host */
    /* entries right of the diagonal, rows in falling order; else left, in rising order */
    bool upper;
} fur_strict;

/* The row at a place, and the place of a row. */
static inline int64_t fur_strict_row(const fur_strict *t, int64_t place)
{
    return t->upper ? t->a->rows - 1 - place : place;
}

/* The entries of a row: positions *begin .. *end - 1. */
static inline void fur_strict_entries(const fur_strict *t, int64_t row, int64_t *begin,
                                      int64_t *end)
{
    int64_t first = fur_offset_at(t->a, row);
    int64_t last = fur_offset_at(t->a, row + 1);
    int64_t low = first;
    int64_t high = last;
    int64_t column = row + t->upper; /* the first column that is in the right part */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (t->a->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    *begin = t->upper ? low : first;
    *end = t->upper ? last : low;
}

/* Sets the level of each row. A row without entries has level 0. Other rows are one above the
 * highest level of their entries' rows (Anderson and Saad 1989). Returns the number of levels. */
int64_t fur_levels_fill(const fur_strict *t, int32_t *level);

#endif
