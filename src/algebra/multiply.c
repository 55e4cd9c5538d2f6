/* Element-wise products: the common entries of the rows of two matrices. */
#ifndef FUR_TEMPLATE
#    include "algebra.h"
#    include "merge.h"
#    include "scalar.h"
#    include "table.h"

typedef struct factors {
    const fur_csr_view *a;
    const fur_csr_view *b;
} factors;

#    define FUR_TEMPLATE "multiply.c"
#    include "foreach_value.h"

static int64_t count_rows(const void *job, int64_t begin, int64_t end)
{
    const factors *f = job;
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++)
        count += fur_count_common(fur_row_of(f->a, i), fur_row_of(f->b, i));
    return count;
}

static fur_status multiply(fur_context *context, const fur_csr *const *operands,
                           const void *arguments, fur_csr **out)
{
    static void (*const fill_rows[FUR_VALUE_COUNT])(const void *, int64_t, int64_t, int64_t,
                                                    fur_csr *) = FUR_VALUE_TABLE(fill_rows);
    const factors f = {&operands[0]->view, &operands[1]->view};
    const fur_recipe recipe = {
        .rows = f.a->rows,
        .cols = f.a->cols,
        .value_type = f.a->value_type,
        .work = f.a->entries + f.b->entries,
        .count = count_rows,
        .fill = fill_rows[f.a->value_type],
        .job = &f,
    };
    (void)arguments;
    return fur_recipe_follow(context, &recipe, out);
}

fur_status fur_csr_multiply_elementwise(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, b, out);
    FUR_TRY(fur_csr_match_shape(a, b));
    const fur_making making = {
        .kind = FUR_MAKING_MULTIPLY,
        .rows = a->view.rows,
        .cols = a->view.cols,
        .value_type = a->view.value_type,
        .a = &a->view,
        .b = &b->view,
    };
    if (fur_algebra_device(a->context))
        return fur_making_follow(a->context, &making, out);
    return fur_algebra_on_host(a->context, 2, (const fur_csr *const[]){a, b}, multiply, NULL, out);
}
#else

static void FN(fill_rows)(const void *job, int64_t begin, int64_t end, int64_t at, fur_csr *out)
{
    const factors *f = job;
    const VALUE *p = f->a->values;
    const VALUE *q = f->b->values;
    int32_t *columns = fur_csr_columns(out);
    VALUE *values = fur_csr_values(out);
    for (int64_t row = begin; row < end; row++) {
        fur_row a = fur_row_of(f->a, row);
        fur_row b = fur_row_of(f->b, row);
        while (a.begin < a.end && b.begin < b.end) {
            int32_t left = a.columns[a.begin];
            int32_t right = b.columns[b.begin];
            if (left == right) {
                columns[at] = left;
                values[at++] = V(mul)(p[a.begin], q[b.begin]);
            }
            a.begin += left <= right;
            b.begin += right <= left;
        }
        fur_csr_end_row(out, row, at);
    }
}

#endif
