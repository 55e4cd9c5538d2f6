// Incomplete factors in a given pattern, with the bits of src/cpu/triangular/factor.c. A team of
// lanes has a row, and subtracts the contributions of previous rows in the order of columns. The
// entries of one previous row go to different places, so that each lane can have one. As in
// solve.cu, blocks number themselves in their starting order. A row waits for the values that it
// needs. All teams of a warp advance in turn, as far as they can.
//
// Bytes a row of n entries: the entries of A and F once, the row in progress, F once more when it
// is written, and for each entry left of the diagonal the row of its column, from the second-level
// cache.
//
// Tried on an H100: a flag for each finished row, with a fence, took 5.1 ms for new values instead
// of 3.1. Loading the pattern of eight steps at once gained 2 %.
#include "csr.cuh"
#include "lanes.cuh"
#include "reciprocal.cuh"
#include "triangular.cuh"

#define BLOCK 128

// Lanes that share a row. Few if rows have few entries on average.
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
    Value *work;   // values of F for rows in progress
    Value *values; // values of F; in both arrays, all bits are set until a value is known
    Value *inverse;
    const int64_t *diagonal;
    const int32_t *order;
    Value factor; // of the diagonal of A
    bool shifts;
    bool modified;
    bool hermitian;
    // All bits are set at first. ticket: the next block. failed: the first row without a usable
    // pivot.
    unsigned *ticket;
    unsigned long long *failed;
};

// A row in progress: entries begin .. end - 1, where those before k are final.
struct row_place {
    int64_t i;
    int64_t begin;
    int64_t end;
    int64_t own; // its diagonal entry
    int64_t k;
};

// Returns the first entry of begin .. end - 1 in this column, or -1.
__device__ int64_t find(const int32_t *columns, int64_t begin, int64_t end, int32_t column)
{
    int64_t k = fur_find_column(columns, begin, end, column);
    return k < end && columns[k] == column ? k : -1;
}

// Stores A's entries in the pattern, and 0 where A has no entry. Each lane handles one position of
// a row. Bytes: the entries of A and F.
template <class Value, int lanes>
__global__ void __launch_bounds__(BLOCK) load_rows(const __grid_constant__ factoring<Value> s)
{
    int64_t i = (blockIdx.x * int64_t(BLOCK) + threadIdx.x) / lanes;
    if (i >= s.rows)
        return;
    int64_t stop = s.a[i + 1];
    int64_t own = s.diagonal[i];
    for (int64_t to = s.f[i] + threadIdx.x % lanes; to < s.f[i + 1]; to += lanes) {
        Value sum = fur_zero<Value>();
        int32_t column = s.columns[to];
        int64_t k = find(s.a_columns, s.a[i], stop, column);
        for (; k >= 0 && k < stop && s.a_columns[k] == column; k++)
            sum = fur_add(sum, s.a_values[k]);
        s.work[to] = s.shifts && to == own ? fur_mul(s.factor, sum) : sum;
    }
}

// The contributions of the row of entry k, one entry for each lane. For LU they are the entries
// begin .. end - 1 right of that row's diagonal. For Cholesky, own entries meet the entries left of
// it. The pattern determines all members, so that they are found before values are waited for.
struct step {
    int32_t row;
    int64_t begin;
    int64_t end;
    int64_t at; // the lane's entry: of the other row for LU, of the own row for Cholesky
    // LU: its place in the own row. Cholesky: the other row's entry in its column. -1: none
    int64_t met;
};

template <class Value, int lanes>
__device__ step begin_lu(const factoring<Value> &s, const fur_lane_team<lanes> &t,
                         const row_place &r)
{
    int32_t row = s.columns[r.k];
    int64_t begin = s.diagonal[row] + 1;
    return {row, begin, s.f[row + int64_t(1)], begin + t.lane, -1};
}

template <class Value>
__device__ int64_t meet_lu(const factoring<Value> &s, const row_place &r, const step &w)
{
    int64_t from = r.k + 1;
    return find(s.columns, from, w.at < w.end ? r.end : from, s.columns[min(w.at, w.end - 1)]);
}

