/* Norms of matrices. The moduli of a row or column are added in segments of FUR_ROW_SEGMENT, each
 * starting from 0. The sums of the segments are then added in order. */
#ifndef FUR_TEMPLATE
#    include <furrow/vector.h>

#    include "algebra.h"
#    include "atomic.h"
#    include "magnitude.h"
#    include "scalar.h"
#    include "split.h"
#    include "table.h"
#    include "team.h"

/* Columns of one part. */
#    define COLUMN_GRAIN 4096

/* A sum under construction: the sum of full segments, the sum of the last segment, and the number
 * of moduli. */
typedef struct tally {
    double whole;
    double part;
    int64_t count;
} tally;

static inline void tally_add(tally *t, double modulus)
{
    t->part += modulus;
    if (++t->count % FUR_ROW_SEGMENT == 0) {
        t->whole += t->part;
        t->part = 0;
    }
}

static inline int64_t tally_bits(const tally *t)
{
    return fur_magnitude_bits(t->whole + t->part);
}

/* Sums of rows, or sums of columns. For columns, each part has a range of columns. */
typedef struct summing {
    const fur_csr_view *a;
    tally *columns;
    int parts;
    fur_shared largest; /* the bits of the largest sum */
} summing;

#    define FUR_TEMPLATE "norms.c"
#    include "foreach_value.h"

static double norm_of_rows(const fur_env *env, const fur_csr_view *a)
{
    static fur_body *const add_rows[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(add_rows);
    summing s = {.a = a};
    fur_parallel(env, (a->rows + a->entries) / FUR_ENTRY_GRAIN, a->rows, add_rows[a->value_type],
                 &s);
    return fur_magnitude_from(s.largest);
}

static fur_status norm_of_columns(fur_env *env, const fur_csr_view *a, double *out)
{
    static fur_body *const add_columns[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(add_columns);
    summing s = {.a = a};
    s.parts =
        fur_lanes(env->threads, fur_smaller(a->cols / COLUMN_GRAIN, a->entries / FUR_ENTRY_GRAIN));
    FUR_TRY(fur_env_allocate_zeros(env, a->cols, sizeof *s.columns, &s.columns));
    fur_parallel(env, s.parts, s.parts, add_columns[a->value_type], &s);
    fur_env_release(env, s.columns);
    *out = fur_magnitude_from(s.largest);
    return FUR_OK;
}

static fur_status norm_inf(const fur_csr *a, double *out)
{
    const fur_algebra_services *device = fur_algebra_device(a->context);
    fur_csr *copy;
    if (device)
        return device->norm_inf(&a->context->env, &a->view, out);
    FUR_TRY(fur_csr_to_host(a, &a, &copy));
    *out = norm_of_rows(&a->context->env, &a->view);
    fur_csr_destroy(copy);
    return FUR_OK;
}

/* Uses the rows of the transpose, which have the entries of A's columns in the same order. */
static fur_status norm_by_transpose(const fur_csr *a, double *out)
{
    fur_csr *t;
    FUR_TRY(fur_csr_transpose(a, 0, &t));
    fur_status status = norm_inf(t, out);
    fur_csr_destroy(t);
    return status;
}

static fur_status norm_1(const fur_csr *a, double *out)
{
    if (fur_algebra_device(a->context))
        return norm_by_transpose(a, out);
    const fur_csr *near;
    fur_csr *copy;
    FUR_TRY(fur_csr_to_host(a, &near, &copy));
    fur_status status = fur_context_pass_on(near->context, a->context,
                                            norm_of_columns(&near->context->env, &near->view, out));
    fur_csr_destroy(copy);
    return status;
}

/* A norm of the values as a vector, in the memory of the matrix. */
static fur_status norm_of_values(const fur_csr *a, fur_status (*norm)(const fur_vector *, double *),
                                 double *out)
{
    fur_vector values = {a->context, a->view.value_type, a->view.entries,
                         (void *)(uintptr_t)a->view.values, false};
    return norm(&values, out);
}

fur_status fur_csr_norm(const fur_csr *a, fur_norm norm, double *out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    switch (norm) {
    case FUR_NORM_1:
        return norm_1(a, out);
    case FUR_NORM_INF:
        return norm_inf(a, out);
    case FUR_NORM_MAX:
        return norm_of_values(a, fur_norm_max, out);
    case FUR_NORM_FROBENIUS:
        return norm_of_values(a, fur_norm2, out);
    default:
        return fur_env_fail(&a->context->env, FUR_UNSUPPORTED,
                            "%d is not a norm of a matrix; use FUR_NORM_1, FUR_NORM_INF, "
                            "FUR_NORM_MAX or FUR_NORM_FROBENIUS",
                            (int)norm);
    }
}
#else

static inline double FN(modulus)(VALUE a)
{
#    if COMPLEX
    return fur_magnitude((double)a.re, (double)a.im);
#    else
    return fabs((double)a);
#    endif
}

static void FN(add_rows)(void *job, int64_t begin, int64_t end)
{
    summing *s = job;
    const VALUE *values = s->a->values;
    int64_t largest = 0;
    for (int64_t i = begin; i < end; i++) {
        tally t = {0, 0, 0};
        int64_t row_end = fur_offset_at(s->a, i + 1);
        for (int64_t k = fur_offset_at(s->a, i); k < row_end; k++)
            tally_add(&t, FN(modulus)(values[k]));
        largest = fur_larger(largest, tally_bits(&t));
    }
    fur_shared_largest(&s->largest, largest);
}

/* Adds up parts begin .. end-1 of the columns. All rows are read, but only their entries in these
 * columns. */
static void FN(add_columns)(void *job, int64_t begin, int64_t end)
{
    summing *s = job;
    const fur_csr_view *a = s->a;
    const VALUE *values = a->values;
    int64_t first = fur_split(a->cols, s->parts, (int)begin);
    int64_t last = fur_split(a->cols, s->parts, (int)end);
    int64_t largest = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t row_end = fur_offset_at(a, i + 1);
        int64_t k = fur_offset_at(a, i);
        if (k < row_end && a->columns[k] < first)
            k = fur_csr_find(a, i, first);
        for (; k < row_end && a->columns[k] < last; k++)
            tally_add(&s->columns[a->columns[k]], FN(modulus)(values[k]));
    }
    for (int64_t j = first; j < last; j++)
        largest = fur_larger(largest, tally_bits(&s->columns[j]));
    fur_shared_largest(&s->largest, largest);
}

#endif
