/* The loops anybody would write, compiled with -O3 -march=native: what the benchmark compares with.
 */
#ifndef FURROW_TOOLS_PLAIN_H
#define FURROW_TOOLS_PLAIN_H

#include <stdint.h>

/* y = A x */
void plain_spmv(int64_t rows, const int32_t *offsets, const int32_t *columns, const double *values,
                const double *x, double *y);

/* y = x, past the caches where the machine can */
void plain_copy(int64_t n, const double *x, double *y);

double plain_sum(int64_t n, const double *x);
double plain_dot(int64_t n, const double *x, const double *y);

#endif
