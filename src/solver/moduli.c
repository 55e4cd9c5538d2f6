/* Jacobi's preconditioner by the moduli of the diagonal: positive definite for any A, as minres
 * needs it. */
#include "moduli.h"

#include "try.h"
#include "value_type.h"

#include <math.h>

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_multiply_elementwise(user, x, y);
}

static void release(void *user)
{
    fur_vector_destroy(user);
}

/* d_i = 1 / |d_i| of an array on the host. */
static void invert(fur_value_type value, int64_t n, void *d)
{
    int parts = fur_value_parts(value);
    for (int64_t i = 0; i < n; i++) {
        double re = fur_value_part(value, d, parts * i);
        double im = parts == 2 ? fur_value_part(value, d, parts * i + 1) : 0;
        double inverse = 1 / (im == 0 ? fabs(re) : sqrt(re * re + im * im));
        for (int part = 0; part < parts; part++) {
            double entry = part == 0 ? inverse : 0;
            if (fur_value_is_single(value))
                ((float *)d)[parts * i + part] = (float)entry;
            else
                ((double *)d)[parts * i + part] = entry;
        }
    }
}

static fur_status read_diagonal(const fur_operator *a, fur_vector *d)
{
    fur_context *context = fur_operator_context(a);
    fur_value_type value = fur_operator_value_type(a);
    int64_t n = fur_operator_rows(a);
    void *entries;
    FUR_TRY(fur_operator_diagonal(a, d));
    FUR_TRY(fur_context_allocate(context, (size_t)n * fur_value_size(value), &entries));
    fur_status status = fur_vector_download(d, entries);
    if (status == FUR_OK) {
        invert(value, n, entries);
        status = fur_vector_upload(entries, d);
    }
    fur_context_release(context, entries);
    return status;
}

fur_status fur_operator_moduli(const fur_operator *a, fur_operator **out)
{
    fur_vector *d;
    int64_t n = fur_operator_rows(a);
    fur_value_type value = fur_operator_value_type(a);
    FUR_TRY(fur_vector_create(fur_operator_context(a), value, n, &d));
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = n,
                                          .cols = n,
                                          .value_type = value,
                                          .user = d,
                                          .apply = apply,
                                          .release = release};
    fur_status status = read_diagonal(a, d);
    if (status == FUR_OK)
        status = fur_operator_create(fur_operator_context(a), &definition, out);
    if (status != FUR_OK)
        fur_vector_destroy(d);
    return status;
}
