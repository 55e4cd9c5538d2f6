/* Bisection by Sturm sequences: W. Givens, Numerical computation of the characteristic values of a
 * real symmetric matrix, 1954. The code follows W. Barth, R. S. Martin and J. H. Wilkinson,
 * Calculation of the eigenvalues of a symmetric tridiagonal matrix by the method of bisection,
 * 1967. In floating point the count belongs to a matrix whose entries differ by a few roundings. */
#include "tridiagonal.h"

#include <float.h>
#include <math.h>

/* Rounding may move Ritz values out of the spectrum by this number of epsilons of the largest. */
#define ROUNDINGS 64

/* The number of eigenvalues below x, which is the number of negative pivots of T - x I. A pivot of
 * 0 keeps its sign: the next pivot is infinite with the opposite sign. */
static int64_t count_below(int64_t n, const double *diagonal, const double *beside, double x)
{
    int64_t count = 0;
    double pivot = 1;
    for (int64_t i = 0; i < n; i++) {
        double next = i > 0 ? beside[i - 1] : 0;
        pivot = diagonal[i] - x - (next == 0 ? 0 : next * (next / pivot));
        count += signbit(pivot) != 0;
    }
    return count;
}

/* The interval that the Gershgorin discs cover. */
static void enclose(int64_t n, const double *diagonal, const double *beside, double *low,
                    double *high)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (int64_t i = 0; i < n; i++) {
        double radius = (i > 0 ? fabs(beside[i - 1]) : 0) + (i + 1 < n ? fabs(beside[i]) : 0);
        if (!(fabs(diagonal[i]) + radius < HUGE_VAL)) {
            *low = *high = NAN;
            return;
        }
        *low = fmin(*low, diagonal[i] - radius);
        *high = fmax(*high, diagonal[i] + radius);
    }
}

void fur_tridiagonal_bracket(int64_t n, const double *diagonal, const double *beside, int64_t index,
                             double tolerance, double *low, double *high)
{
    enclose(n, diagonal, beside, low, high);
    double least = DBL_EPSILON * fmax(fabs(*low), fabs(*high));
    for (;;) {
        double middle = *low / 2 + *high / 2;
        double width = *high / 2 - *low / 2;
        if (!(width > fmax(least, tolerance * fabs(middle))) || middle <= *low || middle >= *high)
            return;
        if (count_below(n, diagonal, beside, middle) > index)
            *high = middle;
        else
            *low = middle;
    }
}

double fur_tridiagonal_eigenvalue(int64_t n, const double *diagonal, const double *beside,
                                  int64_t index, double tolerance)
{
    double low;
    double high;
    fur_tridiagonal_bracket(n, diagonal, beside, index, tolerance, &low, &high);
    return low / 2 + high / 2;
}

void fur_tridiagonal_extremes(int64_t n, const double *diagonal, const double *beside,
                              double tolerance, double *smallest, double *largest)
{
    double unused;
    fur_tridiagonal_bracket(n, diagonal, beside, 0, tolerance, &unused, smallest);
    fur_tridiagonal_bracket(n, diagonal, beside, n - 1, tolerance, largest, &unused);
}

double fur_condition_below(double smallest, double largest, double epsilon)
{
    double rounding = ROUNDINGS * epsilon * largest;
    return (largest - rounding) / (smallest + rounding);
}
