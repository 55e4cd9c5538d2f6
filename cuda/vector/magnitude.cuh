// Moduli of the entries of vectors.
#ifndef FURROW_CUDA_MAGNITUDE_CUH
#define FURROW_CUDA_MAGNITUDE_CUH

#include "magnitude.h"
#include "value.cuh"

namespace
{

template <class Value> __device__ inline double magnitude(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return fur_magnitude(a.re, a.im);
    else
        return fabs(double(a));
}

// Returns the larger of a and b, or NaN if a is NaN. fmax would drop the NaN.
__device__ inline double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

} // namespace

#endif
