// Moduli of the entries of vectors, with the bits of src/base/magnitude.h.
#ifndef FURROW_CUDA_MAGNITUDE_CUH
#define FURROW_CUDA_MAGNITUDE_CUH

#include "value.cuh"

namespace
{

// sqrt(a^2 + b^2); where a square could overflow or lose bits, the larger part is first brought to
// [1, 2).
__device__ inline double modulus(double re, double im)
{
    double a = fabs(re);
    double b = fabs(im);
    double large = a > b ? a : b;
    if (large > 0x1p400 || (large < 0x1p-400 && large > 0)) {
        if (isinf(large) || isnan(a) || isnan(b))
            return a + b;
        int exponent = ilogb(large);
        a = scalbn(a, -exponent);
        b = scalbn(b, -exponent);
        return scalbn(sqrt(fma(a, a, b * b)), exponent);
    }
    return sqrt(fma(a, a, b * b));
}

template <class Value> __device__ inline double magnitude(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return modulus(a.re, a.im);
    else
        return fabs(double(a));
}

// NaN if one is: fmax would drop it.
__device__ inline double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

} // namespace

#endif
