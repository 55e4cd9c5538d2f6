/* See least_singular.h. */
#include "least_singular.h"

#include "complex_number.h"

/* The least singular value of [sigma, a; 0, pivot], and its left singular vector (s, -t). All
 * numbers are at least 0, and not all are 0. */
static double least_of_two(double sigma, double a, double pivot, double *s, double *t)
{
    double upper = fma(sigma, sigma, a * a);
    double lower = pivot * pivot;
    double gap = fma(sigma - pivot, sigma - pivot, a * a);
    double sum = fma(sigma + pivot, sigma + pivot, a * a);
    double largest = sqrt((upper + lower + sqrt(gap * sum)) / 2);
    double least = sigma * (pivot / largest);
    *s = lower >= upper ? lower - least * least : a * pivot;
    *t = lower >= upper ? a * pivot : upper - least * least;
    double length = fur_length(*s, *t);
    *s = length > 0 ? *s / length : 1;
    *t = length > 0 ? *t / length : 0;
    return least;
}

void fur_least_singular_grow(fur_least_singular *l, int64_t k, const fur_scalar *column,
                             double scale)
{
    double s;
    double t;
    fur_scalar product = fur_real(0); /* witness^H column */
    l->witness[k] = fur_real(1);
    if (k == 0) {
        l->value = column[0].re;
        return;
    }
    for (int64_t i = 0; i < k; i++)
        product = fur_sum(product, fur_times(fur_conjugate(l->witness[i]), column[i]));
    double a = fur_modulus(product);
    l->value = scale * least_of_two(l->value / scale, a / scale, column[k].re / scale, &s, &t);
    for (int64_t i = 0; i < k; i++)
        l->witness[i] = fur_scaled(s, l->witness[i]);
    l->witness[k] = a > 0 ? fur_scaled(-t / a, fur_conjugate(product)) : fur_real(t);
}
