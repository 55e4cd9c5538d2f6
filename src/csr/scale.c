/* Scales a matrix by diagonal matrices on both sides. */
#ifndef FUR_TEMPLATE
#    include "csr.h"
#    include "scalar.h"
#    include "table.h"
#    include "team.h"

#    define ENTRY_GRAIN 16384

/* A(i, j) := (r_i c_j) A(i, j). NULL: all factors of that side are 1. */
typedef struct scaling {
    const fur_csr_view *a;
    const void *r;
    const void *c;
    void *values;
} scaling;

#    define FUR_TEMPLATE "scale.c"
#    include "foreach_value.h"

static fur_status scale(fur_env *env, const fur_csr_view *a, const void *arguments, void *values)
{
    static fur_body *const scale_rows[FUR_VALUE_COUNT] = FUR_VALUE_TABLE(scale_rows);
    const fur_vector *const *factors = arguments;
    scaling s = {a, fur_vector_const_data(factors[0]), fur_vector_const_data(factors[1]), values};
    if (a->entries > 0)
        fur_parallel(env, (a->rows + a->entries) / ENTRY_GRAIN, a->rows, scale_rows[a->value_type],
                     &s);
    return FUR_OK;
}

/* As above, if the matrix and the factors are on a device. */
static fur_status scale_there(fur_env *env, const fur_csr_view *a, const void *arguments,
                              void *values)
{
    const fur_vector *const *factors = arguments;
    return factors[0] ? fur_services(factors[0]->context)
                            ->algebra.scale(env, a, factors[0]->data,
                                            fur_vector_const_data(factors[1]), values)
                      : fur_services(factors[1]->context)
                            ->algebra.scale(env, a, NULL, factors[1]->data, values);
}

fur_status fur_csr_scale(fur_csr *a, const fur_vector *r, const fur_vector *c)
{
    FUR_NEED(NULL, a);
    fur_status status = FUR_OK;
    fur_vector *copies[2] = {NULL, NULL};
    const fur_vector *factors[2] = {r, c};
    if (r)
        FUR_TRY(fur_csr_check_vector(a, "r", r, a->view.rows));
    if (c)
        FUR_TRY(fur_csr_check_vector(a, "c", c, a->view.cols));
    if (fur_services(a->context)->algebra.scale && (r || c))
        return fur_csr_rewrite_in_place(a, scale_there, factors);
    for (int side = 0; side < 2; side++)
        if (factors[side])
            FUR_TRY_DONE(fur_vector_to_host(factors[side], &factors[side], &copies[side]));
    status = fur_csr_rewrite_values(a, scale, factors);
done:
    fur_vector_destroy(copies[1]);
    fur_vector_destroy(copies[0]);
    return status;
}
#else

static void FN(scale_rows)(void *job, int64_t begin, int64_t end)
{
    const scaling s = *(const scaling *)job;
    const VALUE *r = s.r;
    const VALUE *c = s.c;
    const VALUE *from = s.a->values;
    VALUE *to = s.values;
    const VALUE one = V(from)((fur_scalar){1, 0});
    for (int64_t i = begin; i < end; i++) {
        int64_t row_end = fur_offset_at(s.a, i + 1);
        for (int64_t k = fur_offset_at(s.a, i); k < row_end; k++) {
            VALUE of_col = c ? c[s.a->columns[k]] : one;
            VALUE factor = !r ? of_col : !c ? r[i] : V(mul)(r[i], of_col);
            to[k] = V(mul)(factor, from[k]);
        }
    }
}

#endif
