/* The plain loops. */
#include "plain.h"

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
