// Results that drop or repeat entries: matrices without small entries, and selections of rows and
// columns by number. A row is handled by a group of lanes of a warp. Each lane finds how often its
// entry occurs in the result. A prefix sum over the lanes gives the position of its first copy.
#include "algebra.cuh"
#include "magnitude.cuh"

#define BLOCK 256

namespace
{

// Keeps the entries of A whose modulus exceeds the tolerance, and NaN.
template <class Value> struct dropping {
    fur_matrix<Value> a;
    double tolerance;

    __device__ int64_t row(int64_t i) const
    {
        return i;
    }

    __device__ int32_t copies(int64_t k, int32_t *column) const
    {
        *column = a.columns[k];
        return !(magnitude(fur_stream(a.values + k)) <= tolerance);
    }
};

// Selects rows and columns by number.
template <class Value> struct selecting {
    fur_matrix<Value> a;
    fur_selection s;

    __device__ int64_t row(int64_t i) const
    {
        return s.row ? s.row[i] : i;
    }

    __device__ int32_t copies(int64_t k, int32_t *column) const
    {
        *column = a.columns[k];
        if (!s.start)
            return 1;
        int32_t first = s.start[*column];
        int32_t count = s.start[*column + 1] - first;
        *column = first;
        return count;
    }
};

// Stores the lengths of the rows if `columns` is null, and otherwise the entries. Bytes: the input
// of copies() for each entry; the second call also writes the result.
template <class Value, class Sieve>
__global__ void __launch_bounds__(BLOCK)
    sift(Sieve s, int64_t rows, int lanes_bits, int64_t *starts, int32_t *columns, Value *values)
{
    int lanes = 1 << lanes_bits;
    int64_t i = (blockIdx.x * int64_t(BLOCK) + threadIdx.x) >> lanes_bits;
    int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    bool inside = i < rows;
    int64_t row = inside ? s.row(i) : 0;
    int64_t begin = inside ? s.a.starts[row] : 0;
    int64_t end = inside ? s.a.starts[row + 1] : 0;
    int64_t at = inside && columns ? starts[i] : 0;
    // All lanes of a warp continue until the longest of its rows ends.
    for (int64_t k = begin + lane; __any_sync(~0U, k - lane < end); k += lanes) {
        int32_t column = 0;
        int32_t count = k < end ? s.copies(k, &column) : 0;
        int32_t sum = count;
        for (int step = 1; step < lanes; step *= 2) {
            int32_t other = __shfl_up_sync(~0U, sum, step, lanes);
            sum += lane >= step ? other : 0;
        }
        if (columns)
            for (int32_t c = 0; c < count; c++) {
                columns[at + sum - count + c] = column + c;
                values[at + sum - count + c] = s.a.values[k];
            }
        at += __shfl_sync(~0U, sum, lanes - 1, lanes);
    }
    if (!columns && lane == 0 && i <= rows)
        starts[i] = at;
}

// Returns the binary logarithm of the lanes for a row: about the average number of entries in a
// row.
int lanes_bits_for(const fur_csr_view *a)
{
    int bits = 1;
    while (bits < 5 && (a->rows << bits) < a->entries)
        bits++;
    return bits;
}

template <class Value, class Sieve>
fur_status launch(fur_env *env, const fur_making *m, const Sieve &s, int64_t *starts,
                  int32_t *columns, Value *values)
{
    int bits = lanes_bits_for(m->a);
    sift<Value><<<fur_blocks((m->rows + 1) << bits, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        s, m->rows, bits, starts, columns, values);
    return fur_cuda_launched(env, "sift rows");
}

fur_status run(fur_env *env, const fur_making *m, int64_t *starts, int32_t *columns, void *values)
{
    return fur_with_value(m->value_type, [&](auto value) {
        using Value = decltype(value);
        auto to = static_cast<Value *>(values);
        const fur_matrix<Value> a(m->a);
        return m->kind == FUR_MAKING_DROP
                   ? launch<Value>(env, m, dropping<Value>{a, m->tolerance}, starts, columns, to)
                   : launch<Value>(env, m, selecting<Value>{a, m->selection}, starts, columns, to);
    });
}

} // namespace

fur_status fur_cuda_sieve_lengths(fur_env *env, const fur_making *m, int64_t *lengths)
{
    return run(env, m, lengths, nullptr, nullptr);
}

fur_status fur_cuda_sieve_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                               const fur_csr_view *out)
{
    return run(env, m, const_cast<int64_t *>(starts), fur_writable<int32_t>(out->columns),
               fur_writable<void>(out->values));
}
