/* Conjugate gradients in OpenMP. */
#include "peer_openmp.h"

#include <omp.h>
#include <stdlib.h>

struct peer_openmp {
    int threads;
    int64_t rows;
    int32_t *offsets;
    int32_t *columns;
    double *values;
    double *b;
    double *x;
    double *r;       /* residual */
    double *z;       /* r / d */
    double *p;       /* search direction */
    double *q;       /* A p */
    double *inverse; /* 1 / d */
};

static void copy_rows(peer_openmp *s, const int32_t *offsets, const int32_t *columns,
                      const double *values, const double *b)
{
    s->offsets[0] = 0;
#pragma omp parallel for num_threads(s->threads)
    for (int64_t i = 0; i < s->rows; i++) {
        s->offsets[i + 1] = offsets[i + 1];
        s->b[i] = b[i];
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++) {
            s->columns[k] = columns[k];
            s->values[k] = values[k];
            if (columns[k] == i)
                s->inverse[i] = 1 / values[k];
        }
    }
}

peer_openmp *peer_openmp_create(int threads, int64_t rows, const int32_t *offsets,
                                const int32_t *columns, const double *values, const double *b)
{
    peer_openmp *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    double **vectors[] = {&s->b, &s->x, &s->r, &s->z, &s->p, &s->q, &s->inverse};
    size_t entries = (size_t)offsets[rows] + 1;
    s->threads = threads;
    s->rows = rows;
    s->offsets = malloc(((size_t)rows + 1) * sizeof *s->offsets);
    s->columns = malloc(entries * sizeof *s->columns);
    s->values = malloc(entries * sizeof *s->values);
    int complete = s->offsets && s->columns && s->values;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = malloc((size_t)rows * sizeof **vectors[i] + 1);
        complete = complete && *vectors[i];
    }
    if (complete) {
        copy_rows(s, offsets, columns, values, b);
        return s;
    }
    peer_openmp_destroy(s);
    return NULL;
}

void peer_openmp_destroy(peer_openmp *s)
{
    if (!s)
        return;
    free(s->offsets);
    free(s->columns);
    free(s->values);
    free(s->b);
    free(s->x);
    free(s->r);
    free(s->z);
    free(s->p);
    free(s->q);
    free(s->inverse);
    free(s);
}

/* x = 0, r = b, z = r / d, p = z; r.z */
static double begin(peer_openmp *s)
{
    const double *b = s->b;
    const double *inverse = s->inverse;
    double *x = s->x;
    double *r = s->r;
    double *z = s->z;
    double *p = s->p;
    double rz = 0;
#pragma omp parallel for num_threads(s->threads) reduction(+ : rz)
    for (int64_t i = 0; i < s->rows; i++) {
        x[i] = 0;
        r[i] = b[i];
        z[i] = inverse[i] * b[i];
        p[i] = z[i];
        rz += r[i] * z[i];
    }
    return rz;
}

/* q = A p */
static void multiply(peer_openmp *s)
{
    const int32_t *offsets = s->offsets;
    const int32_t *columns = s->columns;
    const double *values = s->values;
    const double *p = s->p;
    double *q = s->q;
#pragma omp parallel for num_threads(s->threads)
    for (int64_t i = 0; i < s->rows; i++) {
        double sum = 0;
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++)
            sum += values[k] * p[columns[k]];
        q[i] = sum;
    }
}

/* p.q */
static double dot(const peer_openmp *s)
{
    const double *p = s->p;
    const double *q = s->q;
    double sum = 0;
#pragma omp parallel for num_threads(s->threads) reduction(+ : sum)
    for (int64_t i = 0; i < s->rows; i++)
        sum += p[i] * q[i];
    return sum;
}

/* x += alpha p, r -= alpha q; r.r */
static double step(peer_openmp *s, double alpha)
{
    const double *p = s->p;
    const double *q = s->q;
    double *x = s->x;
    double *r = s->r;
    double rr = 0;
#pragma omp parallel for num_threads(s->threads) reduction(+ : rr)
    for (int64_t i = 0; i < s->rows; i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        rr += r[i] * r[i];
    }
    return rr;
}

/* z = r / d; r.z */
static double precondition(peer_openmp *s)
{
    const double *r = s->r;
    const double *inverse = s->inverse;
    double *z = s->z;
    double rz = 0;
#pragma omp parallel for num_threads(s->threads) reduction(+ : rz)
    for (int64_t i = 0; i < s->rows; i++) {
        z[i] = inverse[i] * r[i];
        rz += r[i] * z[i];
    }
    return rz;
}

/* p = z + beta p */
static void turn(peer_openmp *s, double beta)
{
    const double *z = s->z;
    double *p = s->p;
#pragma omp parallel for num_threads(s->threads)
    for (int64_t i = 0; i < s->rows; i++)
        p[i] = z[i] + beta * p[i];
}

double peer_openmp_run(peer_openmp *s, int64_t warm, int64_t iterations)
{
    double rz = begin(s);
    double rr = 1;
    double start = omp_get_wtime();
    for (int64_t i = 0; i < iterations && rr > 0; i++) {
        if (i == warm)
            start = omp_get_wtime();
        multiply(s);
        double alpha = rz / dot(s);
        rr = step(s, alpha);
        double before = rz;
        rz = precondition(s);
        turn(s, rz / before);
    }
    return omp_get_wtime() - start;
}

const double *peer_openmp_x(const peer_openmp *s)
{
    return s->x;
}