// Subtracts the contributions of these entries to a row of L and U. Returns false if they are not
// known yet. In a modified factorisation, contributions to the diagonal keep the order of columns.
template <class Value, int lanes>
__device__ bool eliminate(const factoring<Value> &s, const fur_lane_team<lanes> &t,
                          const row_place &r, const step &w)
{
    constexpr bool is_complex = fur_value_of<Value>::is_complex;
    Value pivot = fur_look(is_complex ? &s.inverse[w.row] : &s.values[w.begin - 1]);
    Value value = fur_look(&s.values[min(w.at, w.end - 1)]);
    if (!__all_sync(t.mask, fur_is_known(pivot) && fur_is_known(value)))
        return false;
    Value over = s.work[r.k];
    if (w.at - t.lane == w.begin) {
        if constexpr (is_complex)
            over = fur_mul(pivot, over);
        else
            over = over / pivot;
    }
    Value minus = fur_negative(over);
    t.sync();
    if (t.lane == 0)
        s.work[r.k] = over;
    bool to_diagonal = s.modified && w.at < w.end && (w.met < 0 || w.met == r.own);
    if (w.met >= 0 && !to_diagonal)
        s.work[w.met] = fur_fma(minus, value, s.work[w.met]);
    t.for_those(to_diagonal, [&](int lane) {
        Value other = t.from(value, lane);
        if (t.lane == 0)
            s.work[r.own] = fur_fma(minus, other, s.work[r.own]);
    });
    t.sync();
    return true;
}

// Returns whether the pivot can be used as a divisor. It is made real and inverted, if requested.
template <class Value> __device__ bool finish_lu(const factoring<Value> &s, const row_place &r)
{
    Value pivot = s.work[r.own];
    double real = fur_real_part(pivot);
    if (s.hermitian)
        s.work[r.own] = pivot = fur_from<Value>({real, 0});
    bool usable = isfinite(real) && real != 0;
    if constexpr (fur_value_of<Value>::is_complex) {
        usable = fur_invert(&pivot);
        fur_tell(&s.inverse[r.i], fur_knowable(pivot));
    }
    return usable && (!s.hermitian || real > 0);
}

template <class Value, int lanes>
__device__ step begin_cholesky(const factoring<Value> &s, const fur_lane_team<lanes> &t,
                               const row_place &r)
{
    int32_t row = s.columns[r.k];
    return {row, s.f[row], s.f[row + int64_t(1)] - 1, r.begin + t.lane, -1};
}

template <class Value>
__device__ int64_t meet_cholesky(const factoring<Value> &s, const row_place &r, const step &w)
{
    return find(s.columns, w.begin, w.at < r.k ? w.end : w.begin, s.columns[min(w.at, r.k)]);
}

// Adds the products of these own entries to entry k of a row of L in A ~ L L^H. After the last of
// them, finishes the entry and subtracts its square from the diagonal. Returns false if the row
// that it needs is not known yet.
template <class Value, int lanes>
__device__ bool cholesky(const factoring<Value> &s, const fur_lane_team<lanes> &t,
                         const row_place &r, const step &w)
{
    Value pivot = fur_look(&s.values[w.end]);
    Value value = fur_look(&s.values[w.met >= 0 ? w.met : w.end]);
    if (!__all_sync(t.mask, fur_is_known(pivot) && fur_is_known(value)))
        return false;
    Value sum = s.work[r.k];
    Value minus = fur_negative(s.work[min(w.at, r.k)]);
    t.for_those(w.met >= 0, [&](int lane) {
        sum = fur_fma(t.from(minus, lane), fur_conj(t.from(value, lane)), sum);
    });
    bool is_last = w.at - t.lane + lanes >= r.k;
    if (is_last)
        sum = fur_over_real(sum, pivot);
    t.sync();
    if (t.lane == 0)
        s.work[r.k] = sum;
    if (t.lane == 0 && is_last)
        s.work[r.own] = fur_fma(fur_negative(sum), fur_conj(sum), s.work[r.own]);
    t.sync();
    return true;
}

template <class Value>
__device__ bool finish_cholesky(const factoring<Value> &s, const row_place &r)
{
    double pivot = sqrt(double(fur_real_part(s.work[r.own])));
    s.work[r.own] = fur_from<Value>({pivot, 0});
    return pivot > 0 && isfinite(pivot);
}

// Finishes the row and publishes it.
template <class Value, bool Lower, int lanes>
__device__ void finish_row(const factoring<Value> &s, const fur_lane_team<lanes> &t,
                           const row_place &r)
{
    if (t.lane == 0 && !(Lower ? finish_cholesky(s, r) : finish_lu(s, r)))
        atomicMin(s.failed, static_cast<unsigned long long>(r.i));
    t.sync();
#pragma unroll 1
    for (int64_t k = r.begin + t.lane; k < r.end; k += lanes)
        fur_tell(&s.values[k], fur_knowable(s.work[k]));
}

