// Gaussian elimination with partial pivoting within a band, for a batch of systems. Each thread
// solves one system, in the order of src/cpu/batch/band.c. A complex pivot is replaced by its
// reciprocal. The candidate pivot rows form a window that moves down the matrix. If the band is
// narrow, this window is in registers. Finished rows of U are written to memory, and the back
// substitution reads them again.
//
// Bytes a row and system of a tridiagonal matrix: 5 entries read and one written, and 8 in the
// workspace. 10 flops. Each row depends on the row before it. The time is the number of rows times
// the latency of two divisions and of the memory, up to about 10,000 systems.
#include "batch.cuh"
#include "reciprocal.cuh"

// Threads of a block. Few, so that the systems are spread over all multiprocessors.
#define BLOCK 32
// Distance of prefetches, in entries of the pattern and rows of U.
#define AHEAD 32

namespace
{

template <class Value> struct job {
    fur_batch_systems<Value> a;
    int64_t entries;
    fur_batch_side<const Value> b;
    fur_batch_side<Value> x;
    fur_batch_side<Value> u; // entry c of row i of U is at (i width + c, s)
    fur_batch_side<Value> y;
    int lower;
    int width;
    fur_batch_result *results;
};

// Returns the magnitude by which pivots are chosen.
template <class Real> __device__ Real size_of(Real a)
{
    return fabs(a);
}
template <class Real> __device__ Real size_of(fur_complex_of<Real> a)
{
    return static_cast<Real>(fabs(a.re)) + static_cast<Real>(fabs(a.im));
}

// divisor() prepares a pivot for divisions, and over() divides by it.
template <class Value> __device__ Value divisor(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        fur_invert(&a);
    return a;
}
template <class Value> __device__ Value over(Value a, Value divisor)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return fur_mul(a, divisor);
    else
        return a / divisor;
}

template <class Value> __device__ Value negative(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return {-a.re, -a.im};
    else
        return -a;
}

// Returns 0 if a is finite, and otherwise NaN.
template <class Value> __device__ typename fur_value_of<Value>::real self_difference(Value a)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return (a.re - a.re) + (a.im - a.im);
    else
        return a - a;
}

__device__ inline void prefetch(const void *p)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

// A system whose band has at most `Lower` diagonals below the main diagonal and `Width` in all. If
// `Exact`, the band has exactly these numbers of diagonals, and the arrays below stay in registers.
template <class Value, int Lower, int Width, bool Exact> struct band {
    const job<Value> &w;
    int64_t s;
    int lower;
    int width;
    bool singular;
    Value row[Lower + 1][Width]; // from the first column that is not eliminated yet
    Value right[Lower + 1];

    __device__ band(const job<Value> &w, int64_t s)
        : w(w), s(s), lower(Exact ? Lower : w.lower), width(Exact ? Width : w.width),
          singular(false)
    {
    }

    // Reads row i of the matrix and of b. Rows past the last are 0.
    __device__ Value open(int64_t i, Value *out) const
    {
#pragma unroll
        for (int c = 0; c < (Exact ? Width : width); c++)
            out[c] = fur_zero<Value>();
        if (i >= w.a.rows)
            return fur_zero<Value>();
        int64_t begin = i > lower ? i - lower : 0;
        int64_t end = w.a.starts[i + 1];
#pragma unroll 1
        for (int64_t k = w.a.starts[i]; k < end; k++) {
            int64_t column = __ldg(w.a.columns + k) - begin;
            Value value = w.a.values(k, s);
            if (k + AHEAD < w.entries)
                prefetch(&w.a.values(k + AHEAD, s));
            if constexpr (Exact) {
#pragma unroll
                for (int c = 0; c < Width; c++)
                    out[c] = c == column ? fur_add(out[c], value) : out[c];
            } else {
                out[column] = fur_add(out[column], value);
            }
        }
        return w.b(i, s);
    }

    // Moves the row with the largest first entry to the top, the earliest if several are equal. The
    // pivot is then stored as a divisor.
    __device__ void choose_pivot()
    {
        auto best = size_of(row[0][0]);
        int pivot = 0;
#pragma unroll
        for (int r = 1; r <= (Exact ? Lower : lower); r++)
            if (size_of(row[r][0]) > best) {
                best = size_of(row[r][0]);
                pivot = r;
            }
        singular = singular || best == 0;
#pragma unroll
        for (int r = 1; r <= (Exact ? Lower : lower); r++)
            if (pivot == r) {
#pragma unroll
                for (int c = 0; c < (Exact ? Width : width); c++) {
                    Value top = row[0][c];
                    row[0][c] = row[r][c];
                    row[r][c] = top;
                }
                Value top = right[0];
                right[0] = right[r];
                right[r] = top;
            }
        row[0][0] = divisor(row[0][0]);
    }

    // Stores the top row as a row of U. The other rows lose their first column and move up.
    __device__ void eliminate(int64_t j)
    {
        Value top[Width];
        Value y = right[0];
#pragma unroll
        for (int c = 0; c < (Exact ? Width : width); c++) {
            top[c] = row[0][c];
            w.u(j * width + c, s) = top[c];
        }
        w.y(j, s) = y;
#pragma unroll
        for (int r = 1; r <= (Exact ? Lower : lower); r++) {
            Value factor = negative(over(row[r][0], top[0]));
            right[r - 1] = fur_fma(factor, y, right[r]);
#pragma unroll
            for (int c = 1; c < (Exact ? Width : width); c++)
                row[r - 1][c - 1] = fur_fma(factor, top[c], row[r][c]);
            row[r - 1][width - 1] = fur_zero<Value>();
        }
    }

    __device__ void factor()
    {
#pragma unroll
        for (int r = 0; r <= (Exact ? Lower : lower); r++)
            right[r] = open(r, row[r]);
#pragma unroll 1
        for (int64_t j = 0; j < w.a.rows; j++) {
            Value next[Width];
            Value next_right = open(j + lower + 1, next); // loads overlap with the elimination
            choose_pivot();
            eliminate(j);
            right[lower] = next_right;
#pragma unroll
            for (int c = 0; c < (Exact ? Width : width); c++)
                row[lower][c] = next[c];
        }
    }

    // Reads row i of U and returns its entry of y.
    __device__ Value fetch(int64_t i, Value *out) const
    {
#pragma unroll
        for (int c = 0; c < (Exact ? Width : width); c++)
            out[c] = w.u(i * width + c, s);
        if (i >= AHEAD)
            prefetch(&w.u((i - AHEAD) * width, s));
        return w.y(i, s);
    }

    // x = U^-1 y, adding the entry farthest from the diagonal first. Returns whether x is finite.
    __device__ bool substitute() const
    {
        Value x[Width]; // of this row and the rows below it
        Value u[Width];
        typename fur_value_of<Value>::real differences = 0;
        Value y = fetch(w.a.rows - 1, u);
#pragma unroll
        for (int c = 0; c < (Exact ? Width : width); c++)
            x[c] = fur_zero<Value>();
#pragma unroll 1
        for (int64_t i = w.a.rows - 1; i >= 0; i--) {
            Value next[Width];
            Value next_y = fetch(i > 0 ? i - 1 : 0, next);
#pragma unroll
            for (int c = (Exact ? Width : width) - 1; c > 0; c--)
                x[c] = x[c - 1];
#pragma unroll
            for (int c = (Exact ? Width : width) - 1; c > 0; c--)
                if (i + c < w.a.rows)
                    y = fur_fma(negative(u[c]), x[c], y);
            x[0] = over(y, u[0]);
            differences += self_difference(x[0]);
            w.x(i, s) = singular ? fur_from<Value>({NAN, NAN}) : x[0];
            y = next_y;
#pragma unroll
            for (int c = 0; c < (Exact ? Width : width); c++)
                u[c] = next[c];
        }
        return differences == 0;
    }
};

