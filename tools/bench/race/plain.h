/* The straightforward loops, compiled with -O3 -march=native, with which the benchmarks compare.
 * They run on the context's threads, like the kernels. */
#ifndef FURROW_TOOLS_PLAIN_H
#define FURROW_TOOLS_PLAIN_H

#include <furrow/context.h>
#include <furrow/csr.h>

/* Calls body(job, begin, end) for equal parts of 0 .. n-1, one for each thread, as in a static
 * schedule of OpenMP. */
void plain_for(fur_context *context, int64_t n, void (*body)(void *job, int64_t begin, int64_t end),
               void *job);

/* y = A x */
void plain_spmv(fur_context *context, int64_t rows, const int32_t *offsets, const int32_t *columns,
                const double *values, const double *x, double *y);

/* Y = A X for row-major X and Y with `count` columns and no gaps. */
void plain_spmm(fur_context *context, int64_t rows, int64_t count, const fur_csr_view *a,
                const double *x, double *y);

/* values = X Y^T at A's entries, for row-major X and Y with `count` columns and no gaps. */
void plain_sddmm(fur_context *context, const fur_csr_view *a, int64_t count, const double *x,
                 const double *y, double *values);

/* A matrix for plain_spgemm. */
typedef struct plain_csr {
    int64_t rows;
    int64_t cols;
    const int32_t *offsets;
    const int32_t *columns;
    const double *values;
} plain_csr;

/* C = A B with sorted rows, row by row in one thread. If `columns` is NULL, sets the offsets and
 * returns the number of entries. Otherwise sets columns and values. sums: one number for each
 * column of B. next: the same, all -1. */
int64_t plain_spgemm(const plain_csr *a, const plain_csr *b, double *sums, int32_t *next,
                     int32_t *offsets, int32_t *columns, double *values);

/* y = x, past the caches if the machine allows it. */
void plain_copy(fur_context *context, int64_t n, const double *x, double *y);

double plain_sum(fur_context *context, int64_t n, const double *x);
double plain_dot(fur_context *context, int64_t n, const double *x, const double *y);

#endif
