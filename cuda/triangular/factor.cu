// Incomplete factors in a given pattern with the bits of src/cpu/triangular/factor.c: a thread has
// a row and takes what the rows before it put into it in the order of columns. As in solve.cu,
// blocks number themselves as they begin, a row waits for those that it needs, whose notes say that
// they are there, and lanes take an entry each in turn.
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

// A's entries of a row, 0 where only the pattern has one.
template <class Value> __device__ void load_row(const factoring<Value> &s, const row_place &r)
{
    int64_t to = r.begin;
    int64_t stop = s.a[r.i + 1];
    for (int64_t k = r.begin; k < r.end; k++)
        s.values[k] = fur_zero<Value>();
    for (int64_t k = s.a[r.i]; k < stop; k++) {
        while (to < r.end && s.columns[to] < s.a_columns[k])
            to++;
        if (to == r.end)
            break;
        s.values[to] = fur_add(s.values[to], s.a_values[k]);
    }
    if (s.shifts)
        s.values[r.own] = fur_mul(s.factor, s.values[r.own]);
}

// Subtracts what row `row`, that of entry k, puts into a row of L and U.
template <class Value>
__device__ void eliminate(const factoring<Value> &s, const row_place &r, int32_t row)
{
    Value over;
    if constexpr (fur_value_of<Value>::is_complex)
        over = fur_mul(fur_from_l2(&s.inverse[row]), s.values[r.k]);
    else
        over = s.values[r.k] / fur_from_l2(&s.values[s.diagonal[row]]);
    s.values[r.k] = over;
    Value minus = fur_negative(over);
    int64_t to = r.k + 1;
    int64_t last = s.f[row + int64_t(1)];
    for (int64_t q = s.diagonal[row] + 1; q < last; q++) {
        int32_t column = s.columns[q];
        while (to < r.end && s.columns[to] < column)
            to++;
        if (to < r.end && s.columns[to] == column)
            s.values[to] = fur_fma(minus, fur_from_l2(&s.values[q]), s.values[to]);
        else if (s.modified)
            s.values[r.own] = fur_fma(minus, fur_from_l2(&s.values[q]), s.values[r.own]);
    }
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
template <class Value>
__device__ void cholesky(const factoring<Value> &s, const row_place &r, int32_t row)
{
    int64_t q = s.f[row];
    int64_t last = s.f[row + int64_t(1)] - 1;
    Value sum = s.values[r.k];
    for (int64_t p = r.begin; p < r.k && q < last; p++) {
        int32_t column = s.columns[p];
        while (q < last && s.columns[q] < column)
            q++;
        if (q < last && s.columns[q] == column)
            sum = fur_fma(fur_negative(s.values[p]), fur_conj(fur_from_l2(&s.values[q])), sum);
    }
    sum = fur_over_real(sum, fur_from_l2(&s.values[last]));
    s.values[r.k] = sum;
    s.values[r.own] = fur_fma(fur_negative(sum), fur_conj(sum), s.values[r.own]);
}

template <class Value>
__device__ bool finish_cholesky(const factoring<Value> &s, const row_place &r)
{
    double pivot = sqrt(double(fur_real_part(s.values[r.own])));
    s.values[r.own] = fur_from<Value>({pivot, 0});
    return pivot > 0 && isfinite(pivot);
}

template <class Value> __device__ bool is_there(const factoring<Value> &s, int32_t row)
{
    if (__ldcv(&s.notes[row]) != 0)
        return false;
    __threadfence();
    return true;
}

template <class Value, bool Lower>
__global__ void __launch_bounds__(BLOCK) factor_rows(const __grid_constant__ factoring<Value> s)
{
    int64_t place = fur_begin_block(s.ticket) * BLOCK + threadIdx.x;
    bool done = place >= s.rows;
    row_place r = {};
    if (!done) {
        r.i = s.order[place];
        r.begin = r.k = s.f[r.i];
        r.end = s.f[r.i + 1];
        r.own = s.diagonal[r.i];
        load_row(s, r);
    }
    while (!__all_sync(ALL_LANES, done)) {
        if (r.k < r.own && is_there(s, s.columns[r.k])) {
            if constexpr (Lower)
                cholesky(s, r, s.columns[r.k]);
            else
                eliminate(s, r, s.columns[r.k]);
            r.k++;
        }
        if (done || r.k < r.own)
            continue;
        if (!(Lower ? finish_cholesky(s, r) : finish_lu(s, r)))
            atomicMin(s.failed, static_cast<unsigned long long>(r.i));
        __threadfence();
        __stcg(&s.notes[r.i], 0u);
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

fur_status factor(const fur_factor_call *call, unsigned *memory, int64_t *failed)
{
    fur_env *env = call->env;
    cudaStream_t stream = fur_cuda_stream(env);
    unsigned blocks = fur_blocks(call->f->rows, BLOCK);
    FUR_CUDA(env, cudaMemsetAsync(memory, 0xff, (call->f->rows + 3) * sizeof *memory, stream));
    FUR_TRY(fur_with_value(call->f->value_type, [&](auto zero) {
        using Value = decltype(zero);
        auto s = factoring_of<Value>(call, memory);
        if (call->form == FUR_FACTOR_CHOLESKY)
            factor_rows<Value, true><<<blocks, BLOCK, 0, stream>>>(s);
        else
            factor_rows<Value, false><<<blocks, BLOCK, 0, stream>>>(s);
        return fur_cuda_launched(env, "incomplete factors");
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
