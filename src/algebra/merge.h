/* Rows of two matrices side by side. */
#ifndef FURROW_ALGEBRA_MERGE_H
#define FURROW_ALGEBRA_MERGE_H

#include "csr.h"

/* A row: positions begin .. end-1 in the columns of its matrix. */
typedef struct fur_row {
    const int32_t *columns;
    int64_t begin;
    int64_t end;
} fur_row;

static inline fur_row fur_row_of(const fur_csr_view *a, int64_t i)
{
    return (fur_row){a->columns, fur_offset_at(a, i), fur_offset_at(a, i + 1)};
}

static inline int64_t fur_row_length(fur_row a)
{
    return a.end - a.begin;
}

/* Returns whether two rows have the same columns. */
static inline bool fur_rows_are_alike(fur_row a, fur_row b)
{
    int32_t differing = 0;
    if (fur_row_length(a) != fur_row_length(b))
        return false;
    if (a.begin < a.end && a.columns[a.begin] != b.columns[b.begin])
        return false;
    for (int64_t k = 0; k < fur_row_length(a); k++)
        differing |= a.columns[a.begin + k] ^ b.columns[b.begin + k];
    return differing == 0;
}

/* The number of columns that two rows have in common. */
static inline int64_t fur_count_common(fur_row a, fur_row b)
{
    int64_t common = 0;
    if (fur_rows_are_alike(a, b))
        return fur_row_length(a);
    while (a.begin < a.end && b.begin < b.end) {
        int32_t left = a.columns[a.begin];
        int32_t right = b.columns[b.begin];
        common += left == right;
        a.begin += left <= right;
        b.begin += right <= left;
    }
    return common;
}

/* The number of columns in the union of two rows. */
static inline int64_t fur_count_union(fur_row a, fur_row b)
{
    return fur_row_length(a) + fur_row_length(b) - fur_count_common(a, b);
}

#endif
