// The matrix of a stencil on the device, and its diagonal. One thread handles one row. Rows are
// counted, then filled: an offset, and an entry and its column for each term. If all neighbours of
// a point are in the grid, each term has one column, in order. Otherwise the columns of a row are
// found one after the other, and each search goes through all terms.
#include "arrange.cuh"
#include "stencil.cuh"

#define BLOCK 256

namespace
{

// The rows of a stencil's matrix, with the terms on the device.
template <class Value> struct matrix {
    fur_stencil_view s;
    const fur_stencil_term<Value> *terms;

    // Finds the grid point of a row.
    __device__ void locate(int64_t row, int64_t at[3]) const
    {
        int64_t line = row / s.extent[0];
        at[0] = row % s.extent[0];
        at[1] = line % s.extent[1];
        at[2] = line / s.extent[1];
    }

    // Returns the first column after `last` in the row of a point, or -1 if there is none.
    __device__ int64_t next_column(const int64_t at[3], int64_t last) const
    {
        int64_t next = -1;
        for (int k = 0; k < s.points; k++) {
            int64_t column = fur_stencil_neighbour(&s, at, terms[k].offset);
            if (column > last && (next < 0 || column < next))
                next = column;
        }
        return next;
    }

    // Returns the sum of the coefficients of the terms in a column, in the order of the terms; 0
    // without a term.
    __device__ Value entry(const int64_t at[3], int64_t row, int64_t column) const
    {
        Value sum = fur_zero<Value>();
        bool found = false;
        for (int k = 0; k < s.points; k++) {
            if (fur_stencil_neighbour(&s, at, terms[k].offset) != column)
                continue;
            Value c = terms[k].coefficient(row);
            sum = found ? fur_add(sum, c) : c;
            found = true;
        }
        return sum;
    }

    // Returns the number of columns in a row.
    __device__ int64_t count(int64_t row) const
    {
        int64_t at[3];
        int64_t columns = 0;
        locate(row, at);
        if (fur_stencil_inside(s, at))
            return s.points;
        for (int64_t c = next_column(at, -1); c >= 0; c = next_column(at, c))
            columns++;
        return columns;
    }

    // Writes the columns and values of a row, by ascending column.
    __device__ void fill(int64_t row, int32_t *columns, Value *values) const
    {
        int64_t at[3];
        locate(row, at);
        if (fur_stencil_inside(s, at)) {
            for (int k = 0; k < s.points; k++) {
                columns[k] = static_cast<int32_t>(row + terms[k].step);
                values[k] = terms[k].coefficient(row);
            }
            return;
        }
        for (int64_t c = next_column(at, -1); c >= 0; c = next_column(at, c)) {
            *columns++ = static_cast<int32_t>(c);
            *values++ = entry(at, row, c);
        }
    }
};

// counts[row] = the entries of a row, followed by a 0. Bytes a row: 8.
template <class Value>
__global__ void __launch_bounds__(BLOCK) count_rows(matrix<Value> m, int64_t rows, int64_t *counts)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row <= rows)
        counts[row] = row < rows ? m.count(row) : 0;
}

// Writes offsets, columns and values. Bytes a row of n entries: n (entry + 4), 8, an offset;
// another entry for each field.
template <class Value, class Offset>
__global__ void __launch_bounds__(BLOCK)
    fill_rows(matrix<Value> m, int64_t rows, const int64_t *starts, Offset *offsets,
              int32_t *columns, Value *values)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row <= rows)
        offsets[row] = static_cast<Offset>(starts[row]);
    if (row < rows)
        m.fill(row, columns + starts[row], values + starts[row]);
}

// d[row] = the coefficients in column `row`. Bytes a row: an entry, and one for each field that is
// present.
template <class Value>
__global__ void __launch_bounds__(BLOCK) set_diagonal(matrix<Value> m, int64_t rows, Value *d)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    int64_t at[3];
    if (row >= rows)
        return;
    m.locate(row, at);
    d[row] = m.entry(at, row, row);
}

// Calls f with the matrix in its type.
template <class F> fur_status with_matrix(fur_env *env, const fur_stencil_view *s, F f)
{
    void *terms;
    FUR_TRY(fur_cuda_stencil_terms(env, s, &terms));
    fur_status status = fur_with_value(s->value_type, [&](auto value) {
        using Value = decltype(value);
        return f(matrix<Value>{*s, static_cast<const fur_stencil_term<Value> *>(terms)});
    });
    fur_cuda_release(env, terms);
    return status;
}

} // namespace

// Computes the offsets of the stencil's matrix.
fur_status fur_cuda_stencil_starts(fur_env *env, const fur_stencil_view *s, int64_t *starts)
{
    int64_t rows = fur_stencil_rows(s);
    FUR_TRY(with_matrix(env, s, [&](auto m) {
        count_rows<<<fur_blocks(rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(m, rows,
                                                                                    starts);
        return fur_cuda_launched(env, "stencil count");
    }));
    return fur_exclusive_scan(env, starts, rows + 1);
}

// Writes the stencil's matrix into the arrays of a.
fur_status fur_cuda_stencil_fill(fur_env *env, const fur_stencil_view *s, const int64_t *starts,
                                 const fur_csr_view *a)
{
    return with_matrix(env, s, [&](auto m) {
        using Value = std::remove_const_t<decltype(m.entry(nullptr, 0, 0))>;
        return fur_with_offset(a, [&](auto offsets) {
            using Offset = std::remove_const_t<std::remove_pointer_t<decltype(offsets)>>;
            fill_rows<<<fur_blocks(a->rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
                m, a->rows, starts, fur_writable<Offset>(a->offsets),
                fur_writable<int32_t>(a->columns), fur_writable<Value>(a->values));
            return fur_cuda_launched(env, "stencil fill");
        });
    });
}

// d_i = S(i, i)
fur_status fur_cuda_stencil_diagonal(fur_env *env, const fur_stencil_view *s, void *d)
{
    int64_t rows = fur_stencil_rows(s);
    return with_matrix(env, s, [&](auto m) {
        using Value = std::remove_const_t<decltype(m.entry(nullptr, 0, 0))>;
        set_diagonal<<<fur_blocks(rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            m, rows, static_cast<Value *>(d));
        return fur_cuda_launched(env, "stencil diagonal");
    });
}
