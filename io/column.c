/* Entries of one column, or one row, to their places among zeros. */
#include "column.h"
#include "rows.h"
#include "scan.h"

#include <string.h>

static void scatter(const fur_csr_view *view, char *dense)
{
    size_t size = fur_value_size(view->value_type);
    const char *values = view->values;
    for (int64_t row = 0; row < view->rows; row++) {
        int64_t end = fur_row_begin(view, row + 1);
        for (int64_t k = fur_row_begin(view, row); k < end; k++) {
            size_t index = (size_t)(view->cols == 1 ? row : view->columns[k]);
            memcpy(dense + index * size, values + (size_t)k * size, size);
        }
    }
}

fur_status fur_column_to_vector(fur_context *context, const char *path, const fur_csr *matrix,
                                fur_vector **out)
{
    fur_csr_view view = *fur_csr_get(matrix);
    if (view.rows != 1 && view.cols != 1)
        return fur_context_fail(context, FUR_INVALID,
                                "%.400s: found a matrix of %lld x %lld, expected one column or one "
                                "row for a vector",
                                path, (long long)view.rows, (long long)view.cols);
    int64_t size = view.cols == 1 ? view.rows : view.cols;
    size_t bytes = (size_t)size * fur_value_size(view.value_type);
    void *dense = NULL;
    FUR_TRY(fur_context_allocate(context, bytes, &dense));
    if (dense) {
        memset(dense, 0, bytes);
        scatter(&view, dense);
    }
    fur_status status =
        fur_vector_wrap(context, view.value_type, size, dense, FUR_OWNERSHIP_ADOPT, out);
    if (status != FUR_OK)
        fur_context_release(context, dense);
    return status;
}
