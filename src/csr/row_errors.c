/* Residuals row by row. */
#ifndef FUR_TEMPLATE
#    include "row_errors.h"

#    include "scalar.h"
#    include "table.h"
#    include "team.h"
#    include "unit.h"
#    include "value_type.h"

#    define ENTRY_GRAIN 16384

/* Arrays of A's value type. The task reads or writes v. */
typedef struct row_job {
    const fur_csr_view *a;
    const void *b; /* NULL: 0 */
    const void *x;
    void *v;
} row_job;

#    define FUR_TEMPLATE "row_errors.c"
#    include "foreach_value.h"

static void run(fur_context *context, fur_body *const *bodies, row_job *job)
{
    const fur_csr_view *a = job->a;
    fur_parallel(&context->env, (a->rows + a->entries) / ENTRY_GRAIN, a->rows,
                 bodies[a->value_type], job);
}

fur_status fur_csr_scale_by_rows(const fur_csr_view *a, fur_vector *v)
{
    static fur_body *const scale_rows[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(scale_rows);
    const fur_algebra_services *device = &fur_services(v->context)->algebra;
    if (device->scale_by_rows)
        return device->scale_by_rows(&v->context->env, a, v->data);
    run(v->context, scale_rows, &(row_job){.a = a, .v = v->data});
    return FUR_OK;
}

fur_status fur_csr_row_errors(const fur_csr_view *a, const fur_vector *b, const fur_vector *x,
                              fur_vector *errors)
{
    static fur_body *const find_errors[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(find_errors);
    const fur_algebra_services *device = &fur_services(x->context)->algebra;
    const void *of_b = b ? b->data : NULL;
    if (device->row_errors)
        return device->row_errors(&x->context->env, a, of_b, x->data, errors->data);
    run(x->context, find_errors, &(row_job){a, of_b, x->data, errors->data});
    return FUR_OK;
}
#else

/* |re| + |im| */
static inline double FN(modulus)(VALUE value)
{
#    if COMPLEX
    return fabs((double)value.re) + fabs((double)value.im);
#    else
    return fabs((double)value);
#    endif
}

static void FN(scale_rows)(void *job, int64_t begin, int64_t end)
{
    const row_job t = *(const row_job *)job;
    const VALUE *values = t.a->values;
    VALUE *v = t.v;
    const bool single = fur_value_is_single(t.a->value_type);
    for (int64_t i = begin; i < end; i++) {
        double most = 0;
        for (int64_t k = fur_offset_at(t.a, i); k < fur_offset_at(t.a, i + 1); k++)
            most = fmax(most, FN(modulus)(values[k]));
        v[i] = V(mul)(V(from)((fur_scalar){fur_unit_scale(single, most), 0}), v[i]);
    }
}

static void FN(find_errors)(void *job, int64_t begin, int64_t end)
{
    const row_job t = *(const row_job *)job;
    const VALUE *values = t.a->values;
    const VALUE *b = t.b;
    const VALUE *x = t.x;
    VALUE *errors = t.v;
    const VALUE zero = V(from)((fur_scalar){0, 0});
    for (int64_t i = begin; i < end; i++) {
        VALUE r = b ? b[i] : zero;
        double terms = FN(modulus)(r);
        for (int64_t k = fur_offset_at(t.a, i); k < fur_offset_at(t.a, i + 1); k++) {
            VALUE of_x = x[t.a->columns[k]];
            r = V(fma)(V(neg)(values[k]), of_x, r);
            terms = fma(FN(modulus)(values[k]), FN(modulus)(of_x), terms);
        }
        double error = terms == 0 ? 0 : FN(modulus)(r) / terms;
        errors[i] = V(from)((fur_scalar){error, 0});
    }
}

#endif
