/* Kronecker products. */
#ifndef FUR_TEMPLATE
#    include "algebra.h"
#    include "scalar.h"
#    include "table.h"

typedef struct factors {
    const fur_csr_view *a;
    const fur_csr_view *b;
} factors;

static int64_t length_of(const fur_csr_view *a, int64_t row)
{
    return fur_offset_at(a, row + 1) - fur_offset_at(a, row);
}

#    define FUR_TEMPLATE "kron.c"
#    include "foreach_value.h"

static int64_t count_rows(const void *job, int64_t begin, int64_t end)
{
    const factors *f = job;
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++)
        count += length_of(f->a, i / f->b->rows) * length_of(f->b, i % f->b->rows);
    return count;
}

static fur_status multiply(fur_context *context, const fur_csr *const *operands,
                           const void *arguments, fur_csr **out)
{
    static void (*const fill_rows[FUR_VALUE_COUNT])(const void *, int64_t, int64_t, int64_t,
                                                    fur_csr *) = FUR_VALUE_TABLE(fill_rows);
    const factors f = {&operands[0]->view, &operands[1]->view};
    const fur_recipe recipe = {
        .rows = f.a->rows * f.b->rows,
        .cols = f.a->cols * f.b->cols,
        .value_type = f.a->value_type,
        .work = f.a->entries * f.b->entries,
        .count = count_rows,
        .fill = fill_rows[f.a->value_type],
        .job = &f,
    };
    (void)arguments;
    return fur_recipe_follow(context, &recipe, out);
}

/* Numbers of rows and columns are at most 2^31 - 1, so that their products fit. */
static fur_status check_product(fur_context *context, const fur_csr_view *a, const fur_csr_view *b)
{
    int64_t entries;
    FUR_TRY(fur_csr_check_size(context, a->rows * b->rows, a->cols * b->cols));
    if (!__builtin_mul_overflow(a->entries, b->entries, &entries))
        return FUR_OK;
    return fur_env_fail(&context->env, FUR_OVERFLOW,
                        "the Kronecker product of matrices with %lld and %lld entries would have "
                        "more than 2^63 - 1 entries",
                        (long long)a->entries, (long long)b->entries);
}

fur_status fur_csr_kron(const fur_csr *a, const fur_csr *b, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, b, out);
    FUR_TRY(fur_csr_match(a, b));
    FUR_TRY(check_product(a->context, &a->view, &b->view));
    const fur_making making = {
        .kind = FUR_MAKING_KRON,
        .rows = a->view.rows * b->view.rows,
        .cols = a->view.cols * b->view.cols,
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
    const factors f = *(const factors *)job;
    const VALUE *p = f.a->values;
    const VALUE *q = f.b->values;
    int32_t *columns = fur_csr_columns(out);
    VALUE *values = fur_csr_values(out);
    for (int64_t i = begin; i < end; i++) {
        int64_t row = i % f.b->rows;
        int64_t first = fur_offset_at(f.b, row);
        int64_t last = fur_offset_at(f.b, row + 1);
        int64_t a_end = fur_offset_at(f.a, i / f.b->rows + 1);
        for (int64_t k = fur_offset_at(f.a, i / f.b->rows); k < a_end; k++) {
            int64_t shift = f.a->columns[k] * f.b->cols;
            for (int64_t l = first; l < last; l++, at++) {
                columns[at] = (int32_t)(shift + f.b->columns[l]);
                values[at] = V(mul)(p[k], q[l]);
            }
        }
        fur_csr_end_row(out, i, at);
    }
}

#endif
