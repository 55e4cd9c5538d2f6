// Sums and element-wise products of two matrices, by merging their rows. A block takes as many rows
// as fit into shared memory together. A thread merges one of these rows and records the positions
// in A and B of each entry of the result. Then all threads compute the entries in parallel. A row
// that does not fit is merged by one thread in global memory.
#include "algebra.cuh"

#define BLOCK 256
// Columns of A and B together that a block holds. A position has 16 bits.
#define ROOM 4096
#define NONE 0xffffu

namespace
{

// The positions that the result keeps: those in either matrix or those in both.
enum keeping { EITHER, BOTH };

struct pair {
    fur_row_starts a_starts;
    fur_row_starts b_starts;
    const int32_t *a_columns;
    const int32_t *b_columns;
    int64_t rows;
};

// Merges two sorted rows of columns. Each step takes the smaller of columns i and j, or both if
// they are equal.
template <class F>
__device__ int64_t merge(const int32_t *a, int64_t a_count, const int32_t *b, int64_t b_count,
                         keeping keep, F f)
{
    int64_t i = 0;
    int64_t j = 0;
    int64_t count = 0;
    while (i < a_count || j < b_count) {
        if (keep == BOTH && (i == a_count || j == b_count))
            break;
        int64_t left = i < a_count ? int64_t(a[i]) : INT64_MAX;
        int64_t right = j < b_count ? int64_t(b[j]) : INT64_MAX;
        if (keep == EITHER || left == right) {
            f(count, left <= right ? i : -1, right <= left ? j : -1);
            count++;
        }
        i += left <= right;
        j += right <= left;
    }
    return count;
}

// Returns the end of the rows from `row` on whose columns fit into shared memory together. The
// range has at least one row, which may not fit.
__device__ int64_t rows_that_fit(const pair &p, int64_t row, int64_t end)
{
    int64_t before = p.a_starts[row] + p.b_starts[row];
    int64_t low = row + 1;
    while (low < end) {
        int64_t middle = low + (end - low + 1) / 2;
        if (p.a_starts[middle] + p.b_starts[middle] - before <= ROOM)
            low = middle;
        else
            end = middle - 1;
    }
    return low;
}

// Copies the columns of rows begin .. end-1 into shared memory, with those in A first.
__device__ void stage(const pair &p, int64_t a_begin, int a_count, int64_t b_begin, int b_count,
                      int32_t *columns)
{
    for (int k = threadIdx.x; k < a_count; k += BLOCK)
        columns[k] = p.a_columns[a_begin + k];
    for (int k = threadIdx.x; k < b_count; k += BLOCK)
        columns[a_count + k] = p.b_columns[b_begin + k];
}

// Lengths of the result's rows. Bytes: the columns of A and B, an offset of each and 8 a row.
__global__ void __launch_bounds__(BLOCK) count_merged(pair p, keeping keep, int64_t *lengths)
{
    __shared__ int32_t columns[ROOM];
    __shared__ int64_t next;
    int64_t row = blockIdx.x * int64_t(BLOCK);
    int64_t last = min(row + BLOCK, p.rows);
    if (last == p.rows && threadIdx.x == 0)
        lengths[last] = 0;
    while (row < last) {
        if (threadIdx.x == 0)
            next = rows_that_fit(p, row, last);
        __syncthreads();
        int64_t end = next;
        int64_t a_begin = p.a_starts[row];
        int64_t b_begin = p.b_starts[row];
        int64_t a_count = p.a_starts[end] - a_begin;
        int64_t b_count = p.b_starts[end] - b_begin;
        bool fits = a_count + b_count <= ROOM;
        if (fits)
            stage(p, a_begin, static_cast<int>(a_count), b_begin, static_cast<int>(b_count),
                  columns);
        __syncthreads();
        int64_t own = row + threadIdx.x;
        if (own < end) {
            int64_t a_own = p.a_starts[own];
            int64_t b_own = p.b_starts[own];
            const int32_t *a = fits ? columns + (a_own - a_begin) : p.a_columns + a_own;
            const int32_t *b = fits ? columns + a_count + (b_own - b_begin) : p.b_columns + b_own;
            lengths[own] = merge(a, p.a_starts[own + 1] - a_own, b, p.b_starts[own + 1] - b_own,
                                 keep, [](int64_t, int64_t, int64_t) {});
        }
        row = end;
        __syncthreads();
    }
}

// alpha a + beta b, or a b. A coefficient of 1 is not multiplied.
template <class Value> struct combination {
    keeping keep;
    Value alpha;
    Value beta;
    bool plain_a; // alpha is 1
    bool plain_b;

    __device__ Value scaled_a(Value a) const
    {
        return plain_a ? a : fur_mul(alpha, a);
    }

    __device__ Value scaled_b(Value b) const
    {
        return plain_b ? b : fur_mul(beta, b);
    }

    __device__ Value operator()(const Value *a, const Value *b) const
    {
        if (keep == BOTH)
            return fur_mul(*a, *b);
        if (!a || !b)
            return a ? scaled_a(*a) : scaled_b(*b);
        return plain_a ? fur_add(*a, scaled_b(*b)) : fur_fma(alpha, *a, scaled_b(*b));
    }
};

template <class Value> struct merging {
    pair p;
    const Value *a;
    const Value *b;
    combination<Value> combine;
    const int64_t *starts;
    int32_t *columns;
    Value *values;

    // Sets entry k of the result from positions i in A and j in B. A negative position means no
    // entry.
    __device__ void set(int64_t k, int32_t column, int64_t i, int64_t j) const
    {
        columns[k] = column;
        values[k] = combine(i >= 0 ? a + i : nullptr, j >= 0 ? b + j : nullptr);
    }
};

// Merges a row that does not fit into shared memory, by one thread.
template <class Value> __device__ void merge_long_row(const merging<Value> &m, int64_t row)
{
    int64_t a = m.p.a_starts[row];
    int64_t b = m.p.b_starts[row];
    int64_t at = m.starts[row];
    merge(m.p.a_columns + a, m.p.a_starts[row + 1] - a, m.p.b_columns + b,
          m.p.b_starts[row + 1] - b, m.combine.keep, [&](int64_t k, int64_t i, int64_t j) {
              m.set(at + k, i < 0 ? m.p.b_columns[b + j] : m.p.a_columns[a + i], i < 0 ? -1 : a + i,
                    j < 0 ? -1 : b + j);
          });
}

// Fills the result. Bytes: A, B and the result.
template <class Value> __global__ void __launch_bounds__(BLOCK) fill_merged(merging<Value> m)
{
    __shared__ int32_t columns[ROOM];
    __shared__ uint32_t made_of[ROOM]; // positions in A and B, 16 bits each
    __shared__ int64_t next;
    const pair &p = m.p;
    int64_t row = blockIdx.x * int64_t(BLOCK);
    int64_t last = min(row + BLOCK, p.rows);
    while (row < last) {
        if (threadIdx.x == 0)
            next = rows_that_fit(p, row, last);
        __syncthreads();
        int64_t end = next;
        int64_t a_begin = p.a_starts[row];
        int64_t b_begin = p.b_starts[row];
        int64_t a_count = p.a_starts[end] - a_begin;
        int64_t b_count = p.b_starts[end] - b_begin;
        if (a_count + b_count > ROOM) {
            if (threadIdx.x == 0)
                merge_long_row(m, row);
        } else {
            stage(p, a_begin, static_cast<int>(a_count), b_begin, static_cast<int>(b_count),
                  columns);
            __syncthreads();
            int64_t own = row + threadIdx.x;
            if (own < end) {
                int64_t a = p.a_starts[own] - a_begin;
                int64_t b = p.b_starts[own] - b_begin;
                uint32_t *to = made_of + (m.starts[own] - m.starts[row]);
                merge(columns + a, p.a_starts[own + 1] - a_begin - a, columns + a_count + b,
                      p.b_starts[own + 1] - b_begin - b, m.combine.keep,
                      [&](int64_t k, int64_t i, int64_t j) {
                          to[k] = (i < 0 ? NONE : static_cast<uint32_t>(a + i)) |
                                  (j < 0 ? NONE : static_cast<uint32_t>(b + j)) << 16;
                      });
            }
            __syncthreads();
            int count = static_cast<int>(m.starts[end] - m.starts[row]);
            for (int k = threadIdx.x; k < count; k += BLOCK) {
                uint32_t i = made_of[k] & NONE;
                uint32_t j = made_of[k] >> 16;
                m.set(m.starts[row] + k, i == NONE ? columns[a_count + j] : columns[i],
                      i == NONE ? -1 : a_begin + i, j == NONE ? -1 : b_begin + j);
            }
        }
        row = end;
        __syncthreads();
    }
}

pair pair_of(const fur_making *m)
{
    return {fur_starts_of(m->a), fur_starts_of(m->b), m->a->columns, m->b->columns, m->rows};
}

keeping keeping_of(const fur_making *m)
{
    return m->kind == FUR_MAKING_ADD ? EITHER : BOTH;
}

bool is_one(fur_scalar s)
{
    return s.re == 1 && s.im == 0;
}

} // namespace

// Stores the row lengths of the result: the number of columns in either row or in both rows.
fur_status fur_cuda_merge_lengths(fur_env *env, const fur_making *m, int64_t *lengths)
{
    if (m->rows == 0)
        return fur_cuda_clear(env, lengths, sizeof *lengths);
    count_merged<<<fur_blocks(m->rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        pair_of(m), keeping_of(m), lengths);
    return fur_cuda_launched(env, "count merged rows");
}

// Fills alpha A + beta B or A(i, j) B(i, j).
fur_status fur_cuda_merge_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                               const fur_csr_view *out)
{
    return fur_with_value(m->value_type, [&](auto value) {
        using Value = decltype(value);
        const combination<Value> c = {keeping_of(m), fur_from<Value>(m->alpha),
                                      fur_from<Value>(m->beta), is_one(m->alpha), is_one(m->beta)};
        merging<Value> g = {pair_of(m),
                            static_cast<const Value *>(m->a->values),
                            static_cast<const Value *>(m->b->values),
                            c,
                            starts,
                            fur_writable<int32_t>(out->columns),
                            fur_writable<Value>(out->values)};
        fill_merged<<<fur_blocks(m->rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(g);
        return fur_cuda_launched(env, "merge rows");
    });
}
