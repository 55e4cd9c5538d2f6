/* Dot product and norms. */
#include "object.h"

#include <float.h>
#include <math.h>

static const fur_reduction_kernels *kernels(const fur_vector *x)
{
    return x->context->backend->reduction;
}

static int threads(const fur_vector *x)
{
    return x->context->env.threads;
}

fur_status fur_dot(const fur_vector *x, const fur_vector *y, fur_scalar *out)
{
    FUR_TRY(fur_vector_match(x, y));
    *out = kernels(x)->dot[x->value](threads(x), x->size, x->data, y->data);
    return FUR_OK;
}

fur_status fur_norm1(const fur_vector *x, double *out)
{
    *out = kernels(x)->sum_abs[x->value](threads(x), x->size, x->data);
    return FUR_OK;
}

fur_status fur_norm_max(const fur_vector *x, double *out)
{
    *out = kernels(x)->max_abs[x->value](threads(x), x->size, x->data);
    return FUR_OK;
}

/* ||x||_2 where the plain sum of squares overflowed or may have lost bits: the largest entry is
 * brought near 1 by a power of two, which changes no digit. */
static double scaled_norm2(const fur_vector *x)
{
    double most = kernels(x)->max_abs[x->value](threads(x), x->size, x->data);
    if (most == 0 || isnan(most) || isinf(most))
        return most;
    double scale = scalbn(1, most < DBL_MIN ? DBL_MAX_EXP - 1 : -ilogb(most));
    double sum = kernels(x)->sum_squares[x->value](threads(x), x->size, scale, x->data);
    return sqrt(sum) / scale;
}

/* ||x||_2 from sum |x_i|^2. The sum is exact to rounding between these bounds: below the lower one
 * squares of single entries may have underflowed, by 2^-1074 each. */
static double norm2_from(const fur_vector *x, double sum)
{
    return sum >= 0x1p-960 && sum <= DBL_MAX ? sqrt(sum) : scaled_norm2(x);
}

fur_status fur_norm2(const fur_vector *x, double *out)
{
    *out = norm2_from(x, kernels(x)->sum_squares[x->value](threads(x), x->size, 1, x->data));
    return FUR_OK;
}

fur_status fur_axpy_norm2(fur_scalar alpha, const fur_vector *x, fur_vector *y, double *norm)
{
    FUR_TRY(fur_vector_match(x, y));
    double sum = kernels(x)->axpy_squares[x->value](threads(x), x->size, alpha, x->data, y->data);
    *norm = norm2_from(y, sum);
    return FUR_OK;
}
