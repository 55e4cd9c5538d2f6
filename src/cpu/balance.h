/* Cutting a product into parts of nearly equal work. */
#ifndef FURROW_CPU_BALANCE_H
#define FURROW_CPU_BALANCE_H

#include "kernel.h"
#include "split.h"

/* Entries and rows a thread should have at least: fewer are multiplied sooner than a thread wakes.
 */
#define FUR_SPMV_GRAIN 32768

/* Parts a thread: rows differ in what an entry costs, so threads that finish early take another. */
#define FUR_SPMV_PARTS 8

static inline int fur_spmv_team(const fur_csr_view *a, int threads)
{
    return fur_team(threads, a->entries + a->rows, FUR_SPMV_GRAIN);
}

static inline int fur_spmv_parts(int team)
{
    return team > 1 ? team * FUR_SPMV_PARTS : 1;
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

/* First unit of part `part` of `parts`, so that parts have equal work: unit i has that from
 * start[i] to start[i + 1]. */
static inline int64_t fur_balanced_unit(const int64_t *start, int64_t units, int parts, int part)
{
    int64_t share = fur_split(start[units], parts, part);
    int64_t low = 0;
    int64_t high = units;
    while (part < parts && low < high) {
        int64_t middle = low + (high - low) / 2;
        if (start[middle] < share)
            low = middle + 1;
        else
            high = middle;
    }
    return part < parts ? low : units;
}

/* Runs multiply(call, begin, end) over all rows in balanced parts. */
static inline fur_status fur_spmv_by_rows(const fur_spmv_call *call,
                                          void (*multiply)(const fur_spmv_call *, int64_t, int64_t))
{
    const fur_csr_view *a = call->a;
    int team = fur_spmv_team(a, call->env->threads);
    int parts = fur_spmv_parts(team);
#pragma omp parallel for schedule(dynamic, 1) num_threads(team) if (team > 1)
    for (int part = 0; part < parts; part++)
        multiply(call, fur_balanced_row(a, parts, part), fur_balanced_row(a, parts, part + 1));
    return FUR_OK;
}

#endif
