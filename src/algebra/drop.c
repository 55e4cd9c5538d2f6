/* Copies a matrix without its small entries. */
#ifndef FUR_TEMPLATE
#    include "algebra.h"
#    include "magnitude.h"
#    include "scalar.h"
#    include "table.h"

typedef struct sieve {
    const fur_csr_view *a;
    double tolerance;
} sieve;

#    define FUR_TEMPLATE "drop.c"
#    include "foreach_value.h"

static fur_status drop(const fur_csr *a, const void *tolerance, fur_csr **out)
{
    static int64_t (*const count_rows[FUR_VALUE_COUNT])(const void *, int64_t, int64_t) =
        FUR_VALUE_TABLE(count_rows);
    static void (*const fill_rows[FUR_VALUE_COUNT])(const void *, int64_t, int64_t, int64_t,
                                                    fur_csr *) = FUR_VALUE_TABLE(fill_rows);
    const fur_csr_view *v = &a->view;
    const sieve s = {v, *(const double *)tolerance};
    const fur_recipe recipe = {
        .rows = v->rows,
        .cols = v->cols,
        .value_type = v->value_type,
        .work = v->entries,
        .count = count_rows[v->value_type],
        .fill = fill_rows[v->value_type],
        .job = &s,
    };
    return fur_recipe_follow(a->context, &recipe, out);
}

fur_status fur_csr_drop(const fur_csr *a, double tolerance, fur_csr **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    FUR_TRY(fur_tolerance_check(a->context, "the tolerance", tolerance));
    const fur_making making = {
        .kind = FUR_MAKING_DROP,
        .rows = a->view.rows,
        .cols = a->view.cols,
        .value_type = a->view.value_type,
        .a = &a->view,
        .tolerance = tolerance,
    };
    if (fur_algebra_device(a->context))
        return fur_making_follow(a->context, &making, out);
    return fur_csr_on_host(a, drop, &tolerance, out);
}
#else

/* Returns whether an entry is kept. NaN is kept. */
static inline bool FN(stays)(const sieve *s, VALUE a)
{
#    if COMPLEX
    return !(fur_magnitude((double)a.re, (double)a.im) <= s->tolerance);
#    else
    return !(fabs((double)a) <= s->tolerance);
#    endif
}

static int64_t FN(count_rows)(const void *job, int64_t begin, int64_t end)
{
    const sieve s = *(const sieve *)job;
    const VALUE *values = s.a->values;
    int64_t last = fur_offset_at(s.a, end);
    int64_t count = 0;
    for (int64_t k = fur_offset_at(s.a, begin); k < last; k++)
        count += FN(stays)(&s, values[k]);
    return count;
}

static void FN(fill_rows)(const void *job, int64_t begin, int64_t end, int64_t at, fur_csr *out)
{
    const sieve s = *(const sieve *)job;
    const VALUE *from = s.a->values;
    int32_t *columns = fur_csr_columns(out);
    VALUE *values = fur_csr_values(out);
    for (int64_t i = begin; i < end; i++) {
        int64_t row_end = fur_offset_at(s.a, i + 1);
        for (int64_t k = fur_offset_at(s.a, i); k < row_end; k++)
            if (FN(stays)(&s, from[k])) {
                columns[at] = s.a->columns[k];
                values[at++] = from[k];
            }
        fur_csr_end_row(out, i, at);
    }
}

#endif
