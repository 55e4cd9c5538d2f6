/* Rows whose columns follow from the row before. In a matrix of blocks the columns are equal, in a
 * matrix from a grid each is one further. A product then mostly repeats in the same way, and the
 * columns of its row need not be found again. */
#ifndef FURROW_CPU_SPGEMM_REPEAT_H
#define FURROW_CPU_SPGEMM_REPEAT_H

#include "kernel.h"
#include "split.h"

/* Two empty rows have both bits. */
#define REPEATS_SAME 1 /* the columns of the row before */
#define REPEATS_NEXT 2 /* each column one further */

/* How `count` columns follow from `count` columns of the row before. */
static inline int repeats_compare(const int32_t *columns, const int32_t *before, int64_t count)
{
    int32_t same = 0;
    int32_t next = 0;
    for (int64_t k = 0; k < count; k++) {
        same |= columns[k] ^ before[k];
        next |= columns[k] ^ (before[k] + 1);
    }
    return (same == 0 ? REPEATS_SAME : 0) | (next == 0 ? REPEATS_NEXT : 0);
}

/* How row i > 0 of m follows from the row before. */
static inline int repeats_of(const fur_csr_view *m, int64_t i)
{
    int64_t before = fur_offset_at(m, i - 1);
    int64_t begin = fur_offset_at(m, i);
    int64_t count = fur_offset_at(m, i + 1) - begin;
    if (count != begin - before)
        return 0;
    if (count == 0)
        return REPEATS_SAME | REPEATS_NEXT;
    const int32_t *columns = m->columns + begin;
    /* Rows that differ mostly differ in their first column. */
    if ((uint32_t)columns[0] - (uint32_t)m->columns[before] > 1)
        return 0;
    return repeats_compare(columns, m->columns + before, count);
}

/* How row i > 0 of A B follows from the row before, derived from the repeats of A and B. 0:
 * unknown. */
static inline int repeats_product(const fur_csr_view *a, int64_t i, const uint8_t *of_a,
                                  const uint8_t *of_b)
{
    int repeats = of_a[i];
    if (repeats & REPEATS_SAME)
        return REPEATS_SAME;
    if (!(repeats & REPEATS_NEXT))
        return 0;
    int64_t end = fur_offset_at(a, i + 1);
    repeats = REPEATS_SAME | REPEATS_NEXT;
    for (int64_t e = fur_offset_at(a, i); e < end && repeats; e++)
        repeats &= of_b[a->columns[e]];
    return repeats;
}

#endif
