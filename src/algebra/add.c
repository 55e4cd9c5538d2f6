/* Sums of matrices: the rows of both are merged. */
#ifndef FUR_TEMPLATE
#    include "algebra.h"
#    include "merge.h"
#    include "scalar.h"
#    include "table.h"

/* alpha A + beta B */
typedef struct addition {
    const fur_csr_view *a;
    const fur_csr_view *b;
    fur_scalar alpha;
    fur_scalar beta;
} addition;

static bool is_one(fur_scalar s)
{
    return s.re == 1 && s.im == 0;
}

#    define FUR_TEMPLATE "add.c"
#    include "foreach_value.h"

static int64_t count_rows(const void *job, int64_t begin, int64_t end)
{
    const addition *s = job;
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++)
        count += fur_count_union(fur_row_of(s->a, i), fur_row_of(s->b, i));
    return count;
}

static fur_status add(fur_context *context, const fur_csr *const *operands, const void *arguments,
                      fur_csr **out)
{
    static void (*const fill_rows[FUR_VALUE_COUNT])(const void *, int64_t, int64_t, int64_t,
                                                    fur_csr *) = FUR_VALUE_TABLE(fill_rows);
    const fur_scalar *coefficients = arguments;
    const fur_csr_view *a = &operands[0]->view;
    const fur_csr_view *b = &operands[1]->view;
    const addition s = {a, b, coefficients[0], coefficients[1]};
    const fur_recipe recipe = {
        .rows = a->rows,
        .cols = a->cols,
        .value_type = a->value_type,
        .work = a->entries + b->entries,
        .count = count_rows,
        .fill = fill_rows[a->value_type],
        .job = &s,
    };
    return fur_recipe_follow(context, &recipe, out);
}

fur_status fur_csr_add(const fur_csr *a, fur_scalar alpha, const fur_csr *b, fur_scalar beta,
                       fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, b, out);
    FUR_TRY(fur_csr_match_shape(a, b));
    const fur_making making = {
        .kind = FUR_MAKING_ADD,
        .rows = a->view.rows,
        .cols = a->view.cols,
        .value_type = a->view.value_type,
        .a = &a->view,
        .b = &b->view,
        .alpha = alpha,
        .beta = beta,
    };
    if (fur_algebra_device(a->context))
        return fur_making_follow(a->context, &making, out);
    return fur_algebra_on_host(a->context, 2, (const fur_csr *const[]){a, b}, add,
                               (const fur_scalar[]){alpha, beta}, out);
}
#else

/* The coefficients, rounded to the value type. */
typedef struct FN(weights) {
    VALUE alpha;
    VALUE beta;
    bool plain_a; /* alpha is 1 */
    bool plain_b;
} FN(weights);

static inline VALUE FN(of_a)(const FN(weights) * w, VALUE a)
{
    return w->plain_a ? a : V(mul)(w->alpha, a);
}

static inline VALUE FN(of_b)(const FN(weights) * w, VALUE b)
{
    return w->plain_b ? b : V(mul)(w->beta, b);
}

static inline VALUE FN(of_both)(const FN(weights) * w, VALUE a, VALUE b)
{
    return w->plain_a ? V(add)(a, FN(of_b)(w, b)) : V(fma)(w->alpha, a, FN(of_b)(w, b));
}

/* Adds two rows with the same columns. The result begins at position `at` of C. Returns its end. */
static inline int64_t FN(add_alike)(const addition *s, const FN(weights) * w, fur_row a, fur_row b,
                                    int64_t at, fur_csr *out)
{
    const VALUE *p = s->a->values;
    const VALUE *q = s->b->values;
    int32_t *columns = fur_csr_columns(out);
    VALUE *values = fur_csr_values(out);
    int64_t length = fur_row_length(a);
    for (int64_t k = 0; k < length; k++)
        columns[at + k] = a.columns[a.begin + k];
    for (int64_t k = 0; k < length; k++)
        values[at + k] = FN(of_both)(w, p[a.begin + k], q[b.begin + k]);
    return at + length;
}

/* As above, for rows with any columns. */
static inline int64_t FN(add_merged)(const addition *s, const FN(weights) * w, fur_row a, fur_row b,
                                     int64_t at, fur_csr *out)
{
    const VALUE *p = s->a->values;
    const VALUE *q = s->b->values;
    int32_t *columns = fur_csr_columns(out);
    VALUE *values = fur_csr_values(out);
    int64_t i = a.begin;
    int64_t j = b.begin;
    for (; i < a.end && j < b.end; at++) {
        int32_t left = a.columns[i];
        int32_t right = b.columns[j];
        columns[at] = left < right ? left : right;
        if (left == right)
            values[at] = FN(of_both)(w, p[i], q[j]);
        else
            values[at] = left < right ? FN(of_a)(w, p[i]) : FN(of_b)(w, q[j]);
        i += left <= right;
        j += right <= left;
    }
    for (; i < a.end; i++, at++) {
        columns[at] = a.columns[i];
        values[at] = FN(of_a)(w, p[i]);
    }
    for (; j < b.end; j++, at++) {
        columns[at] = b.columns[j];
        values[at] = FN(of_b)(w, q[j]);
    }
    return at;
}

static void FN(fill_rows)(const void *job, int64_t begin, int64_t end, int64_t at, fur_csr *out)
{
    const addition *s = job;
    const FN(weights) w = {V(from)(s->alpha), V(from)(s->beta), is_one(s->alpha), is_one(s->beta)};
    for (int64_t i = begin; i < end; i++) {
        const fur_row a = fur_row_of(s->a, i);
        const fur_row b = fur_row_of(s->b, i);
        at = fur_rows_are_alike(a, b) ? FN(add_alike)(s, &w, a, b, at, out)
                                      : FN(add_merged)(s, &w, a, b, at, out);
        fur_csr_end_row(out, i, at);
    }
}

#endif
