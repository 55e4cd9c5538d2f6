/* Cutting the rows of a matrix into parts of nearly equal work. */
#ifndef FURROW_CPU_BALANCE_H
#define FURROW_CPU_BALANCE_H

#include "kernel.h"
#include "split.h"

/* Work below which a further thread costs more than it brings, in entries + rows. */
#define FUR_SPMV_GRAIN 8192

/* Parts a thread: rows differ in what an entry costs, so threads that finish early take another. */
#define FUR_SPMV_PARTS 8

static inline int fur_spmv_parts(const fur_csr_view *a, int threads)
{
    return fur_team(threads * FUR_SPMV_PARTS, a->entries + a->rows, FUR_SPMV_GRAIN);
}

/* Expected cost of a product that reads A as it is. */
static inline double fur_csr_cost(const fur_csr_view *a)
{
    return (double)a->entries * (double)(fur_value_size(a->value) + 4) +
           (double)a->rows * (double)fur_offset_size(a->offset);
}

/* First row of part `part` of `parts`, so that every part has about the same number of entries
 * plus rows: the lowest row i with offsets[i] + i >= its share. */
static inline int64_t fur_balanced_row(const fur_csr_view *a, int parts, int part)
{
    int64_t share = fur_split(a->entries + a->rows, parts, part);
    int64_t low = 0;
    int64_t high = a->rows;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (fur_offset_at(a, middle) + middle < share)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Runs multiply(call, begin, end) over all rows in balanced parts. */
static inline void fur_spmv_by_rows(const fur_spmv_call *call,
                                    void (*multiply)(const fur_spmv_call *, int64_t, int64_t))
{
    const fur_csr_view *a = call->a;
    int parts = fur_spmv_parts(a, call->threads);
    int team = parts < call->threads ? parts : call->threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(team) if (team > 1)
    for (int part = 0; part < parts; part++)
        multiply(call, fur_balanced_row(a, parts, part), fur_balanced_row(a, parts, part + 1));
}

#endif
