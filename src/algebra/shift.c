/* A - shift I. Rows are copied and the diagonal is changed. A missing diagonal entry is
 * inserted. */
#ifndef FUR_TEMPLATE
#    include "algebra.h"
#    include "scalar.h"
#    include "table.h"

typedef struct shifting {
    const fur_csr_view *a;
    fur_scalar shift;
} shifting;

/* The position of a row's diagonal entry, or the position where it would be inserted. */
static int64_t find_diagonal(const fur_csr_view *a, int64_t row, bool *stored)
{
    int64_t end = fur_offset_at(a, row + 1);
    int64_t k = fur_csr_find_within(a, fur_offset_at(a, row), end, row);
    *stored = k < end && a->columns[k] == row;
    return k;
}

#    define FUR_TEMPLATE "shift.c"
#    include "foreach_value.h"

static int64_t count_rows(const void *job, int64_t begin, int64_t end)
{
    const shifting *s = job;
    int64_t count = fur_offset_at(s->a, end) - fur_offset_at(s->a, begin);
    for (int64_t i = begin; i < end; i++) {
        bool stored;
        find_diagonal(s->a, i, &stored);
        count += !stored;
    }
    return count;
}

static fur_status shift_here(const fur_csr *a, const void *shift, fur_csr **out)
{
    static void (*const fill_rows[FUR_VALUE_COUNT])(const void *, int64_t, int64_t, int64_t,
                                                    fur_csr *) = FUR_VALUE_TABLE(fill_rows);
    const fur_csr_view *v = &a->view;
    const shifting s = {v, *(const fur_scalar *)shift};
    const fur_recipe recipe = {
        .rows = v->rows,
        .cols = v->cols,
        .value_type = v->value_type,
        .work = v->entries,
        .count = count_rows,
        .fill = fill_rows[v->value_type],
        .job = &s,
    };
    return fur_recipe_follow(a->context, &recipe, out);
}

fur_status fur_csr_shift(const fur_csr *a, fur_scalar shift, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    if (a->view.rows != a->view.cols)
        return fur_env_fail(&a->context->env, FUR_INVALID,
                            "the matrix is %lld x %lld; only a square matrix can be shifted",
                            (long long)a->view.rows, (long long)a->view.cols);
    const fur_making making = {
        .kind = FUR_MAKING_SHIFT,
        .rows = a->view.rows,
        .cols = a->view.cols,
        .value_type = a->view.value_type,
        .a = &a->view,
        .alpha = {-shift.re, -shift.im},
    };
    if (fur_algebra_device(a->context))
        return fur_making_follow(a->context, &making, out);
    return fur_csr_on_host(a, shift_here, &shift, out);
}
#else

/* Writes row i. Returns the position after it. */
static int64_t FN(fill_row)(const shifting *s, VALUE change, int64_t i, int64_t at, fur_csr *out)
{
    const VALUE *from = s->a->values;
    VALUE *values = fur_csr_values(out);
    bool stored;
    int64_t first = fur_offset_at(s->a, i);
    int64_t middle = find_diagonal(s->a, i, &stored);
    int64_t last = fur_offset_at(s->a, i + 1);
    int64_t place = at + middle - first; /* of the diagonal entry */
    if (stored) {
        fur_csr_copy_entries(s->a, first, last - first, 0, at, out);
        values[place] = V(add)(from[middle], change);
        return at + last - first;
    }
    fur_csr_copy_entries(s->a, first, middle - first, 0, at, out);
    fur_csr_columns(out)[place] = (int32_t)i;
    values[place] = change;
    fur_csr_copy_entries(s->a, middle, last - middle, 0, place + 1, out);
    return at + last - first + 1;
}

static void FN(fill_rows)(const void *job, int64_t begin, int64_t end, int64_t at, fur_csr *out)
{
    const shifting *s = job;
    const VALUE change = V(neg)(V(from)(s->shift));
    for (int64_t i = begin; i < end; i++) {
        at = FN(fill_row)(s, change, i, at, out);
        fur_csr_end_row(out, i, at);
    }
}

#endif
