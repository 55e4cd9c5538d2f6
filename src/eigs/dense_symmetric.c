/* Jacobi's method of plane rotations (Jacobi 1846), as H. Rutishauser, The Jacobi method for real
 * symmetric matrices, 1966, has it: row by row until what is beside the diagonal is below rounding.
 * It needs some 10 sweeps of 3 n^3 operations each, which the products and the orthogonalisation of
 * Lanczos outweigh, and finds eigenvectors orthogonal to rounding. */
#include "dense_symmetric.h"

#include <float.h>
#include <math.h>

#define MOST_SWEEPS 60

/* Rows (or columns) p and q of a matrix with this step between entries: (c p - s q, s p + c q). */
static void rotate(int n, double *p, double *q, int step, double c, double s)
{
    for (int k = 0; k < n; k++) {
        double x = p[k * step];
        double y = q[k * step];
        p[k * step] = c * x - s * y;
        q[k * step] = s * x + c * y;
    }
}

/* Turns a(p, q) into 0. */
static void eliminate(int n, double *a, double *vectors, int p, int q)
{
    double tau = (a[q * n + q] - a[p * n + p]) / 2 / a[p * n + q];
    double t = 1 / (fabs(tau) + sqrt(1 + tau * tau));
    double c = 1 / sqrt(1 + t * t);
    double s = tau < 0 ? -t * c : t * c;
    rotate(n, a + p * n, a + q * n, 1, c, s);
    rotate(n, a + p, a + q, n, c, s);
    rotate(n, vectors + p * n, vectors + q * n, 1, c, s);
    a[p * n + q] = a[q * n + p] = 0;
}

/* Whether a sweep found something to eliminate. */
static int sweep(int n, double *a, double *vectors, double least)
{
    int found = 0;
    for (int p = 0; p < n; p++)
        for (int q = p + 1; q < n; q++)
            if (fabs(a[p * n + q]) > least) {
                eliminate(n, a, vectors, p, q);
                found = 1;
            }
    return found;
}

static void exchange(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

static void sort(int n, double *values, double *vectors)
{
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++)
            least = values[j] < values[least] ? j : least;
        if (least == i)
            continue;
        exchange(&values[i], &values[least]);
        for (int k = 0; k < n; k++)
            exchange(&vectors[i * n + k], &vectors[least * n + k]);
    }
}

void fur_dense_symmetric_eigen(int n, double *a, double *values, double *vectors)
{
    double most = 0;
    for (int i = 0; i < n * n; i++) {
        most = fmax(most, fabs(a[i]));
        vectors[i] = i % (n + 1) == 0;
    }
    for (int i = 0; i < MOST_SWEEPS && sweep(n, a, vectors, DBL_EPSILON / n * most); i++)
        ;
    for (int i = 0; i < n; i++)
        values[i] = a[i * n + i];
    sort(n, values, vectors);
}
