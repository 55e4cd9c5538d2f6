/* A matrix whose values are the numbers of the entries, later ones replacing earlier ones: an entry
 * that does not find its own number there is repeated further down in the file. */
#include "repeat.h"

#include "companion.h"
#include "rows.h"

#include <furrow/csr.h>

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* The positions that are to be compared: for mirrored pairs, those below the diagonal. */
static void fill(const fur_entries *entries, fur_repeat_kind kind, int32_t *rows, int32_t *cols,
                 double *numbers)
{
    for (int64_t k = 0; k < entries->in_file; k++) {
        int32_t row = entries->rows[k], col = entries->cols[k];
        rows[k] = kind == FUR_REPEAT_SAME ? row : larger(row, col);
        cols[k] = kind == FUR_REPEAT_SAME ? col : smaller(row, col);
        numbers[k] = (double)k;
    }
}

/* The number stored at a position that is known to have one. */
static int64_t number_at(const fur_csr_view *view, int32_t row, int32_t col)
{
    int64_t low = fur_row_begin(view, row), high = fur_row_begin(view, (int64_t)row + 1);
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (view->columns[middle] <= col)
            low = middle;
        else
            high = middle;
    }
    return (int64_t)((const double *)view->values)[low];
}

static bool is_upper(const fur_entries *entries, int64_t k)
{
    return entries->rows[k] < entries->cols[k];
}

static fur_repeat search(const fur_entries *entries, fur_repeat_kind kind, const fur_csr_view *view,
                         const int32_t *rows, const int32_t *cols)
{
    for (int64_t k = 0; k < entries->in_file; k++) {
        int64_t last = number_at(view, rows[k], cols[k]);
        bool counts = kind == FUR_REPEAT_SAME || is_upper(entries, k) != is_upper(entries, last);
        if (last != k && counts)
            return (fur_repeat){k, last};
    }
    return (fur_repeat){-1, -1};
}

/* One more than the largest index: a shape that holds all positions, below the diagonal or not. */
static int64_t extent(const fur_entries *entries)
{
    int32_t largest = -1;
    for (int64_t k = 0; k < entries->in_file; k++)
        largest = larger(largest, larger(entries->rows[k], entries->cols[k]));
    return (int64_t)largest + 1;
}

fur_status fur_repeat_find(const fur_entries *entries, fur_repeat_kind kind, fur_repeat *out)
{
    fur_context *context = entries->context;
    size_t count = (size_t)entries->in_file;
    void *rows = NULL, *cols = NULL, *numbers = NULL;
    fur_csr *matrix = NULL;
    fur_status status;
    FUR_TRY_DONE(fur_context_allocate(context, count * sizeof(int32_t), &rows));
    FUR_TRY_DONE(fur_context_allocate(context, count * sizeof(int32_t), &cols));
    FUR_TRY_DONE(fur_context_allocate(context, count * sizeof(double), &numbers));
    fill(entries, kind, rows, cols, numbers);
    fur_coo_view coo = {.rows = extent(entries),
                        .cols = extent(entries),
                        .entries = entries->in_file,
                        .value = FUR_F64,
                        .row_indices = rows,
                        .col_indices = cols,
                        .values = numbers};
    FUR_TRY_DONE(fur_from_companion(
        context, fur_csr_from_coo(fur_context_host(context), &coo, FUR_DUPLICATES_LAST, &matrix)));
    fur_csr_view view = fur_csr_get(matrix);
    *out = search(entries, kind, &view, rows, cols);
done:
    fur_csr_destroy(matrix);
    fur_context_release(context, numbers);
    fur_context_release(context, cols);
    fur_context_release(context, rows);
    return status;
}
