// The four value types in CUDA, with the arithmetic of src/base/scalar.h. The operations and their
// order are the same, so that a sum has the same bits on both sides. Contraction is off in this
// folder too.
#ifndef FURROW_CUDA_VALUE_CUH
#define FURROW_CUDA_VALUE_CUH

#include "kernel.h"

#include <type_traits>

// A complex number that is loaded and stored as one word.
template <class Real> struct alignas(2 * sizeof(Real)) fur_complex_of {
    Real re;
    Real im;
};

using fur_c64 = fur_complex_of<float>;
using fur_c128 = fur_complex_of<double>;

// The real type of a value type, and whether it is complex.
template <class Value> struct fur_value_of {
    using real = Value;
    static constexpr bool is_complex = false;
};
template <class Real> struct fur_value_of<fur_complex_of<Real>> {
    using real = Real;
    static constexpr bool is_complex = true;
};

// Returns a coefficient rounded to the value type.
template <class Value> __host__ __device__ inline Value fur_from(fur_scalar s)
{
    using real = typename fur_value_of<Value>::real;
    if constexpr (fur_value_of<Value>::is_complex)
        return {static_cast<real>(s.re), static_cast<real>(s.im)};
    else
        return static_cast<real>(s.re);
}

template <class Value> __host__ __device__ inline Value fur_zero()
{
    return fur_from<Value>({0, 0});
}

template <class Value> __host__ __device__ inline bool fur_is_zero(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return a.re == 0 && a.im == 0;
    else
        return a == 0;
}

// Returns the complex conjugate. A real number is returned unchanged.
template <class Value> __device__ inline Value fur_conj(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        a.im = -a.im;
    return a;
}

template <class Value> __device__ inline Value fur_add(Value a, Value b)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {a.re + b.re, a.im + b.im};
    else
        return a + b;
}

// a b + c, rounded once. A complex product and sum are four real ones, in this order.
__device__ inline float fur_fma(float a, float b, float c)
{
    return fmaf(a, b, c);
}
__device__ inline double fur_fma(double a, double b, double c)
{
    return fma(a, b, c);
}
template <class Real>
__device__ inline fur_complex_of<Real> fur_fma(fur_complex_of<Real> a, fur_complex_of<Real> b,
                                               fur_complex_of<Real> c)
{
    return {fur_fma(-a.im, b.im, fur_fma(a.re, b.re, c.re)),
            fur_fma(a.im, b.re, fur_fma(a.re, b.im, c.im))};
}

// a b. Each part of a complex product is rounded twice.
template <class Value> __device__ inline Value fur_mul(Value a, Value b)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {fur_fma(-a.im, b.im, a.re * b.re), fur_fma(a.im, b.re, a.re * b.im)};
    else
        return a * b;
}

// Finishes a row of a product: y = alpha sum + beta y. y is not read if beta is 0.
template <class Value> struct fur_finish {
    Value alpha;
    Value beta;
    bool overwrite;

    template <class Call>
    explicit fur_finish(const Call *call)
        : alpha(fur_from<Value>(call->alpha)), beta(fur_from<Value>(call->beta)),
          overwrite(fur_is_zero(beta))
    {
    }

    // alpha sum + beta z
    __device__ Value combine(Value sum, const Value *z) const
    {
        return overwrite ? fur_mul(alpha, sum) : fur_fma(alpha, sum, fur_mul(beta, *z));
    }

    __device__ void operator()(Value sum, Value *y) const
    {
        *y = combine(sum, y);
    }
};

// 16 bytes of neighbouring entries, the largest load of a thread.
template <class Value> struct alignas(16) fur_piece {
    static constexpr int entries = 16 / sizeof(Value);
    Value entry[entries];
};

// A value as CUDA's built-in type of its size, for loads with a cache hint.
template <size_t size> struct fur_raw_of;
template <> struct fur_raw_of<1> {
    using type = unsigned char;
};
template <> struct fur_raw_of<2> {
    using type = unsigned short;
};
template <> struct fur_raw_of<4> {
    using type = float;
};
template <> struct fur_raw_of<8> {
    using type = double;
};
template <> struct fur_raw_of<16> {
    using type = double2;
};

// Loads of a matrix's arrays, each of which is used once and should not evict x from the caches.
// (Measured on random columns: 12 % faster than plain loads. Bypassing the first-level cache, or a
// policy for the second-level cache, gave no more.)
template <class T> __device__ inline T fur_stream(const T *p)
{
    using raw = typename fur_raw_of<sizeof(T)>::type;
    raw bits = __ldcs(reinterpret_cast<const raw *>(p));
    return *reinterpret_cast<T *>(&bits);
}

// Loads data that other blocks of the same launch have written.
template <class T> __device__ inline T fur_from_l2(const T *p)
{
    using raw = typename fur_raw_of<sizeof(T)>::type;
    raw bits = __ldcg(reinterpret_cast<const raw *>(p));
    return *reinterpret_cast<T *>(&bits);
}

// Offsets of either type. A row reads only two, so that one kernel serves both types.
struct fur_row_starts {
    const void *offsets;
    bool wide;

    __device__ int64_t operator[](int64_t row) const
    {
        return wide ? __ldg(static_cast<const long long *>(offsets) + row)
                    : __ldg(static_cast<const int *>(offsets) + row);
    }
};

// Calls f with a value of the tagged type. The tags must be in the order of the enumerations.
static_assert(FUR_F32 == 0 && FUR_F64 == 1 && FUR_C64 == 2 && FUR_C128 == 3,
              "order of fur_value_type");
static_assert(FUR_I32 == 0 && FUR_I64 == 1, "order of fur_offset_type");

template <class F> fur_status fur_with_value(fur_value_type value, F f)
{
    switch (value) {
    case FUR_F32:
        return f(float());
    case FUR_F64:
        return f(double());
    case FUR_C64:
        return f(fur_c64());
    default:
        return f(fur_c128());
    }
}

// Calls f with the offsets in their type.
template <class F> fur_status fur_with_offset(const fur_csr_view *a, F f)
{
    return a->offset_type == FUR_I32 ? f(static_cast<const int32_t *>(a->offsets))
                                     : f(static_cast<const int64_t *>(a->offsets));
}

// Calls f with a value of the matrix's value type and a number of its offset type.
template <class F> fur_status fur_with_types(const fur_csr_view *a, F f)
{
    return fur_with_value(a->value_type, [&](auto value) {
        return a->offset_type == FUR_I32 ? f(value, int32_t()) : f(value, int64_t());
    });
}

#endif
