/* The plain loops. */
#include "plain.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#    include <immintrin.h>
#endif

typedef struct loop {
    int64_t n;
    int threads;
    void (*body)(void *job, int64_t begin, int64_t end);
    void *job;
} loop;

static void run_parts(void *user, int64_t begin, int64_t end)
{
    const loop *l = user;
    l->body(l->job, l->n * begin / l->threads, l->n * end / l->threads);
}

void plain_for(fur_context *context, int64_t n, void (*body)(void *job, int64_t begin, int64_t end),
               void *job)
{
    loop l = {n, fur_context_threads(context), body, job};
    fur_context_parallel(context, l.threads, 1, run_parts, &l);
}

typedef struct spmv {
    const int32_t *offsets;
    const int32_t *columns;
    const double *values;
    const double *x;
    double *y;
} spmv;

static void multiply_rows(void *job, int64_t begin, int64_t end)
{
    spmv a = *(const spmv *)job;
    for (int64_t i = begin; i < end; i++) {
        double sum = 0;
        for (int32_t k = a.offsets[i]; k < a.offsets[i + 1]; k++)
            sum += a.values[k] * a.x[a.columns[k]];
        a.y[i] = sum;
    }
}

void plain_spmv(fur_context *context, int64_t rows, const int32_t *offsets, const int32_t *columns,
                const double *values, const double *x, double *y)
{
    plain_for(context, rows, multiply_rows, &(spmv){offsets, columns, values, x, y});
}

typedef struct spmm {
    const int32_t *offsets;
    const int32_t *columns;
    const double *values;
    int64_t count;
    const double *x;
    double *y;
} spmm;

static void multiply_blocks(void *job, int64_t begin, int64_t end)
{
    spmm a = *(const spmm *)job;
    for (int64_t i = begin; i < end; i++) {
        double *restrict y = a.y + i * a.count;
        for (int64_t j = 0; j < a.count; j++)
            y[j] = 0;
        for (int32_t k = a.offsets[i]; k < a.offsets[i + 1]; k++) {
            const double *x = a.x + a.columns[k] * a.count;
            double value = a.values[k];
            for (int64_t j = 0; j < a.count; j++)
                y[j] += value * x[j];
        }
    }
}

void plain_spmm(fur_context *context, int64_t rows, int64_t count, const fur_csr_view *a,
                const double *x, double *y)
{
    plain_for(context, rows, multiply_blocks,
              &(spmm){a->offsets, a->columns, a->values, count, x, y});
}

typedef struct sddmm {
    const int32_t *offsets;
    const int32_t *columns;
    int64_t count;
    const double *x;
    const double *y;
    double *values;
} sddmm;

static void sample_rows(void *job, int64_t begin, int64_t end)
{
    sddmm a = *(const sddmm *)job;
    for (int64_t i = begin; i < end; i++) {
        const double *x = a.x + i * a.count;
        for (int32_t k = a.offsets[i]; k < a.offsets[i + 1]; k++) {
            const double *y = a.y + a.columns[k] * a.count;
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t j = 0; j < a.count; j++)
                sum += x[j] * y[j];
            a.values[k] = sum;
        }
    }
}

void plain_sddmm(fur_context *context, const fur_csr_view *a, int64_t count, const double *x,
                 const double *y, double *values)
{
    plain_for(context, a->rows, sample_rows, &(sddmm){a->offsets, a->columns, count, x, y, values});
}

static int by_column(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left;
    int32_t b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* Adds up row i. Its columns form a linked list from the returned column through `next` to -2. */
static int32_t sum_row(const plain_csr *a, const plain_csr *b, int64_t i, double *sums,
                       int32_t *next)
{
    int32_t head = -2;
    for (int32_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) {
        int32_t k = a->columns[e];
        for (int32_t t = b->offsets[k]; t < b->offsets[k + 1]; t++) {
            int32_t j = b->columns[t];
            if (next[j] == -1) {
                next[j] = head;
                head = j;
                sums[j] = 0;
            }
            sums[j] += a->values[e] * b->values[t];
        }
    }
    return head;
}

int64_t plain_spgemm(const plain_csr *a, const plain_csr *b, double *sums, int32_t *next,
                     int32_t *offsets, int32_t *columns, double *values)
{
    int64_t count = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t start = count;
        int32_t j = sum_row(a, b, i, sums, next);
        while (j != -2) {
            int32_t after = next[j];
            next[j] = -1;
            if (columns)
                columns[count] = j;
            count++;
            j = after;
        }
        if (columns) {
            qsort(columns + start, (size_t)(count - start), sizeof *columns, by_column);
            for (int64_t k = start; k < count; k++)
                values[k] = sums[columns[k]];
        } else {
            offsets[i + 1] = (int32_t)count;
        }
    }
    return count;
}

/* The data of loops over vectors: two vectors and a sum. */
typedef struct vectors {
    const double *x;
    const double *y;
    double *out;
    _Atomic double sum;
} vectors;

/* Copies eight entries to the beginning of a cache line. */
static inline void copy_line(const double *x, double *y)
{
#ifdef __SSE2__
    for (int i = 0; i < 8; i += 2)
        _mm_stream_pd(y + i, _mm_loadu_pd(x + i));
#else
    memcpy(y, x, 8 * sizeof *y);
#endif
}

static void copy_lines(void *job, int64_t begin, int64_t end)
{
    const vectors *v = job;
    const double *x = v->x;
    double *y = v->out;
    for (int64_t line = begin; line < end; line++) {
        __builtin_prefetch(x + 8 * line + 1024);
        copy_line(x + 8 * line, y + 8 * line);
    }
}

void plain_copy(fur_context *context, int64_t n, const double *x, double *y)
{
    int64_t lines = (uintptr_t)y % 64 == 0 ? n / 8 : 0;
    plain_for(context, lines, copy_lines, &(vectors){.x = x, .out = y});
    memcpy(y + 8 * lines, x + 8 * lines, (size_t)(n - 8 * lines) * sizeof *y);
}

static void add_part(_Atomic double *sum, double value)
{
    double known = *sum;
    while (!atomic_compare_exchange_weak(sum, &known, known + value)) {
    }
}

static void sum_entries(void *job, int64_t begin, int64_t end)
{
    vectors *v = job;
    const double *x = v->x;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = begin; i < end; i++)
        sum += x[i];
    add_part(&v->sum, sum);
}

double plain_sum(fur_context *context, int64_t n, const double *x)
{
    vectors v = {.x = x};
    plain_for(context, n, sum_entries, &v);
    return v.sum;
}

static void sum_products(void *job, int64_t begin, int64_t end)
{
    vectors *v = job;
    const double *x = v->x;
    const double *y = v->y;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = begin; i < end; i++)
        sum += x[i] * y[i];
    add_part(&v->sum, sum);
}

double plain_dot(fur_context *context, int64_t n, const double *x, const double *y)
{
    vectors v = {.x = x, .y = y};
    plain_for(context, n, sum_products, &v);
    return v.sum;
}
