// Triangular solves on the device: a copy of the triangle with its rows sorted by level, and the
// solve, in which each row waits for the rows that it needs.
#ifndef FURROW_CUDA_TRIANGULAR_CUH
#define FURROW_CUDA_TRIANGULAR_CUH

#include "device.cuh"
#include "ticket.cuh"
#include "value.cuh"

// The number of right-hand sides whose solutions are interleaved, if there are several.
#define FUR_CUDA_MANY FUR_TRSV_MANY

// The copy. Its rows are called places, in the order of (level, natural order). The first entry of
// a place is the farthest from the diagonal. Columns are places.
struct fur_cuda_triangle {
    int64_t rows;
    int64_t entries; // off the diagonal
    bool upper;
    bool unit;
    bool many;
    fur_value_type value;
    int64_t *starts; // rows + 1
    int32_t *order;  // the row at each place
    int32_t *columns;
    void *values;
    void *divisors; // by places; null: all are 1
    void *diagonal; // by rows: workspace to check the diagonal
    // The solution by places, followed by the ticket of the next block. All bits are set for values
    // that are not known yet.
    void *work;
    int64_t work_bytes;
    unsigned *ticket;
    int64_t *fault; // the first faulty row, or NO_ROW: see plan.cu
};

extern "C" {
// The functions of fur_triangular_services.
fur_status fur_cuda_trsv_plan(fur_env *env, const fur_csr_view *a, const fur_trsv_form *form,
                              fur_trsv_figures *figures, void **state);
fur_status fur_cuda_trsv_refresh(fur_env *env, const fur_csr_view *a, void *state,
                                 int64_t *useless);
fur_status fur_cuda_trsv_solve(fur_env *env, void *state, fur_scalar alpha, int count,
                               const void *const *b, void *const *x);
void fur_cuda_trsv_release(fur_env *env, void *state);
fur_status fur_cuda_find_diagonal(fur_env *env, const fur_csr_view *a, int64_t *at,
                                  int64_t *missing);
fur_status fur_cuda_order_rows(fur_env *env, const fur_csr_view *a, int32_t *order);

// Functions of the backend: see factor_kernel.h and fsai_kernel.h.
int64_t fur_cuda_factor(const fur_factor_call *call);
int64_t fur_cuda_fsai(const fur_fsai_call *call);
}

template <class Value> __device__ inline Value fur_negative(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {-a.re, -a.im};
    else
        return -a;
}

template <class Value> __device__ inline typename fur_value_of<Value>::real fur_real_part(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return a.re;
    else
        return a;
}

// s divided by the real part of d
template <class Value> __device__ inline Value fur_over_real(Value s, Value d)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {s.re / d.re, s.im / d.re};
    else
        return s / d;
}

// fur_look reads the current value of a number that other blocks may write, and fur_is_known tests
// whether it has been written. Each part of a number is written at once, so that a half-written
// part is never seen.
template <class Real> __device__ inline bool fur_is_known(Real part)
{
    if constexpr (sizeof(Real) == 4)
        return __float_as_uint(part) != 0xffffffffu;
    else
        return __double_as_longlong(part) != -1;
}
template <class Real> __device__ inline bool fur_is_known(fur_complex_of<Real> value)
{
    return fur_is_known(value.re) && fur_is_known(value.im);
}
template <class T> __device__ inline T fur_look(const T *p)
{
    using raw = typename fur_raw_of<sizeof(T)>::type;
    raw bits = __ldcv(reinterpret_cast<const raw *>(p));
    return *reinterpret_cast<T *>(&bits);
}

// Returns the same number with bits other than those of an unknown value. Only a NaN can have these
// bits.
__device__ inline float fur_knowable(float part)
{
    return fur_is_known(part) ? part : __uint_as_float(0x7fffffffu);
}
__device__ inline double fur_knowable(double part)
{
    return fur_is_known(part) ? part : __longlong_as_double(0x7fffffffffffffffLL);
}
template <class Real>
__device__ inline fur_complex_of<Real> fur_knowable(fur_complex_of<Real> value)
{
    return {fur_knowable(value.re), fur_knowable(value.im)};
}

// Stores a value that others poll.
template <class T> __device__ inline void fur_tell(T *p, T value)
{
    using raw = typename fur_raw_of<sizeof(T)>::type;
    __stcg(reinterpret_cast<raw *>(p), *reinterpret_cast<raw *>(&value));
}

#endif
