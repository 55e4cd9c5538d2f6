/* Cuts a product into parts of nearly equal work. */
#ifndef FURROW_CPU_BALANCE_H
#define FURROW_CPU_BALANCE_H

#include "kernel.h"
#include "split.h"
#include "team.h"

/* The entries and rows that justify one more thread. Fewer are multiplied before a thread wakes
 * up. */
#define FUR_SPMV_GRAIN 8192

/* The number of parts of a product. Entries of different rows cost different time, so that threads
 * that finish early take another part. */
static inline int fur_spmv_parts(const fur_csr_view *a, int threads)
{
    return fur_parts(threads, (a->entries + a->rows) / FUR_SPMV_GRAIN);
}

/* First row of part `part` of `parts`. Every part has about the same number of entries plus rows.
 * The row is the lowest i with offsets[i] + i >= the share of the parts before. */
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

/* First unit of part `part` of `parts`, for parts of equal work. Unit i has the work from start[i]
 * to start[i + 1]. */
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

/* A product that is cut into parts. A part is a range of rows, or a range of a kernel's units of
 * rows. */
typedef void fur_spmv_multiply(const fur_spmv_call *call, int64_t begin, int64_t end);
typedef struct fur_cut_product {
    const fur_spmv_call *call;
    int parts;
    fur_spmv_multiply *multiply;
    const int64_t *start; /* work before each unit, as in fur_balanced_unit */
    int64_t units;
} fur_cut_product;

static inline void fur_multiply_rows(void *job, int64_t begin, int64_t end)
{
    const fur_cut_product *p = job;
    const fur_csr_view *a = p->call->a;
    for (int64_t part = begin; part < end; part++)
        p->multiply(p->call, fur_balanced_row(a, p->parts, (int)part),
                    fur_balanced_row(a, p->parts, (int)part + 1));
}

static inline void fur_multiply_units(void *job, int64_t begin, int64_t end)
{
    const fur_cut_product *p = job;
    for (int64_t part = begin; part < end; part++)
        p->multiply(p->call, fur_balanced_unit(p->start, p->units, p->parts, (int)part),
                    fur_balanced_unit(p->start, p->units, p->parts, (int)part + 1));
}

/* Runs multiply(call, begin, end) over all rows in balanced parts. */
static inline fur_status fur_spmv_by_rows(const fur_spmv_call *call, fur_spmv_multiply *multiply)
{
    fur_cut_product p = {.call = call, .multiply = multiply};
    p.parts = fur_spmv_parts(call->a, call->env->threads);
    fur_parallel(call->env, p.parts, p.parts, fur_multiply_rows, &p);
    return FUR_OK;
}

/* As above, over a kernel's units. Unit i has the work from start[i] to start[i + 1]. One unit of
 * work costs as much as `entries` entries. */
static inline fur_status fur_spmv_by_units(const fur_spmv_call *call, const int64_t *start,
                                           int64_t units, int64_t entries,
                                           fur_spmv_multiply *multiply)
{
    fur_cut_product p = {.call = call, .multiply = multiply, .start = start, .units = units};
    p.parts = fur_parts(call->env->threads, start[units] * entries / FUR_SPMV_GRAIN);
    fur_parallel(call->env, p.parts, p.parts, fur_multiply_units, &p);
    return FUR_OK;
}

#endif
