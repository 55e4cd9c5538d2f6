/* Preconditioners that divide by positive numbers. */
#include "divide.h"

#include <furrow/author/context.h>
#include <furrow/author/operator.h>
#include <furrow/author/try.h>

#include "offsets.h"
#include "value_type.h"

#include <math.h>
#include <string.h>

static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    return fur_multiply_elementwise(user, x, y);
}

static void release(void *user)
{
    fur_vector_destroy(user);
}

static void set_part(fur_value_type value, void *entries, int64_t index, double part)
{
    if (fur_value_is_single(value))
        ((float *)entries)[index] = (float)part;
    else
        ((double *)entries)[index] = part;
}

/* Makes a vector with the entries 1 / d_i. */
static fur_status make_reciprocals(fur_context *context, fur_value_type value, int64_t n,
                                   const double *d, fur_vector **out)
{
    int parts = fur_value_parts(value);
    size_t size = (size_t)n * fur_value_size(value);
    void *entries;
    FUR_TRY(fur_context_allocate(context, size + 1, &entries)); /* one more, as below */
    memset(entries, 0, size);
    for (int64_t i = 0; i < n; i++)
        set_part(value, entries, parts * i, 1 / d[i]);
    fur_vector *made = NULL;
    fur_status status = fur_vector_create(context, value, n, &made);
    if (status == FUR_OK)
        status = fur_vector_upload(entries, made);
    fur_context_release(context, entries);
    if (status == FUR_OK)
        *out = made;
    else
        fur_vector_destroy(made);
    return status;
}

/* y_i = x_i / d_i */
static fur_status make_operator(fur_context *context, fur_value_type value, int64_t n,
                                const double *d, fur_operator **out)
{
    fur_vector *reciprocals;
    FUR_TRY(make_reciprocals(context, value, n, d, &reciprocals));
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = n,
                                          .cols = n,
                                          .value_type = value,
                                          .user = reciprocals,
                                          .apply = apply,
                                          .release = release};
    fur_status status = fur_operator_create(context, &definition, out);
    if (status != FUR_OK)
        fur_vector_destroy(reciprocals);
    return status;
}

/* |z|^2 of entry k. */
static double square(fur_value_type value, const void *values, int64_t k)
{
    double sum = 0;
    int parts = fur_value_parts(value);
    for (int part = 0; part < parts; part++) {
        double z = fur_value_part(value, values, parts * k + part);
        sum = fma(z, z, sum);
    }
    return sum;
}

static fur_status read_diagonal(const fur_operator *a, double *d)
{
    fur_context *context = fur_operator_context(a);
    fur_value_type value = fur_operator_value_type(a);
    int64_t n = fur_operator_rows(a);
    void *entries;
    fur_vector *diagonal = NULL;
    FUR_TRY(fur_context_allocate(context, (size_t)n * fur_value_size(value), &entries));
    fur_status status = fur_vector_create(context, value, n, &diagonal);
    if (status == FUR_OK)
        status = fur_operator_diagonal(a, diagonal);
    if (status == FUR_OK)
        status = fur_vector_download(diagonal, entries);
    for (int64_t i = 0; status == FUR_OK && i < n; i++)
        d[i] = fur_value_is_complex(value) ? sqrt(square(value, entries, i))
                                           : fabs(fur_value_part(value, entries, i));
    fur_vector_destroy(diagonal);
    fur_context_release(context, entries);
    return status;
}

fur_status fur_operator_moduli(const fur_operator *a, fur_operator **out)
{
    fur_context *context = fur_operator_context(a);
    int64_t n = fur_operator_rows(a);
    void *d;
    FUR_TRY(fur_context_allocate(context, (size_t)n * sizeof(double), &d));
    fur_status status = read_diagonal(a, d);
    if (status == FUR_OK)
        status = make_operator(context, fur_operator_value_type(a), n, d, out);
    fur_context_release(context, d);
    return status;
}

/* Computes d_j = ||A e_j|| of a matrix on the host. d_j is 1 if the norm is 0 or out of range. */
static void read_columns(const fur_csr_view *a, double *d)
{
    memset(d, 0, (size_t)a->cols * sizeof *d);
    int64_t entries = fur_offsets_get(a->offset_type, a->offsets, a->rows);
    for (int64_t k = 0; k < entries; k++)
        d[a->columns[k]] += square(a->value_type, a->values, k);
    for (int64_t j = 0; j < a->cols; j++)
        d[j] = d[j] > 0x1p-200 && d[j] < 0x1p200 ? sqrt(d[j]) : 1;
}

fur_status fur_operator_columns(const fur_csr *a, fur_operator **out)
{
    fur_context *context = fur_csr_context(a);
    fur_context *host = fur_context_host(context);
    const fur_csr_view *view = fur_csr_get(a);
    fur_csr *near = NULL;
    void *d;
    if (host != context)
        FUR_TRY(fur_csr_transfer(a, host, &near));
    /* One more element: a matrix without columns needs the array, too. */
    fur_status status =
        fur_context_allocate(context, (size_t)(view->cols + 1) * sizeof(double), &d);
    if (status == FUR_OK) {
        read_columns(near ? fur_csr_get(near) : view, d);
        status = make_operator(context, view->value_type, view->cols, d, out);
        fur_context_release(context, d);
    }
    fur_csr_destroy(near);
    return status;
}
