// Results whose rows consist of one or two contiguous pieces of rows of the operands: ranges of
// rows, A - shift I, Kronecker products and grids of blocks. Their row lengths follow from offsets.
// The entries are distributed evenly over the threads, whatever the row lengths.
#include "algebra.cuh"

#define BLOCK 256

namespace
{

// Copies rows that are contiguous both in the source and in the result. The kernel walks the rows
// of `walk`. On the other side, row i begins at other[i].
template <class Value> struct copying {
    int64_t rows;
    int64_t entries;
    fur_row_starts walk;
    const int64_t *other;
    bool gathers; // true if `walk` is the result, false if it is the source
    const int32_t *from_columns;
    const Value *from_values;
    int64_t shift; // added to each column
    int32_t *columns;
    Value *values;
};

// Bytes an entry: twice the sizes of the entry and its column.
template <class Value>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK) copy_rows(copying<Value> c)
{
    fur_for_entries(c.rows, c.entries, c.walk, [&](int64_t row, int64_t k) {
        int64_t there = c.other[row] + (k - c.walk[row]);
        int64_t from = c.gathers ? there : k;
        int64_t to = c.gathers ? k : there;
        c.columns[to] = static_cast<int32_t>(fur_stream(c.from_columns + from) + c.shift);
        c.values[to] = fur_stream(c.from_values + from);
    });
}

// Positions begin .. end-1 in A: the part of row i that the slice keeps.
struct range {
    int64_t begin;
    int64_t end;
};

__device__ range range_of(const fur_row_slice &s, fur_row_starts starts, const int32_t *columns,
                          int64_t i)
{
    int64_t begin = starts[s.row + i];
    int64_t end = starts[s.row + i + 1];
    range r = {fur_find_column(columns, begin, end, s.low + s.slope * i),
               fur_find_column(columns, begin, end, s.high + s.slope * i)};
    r.end = max(r.begin, r.end);
    return r;
}

// Stores the lengths of the rows of a slice, or where they begin in A. Bytes a row: two offsets, 8,
// and the columns that a bisection reads.
__global__ void __launch_bounds__(BLOCK)
    find_slice(fur_row_slice s, fur_row_starts starts, const int32_t *columns, int64_t rows,
               bool begins, int64_t *out)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i > rows)
        return;
    range r = {0, 0};
    if (i < rows)
        r = range_of(s, starts, columns, i);
    out[i] = begins ? r.begin : r.end - r.begin;
}

// Lengths of the rows of A + alpha I. Bytes a row: two offsets, 8, and the columns that a bisection
// reads.
__global__ void __launch_bounds__(BLOCK)
    count_shifted(fur_row_starts starts, const int32_t *columns, int64_t rows, int64_t *lengths)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i > rows)
        return;
    int64_t length = 0;
    if (i < rows) {
        int64_t end = starts[i + 1];
        int64_t k = fur_find_column(columns, starts[i], end, i);
        length = end - starts[i] + !(k < end && columns[k] == i);
    }
    lengths[i] = length;
}

// A + alpha I. If a row stores its diagonal entry twice, alpha is added to the first of them. Bytes
// an entry: twice the sizes of the entry and its column.
template <class Value>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    fill_shifted(fur_matrix<Value> a, Value alpha, int64_t rows, int64_t entries,
                 const int64_t *starts, int32_t *columns, Value *values)
{
    fur_for_entries(rows, entries, starts, [&](int64_t row, int64_t k) {
        int64_t begin = a.starts[row];
        int64_t end = a.starts[row + 1];
        bool stored = starts[row + 1] - starts[row] == end - begin;
        int64_t from = begin + (k - starts[row]);
        int32_t before = from > begin ? a.columns[from - 1] : -1;
        if (!stored && before < row && (from == end || a.columns[from] > row)) {
            columns[k] = static_cast<int32_t>(row);
            values[k] = alpha;
            return;
        }
        bool is_first = before < row;
        from -= !stored && before > row;
        columns[k] = a.columns[from];
        values[k] = stored && is_first && a.columns[from] == row ? fur_add(a.values[from], alpha)
                                                                 : a.values[from];
    });
}

