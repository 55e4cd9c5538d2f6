/* The loops anybody would write, compiled with -O3 -march=native: what the benchmark compares with.
 * They run on the context's threads, as the kernels do. */
#ifndef FURROW_TOOLS_PLAIN_H
#define FURROW_TOOLS_PLAIN_H

#include <furrow/context.h>

/* Calls body(job, begin, end) for equal parts of 0 .. n-1, one for each thread: what OpenMP calls a
 * static schedule. */
void plain_for(fur_context *context, int64_t n, void (*body)(void *job, int64_t begin, int64_t end),
               void *job);

/* y = A x */
void plain_spmv(fur_context *context, int64_t rows, const int32_t *offsets, const int32_t *columns,
                const double *values, const double *x, double *y);

/* y = x, past the caches where the machine can */
void plain_copy(fur_context *context, int64_t n, const double *x, double *y);

double plain_sum(fur_context *context, int64_t n, const double *x);
double plain_dot(fur_context *context, int64_t n, const double *x, const double *y);

#endif
