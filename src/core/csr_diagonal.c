/* The diagonal of a matrix. */
#include "object.h"
#include "split.h"

#include <string.h>

/* Rows below which a further thread costs more than it brings. */
#define ROW_GRAIN 4096

/* Position of column `row` in row `row`, by bisection; -1 if it has no entry. */
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
    const fur_csr_view *v = &a->view;
    int64_t n = v->rows < v->cols ? v->rows : v->cols;
    fur_vector *d;
    FUR_TRY(fur_vector_create(a->context, v->value, n, &d));
    size_t size = fur_value_size(v->value);
    const char *from = v->values;
    char *to = d->data;
    int team = fur_team(a->context->env.threads, n, ROW_GRAIN);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < n; i++) {
        int64_t k = diagonal_position(v, i);
        if (k >= 0)
            memcpy(to + (size_t)i * size, from + (size_t)k * size, size);
    }
    *out = d;
    return FUR_OK;
}
