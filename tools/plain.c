/* The plain loops. */
#include "plain.h"

#include <string.h>

#ifdef __SSE2__
#    include <immintrin.h>
#endif

void plain_spmv(int64_t rows, const int32_t *offsets, const int32_t *columns, const double *values,
                const double *x, double *y)
{
#pragma omp parallel for
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++) {
            sum += values[k] * x[columns[k]];
        }
        y[i] = sum;
    }
}

/* Eight entries, a cache line, to where one begins. */
static inline void copy_line(const double *x, double *y)
{
#ifdef __SSE2__
    for (int i = 0; i < 8; i += 2) {
        _mm_stream_pd(y + i, _mm_loadu_pd(x + i));
    }
#else
    memcpy(y, x, 8 * sizeof *y);
#endif
}

void plain_copy(int64_t n, const double *x, double *y)
{
    const int64_t lines = (uintptr_t)y % 64 == 0 ? n / 8 : 0;
#pragma omp parallel for
    for (int64_t line = 0; line < lines; line++) {
        __builtin_prefetch(x + 8 * line + 1024);
        copy_line(x + 8 * line, y + 8 * line);
    }
    memcpy(y + 8 * lines, x + 8 * lines, (size_t)(n - 8 * lines) * sizeof *y);
}

double plain_sum(int64_t n, const double *x)
{
    double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum;
}

double plain_dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}
