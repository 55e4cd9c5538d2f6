/* Sums in twofold precision with bounds of their errors (Ogita, Rump and Oishi, Accurate sum and
 * dot product, 2005, algorithms 5.3 and 5.8). They require only rounding to nearest. */
#ifndef FURROW_SOLVER_TWOFOLD_H
#define FURROW_SOLVER_TWOFOLD_H

#include "csr.h"
#include "value_type.h"

#include <float.h>
#include <math.h>

/* Rounding of the few operations after a row's sum. */
#define FUR_TWOFOLD_ROUNDING (8 * DBL_EPSILON)
/* If a product is smaller than this, its rounding error may be too small for a double. */
#define FUR_TWOFOLD_SMALL 0x1p-960

/* A sum in twofold precision: sum + low. */
typedef struct fur_twofold {
    double sum;
    double low;
    double moduli; /* sum of the moduli that were added to low */
    double lost;   /* upper bound of what too small products have lost */
    int64_t terms;
} fur_twofold;

/* Adds term + rest, where rest is the rounding error of the term. */
static inline void fur_twofold_add(fur_twofold *t, double term, double rest)
{
    double sum = t->sum + term;
    double part = sum - t->sum;
    double low = ((t->sum - (sum - part)) + (term - part)) + rest;
    t->sum = sum;
    t->low += low;
    t->moduli += fabs(low);
    t->terms++;
}

static inline void fur_twofold_add_product(fur_twofold *t, double a, double x)
{
    double product = a * x;
    fur_twofold_add(t, product, fma(a, x, -product));
    if (fabs(product) < FUR_TWOFOLD_SMALL && a != 0 && x != 0)
        t->lost += DBL_TRUE_MIN;
}

/* An upper bound of the difference between sum + low and the exact sum. */
static inline double fur_twofold_error(const fur_twofold *t)
{
    return (double)(t->terms + 1) * DBL_EPSILON * t->moduli + t->lost;
}

/* Adds sign times entry k of A times its entry of x. */
static inline void fur_twofold_add_entry(const fur_csr_view *a, int64_t k, double sign,
                                         const void *x, fur_twofold *re, fur_twofold *im)
{
    fur_value_type value = a->value_type;
    int64_t j = a->columns[k];
    if (!fur_value_is_complex(value)) {
        fur_twofold_add_product(re, sign * fur_value_part(value, a->values, k),
                                fur_value_part(value, x, j));
        return;
    }
    double a_re = sign * fur_value_part(value, a->values, 2 * k);
    double a_im = sign * fur_value_part(value, a->values, 2 * k + 1);
    double x_re = fur_value_part(value, x, 2 * j);
    double x_im = fur_value_part(value, x, 2 * j + 1);
    fur_twofold_add_product(re, a_re, x_re);
    fur_twofold_add_product(re, -a_im, x_im);
    fur_twofold_add_product(im, a_re, x_im);
    fur_twofold_add_product(im, a_im, x_re);
}

/* Adds sign times row i of A times x. */
static inline void fur_twofold_add_row(const fur_csr_view *a, int64_t i, double sign, const void *x,
                                       fur_twofold *re, fur_twofold *im)
{
    for (int64_t k = fur_offset_at(a, i); k < fur_offset_at(a, i + 1); k++)
        fur_twofold_add_entry(a, k, sign, x, re, im);
}

#endif
