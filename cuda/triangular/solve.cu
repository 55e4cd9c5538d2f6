// The solve, without levels in between: rows stand in the order of their levels, blocks number
// themselves as they begin, and a row looks at the solution of each row that it needs until that is
// there (row-wise and synchronisation-free, as Ginkgo's solve of 2021 and AG-SpTRSV of Hu et al.
// 2024; Liu, Li, Hogg, Duff and Vinter 2016 have it by columns). The value itself says that it is
// there: before a solve all bits of the solution are set. Who is waited for has a lower number, so
// that it runs or has run. Lanes of a warp never wait in a way that keeps others from going on:
// each goes as far as it can in turn.
//
// A row's entries, of FUR_TRSV_LONGEST at most, are taken by one thread in the order of
// docs/numerics.md.
//
// Bytes a row of n entries: n (entry + 4 + entry from the second-level cache) + 8 for the start, 4
// for the order, three entries for the diagonal, b and x, two for the solution by places.
#include "triangular.cuh"

#define BLOCK 128
#define ALL_LANES 0xffffffffu

namespace
{

// What the kernels read; K right-hand sides, of which `count` are there.
template <class Value> struct system {
    int64_t rows;
    const int64_t *starts;
    const int32_t *order;
    const int32_t *columns;
    const Value *values;
    const Value *divisors;
    Value *work;
    unsigned *ticket;
    Value alpha;
    bool scales;
    int count;
    const Value *b[FUR_CUDA_MANY];
    Value *x[FUR_CUDA_MANY];
};

// K values of one row.
template <class Value, int K> struct row_values {
    Value at[K];
};

template <class Value, int K>
__device__ row_values<Value, K> right_hand_side(const system<Value> &s, int64_t row)
{
    row_values<Value, K> sum;
#pragma unroll
    for (int r = 0; r < K; r++) {
        Value own = r < s.count ? s.b[r][row] : fur_zero<Value>();
        sum.at[r] = s.scales ? fur_mul(s.alpha, own) : own;
    }
    return sum;
}

template <class Value, int K> __device__ row_values<Value, K> nothing()
{
    row_values<Value, K> sum;
#pragma unroll
    for (int r = 0; r < K; r++)
        sum.at[r] = fur_zero<Value>();
    return sum;
}

// The solution of a place as it is now; false if it is not there.
template <class Value, int K>
__device__ bool look(const system<Value> &s, int32_t place, row_values<Value, K> *x)
{
    const Value *from = s.work + int64_t(place) * K;
    bool known = true;
    if constexpr (K == 1) {
        x->at[0] = fur_look(from);
        known = fur_is_known(x->at[0]);
    } else {
        constexpr int each = fur_piece<Value>::entries;
#pragma unroll
        for (int r = 0; r < K; r += each) {
            auto piece = fur_look(reinterpret_cast<const fur_piece<Value> *>(from + r));
#pragma unroll
            for (int i = 0; i < each; i++) {
                x->at[r + i] = piece.entry[i];
                known = known && fur_is_known(piece.entry[i]);
            }
        }
    }
    return known;
}

template <class Value> __device__ Value negative(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {-a.re, -a.im};
    else
        return -a;
}

// sum = sum - value x
template <class Value, int K>
__device__ void subtract(Value value, const row_values<Value, K> &x, row_values<Value, K> *sum)
{
#pragma unroll
    for (int r = 0; r < K; r++)
        sum->at[r] = fur_fma(negative(value), x.at[r], sum->at[r]);
}

template <class Value, int K>
__device__ row_values<Value, K> plus(row_values<Value, K> a, const row_values<Value, K> &b)
{
#pragma unroll
    for (int r = 0; r < K; r++)
        a.at[r] = fur_add(a.at[r], b.at[r]);
    return a;
}

template <class Value> __device__ Value divide(Value s, Value divisor)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return fur_mul(divisor, s);
    else
        return s / divisor;
}

// The end of a row: division, and the solution to those who wait and to the caller.
template <class Value, int K>
__device__ void finish(const system<Value> &s, int64_t place, int64_t row, Value divisor,
                       row_values<Value, K> sum)
{
    if (s.divisors) {
#pragma unroll
        for (int r = 0; r < K; r++)
            sum.at[r] = divide(sum.at[r], divisor);
    }
#pragma unroll
    for (int r = 0; r < K; r++) {
        fur_tell(&s.work[place * K + r], fur_knowable(sum.at[r]));
        if (r < s.count)
            s.x[r][row] = sum.at[r];
    }
}

// Entries of a row that are looked at together: so many reads are under way at once. What else a
// row needs is read before it waits.
template <class Value, int K> struct entries_ahead {
    static constexpr int most = K == 1 ? 4 : 1;
    int count;
    int taken;
    int32_t column[most];
    Value value[most];

    __device__ void fetch(const system<Value> &s, int64_t k, int64_t end)
    {
        taken = 0;
        count = static_cast<int>(min(end - k, int64_t(most)));
#pragma unroll
        for (int j = 0; j < most; j++)
            if (j < count) {
                column[j] = s.columns[k + j];
                value[j] = s.values[k + j];
            }
    }
};

