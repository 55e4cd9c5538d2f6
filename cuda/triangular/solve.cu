// The triangular solve, without barriers between levels. Rows are stored in the order of their
// levels, and blocks number themselves in their starting order. A row polls the solution of each
// row that it needs until that is known. The method works by rows and needs no synchronisation, as
// Ginkgo's solve of 2021 and AG-SpTRSV of Hu et al. 2024; Liu, Li, Hogg, Duff and Vinter 2016 have
// it by columns. The value itself tells that it is known: all bits of the solution are set before a
// solve. A row waits only for rows with lower numbers, which are running or finished. Lanes of a
// warp never block each other: each advances in turn, as far as it can.
//
// A row's entries, at most FUR_TRSV_LONGEST, are added by one thread in the order of
// docs/numerics.md. With several right-hand sides, each has a thread. These threads are neighbours
// in a warp, so that their solutions are read together. Between two levels there is one read of the
// second-level cache, because a thread polls several entries at a time and has read all other data
// before it waits.
//
// Bytes a row of n entries: n (entry + 4 + entry from the second-level cache) + 8 for the start, 4
// for the order, three entries for the diagonal, b and x, two for the solution by places.
#include "triangular.cuh"

#define BLOCK 128
#define ALL_LANES 0xffffffffu

namespace
{

// The arguments of the kernels, for `count` right-hand sides.
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

template <class Value> __device__ Value divide(Value s, Value divisor)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return fur_mul(divisor, s);
    else
        return s / divisor;
}

// The number of next entries of a row that are polled together. A larger number makes rows of few
// entries slower (7-point 128^3 on an H200: 437 us with 4, 516 with 8) and others faster (27-point
// 64^3: 899 and 687).
#define FEW_AHEAD 4
#define MANY_AHEAD 8

template <class Value, int Most> struct entries_ahead {
    int count;
    int taken;
    int32_t column[Most];
    Value value[Most];

    __device__ void fetch(const system<Value> &s, int64_t k, int64_t end)
    {
        taken = 0;
        count = static_cast<int>(min(end - k, int64_t(Most)));
#pragma unroll
        for (int j = 0; j < Most; j++)
            if (j < count) {
                column[j] = s.columns[k + j];
                value[j] = s.values[k + j];
            }
    }
};

// Each lane solves one row for one right-hand side, or nothing. The solutions of `Sides` right-hand
// sides are interleaved.
template <class Value, int Sides, int Most>
__device__ void solve_lane(const system<Value> &s, int64_t place, int side)
{
    bool done = place >= s.rows || side >= s.count;
    int64_t k = done ? 0 : s.starts[place]; // the first entry in e
    int64_t end = done ? 0 : s.starts[place + 1];
    int64_t row = done ? 0 : s.order[place];
    Value divisor = !done && s.divisors ? s.divisors[place] : fur_zero<Value>();
    Value sum = done ? fur_zero<Value>() : s.b[side][row];
    Value total = fur_zero<Value>();
    int64_t first_stop = k + FUR_ROW_SEGMENT;
    int64_t stop = first_stop;
    entries_ahead<Value, Most> e;
    if (s.scales)
        sum = fur_mul(s.alpha, sum);
    e.fetch(s, k, end);
    while (!__all_sync(ALL_LANES, done)) {
        Value x[Most];
        bool known[Most];
#pragma unroll
        for (int j = 0; j < Most; j++) {
            known[j] = j >= e.taken && j < e.count;
            if (known[j]) {
                x[j] = fur_look(s.work + int64_t(e.column[j]) * Sides + side);
                known[j] = fur_is_known(x[j]);
            }
        }
#pragma unroll
        for (int j = 0; j < Most; j++) {
            if (j != e.taken || !known[j])
                continue;
            if (k + j == stop) {
                total = stop == first_stop ? sum : fur_add(total, sum);
                sum = fur_zero<Value>();
                stop += FUR_ROW_SEGMENT;
            }
            sum = fur_fma(fur_negative(e.value[j]), x[j], sum);
            e.taken++;
        }
        if (done || e.taken < e.count)
            continue;
        k += e.count;
        if (k < end) {
            e.fetch(s, k, end);
            continue;
        }
        if (end > first_stop)
            sum = fur_add(total, sum);
        if (s.divisors)
            sum = divide(sum, divisor);
        fur_tell(&s.work[place * Sides + side], fur_knowable(sum));
        s.x[side][row] = sum;
        done = true;
    }
}

template <class Value, int Sides, int Most>
__global__ void __launch_bounds__(BLOCK) solve(const __grid_constant__ system<Value> s)
{
    int64_t lane = fur_begin_block(s.ticket) * BLOCK + threadIdx.x;
    solve_lane<Value, Sides, Most>(s, lane / Sides, static_cast<int>(lane % Sides));
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

template <class Value, int Most>
void launch(const fur_cuda_triangle *t, const system<Value> &s, cudaStream_t stream)
{
    if (t->many)
        solve<Value, FUR_CUDA_MANY, Most>
            <<<fur_blocks(t->rows, BLOCK / FUR_CUDA_MANY), BLOCK, 0, stream>>>(s);
    else
        solve<Value, 1, Most><<<fur_blocks(t->rows, BLOCK), BLOCK, 0, stream>>>(s);
}

// Solves for up to eight right-hand sides if the plan is for several, and otherwise for one.
fur_status solve_some(fur_env *env, const fur_cuda_triangle *t, fur_scalar alpha, int count,
                      const void *const *b, void *const *x)
{
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_CUDA(env, cudaMemsetAsync(t->work, 0xff, static_cast<size_t>(t->work_bytes), stream));
    return fur_with_value(t->value, [&](auto zero) {
        using Value = decltype(zero);
        auto s = system_of<Value>(t, alpha, count, b, x);
        // Complex values do not fit into the registers for more.
        if (fur_value_of<Value>::is_complex || t->entries <= FEW_AHEAD * t->rows)
            launch<Value, FEW_AHEAD>(t, s, stream);
        else if constexpr (!fur_value_of<Value>::is_complex)
            launch<Value, MANY_AHEAD>(t, s, stream);
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
