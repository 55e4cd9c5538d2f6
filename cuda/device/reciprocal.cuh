// Reciprocals with the bits of src/kernel/typed/reciprocal_template.h: the same operations in the
// same order.
#ifndef FURROW_CUDA_RECIPROCAL_CUH
#define FURROW_CUDA_RECIPROCAL_CUH

#include "unit.h"
#include "value.cuh"

// x = 1 / x. Returns whether both the old and the new x are finite.
template <class Real> __device__ inline bool fur_invert(Real *x)
{
    bool finite = isfinite(*x);
    *x = 1 / *x;
    return finite && isfinite(*x);
}

// 1 / z = conj(z) / |z|^2, with z scaled by a power of two so that |z|^2 cannot overflow.
template <class Real> __device__ inline bool fur_invert(fur_complex_of<Real> *x)
{
    double re = x->re;
    double im = x->im;
    double large = fmax(fabs(re), fabs(im));
    double scale = fur_unit_scale(false, large);
    re *= scale;
    im *= scale;
    double square = fma(re, re, im * im);
    *x = fur_from<fur_complex_of<Real>>({re / square * scale, -im / square * scale});
    return isfinite(x->re) && isfinite(x->im) && square > 0;
}

#endif
