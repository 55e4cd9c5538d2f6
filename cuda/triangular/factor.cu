// Incomplete factors in a given pattern with the bits of src/cpu/triangular/factor.c: a team of
// lanes has a row and takes what the rows before it put into it in the order of columns; entries of
// one such row go to different places, and so each to a lane. As in solve.cu, blocks number
// themselves as they begin, a row waits for those that it needs, whose notes say that they are
// there, and teams go on as far as they can in turn.
//
// What other rows have computed is read from the second-level cache, as the first-level cache of a
// multiprocessor does not see what others write.
//
// Bytes a row of n entries: those of A and of F once, F once more as it is written, and for each
// entry left of the diagonal the row of its column from the second-level cache.
#include "reciprocal.cuh"
#include "triangular.cuh"

#define BLOCK 128
#define ALL_LANES 0xffffffffu

// Lanes that share a row: few for rows of few entries in the mean.
#define FEW_LANES 8
#define FEW_ENTRIES 12

namespace
{

template <class Value> struct factoring {
    int64_t rows;
    fur_row_starts a;
    const int32_t *a_columns;
    const Value *a_values;
    fur_row_starts f;
    const int32_t *columns;
    Value *values;
    Value *inverse;
    const int64_t *diagonal;
    const int32_t *order;
    Value factor; // of A's diagonal
    bool shifts;
    bool modified;
    bool hermitian;
    // All bits are set at first: 0 for a row that is there; the next block; the first row without a
    // usable pivot.
    unsigned *notes;
    unsigned *ticket;
    unsigned long long *failed;
};

// A row in the making: entries begin .. end - 1, of which those before k are computed.
struct row_place {
    int64_t i;
    int64_t begin;
    int64_t end;
    int64_t own; // its diagonal
    int64_t k;
};

// The lanes that share a row.
template <int lanes> struct team {
    int lane;
    int first; // of the team, in its warp
    unsigned mask;

    __device__ team()
        : lane(threadIdx.x % lanes), first(threadIdx.x % FUR_WARP / lanes * lanes),
          mask(ALL_LANES >> (FUR_WARP - lanes) << first)
    {
    }

    // What lanes have written is seen by all of the team.
    __device__ void sync() const
    {
        __syncwarp(mask);
    }

    template <class T> __device__ T shuffle(T value, int from) const
    {
        if constexpr (fur_value_of<T>::is_complex)
            return {__shfl_sync(mask, value.re, from, lanes),
                    __shfl_sync(mask, value.im, from, lanes)};
        else
            return __shfl_sync(mask, value, from, lanes);
    }

    // Calls f(lane) for the lanes for which it is so, in order, all lanes together.
    template <class F> __device__ void for_those(bool is_so, F f) const
    {
        for (unsigned left = __ballot_sync(mask, is_so) >> first; left > 0; left &= left - 1)
            f(__ffs(static_cast<int>(left)) - 1);
    }
};

// The first of sorted entries begin .. end - 1 that is in the column, or -1.
__device__ int64_t find(const int32_t *columns, int64_t begin, int64_t end, int32_t column)
{
    int64_t last = end;
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (columns[middle] < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < last && columns[begin] == column ? begin : -1;
}

// A's entries of a row, 0 where only the pattern has one; a lane takes a position.
template <class Value, int lanes>
__device__ void load_row(const factoring<Value> &s, const team<lanes> &t, const row_place &r)
{
    int64_t stop = s.a[r.i + 1];
    for (int64_t to = r.begin + t.lane; to < r.end; to += lanes) {
        Value sum = fur_zero<Value>();
        int32_t column = s.columns[to];
        int64_t k = find(s.a_columns, s.a[r.i], stop, column);
        for (; k >= 0 && k < stop && s.a_columns[k] == column; k++)
            sum = fur_add(sum, s.a_values[k]);
        s.values[to] = s.shifts && to == r.own ? fur_mul(s.factor, sum) : sum;
    }
    t.sync();
}

// Subtracts what row `row`, that of entry k, puts into a row of L and U. What falls on the diagonal
// of a modified one keeps the order of columns.
template <class Value, int lanes>
__device__ void eliminate(const factoring<Value> &s, const team<lanes> &t, const row_place &r,
                          int32_t row)
{
    Value over;
    int64_t begin = s.diagonal[row] + 1;
    int64_t end = s.f[row + int64_t(1)];
    if constexpr (fur_value_of<Value>::is_complex)
        over = fur_mul(fur_from_l2(&s.inverse[row]), s.values[r.k]);
    else
        over = s.values[r.k] / fur_from_l2(&s.values[begin - 1]);
    Value minus = fur_negative(over);
    t.sync();
    if (t.lane == 0)
        s.values[r.k] = over;
    for (int64_t group = begin; group < end; group += lanes) {
        int64_t q = group + t.lane;
        Value value = q < end ? fur_from_l2(&s.values[q]) : fur_zero<Value>();
        int64_t to =
            find(s.columns, r.k + 1, q < end ? r.end : r.k + 1, s.columns[min(q, end - 1)]);
        bool to_diagonal = s.modified && q < end && (to < 0 || to == r.own);
        if (to >= 0 && !to_diagonal)
            s.values[to] = fur_fma(minus, value, s.values[to]);
        t.for_those(to_diagonal, [&](int lane) {
            Value other = t.shuffle(value, lane);
            if (t.lane == 0)
                s.values[r.own] = fur_fma(minus, other, s.values[r.own]);
        });
    }
    t.sync();
}

// Whether the pivot can be divided by; it becomes real, and is inverted, where that is asked for.
template <class Value> __device__ bool finish_lu(const factoring<Value> &s, const row_place &r)
{
    Value pivot = s.values[r.own];
    double real = fur_real_part(pivot);
    if (s.hermitian) {
        pivot = fur_from<Value>({real, 0});
        s.values[r.own] = pivot;
        if (!(real > 0))
            return false;
    }
    if constexpr (fur_value_of<Value>::is_complex) {
        bool usable = fur_invert(&pivot);
        s.inverse[r.i] = pivot;
        return usable;
    } else {
        return isfinite(real) && real != 0;
    }
}

// Entry k of a row of L in A ~ L L^H, and what it takes from the diagonal.
template <class Value, int lanes>
__device__ void cholesky(const factoring<Value> &s, const team<lanes> &t, const row_place &r,
                         int32_t row)
{
    int64_t begin = s.f[row];
    int64_t last = s.f[row + int64_t(1)] - 1;
    Value sum = s.values[r.k];
    for (int64_t group = r.begin; group < r.k; group += lanes) {
        int64_t p = group + t.lane;
        int64_t q = find(s.columns, begin, p < r.k ? last : begin, s.columns[min(p, r.k)]);
        Value minus = q >= 0 ? fur_negative(s.values[p]) : fur_zero<Value>();
        Value value = q >= 0 ? fur_conj(fur_from_l2(&s.values[q])) : minus;
        t.for_those(q >= 0, [&](int lane) {
            sum = fur_fma(t.shuffle(minus, lane), t.shuffle(value, lane), sum);
        });
    }
    sum = fur_over_real(sum, fur_from_l2(&s.values[last]));
    t.sync();
    if (t.lane == 0) {
        s.values[r.k] = sum;
        s.values[r.own] = fur_fma(fur_negative(sum), fur_conj(sum), s.values[r.own]);
    }
    t.sync();
}

template <class Value>
__device__ bool finish_cholesky(const factoring<Value> &s, const row_place &r)
{
    double pivot = sqrt(double(fur_real_part(s.values[r.own])));
    s.values[r.own] = fur_from<Value>({pivot, 0});
    return pivot > 0 && isfinite(pivot);
}

// Whether a row has been computed, as the first lane of the team sees it.
template <class Value, int lanes>
__device__ bool is_there(const factoring<Value> &s, const team<lanes> &t, int32_t row)
{
    bool there = t.shuffle(__ldcv(&s.notes[row]), 0) == 0;
    if (there)
        __threadfence();
    return there;
}

// Tells the others, after what all lanes have written.
template <class Value, bool Lower, int lanes>
__device__ void finish_row(const factoring<Value> &s, const team<lanes> &t, const row_place &r)
{
    if (t.lane == 0 && !(Lower ? finish_cholesky(s, r) : finish_lu(s, r)))
        atomicMin(s.failed, static_cast<unsigned long long>(r.i));
    __threadfence();
    t.sync();
    if (t.lane == 0)
        __stcg(&s.notes[r.i], 0u);
}

template <class Value, bool Lower, int lanes>
__global__ void __launch_bounds__(BLOCK) factor_rows(const __grid_constant__ factoring<Value> s)
{
    const team<lanes> t;
    int64_t place = (fur_begin_block(s.ticket) * BLOCK + threadIdx.x) / lanes;
    bool done = place >= s.rows;
    row_place r = {};
    if (!done) {
        r.i = s.order[place];
        r.begin = r.k = s.f[r.i];
        r.end = s.f[r.i + 1];
        r.own = s.diagonal[r.i];
        load_row(s, t, r);
    }
    while (!__all_sync(ALL_LANES, done)) {
        if (r.k < r.own && is_there(s, t, s.columns[r.k])) {
            if constexpr (Lower)
                cholesky(s, t, r, s.columns[r.k]);
            else
                eliminate(s, t, r, s.columns[r.k]);
            r.k++;
        }
        if (done || r.k < r.own)
            continue;
        finish_row<Value, Lower>(s, t, r);
        done = true;
    }
}

template <class Value> factoring<Value> factoring_of(const fur_factor_call *call, unsigned *memory)
{
    const fur_csr_view *a = call->a;
    const fur_csr_view *f = call->f;
    factoring<Value> s = {};
    s.rows = f->rows;
    s.a = {a->offsets, a->offset_type == FUR_I64};
    s.a_columns = a->columns;
    s.a_values = static_cast<const Value *>(a->values);
    s.f = {f->offsets, f->offset_type == FUR_I64};
    s.columns = f->columns;
    s.values = static_cast<Value *>(call->values);
    s.inverse = static_cast<Value *>(call->inverse);
    s.diagonal = call->diagonal;
    s.order = call->order;
    s.factor = fur_from<Value>({1 + call->shift, 0});
    s.shifts = call->shift > 0;
    s.modified = call->modified;
    s.hermitian = call->form == FUR_FACTOR_HERMITIAN;
    s.failed = reinterpret_cast<unsigned long long *>(memory);
    s.ticket = memory + 2;
    s.notes = memory + 3;
    return s;
}

template <int lanes, class Value>
fur_status launch(const fur_factor_call *call, const factoring<Value> &s)
{
    auto kernel = call->form == FUR_FACTOR_CHOLESKY ? factor_rows<Value, true, lanes>
                                                    : factor_rows<Value, false, lanes>;
    kernel<<<fur_blocks(s.rows * lanes, BLOCK), BLOCK, 0, fur_cuda_stream(call->env)>>>(s);
    return fur_cuda_launched(call->env, "incomplete factors");
}

fur_status factor(const fur_factor_call *call, unsigned *memory, int64_t *failed)
{
    fur_env *env = call->env;
    cudaStream_t stream = fur_cuda_stream(env);
    bool few = call->f->entries <= FEW_ENTRIES * call->f->rows;
    FUR_CUDA(env, cudaMemsetAsync(memory, 0xff, (call->f->rows + 3) * sizeof *memory, stream));
    FUR_TRY(fur_with_value(call->f->value_type, [&](auto zero) {
        using Value = decltype(zero);
        auto s = factoring_of<Value>(call, memory);
        return few ? launch<FEW_LANES>(call, s) : launch<FUR_WARP>(call, s);
    }));
    return fur_cuda_copy(env, failed, memory, sizeof *failed); // all bits set: -1
}

} // namespace

int64_t fur_cuda_factor(const fur_factor_call *call)
{
    int64_t failed = -1;
    unsigned *memory;
    if (call->f->rows == 0)
        return failed;
    fur_status status = fur_cuda_allocate(call->env, call->f->rows + 3, sizeof *memory, &memory);
    if (status == FUR_OK) {
        status = factor(call, memory, &failed);
        fur_cuda_release(call->env, memory);
    }
    return status == FUR_OK ? failed : -1 - static_cast<int64_t>(status);
}