template <class Value, bool Lower, int lanes>
__global__ void __launch_bounds__(BLOCK) factor_rows(const __grid_constant__ factoring<Value> s)
{
    const fur_lane_team<lanes> t;
    int64_t place = (fur_begin_block(s.ticket) * BLOCK + threadIdx.x) / lanes;
    bool done = place >= s.rows;
    row_place r = {};
    if (!done) {
        r.i = s.order[place];
        r.begin = r.k = s.f[r.i];
        r.end = s.f[r.i + 1];
        r.own = s.diagonal[r.i];
    }
    step w = {};
    bool begins = true; // a new entry k begins
    bool moves = true;  // the lanes move to other entries
#pragma unroll 1
    while (!__all_sync(FUR_ALL_LANES, done)) {
        if (r.k < r.own) {
            if (begins)
                w = Lower ? begin_cholesky(s, t, r) : begin_lu(s, t, r);
            if (moves)
                w.met = Lower ? meet_cholesky(s, r, w) : meet_lu(s, r, w);
            moves = Lower ? cholesky(s, t, r, w) : eliminate(s, t, r, w);
            w.at += moves ? lanes : 0;
            begins = moves && w.at - t.lane >= (Lower ? r.k : w.end);
            r.k += begins;
        } else if (!done) {
            finish_row<Value, Lower>(s, t, r);
            done = true;
        }
    }
}

template <class Value>
factoring<Value> factoring_of(const fur_factor_call *call, void *work, unsigned *memory)
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
    s.work = static_cast<Value *>(work);
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
    return s;
}

template <int lanes, class Value>
fur_status launch(const fur_factor_call *call, const factoring<Value> &s)
{
    auto kernel = call->form == FUR_FACTOR_CHOLESKY ? factor_rows<Value, true, lanes>
                                                    : factor_rows<Value, false, lanes>;
    unsigned blocks = fur_blocks(s.rows * lanes, BLOCK);
    cudaStream_t stream = fur_cuda_stream(call->env);
    load_rows<Value, lanes><<<blocks, BLOCK, 0, stream>>>(s);
    FUR_TRY(fur_cuda_launched(call->env, "values in a pattern"));
    kernel<<<blocks, BLOCK, 0, stream>>>(s);
    return fur_cuda_launched(call->env, "incomplete factors");
}

// Marks all values as unknown.
fur_status forget(const fur_factor_call *call, unsigned *memory)
{
    fur_env *env = call->env;
    const fur_csr_view *f = call->f;
    size_t size = fur_value_size(f->value_type);
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_CUDA(env, cudaMemsetAsync(memory, 0xff, 3 * sizeof *memory, stream));
    FUR_CUDA(env, cudaMemsetAsync(call->values, 0xff, f->entries * size, stream));
    if (call->inverse)
        FUR_CUDA(env, cudaMemsetAsync(call->inverse, 0xff, f->rows * size, stream));
    return FUR_OK;
}

fur_status factor(const fur_factor_call *call, void *work, unsigned *memory, int64_t *failed)
{
    bool few = call->f->entries <= FEW_ENTRIES * call->f->rows;
    FUR_TRY(forget(call, memory));
    FUR_TRY(fur_with_value(call->f->value_type, [&](auto zero) {
        using Value = decltype(zero);
        auto s = factoring_of<Value>(call, work, memory);
        return few ? launch<FEW_LANES>(call, s) : launch<FUR_WARP>(call, s);
    }));
    return fur_cuda_copy(call->env, failed, memory, sizeof *failed); // all bits set means -1
}

} // namespace

int64_t fur_cuda_factor(const fur_factor_call *call)
{
    fur_env *env = call->env;
    int64_t failed = -1;
    unsigned *memory = nullptr;
    void *work = nullptr;
    if (call->f->rows == 0)
        return failed;
    fur_status status =
        fur_cuda_allocate(env, call->f->entries, fur_value_size(call->f->value_type), &work);
    if (status == FUR_OK)
        status = fur_cuda_allocate(env, 3, sizeof *memory, &memory);
    if (status == FUR_OK)
        status = factor(call, work, memory, &failed);
    fur_cuda_release(env, memory);
    fur_cuda_release(env, work);
    return status == FUR_OK ? failed : -1 - static_cast<int64_t>(status);
}
