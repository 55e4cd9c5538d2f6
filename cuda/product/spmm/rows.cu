// SpMM by rows of CSR, with a method for each layout. It uses pieces of rows of X (pieces.cu), or
// one thread a row (staged.cu) if X is column-major and has more than a few columns.
//
// Bytes a row of n entries: n (entry + 4) + offset for A, two entries a column for X and Y. 2 n
// flops a column.
#include "long_rows.cuh"

extern "C" const fur_spmm_kernel fur_cuda_spmm_pieces;
extern "C" const fur_spmm_kernel fur_cuda_spmm_staged;

// Bytes of a row of X up to which pieces are faster for a column-major X too (measured on an H200).
#define FEW_BYTES 32
// The most columns of a launch. Groups of columns are the second axis of the launch grid.
#define MAX_COLUMNS int64_t(65535)

namespace
{

// Columns first .. first + count - 1 of a view.
fur_vectors_view take_columns(const fur_vectors_view *v, int64_t first, int64_t count)
{
    fur_vectors_view some = *v;
    some.cols = count;
    some.data = static_cast<char *>(v->data) +
                first * fur_column_step(v) * static_cast<int64_t>(fur_value_size(v->value_type));
    return some;
}

// Multiplies by MAX_COLUMNS columns at a time.
fur_status apply(const fur_spmm_call *call)
{
    const fur_vectors_view *v = call->x;
    int64_t row_bytes = v->cols * static_cast<int64_t>(fur_value_size(v->value_type));
    bool staged = v->layout == FUR_LAYOUT_COLUMNS && row_bytes > FEW_BYTES;
    const fur_spmm_kernel *kernel = staged ? &fur_cuda_spmm_staged : &fur_cuda_spmm_pieces;
    for (int64_t first = 0; first < v->cols; first += MAX_COLUMNS) {
        int64_t left = v->cols - first;
        int64_t count = left < MAX_COLUMNS ? left : MAX_COLUMNS;
        fur_vectors_view x = take_columns(call->x, first, count);
        fur_vectors_view y = take_columns(call->y, first, count);
        fur_spmm_call some = *call;
        some.x = &x;
        some.y = &y;
        FUR_TRY(kernel->apply(&some));
    }
    return FUR_OK;
}

} // namespace

extern "C" const fur_spmm_kernel fur_cuda_spmm_rows = {
    {"rows", "pieces or staged, by the layout and the number of columns", "", true, 0},
    fur_cuda_long_rows_plan,
    nullptr, // refresh
    apply,
    fur_cuda_long_rows_release,
};
