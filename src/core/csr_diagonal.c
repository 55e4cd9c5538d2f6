/* The diagonal of a matrix. */
#ifndef FUR_TEMPLATE
#    include "object.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"

/* Rows below which a further thread costs more than it brings. */
#    define ROW_GRAIN 4096

#    define FUR_TEMPLATE "csr_diagonal.c"
#    include "foreach_value.h"

/* Position of the first entry in column `row` of row `row`, by bisection; -1 if it has none. */
static int64_t diagonal_position(const fur_csr_view *a, int64_t row)
{
    int64_t low = fur_offset_at(a, row);
    int64_t end = fur_offset_at(a, row + 1);
    int64_t high = end;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a->columns[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && a->columns[low] == row ? low : -1;
}

fur_status fur_csr_diagonal(const fur_csr *a, fur_vector **out)
{
    static void (*const set_entry[FUR_VALUE_COUNT])(const fur_csr_view *, int64_t, int64_t,
                                                    void *) = FUR_VALUE_TABLE(set_entry);
    const fur_csr_view *v = &a->view;
    int64_t n = v->rows < v->cols ? v->rows : v->cols;
    fur_vector *d;
    FUR_TRY(fur_vector_create(a->context, v->value, n, &d));
    int team = fur_team(a->context->env.threads, n, ROW_GRAIN);
#    pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < n; i++) {
        int64_t k = diagonal_position(v, i);
        if (k >= 0)
            set_entry[v->value](v, i, k, d->data);
    }
    *out = d;
    return FUR_OK;
}
#else

/* d[row] = the entry at position k, plus those of the same column after it that were kept. */
static void FN(set_entry)(const fur_csr_view *a, int64_t row, int64_t k, void *d)
{
    const VALUE *values = a->values;
    int64_t end = fur_offset_at(a, row + 1);
    VALUE sum = values[k];
    for (k++; k < end && a->columns[k] == row; k++)
        sum = V(add)(sum, values[k]);
    ((VALUE *)d)[row] = sum;
}

#endif
