/* Rows and columns in another order. */
#include "object.h"
#include "split.h"

/* Rows below which a further thread costs more than it brings. */
#define ROW_GRAIN 4096

/* inverse[order[i]] = i; order NULL is the identity. */
static fur_status invert(fur_env *env, const char *side, int64_t n, const int32_t *order,
                         int32_t *inverse)
{
    for (int64_t i = 0; i < n; i++)
        inverse[i] = order ? -1 : (int32_t)i;
    for (int64_t i = 0; order && i < n; i++) {
        if (order[i] < 0 || order[i] >= n)
            return fur_env_fail(env, FUR_INVALID,
                                "the %s order has %d at position %lld; it must be a permutation "
                                "of 0 .. %lld",
                                side, order[i], (long long)i, (long long)n - 1);
        if (inverse[order[i]] >= 0)
            return fur_env_fail(env, FUR_INVALID,
                                "the %s order has %d at positions %d and %lld; it must be a "
                                "permutation",
                                side, order[i], inverse[order[i]], (long long)i);
        inverse[order[i]] = (int32_t)i;
    }
    return FUR_OK;
}

static void renumber(const fur_csr_view *a, int threads, const int32_t *new_row,
                     const int32_t *new_col, int32_t *row_indices, int32_t *col_indices)
{
    int team = fur_team(threads, a->rows, ROW_GRAIN);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t end = fur_offset_at(a, i + 1);
        for (int64_t k = fur_offset_at(a, i); k < end; k++) {
            row_indices[k] = new_row[i];
            col_indices[k] = new_col[a->columns[k]];
        }
    }
}

typedef struct orders {
    const int32_t *row;
    const int32_t *col;
} orders;

static fur_status permute(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const orders *order = arguments;
    const fur_csr_view *v = &a->view;
    fur_env *env = &a->context->env;
    fur_status status = FUR_OK;
    int32_t *new_row = NULL;
    int32_t *new_col = NULL;
    int32_t *row_indices = NULL;
    int32_t *col_indices = NULL;

    FUR_TRY_DONE(fur_env_allocate(env, v->rows, sizeof *new_row, &new_row));
    FUR_TRY_DONE(fur_env_allocate(env, v->cols, sizeof *new_col, &new_col));
    FUR_TRY_DONE(fur_env_allocate(env, v->entries, sizeof *row_indices, &row_indices));
    FUR_TRY_DONE(fur_env_allocate(env, v->entries, sizeof *col_indices, &col_indices));
    FUR_TRY_DONE(invert(env, "row", v->rows, order->row, new_row));
    FUR_TRY_DONE(invert(env, "column", v->cols, order->col, new_col));
    renumber(v, env->threads, new_row, new_col, row_indices, col_indices);
    fur_coo_view coo = {v->rows,     v->cols,     v->entries, v->value,
                        row_indices, col_indices, v->values};
    status = fur_csr_from_coo(a->context, &coo, FUR_DUPLICATES_KEEP, out);
done:
    fur_env_release(env, col_indices);
    fur_env_release(env, row_indices);
    fur_env_release(env, new_col);
    fur_env_release(env, new_row);
    return status;
}

fur_status fur_csr_permute(const fur_csr *a, const int32_t *row_order, const int32_t *col_order,
                           fur_csr **out)
{
    orders order = {row_order, col_order};
    return fur_is_remote(a->context) ? fur_csr_on_host(a, permute, &order, out)
                                     : permute(a, &order, out);
}
