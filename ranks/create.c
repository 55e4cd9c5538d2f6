/* Makes a matrix from the rows that each rank has. */
#include "matrix.h"
#include "take_options.h"

/* Values on which ranks must agree, and values of each rank. */
typedef struct shape {
    int64_t rows;
    int64_t cols;
    int64_t value;
    int64_t own_cols;
} shape;

static fur_status check_row(fur_ranks *g, const fur_ranks_rows *r, int64_t row, int64_t before)
{
    int64_t last = -1;
    for (int64_t k = r->offsets[row]; k < r->offsets[row + 1]; k++) {
        if (r->columns[k] <= last || r->columns[k] >= r->cols)
            return group_fail(g, FUR_INVALID,
                              "row %lld has column %lld, counting from 1, which is out of order or "
                              "beyond the %lld columns",
                              (long long)before + row + 1, (long long)r->columns[k] + 1,
                              (long long)r->cols);
        last = r->columns[k];
    }
    return FUR_OK;
}

static fur_status check_rows(fur_ranks *g, const fur_ranks_rows *r, int64_t before)
{
    for (int64_t row = 0; row < r->rows; row++) {
        if (r->offsets[row] > r->offsets[row + 1])
            return group_fail(g, FUR_INVALID, "the offsets decrease at row %lld, counting from 1",
                              (long long)before + row + 1);
        FUR_TRY(check_row(g, r, row, before));
    }
    return FUR_OK;
}

static fur_status take_arguments(fur_ranks *g, const fur_ranks_rows *given, fur_ranks_rows *r)
{
    if (!given)
        return group_fail(g, FUR_INVALID, "rank %d gave NULL for its rows", g->rank);
    RANKS_TAKE_OPTIONS(g, fur_ranks_rows, r, given);
    if (r->rows < 0 || r->cols < 0 || r->own_cols < 0 || fur_value_size(r->value_type) == 0 ||
        !r->offsets || r->offsets[0] != 0 ||
        (r->rows > 0 && r->offsets[r->rows] > 0 && (!r->columns || !r->values)))
        return group_fail(g, FUR_INVALID,
                          "rank %d needs rows and cols of 0 or more, a value type and three "
                          "arrays, with offsets[0] = 0",
                          g->rank);
    return FUR_OK;
}

/* Computes bounds from the rows of all ranks, and column_bounds if any rank gives some. FUR_INVALID
 * if the ranks disagree. */
static fur_status find_bounds(fur_ranks *g, const shape *all, int64_t *bounds,
                              int64_t *column_bounds)
{
    bounds[0] = column_bounds[0] = 0;
    for (int i = 0; i < g->count; i++) {
        bounds[i + 1] = bounds[i] + all[i].rows;
        column_bounds[i + 1] = column_bounds[i] + all[i].own_cols;
        if (all[i].cols != all[0].cols || all[i].value != all[0].value)
            return group_fail(g, FUR_INVALID,
                              "ranks 0 and %d gave different columns or value types of the matrix; "
                              "all ranks must give the same",
                              i);
    }
    int64_t sum = column_bounds[g->count];
    if (sum != 0 && sum != all[0].cols)
        return group_fail(
            g, FUR_INVALID,
            "all ranks together have %lld entries of x, but the matrix has %lld columns",
            (long long)sum, (long long)all[0].cols);
    return FUR_OK;
}

static fur_status create(fur_ranks *g, const fur_ranks_rows *r, shape *all, int64_t *bounds,
                         fur_ranks_csr **made)
{
    shape own = {r->rows, r->cols, r->value_type, r->own_cols};
    int64_t *column_bounds = bounds + g->count + 1;
    FUR_TRY(group_gather(g, &own, sizeof own, all));
    FUR_TRY(find_bounds(g, all, bounds, column_bounds));
    FUR_TRY(check_rows(g, r, bounds[g->rank]));
    local_rows rows = {.rows = r->rows,
                       .cols = r->cols,
                       .value = r->value_type,
                       .offsets = r->offsets,
                       .wide = r->columns,
                       .values = r->values,
                       .column_bounds = column_bounds[g->count] > 0 ? column_bounds : NULL};
    return matrix_build(g, &rows, bounds, made);
}

fur_status fur_ranks_csr_create(fur_ranks *group, const fur_ranks_rows *rows, fur_ranks_csr **out)
{
    fur_ranks_csr *made = NULL;
    fur_ranks_rows own = {.size = sizeof own};
    shape *all = NULL;
    int64_t *bounds = NULL;
    if (!group || !out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    fur_status status = take_arguments(group, rows, &own);
    if (status == FUR_OK)
        status = group_allocate(group, group->count, sizeof *all, &all);
    if (status == FUR_OK)
        status = group_allocate(group, 2 * ((int64_t)group->count + 1), sizeof *bounds, &bounds);
    if (status == FUR_OK)
        status = create(group, &own, all, bounds, &made);
    group_release(group, all);
    group_release(group, bounds);
    return matrix_finish(group, status, made, out);
}
