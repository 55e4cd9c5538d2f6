/* Jacobi's method of plane rotations (Jacobi 1846), in the version of H. Rutishauser, The Jacobi
 * method for real symmetric matrices, 1966. It goes row by row until the entries off the diagonal
 * are below rounding. It needs some 10 sweeps of 3 n^3 operations each. The products and the
 * orthogonalisation of Lanczos take longer. The eigenvectors are orthogonal up to rounding. */
#include "dense_symmetric.h"

#include "complex_number.h"

#include <float.h>
#include <math.h>

#define MAX_SWEEPS 60

typedef struct dense {
    int parts; /* parts of an entry: 1 if real, 2 if complex */
    int n;
    double *a;
    double *vectors;
} dense;

/* Row i of a matrix of the problem. */
static double *row_of(const dense *d, double *matrix, int i)
{
    return matrix + i * d->n * d->parts;
}

/* (p, q) = (c p - s q, s p + c q) for n numbers from p and from q on, `step` apart. */
static void rotate(int n, double *p, double *q, int step, double c, double s)
{
    for (int k = 0; k < n; k++) {
        double x = p[k * step];
        double y = q[k * step];
        p[k * step] = c * x - s * y;
        q[k * step] = s * x + c * y;
    }
}

/* Multiplies n complex numbers from x on, `step` parts apart, by re + i im. */
static void turn(int n, double *x, int step, double re, double im)
{
    for (int k = 0; k < n; k++) {
        double *at = x + k * step;
        double x_re = at[0];
        at[0] = x_re * re - at[1] * im;
        at[1] = x_re * im + at[1] * re;
    }
}

static double modulus(const double *entry, int parts)
{
    return parts == 1 ? fabs(entry[0]) : fur_modulus(fur_complex(entry[0], entry[1]));
}

/* Makes entry (p, q) of a complex matrix real. Column q is multiplied by a number of modulus 1, and
 * row q by its conjugate. */
static void make_real(const dense *d, int p, int q)
{
    double *entry = row_of(d, d->a, p) + 2 * q;
    double *diagonal = row_of(d, d->a, q) + 2 * q;
    double own = diagonal[0];
    double length = modulus(entry, 2);
    double re = entry[0] / length;
    double im = -entry[1] / length;
    turn(d->n, d->a + 2 * q, 2 * d->n, re, im);
    turn(d->n, row_of(d, d->a, q), 2, re, -im);
    turn(d->n, row_of(d, d->vectors, q), 2, re, im);
    entry[0] = length;
    entry[1] = 0;
    diagonal[0] = own;
    diagonal[1] = 0;
}

/* Rotates a(p, q) to 0. */
static void eliminate(const dense *d, int p, int q)
{
    int parts = d->parts;
    int n = d->n;
    double *row_p = row_of(d, d->a, p);
    double *row_q = row_of(d, d->a, q);
    if (parts == 2 && row_p[2 * q + 1] != 0)
        make_real(d, p, q);
    double tau = (row_q[q * parts] - row_p[p * parts]) / 2 / row_p[q * parts];
    double t = 1 / (fabs(tau) + sqrt(1 + tau * tau));
    double c = 1 / sqrt(1 + t * t);
    double s = tau < 0 ? -t * c : t * c;
    rotate(n * parts, row_p, row_q, 1, c, s);
    for (int part = 0; part < parts; part++)
        rotate(n, d->a + p * parts + part, d->a + q * parts + part, n * parts, c, s);
    rotate(n * parts, row_of(d, d->vectors, p), row_of(d, d->vectors, q), 1, c, s);
    for (int part = 0; part < parts; part++)
        row_p[q * parts + part] = row_q[p * parts + part] = 0;
}

/* Runs a sweep. Returns whether it found an entry to eliminate. */
static int sweep(const dense *d, double least)
{
    int found = 0;
    for (int p = 0; p < d->n; p++)
        for (int q = p + 1; q < d->n; q++)
            if (modulus(row_of(d, d->a, p) + q * d->parts, d->parts) > least) {
                eliminate(d, p, q);
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

static void sort(const dense *d, double *values)
{
    for (int i = 0; i < d->n; i++) {
        int least = i;
        for (int j = i + 1; j < d->n; j++)
            least = values[j] < values[least] ? j : least;
        if (least == i)
            continue;
        exchange(&values[i], &values[least]);
        for (int k = 0; k < d->n * d->parts; k++)
            exchange(&row_of(d, d->vectors, i)[k], &row_of(d, d->vectors, least)[k]);
    }
}

void fur_dense_symmetric_eigen(int parts, int n, double *a, double *values, double *vectors)
{
    const dense d = {parts, n, a, vectors};
    double most = 0;
    for (int i = 0; i < n * n * parts; i++) {
        most = fmax(most, fabs(a[i]));
        vectors[i] = i % ((n + 1) * parts) == 0;
    }
    for (int i = 0; i < MAX_SWEEPS && sweep(&d, DBL_EPSILON / n * most); i++)
        ;
    for (int i = 0; i < n; i++)
        values[i] = a[(i * n + i) * parts];
    sort(&d, values);
}