// Lengths of the rows of a Kronecker product. Bytes a row: 8, and offsets from the caches.
__global__ void __launch_bounds__(BLOCK)
    count_kron(fur_row_starts a, fur_row_starts b, int64_t b_rows, int64_t rows, int64_t *lengths)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i > rows)
        return;
    int64_t of_a = i / max(b_rows, int64_t(1));
    int64_t of_b = i - of_a * b_rows;
    lengths[i] = i < rows ? (a[of_a + 1] - a[of_a]) * (b[of_b + 1] - b[of_b]) : 0;
}

// Entry k of a row of the Kronecker product is entry k / length of A times entry k % length of B.
// Bytes: the size of the result.
template <class Value>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    fill_kron(fur_matrix<Value> a, fur_matrix<Value> b, int64_t b_rows, int64_t b_cols,
              int64_t rows, int64_t entries, const int64_t *starts, int32_t *columns, Value *values)
{
    fur_for_entries(rows, entries, starts, [&](int64_t row, int64_t k) {
        auto of_a =
            static_cast<int64_t>(static_cast<uint32_t>(row) / static_cast<uint32_t>(b_rows));
        int64_t of_b = row - of_a * b_rows;
        int64_t begin = b.starts[of_b];
        int64_t length = b.starts[of_b + 1] - begin;
        int64_t number = k - starts[row];
        int64_t i = (number | length) >> 32
                        ? number / length
                        : static_cast<uint32_t>(number) / static_cast<uint32_t>(length);
        int64_t j = begin + (number - i * length);
        i += a.starts[of_a];
        columns[k] = static_cast<int32_t>(a.columns[i] * b_cols + b.columns[j]);
        values[k] = fur_mul(a.values[i], b.values[j]);
    });
}

// sums[i] += entries of row i, and a 0 after the last row. Bytes a row: two offsets and twice 8.
__global__ void __launch_bounds__(BLOCK)
    add_lengths(fur_row_starts starts, int64_t rows, int64_t *sums)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < rows)
        sums[i] += starts[i + 1] - starts[i];
}

template <class Value> fur_status launch_copy(fur_env *env, const copying<Value> &c)
{
    copy_rows<<<fur_entries_blocks(c.entries), FUR_ENTRIES_BLOCK, 0, fur_cuda_stream(env)>>>(c);
    return fur_cuda_launched(env, "copy rows");
}

fur_status find_slices(fur_env *env, const fur_making *m, bool begins, int64_t *out)
{
    find_slice<<<fur_blocks(m->rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        m->slice, fur_starts_of(m->a), m->a->columns, m->rows, begins, out);
    return fur_cuda_launched(env, "find parts of rows");
}

// Copies each row of the result from its first position in A.
fur_status gather(fur_env *env, const fur_making *m, const int64_t *starts, const int64_t *begins,
                  const fur_csr_view *out)
{
    return fur_with_value(m->value_type, [&](auto value) {
        using Value = decltype(value);
        return launch_copy<Value>(env, {m->rows,
                                        out->entries,
                                        {starts, true},
                                        begins,
                                        true,
                                        m->a->columns,
                                        static_cast<const Value *>(m->a->values),
                                        -m->slice.col,
                                        fur_writable<int32_t>(out->columns),
                                        fur_writable<Value>(out->values)});
    });
}

// Copies the rows of a block to the positions in `at`, and advances these positions past the copied
// rows.
fur_status place_block(fur_env *env, const fur_csr_view *a, int64_t shift, int64_t *at,
                       const fur_csr_view *out)
{
    if (a->entries == 0)
        return FUR_OK;
    FUR_TRY(fur_with_value(a->value_type, [&](auto value) {
        using Value = decltype(value);
        return launch_copy<Value>(env, {a->rows, a->entries, fur_starts_of(a), at, false,
                                        a->columns, static_cast<const Value *>(a->values), shift,
                                        fur_writable<int32_t>(out->columns),
                                        fur_writable<Value>(out->values)});
    }));
    add_lengths<<<fur_blocks(a->rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(fur_starts_of(a),
                                                                                a->rows, at);
    return fur_cuda_launched(env, "move behind a block");
}

// Calls f(block, its row and column of the grid) for each block that is not empty.
template <class F> fur_status for_blocks(const fur_block_grid *g, F f)
{
    for (int64_t r = 0; r < g->rows; r++)
        for (int64_t c = 0; c < g->cols; c++)
            if (g->blocks[r * g->cols + c])
                FUR_TRY(f(g->blocks[r * g->cols + c], r, c));
    return FUR_OK;
}

} // namespace