template <class Value, int Lower, int Width, bool Exact>
__global__ void __launch_bounds__(BLOCK) solve(const __grid_constant__ job<Value> w)
{
    int64_t s = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (s >= w.a.count)
        return;
    band<Value, Lower, Width, Exact> own(w, s);
    own.factor();
    bool finite = own.substitute();
    w.results[s] = {own.singular ? FUR_OUTCOME_SINGULAR
                    : finite     ? FUR_OUTCOME_CONVERGED
                                 : FUR_OUTCOME_BREAKDOWN,
                    0, NAN};
}

template <class Value>
fur_status launch(const fur_batch_solve_call *call, const fur_batch_room *room)
{
    int64_t count = call->x->cols;
    int64_t width = call->form->lower + call->form->upper + 1;
    auto *memory = static_cast<Value *>(room->memory);
    job<Value> w = {fur_batch_systems<Value>(call->a),
                    call->a.pattern->entries,
                    fur_batch_side<const Value>(call->b),
                    fur_batch_side<Value>(call->x),
                    fur_batch_side<Value>(memory, count),
                    fur_batch_side<Value>(memory + call->x->rows * width * count, count),
                    static_cast<int>(call->form->lower),
                    static_cast<int>(width),
                    room->results};
    unsigned blocks = fur_blocks(count, BLOCK);
    cudaStream_t stream = fur_cuda_stream(call->env);
    if (w.lower == 1 && width == 3)
        solve<Value, 1, 3, true><<<blocks, BLOCK, 0, stream>>>(w);
    else if (w.lower == 2 && width == 5)
        solve<Value, 2, 5, true><<<blocks, BLOCK, 0, stream>>>(w);
    else
        solve<Value, FUR_BATCH_BAND_MAX, 2 * FUR_BATCH_BAND_MAX + 1, false>
            <<<blocks, BLOCK, 0, stream>>>(w);
    return fur_cuda_launched(call->env, "batch band");
}

} // namespace

int64_t fur_cuda_batch_band_bytes(const fur_batch_view *a, const fur_batch_form *form)
{
    return (form->lower + form->upper + 2) * a->pattern->rows * a->values->cols *
           static_cast<int64_t>(fur_value_size(a->values->value_type));
}

fur_status fur_cuda_batch_band(const fur_batch_solve_call *call, const fur_batch_room *room)
{
    return fur_with_value(call->x->value_type,
                          [&](auto value) { return launch<decltype(value)>(call, room); });
}
