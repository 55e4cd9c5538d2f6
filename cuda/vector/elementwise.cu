// Element-wise vector operations, in pieces of 16 bytes. The kernels are bound by memory. Bytes an
// entry: fill 1 entry size, axpby 3 (2 with beta = 0), axpy_many 2 and one for each added vector,
// multiply 3, direction 6 (5 without d).
#include "many.cuh"

#define BLOCK 256
// Blocks on a multiprocessor at once: enough loads in flight, and 48 registers for a thread.
#define RESIDENT 5
// As above, for the two vectors of a direction.
#define RESIDENT_TURN 4

namespace
{

// Data for z = f(x, y) on n entries; f::inputs is the number of inputs that f reads.
template <class Value> struct arrays {
    int64_t n;
    const Value *x;
    const Value *y;
    Value *z;
    bool in_pieces;
};

template <class Value> struct constant {
    static constexpr int inputs = 0;
    Value value;
    __device__ Value operator()(Value, Value) const
    {
        return value;
    }
};

template <class Value> struct product {
    static constexpr int inputs = 2;
    __device__ Value operator()(Value x, Value y) const
    {
        return fur_mul(x, y);
    }
};

template <class Value> struct scaled {
    static constexpr int inputs = 1;
    Value alpha;
    __device__ Value operator()(Value x, Value) const
    {
        return fur_mul(alpha, x);
    }
};

// Adds y without multiplying it: a product of infinity and 1 + 0i would be NaN.
template <class Value> struct scaled_added {
    static constexpr int inputs = 2;
    Value alpha;
    __device__ Value operator()(Value x, Value y) const
    {
        return fur_fma(alpha, x, y);
    }
};

template <class Value> struct both_scaled {
    static constexpr int inputs = 2;
    Value alpha;
    Value beta;
    __device__ Value operator()(Value x, Value y) const
    {
        return fur_fma(alpha, x, fur_mul(beta, y));
    }
};

// z = f(x, y) on one piece.
template <bool Whole, class F, class Value>
__device__ inline void map_piece(const F &f, const arrays<Value> &a, int64_t at)
{
    int left = static_cast<int>(min(a.n - at, int64_t(fur_piece<Value>::entries)));
    fur_piece<Value> x;
    fur_piece<Value> y;
    fur_piece<Value> z;
    if constexpr (F::inputs > 0)
        fur_load<Whole>(&x, a.x + at, left);
    if constexpr (F::inputs > 1)
        fur_load<Whole>(&y, a.y + at, left);
#pragma unroll
    for (int i = 0; i < fur_piece<Value>::entries; i++)
        z.entry[i] = f(x.entry[i], y.entry[i]);
    fur_store<Whole>(z, a.z + at, left);
}

// z = f(x, y) on all pieces. Consecutive pieces of a thread are one launch grid apart.
template <class F, class Value> __device__ inline void map(const F &f, const arrays<Value> &a)
{
    constexpr int entries = fur_piece<Value>::entries;
    int64_t step = gridDim.x * int64_t(BLOCK) * entries;
    int64_t at = (blockIdx.x * int64_t(BLOCK) + threadIdx.x) * entries;
#pragma unroll 1
    for (; at < a.n; at += step)
        if (a.in_pieces && at + entries <= a.n)
            map_piece<true>(f, a, at);
        else
            map_piece<false>(f, a, at);
}

// z = f(x, y). Bytes an entry: above.
template <class F, class Value>
__global__ void __launch_bounds__(BLOCK, RESIDENT) map_all(F f, arrays<Value> a)
{
    map(f, a);
}

// z = alpha x + beta y. The coefficients may be on the device. Bytes an entry: above.
template <class Value>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    add_scaled(arrays<Value> a, fur_ratio alpha, fur_ratio beta)
{
    fur_scalar p;
    fur_scalar q;
    if (!fur_coefficient_read(alpha, &p) || !fur_coefficient_read(beta, &q))
        return;
    Value factor = fur_from<Value>(p);
    Value keep = fur_from<Value>(q);
    if (fur_is_zero(keep))
        map(scaled<Value>{factor}, a);
    else if (q.re == 1 && q.im == 0)
        map(scaled_added<Value>{factor}, a);
    else
        map(both_scaled<Value>{factor, keep}, a);
}

// y += sum_k alpha_k x_k. Bytes an entry: above.
template <class Value>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    add_many(const __grid_constant__ many_of<Value> m)
{
    constexpr int entries = fur_piece<Value>::entries;
    int64_t step = gridDim.x * int64_t(BLOCK) * entries;
    int64_t at = (blockIdx.x * int64_t(BLOCK) + threadIdx.x) * entries;
#pragma unroll 1
    for (; at < m.n; at += step) {
        fur_piece<Value> y[1];
        if (m.in_pieces && at + entries <= m.n)
            add_rows<true>(m, at, entries, y);
        else
            add_rows<false>(m, at, static_cast<int>(min(m.n - at, int64_t(entries))), y);
    }
}

template <class Value> struct directions {
    int64_t n;
    const Value *d;
    Value constant; // used instead of d
    const Value *z;
    Value *p;
    Value *x;
    bool in_pieces;
};

// The factor of z.
enum class scaling { none, constant, entries };

// x += alpha p, then p = d z + beta p, on one piece.
template <bool Whole, scaling By, class Value>
__device__ inline void turn_piece(const directions<Value> &v, Value alpha, Value beta, int64_t at)
{
    int left = static_cast<int>(min(v.n - at, int64_t(fur_piece<Value>::entries)));
    fur_piece<Value> d;
    fur_piece<Value> z;
    fur_piece<Value> p;
    fur_piece<Value> x;
    fur_load<Whole>(&z, v.z + at, left);
    fur_load<Whole>(&p, v.p + at, left);
    fur_load<Whole>(&x, v.x + at, left);
    if constexpr (By == scaling::entries)
        fur_load<Whole>(&d, v.d + at, left);
    const Value one = fur_from<Value>({1, 0});
#pragma unroll
    for (int i = 0; i < fur_piece<Value>::entries; i++) {
        Value own = z.entry[i];
        if constexpr (By != scaling::none)
            own = fur_mul(By == scaling::entries ? d.entry[i] : v.constant, own);
        x.entry[i] = fur_fma(alpha, p.entry[i], x.entry[i]);
        p.entry[i] = fur_fma(one, own, fur_mul(beta, p.entry[i]));
    }
    fur_store<Whole>(x, v.x + at, left);
    fur_store<Whole>(p, v.p + at, left);
}

// Updates x and the direction of conjugate gradients. Bytes an entry: above.
template <scaling By, class Value>
__global__ void __launch_bounds__(BLOCK, RESIDENT_TURN)
    turn(directions<Value> v, fur_ratio alpha, fur_ratio beta)
{
    fur_scalar a;
    fur_scalar b;
    if (!fur_coefficient_read(alpha, &a) || !fur_coefficient_read(beta, &b))
        return;
    constexpr int entries = fur_piece<Value>::entries;
    int64_t step = gridDim.x * int64_t(BLOCK) * entries;
    int64_t at = (blockIdx.x * int64_t(BLOCK) + threadIdx.x) * entries;
#pragma unroll 1
    for (; at < v.n; at += step)
        if (v.in_pieces && at + entries <= v.n)
            turn_piece<true, By>(v, fur_from<Value>(a), fur_from<Value>(b), at);
        else
            turn_piece<false, By>(v, fur_from<Value>(a), fur_from<Value>(b), at);
}

template <class Value> arrays<Value> arrays_of(int64_t n, const void *x, const void *y, void *z)
{
    return {n, static_cast<const Value *>(x), static_cast<const Value *>(y),
            static_cast<Value *>(z), fur_in_pieces(x) && fur_in_pieces(y) && fur_in_pieces(z)};
}

// Returns the number of blocks: at most the number that is resident at once. An empty vector has
// one block, because its coefficients can still halt.
template <class Value> unsigned blocks_for(const fur_env *env, int64_t n)
{
    int64_t resident = int64_t(env->device->multiprocessors) * RESIDENT;
    int64_t wanted = fur_ceil_div(n, int64_t(fur_piece<Value>::entries) * BLOCK);
    return static_cast<unsigned>(wanted < 1 ? 1 : wanted < resident ? wanted : resident);
}

template <class Value> fur_status fill(fur_env *env, int64_t n, fur_scalar value, void *x)
{
    map_all<<<blocks_for<Value>(env, n), BLOCK, 0, fur_cuda_stream(env)>>>(
        constant<Value>{fur_from<Value>(value)}, arrays_of<Value>(n, x, x, x));
    return fur_cuda_launched(env, "fill");
}

template <class Value>
fur_status axpby(fur_env *env, int64_t n, const fur_ratio *alpha, const void *x,
                 const fur_ratio *beta, void *y)
{
    add_scaled<<<blocks_for<Value>(env, n), BLOCK, 0, fur_cuda_stream(env)>>>(
        arrays_of<Value>(n, x, y, y), *alpha, *beta);
    return fur_cuda_launched(env, "axpby");
}

template <class Value> fur_status axpy_many(fur_env *env, int64_t n, const fur_many *x, void *y)
{
    add_many<<<blocks_for<Value>(env, n), BLOCK, 0, fur_cuda_stream(env)>>>(
        many_of<Value>(n, x, y));
    return fur_cuda_launched(env, "axpy_many");
}

template <class Value>
fur_status multiply(fur_env *env, int64_t n, const void *x, const void *y, void *z)
{
    map_all<<<blocks_for<Value>(env, n), BLOCK, 0, fur_cuda_stream(env)>>>(
        product<Value>{}, arrays_of<Value>(n, x, y, z));
    return fur_cuda_launched(env, "multiply");
}

template <class Value>
fur_status direction(fur_env *env, int64_t n, const fur_ratio *alpha, const fur_ratio *beta,
                     const fur_diagonal *d, const void *z, void *p, void *x)
{
    directions<Value> v = {n,
                           static_cast<const Value *>(d->entries),
                           fur_from<Value>(d->constant),
                           static_cast<const Value *>(z),
                           static_cast<Value *>(p),
                           static_cast<Value *>(x),
                           fur_in_pieces(d->entries) && fur_in_pieces(z) && fur_in_pieces(p) &&
                               fur_in_pieces(x)};
    unsigned blocks = blocks_for<Value>(env, n);
    cudaStream_t stream = fur_cuda_stream(env);
    if (fur_is_unit(d))
        turn<scaling::none><<<blocks, BLOCK, 0, stream>>>(v, *alpha, *beta);
    else if (d->entries)
        turn<scaling::entries><<<blocks, BLOCK, 0, stream>>>(v, *alpha, *beta);
    else
        turn<scaling::constant><<<blocks, BLOCK, 0, stream>>>(v, *alpha, *beta);
    return fur_cuda_launched(env, "direction");
}

} // namespace

extern "C" const fur_elementwise_kernels fur_cuda_elementwise = {
    {fill<float>, fill<double>, fill<fur_c64>, fill<fur_c128>},
    {axpby<float>, axpby<double>, axpby<fur_c64>, axpby<fur_c128>},
    {axpy_many<float>, axpy_many<double>, axpy_many<fur_c64>, axpy_many<fur_c128>},
    {multiply<float>, multiply<double>, multiply<fur_c64>, multiply<fur_c128>},
    {direction<float>, direction<double>, direction<fur_c64>, direction<fur_c128>},
};
