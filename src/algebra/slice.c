/* Parts of a matrix in which every row has a range of columns: triangles, bands, submatrices. */
#include "algebra.h"
#include "split.h"

/* A part of A. */
typedef struct slice {
    const fur_csr_view *a;
    fur_row_slice of;
} slice;

/* Positions begin .. end-1 of A. */
typedef struct range {
    int64_t begin;
    int64_t end;
} range;

/* The positions of A that row i of the slice has. */
static range range_of(const slice *s, int64_t i)
{
    int64_t row = s->of.row + i;
    int64_t begin = fur_offset_at(s->a, row);
    int64_t end = fur_offset_at(s->a, row + 1);
    range r = {fur_csr_find_within(s->a, begin, end, s->of.low + s->of.slope * i),
               fur_csr_find_within(s->a, begin, end, s->of.high + s->of.slope * i)};
    r.end = fur_larger(r.begin, r.end);
    return r;
}

/* Returns whether the slice consists of whole rows. */
static bool is_whole(const slice *s)
{
    return s->of.slope == 0 && s->of.low <= 0 && s->of.high >= s->a->cols;
}

static int64_t count_rows(const void *job, int64_t begin, int64_t end)
{
    const slice *s = job;
    int64_t count = 0;
    if (is_whole(s))
        return fur_offset_at(s->a, s->of.row + end) - fur_offset_at(s->a, s->of.row + begin);
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
        fur_csr_copy_rows(s->a, s->of.row + begin, s->of.row + end, -s->of.col, begin, at, out);
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        range r = range_of(s, i);
        fur_csr_copy_entries(s->a, r.begin, r.end - r.begin, -s->of.col, at, out);
        at += r.end - r.begin;
        fur_csr_end_row(out, i, at);
    }
}

/* The slice and its shape. */
typedef struct part {
    int64_t rows;
    int64_t cols;
    fur_row_slice slice;
} part;

static fur_status take_here(const fur_csr *a, const void *arguments, fur_csr **out)
{
    const part *p = arguments;
    const fur_csr_view *v = &a->view;
    const slice s = {v, p->slice};
    const fur_recipe recipe = {
        .rows = p->rows,
        .cols = p->cols,
        .value_type = v->value_type,
        .work = v->rows > 0 ? v->entries / v->rows * p->rows : 0,
        .count = count_rows,
        .fill = fill_rows,
        .job = &s,
    };
    return fur_recipe_follow(a->context, &recipe, out);
}

static fur_status take(const fur_csr *a, const part *p, fur_csr **out)
{
    const fur_making making = {
        .kind = FUR_MAKING_SLICE,
        .rows = p->rows,
        .cols = p->cols,
        .value_type = a->view.value_type,
        .a = &a->view,
        .slice = p->slice,
    };
    return fur_algebra_device(a->context) ? fur_making_follow(a->context, &making, out)
                                          : fur_csr_on_host(a, take_here, p, out);
}

/* Moves a diagonal outside the matrix to the nearest edge, which gives the same slice and cannot
 * overflow. */
static int64_t clip(const fur_csr_view *a, int64_t diagonal)
{
    return fur_larger(-a->rows, fur_smaller(a->cols, diagonal));
}

fur_status fur_csr_band(const fur_csr *a, int64_t lowest, int64_t highest, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    const fur_csr_view *v = &a->view;
    const part band = {v->rows, v->cols, {0, 0, clip(v, lowest), clip(v, highest) + 1, 1}};
    return take(a, &band, out);
}

static fur_status check_range(fur_context *context, const char *side, range r, int64_t size)
{
    if (r.begin >= 0 && r.begin <= r.end && r.end <= size)
        return FUR_OK;
    return fur_env_fail(
        &context->env, FUR_INVALID,
        "%s %lld to %lld (end excluded) are outside the matrix, which has %lld; they count from 0",
        side, (long long)r.begin, (long long)r.end, (long long)size);
}

fur_status fur_csr_submatrix(const fur_csr *a, int64_t row_begin, int64_t row_end,
                             int64_t col_begin, int64_t col_end, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    FUR_TRY(check_range(a->context, "rows", (range){row_begin, row_end}, a->view.rows));
    FUR_TRY(check_range(a->context, "columns", (range){col_begin, col_end}, a->view.cols));
    const part sub = {
        row_end - row_begin, col_end - col_begin, {row_begin, col_begin, col_begin, col_end, 0}};
    return take(a, &sub, out);
}