// Each lane has a row, or none.
template <class Value, int K>
__device__ void solve_lanes(const system<Value> &s, int64_t place, int64_t begin, int64_t end)
{
    using ahead = entries_ahead<Value, K>;
    bool done = place >= s.rows;
    int64_t row = done ? 0 : s.order[place];
    Value divisor = !done && s.divisors ? s.divisors[place] : fur_zero<Value>();
    int64_t k = begin; // the entry that ahead begins with
    int64_t stop = begin + FUR_ROW_SEGMENT;
    row_values<Value, K> total = nothing<Value, K>();
    row_values<Value, K> sum = total;
    ahead e;
    if (!done)
        sum = right_hand_side<Value, K>(s, row);
    e.fetch(s, k, end);
    while (!__all_sync(ALL_LANES, done)) {
        row_values<Value, K> x[ahead::most];
        bool known[ahead::most];
#pragma unroll
        for (int j = 0; j < ahead::most; j++)
            known[j] = j >= e.taken && j < e.count && look<Value, K>(s, e.column[j], &x[j]);
#pragma unroll
        for (int j = 0; j < ahead::most; j++) {
            if (j != e.taken || !known[j])
                continue;
            if (k + j == stop) {
                total = stop == begin + FUR_ROW_SEGMENT ? sum : plus<Value, K>(total, sum);
                sum = nothing<Value, K>();
                stop += FUR_ROW_SEGMENT;
            }
            subtract<Value, K>(e.value[j], x[j], &sum);
            e.taken++;
        }
        if (!done && e.taken == e.count) {
            k += e.count;
            if (k < end) {
                e.fetch(s, k, end);
                continue;
            }
            finish<Value, K>(s, place, row, divisor,
                             end - begin > FUR_ROW_SEGMENT ? plus<Value, K>(total, sum) : sum);
            done = true;
        }
    }
}

template <class Value, int K>
__global__ void __launch_bounds__(BLOCK) solve(const __grid_constant__ system<Value> s)
{
    int64_t place = fur_begin_block(s.ticket) * BLOCK + threadIdx.x;
    bool has_row = place < s.rows;
    int64_t begin = has_row ? s.starts[place] : 0;
    int64_t end = has_row ? s.starts[place + 1] : 0;
    solve_lanes<Value, K>(s, place, begin, end);
}

template <class Value>
system<Value> system_of(const fur_cuda_triangle *t, fur_scalar alpha, int count,
                        const void *const *b, void *const *x)
{
    system<Value> s = {};
    s.rows = t->rows;
    s.starts = t->starts;
    s.order = t->order;
    s.columns = t->columns;
    s.values = static_cast<const Value *>(t->values);
    s.divisors = static_cast<const Value *>(t->divisors);
    s.work = static_cast<Value *>(t->work);
    s.ticket = t->ticket;
    s.alpha = fur_from<Value>(alpha);
    s.scales = alpha.re != 1 || (fur_value_of<Value>::is_complex && alpha.im != 0);
    s.count = count;
    for (int r = 0; r < count; r++) {
        s.b[r] = static_cast<const Value *>(b[r]);
        s.x[r] = static_cast<Value *>(x[r]);
    }
    return s;
}

// Up to eight right-hand sides if the plan is for several, else one.
fur_status solve_some(fur_env *env, const fur_cuda_triangle *t, fur_scalar alpha, int count,
                      const void *const *b, void *const *x)
{
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_CUDA(env, cudaMemsetAsync(t->work, 0xff, static_cast<size_t>(t->work_bytes), stream));
    return fur_with_value(t->value, [&](auto zero) {
        using Value = decltype(zero);
        auto s = system_of<Value>(t, alpha, count, b, x);
        unsigned blocks = fur_blocks(t->rows, BLOCK);
        if (t->many)
            solve<Value, FUR_CUDA_MANY><<<blocks, BLOCK, 0, stream>>>(s);
        else
            solve<Value, 1><<<blocks, BLOCK, 0, stream>>>(s);
        return fur_cuda_launched(env, "triangular solve");
    });
}

} // namespace

fur_status fur_cuda_trsv_solve(fur_env *env, void *state, fur_scalar alpha, int count,
                               const void *const *b, void *const *x)
{
    auto t = static_cast<const fur_cuda_triangle *>(state);
    int most = t->many ? FUR_CUDA_MANY : 1;
    for (int k = 0; k < count && t->rows > 0; k += most)
        FUR_TRY(solve_some(env, t, alpha, count - k < most ? count - k : most, b + k, x + k));
    return FUR_OK;
}