fur_status fur_cuda_slice_lengths(fur_env *env, const fur_making *m, int64_t *lengths)
{
    return find_slices(env, m, false, lengths);
}

// Finds the ranges again, then copies all entries.
fur_status fur_cuda_slice_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                               const fur_csr_view *out)
{
    int64_t *begins;
    FUR_TRY(fur_cuda_allocate(env, m->rows + 1, sizeof *begins, &begins));
    fur_status status = find_slices(env, m, true, begins);
    if (status == FUR_OK)
        status = gather(env, m, starts, begins, out);
    fur_cuda_release(env, begins);
    return status;
}

fur_status fur_cuda_shift_lengths(fur_env *env, const fur_making *m, int64_t *lengths)
{
    count_shifted<<<fur_blocks(m->rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        fur_starts_of(m->a), m->a->columns, m->rows, lengths);
    return fur_cuda_launched(env, "count shifted rows");
}

fur_status fur_cuda_shift_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                               const fur_csr_view *out)
{
    return fur_with_value(m->value_type, [&](auto value) {
        using Value = decltype(value);
        fill_shifted<<<fur_entries_blocks(out->entries), FUR_ENTRIES_BLOCK, 0,
                       fur_cuda_stream(env)>>>(
            fur_matrix<Value>(m->a), fur_from<Value>(m->alpha), m->rows, out->entries, starts,
            fur_writable<int32_t>(out->columns), fur_writable<Value>(out->values));
        return fur_cuda_launched(env, "shift");
    });
}

fur_status fur_cuda_kron_lengths(fur_env *env, const fur_making *m, int64_t *lengths)
{
    count_kron<<<fur_blocks(m->rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        fur_starts_of(m->a), fur_starts_of(m->b), m->b->rows, m->rows, lengths);
    return fur_cuda_launched(env, "count rows of a Kronecker product");
}

fur_status fur_cuda_kron_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                              const fur_csr_view *out)
{
    return fur_with_value(m->value_type, [&](auto value) {
        using Value = decltype(value);
        fill_kron<<<fur_entries_blocks(out->entries), FUR_ENTRIES_BLOCK, 0, fur_cuda_stream(env)>>>(
            fur_matrix<Value>(m->a), fur_matrix<Value>(m->b), m->b->rows, m->b->cols, m->rows,
            out->entries, starts, fur_writable<int32_t>(out->columns),
            fur_writable<Value>(out->values));
        return fur_cuda_launched(env, "Kronecker product");
    });
}

fur_status fur_cuda_blocks_lengths(fur_env *env, const fur_making *m, int64_t *lengths)
{
    FUR_TRY(fur_cuda_clear(env, lengths, (m->rows + 1) * int64_t(sizeof *lengths)));
    return for_blocks(&m->grid, [&](const fur_csr_view *a, int64_t r, int64_t) {
        if (a->rows == 0)
            return FUR_OK;
        add_lengths<<<fur_blocks(a->rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            fur_starts_of(a), a->rows, lengths + m->grid.row_starts[r]);
        return fur_cuda_launched(env, "add lengths of rows");
    });
}

// Copies block by block. The blocks of a block row are copied from left to right.
fur_status fur_cuda_blocks_fill(fur_env *env, const fur_making *m, const int64_t *starts,
                                const fur_csr_view *out)
{
    int64_t *at;
    FUR_TRY(fur_cuda_allocate(env, m->rows + 1, sizeof *at, &at));
    fur_status status = fur_cuda_copy(env, at, starts, (m->rows + 1) * int64_t(sizeof *at));
    if (status == FUR_OK)
        status = for_blocks(&m->grid, [&](const fur_csr_view *a, int64_t r, int64_t c) {
            return place_block(env, a, m->grid.col_starts[c], at + m->grid.row_starts[r], out);
        });
    fur_cuda_release(env, at);
    return status;
}
