/* Parts of a matrix of which every row has a range of its columns: triangles, bands, submatrices.
 */
#include "algebra.h"
#include "split.h"

/* B(i, j) = A(row + i, col + j) for the columns low + slope i <= col + j < high + slope i. */
typedef struct slice {
    const fur_csr_view *a;
    int64_t row;
    int64_t col;
    int64_t low;
    int64_t high;
    int64_t slope; /* 0, or 1 along the diagonals */
} slice;

/* Positions begin .. end-1 of A. */
typedef struct range {
    int64_t begin;
    int64_t end;
} range;

/* What row i of the slice has of A. */
static range range_of(const slice *s, int64_t i)
{
    int64_t row = s->row + i;
    int64_t begin = fur_offset_at(s->a, row);
    int64_t end = fur_offset_at(s->a, row + 1);
    range r = {fur_csr_find_within(s->a, begin, end, s->low + s->slope * i),
               fur_csr_find_within(s->a, begin, end, s->high + s->slope * i)};
    r.end = fur_larger(r.begin, r.end);
    return r;
}

/* Whether the slice has whole rows. */
static bool is_whole(const slice *s)
{
    return s->slope == 0 && s->low <= 0 && s->high >= s->a->cols;
}

static int64_t count_rows(const void *job, int64_t begin, int64_t end)
{
    const slice *s = job;
    int64_t count = 0;
    if (is_whole(s))
        return fur_offset_at(s->a, s->row + end) - fur_offset_at(s->a, s->row + begin);
    for (int64_t i = begin; i < end; i++) {
        range r = range_of(s, i);
        count += r.end - r.begin;
    }
    return count;
}

static void fill_rows(const void *job, int64_t begin, int64_t end, int64_t at, fur_csr *out)
{
    const slice *s = job;
    if (is_whole(s)) {
        fur_csr_copy_rows(s->a, s->row + begin, s->row + end, -s->col, begin, at, out);
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        range r = range_of(s, i);
        fur_csr_copy_entries(s->a, r.begin, r.end - r.begin, -s->col, at, out);
        at += r.end - r.begin;
        fur_csr_end_row(out, i, at);
    }
}

static fur_status take(fur_context *context, int64_t rows, int64_t cols, const slice *s,
                       fur_csr **out)
{
    const fur_recipe recipe = {
        .rows = rows,
        .cols = cols,
        .value_type = s->a->value_type,
        .work = s->a->rows > 0 ? s->a->entries / s->a->rows * rows : 0,
        .count = count_rows,
        .fill = fill_rows,
        .job = s,
    };
    return fur_recipe_follow(context, &recipe, out);
}

/* Diagonals beyond the matrix are as good as those at its edge, and do not overflow. */
static int64_t clip(const fur_csr_view *a, int64_t diagonal)
{
    return fur_larger(-a->rows, fur_smaller(a->cols, diagonal));
}

static fur_status take_band(const fur_csr *a, const void *diagonals, fur_csr **out)
{
    const int64_t *lowest = diagonals;
    const fur_csr_view *v = &a->view;
    const slice s = {v, 0, 0, clip(v, lowest[0]), clip(v, lowest[1]) + 1, 1};
    return take(a->context, v->rows, v->cols, &s, out);
}

fur_status fur_csr_band(const fur_csr *a, int64_t lowest, int64_t highest, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    return fur_csr_on_host(a, take_band, (const int64_t[]){lowest, highest}, out);
}

/* Rows and columns of a submatrix. */
typedef struct ranges {
    range rows;
    range cols;
} ranges;

static fur_status take_submatrix(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const ranges *r = arguments;
    const slice s = {&a->view, r->rows.begin, r->cols.begin, r->cols.begin, r->cols.end, 0};
    return take(a->context, r->rows.end - r->rows.begin, r->cols.end - r->cols.begin, &s, out);
}

static fur_status check_range(fur_context *context, const char *side, range r, int64_t size)
{
    if (r.begin >= 0 && r.begin <= r.end && r.end <= size)
        return FUR_OK;
    return fur_env_fail(&context->env, FUR_INVALID,
                        "%s %lld to %lld, without the last, do not lie among the %lld of the "
                        "matrix; they count from 0",
                        side, (long long)r.begin, (long long)r.end, (long long)size);
}

fur_status fur_csr_submatrix(const fur_csr *a, int64_t row_begin, int64_t row_end,
                             int64_t col_begin, int64_t col_end, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    const ranges r = {{row_begin, row_end}, {col_begin, col_end}};
    FUR_TRY(check_range(a->context, "rows", r.rows, a->view.rows));
    FUR_TRY(check_range(a->context, "columns", r.cols, a->view.cols));
    return fur_csr_on_host(a, take_submatrix, &r, out);
}
