/* Checks objects that are to be written, and makes copies in the companion. */
#include "matrix.h"

#include <furrow/author/files.h>
#include <furrow/author/try.h>

#include "parallel.h"
#include "value_type.h"

#include <math.h>

/* Number of entries that a thread takes at a time. */
#define ENTRY_RUN 16384

/* The condition of each symmetry on values. */
static const fur_symmetry of_values[] = {
    [FUR_MTX_SYMMETRIC] = FUR_SYMMETRY_SYMMETRIC,
    [FUR_MTX_SKEW_SYMMETRIC] = FUR_SYMMETRY_SKEW,
    [FUR_MTX_HERMITIAN] = FUR_SYMMETRY_HERMITIAN,
};

/* A matrix, and the symmetry that forbids NaN on its diagonal. */
typedef struct diagonal_rule {
    const fur_csr_view *view;
    bool skew;
} diagonal_rule;

/* Returns whether a value is NaN although the rule requires zero. The comparison with the mirror
 * image does not find it, because NaNs count as equal. */
static bool has_nan(const diagonal_rule *rule, int64_t k)
{
    const fur_csr_view *v = rule->view;
    int parts = fur_value_parts(v->value_type);
    return isnan(fur_value_part(v->value_type, v->values, parts * k + parts - 1)) ||
           (rule->skew && isnan(fur_value_part(v->value_type, v->values, parts * k)));
}

static int64_t find_nan_on_diagonal(void *user, int64_t k, int64_t end)
{
    const diagonal_rule *rule = user;
    while (k < end &&
           !(has_nan(rule, k) && rule->view->columns[k] == fur_view_row_of(rule->view, k)))
        k++;
    return k;
}

/* The diagonal of a skew-symmetric matrix must be 0. The diagonal of a Hermitian matrix must be
 * real. */
static fur_status verify_diagonal(const fur_csr *a, fur_mtx_symmetry symmetry)
{
    const fur_csr_view *view = fur_csr_get(a);
    fur_context *context = fur_csr_context(a);
    diagonal_rule rule = {view, symmetry == FUR_MTX_SKEW_SYMMETRIC};
    if (symmetry == FUR_MTX_SYMMETRIC)
        return FUR_OK;
    int64_t bad = fur_find_first(context, view->entries, ENTRY_RUN, find_nan_on_diagonal, &rule);
    if (bad == view->entries)
        return FUR_OK;
    long long row = (long long)view->columns[bad] + 1;
    return fur_context_fail(context, FUR_INVALID,
                            "the matrix is not %s: entry (%lld, %lld), counting from 1, is NaN",
                            fur_mtx_symmetry_name(symmetry), row, row);
}

fur_status fur_verify_symmetry(const fur_csr *a, fur_mtx_symmetry symmetry, bool values_matter)
{
    fur_context *context = fur_csr_context(a);
    const fur_csr_view *view = fur_csr_get(a);
    const char *name = fur_mtx_symmetry_name(symmetry);
    fur_csr_asymmetry found = FUR_DEFAULT(fur_csr_asymmetry);
    if (view->rows != view->cols)
        return fur_context_fail(context, FUR_INVALID, "the matrix is %lld x %lld and cannot be %s",
                                (long long)view->rows, (long long)view->cols, name);
    FUR_TRY(fur_csr_find_asymmetry(a, values_matter ? of_values[symmetry] : FUR_SYMMETRY_PATTERN,
                                   &found));
    if (!found.found)
        return values_matter ? verify_diagonal(a, symmetry) : FUR_OK;
    return fur_context_fail(context, FUR_INVALID,
                            found.missing
                                ? "the matrix is not %s: there is an entry (%lld, %lld), but no "
                                  "entry (%lld, %lld), counting from 1"
                                : "the matrix is not %s: entries (%lld, %lld) and (%lld, %lld), "
                                  "counting from 1, do not match",
                            name, (long long)found.row + 1, (long long)found.col + 1,
                            (long long)found.col + 1, (long long)found.row + 1);
}

static bool is_integer(double value)
{
    return value >= -0x1p63 && value < 0x1p63 && (double)(int64_t)value == value;
}

static int64_t find_fraction(void *user, int64_t k, int64_t end)
{
    const fur_csr_view *view = user;
    while (k < end && is_integer(fur_value_part(view->value_type, view->values, k)))
        k++;
    return k;
}

fur_status fur_verify_integers(const fur_csr *a)
{
    fur_csr_view view = *fur_csr_get(a);
    fur_context *context = fur_csr_context(a);
    int64_t bad = fur_find_first(context, view.entries, ENTRY_RUN, find_fraction, &view);
    if (bad == view.entries)
        return FUR_OK;
    return fur_context_fail(context, FUR_INVALID,
                            "entry (%lld, %lld), counting from 1, is %g, which is not a 64-bit "
                            "integer; write the matrix as real",
                            (long long)fur_view_row_of(&view, bad) + 1,
                            (long long)view.columns[bad] + 1,
                            fur_value_part(view.value_type, view.values, bad));
}

fur_status fur_csr_to_companion(const fur_csr **a, fur_csr **copy)
{
    fur_context *context = fur_csr_context(*a);
    fur_context *host = fur_context_host(context);
    *copy = NULL;
    if (host == context)
        return FUR_OK;
    FUR_TRY(fur_csr_transfer(*a, host, copy));
    *a = *copy;
    return FUR_OK;
}

fur_status fur_vector_to_companion(const fur_vector **x, fur_vector **copy)
{
    fur_context *context = fur_vector_context(*x);
    fur_context *host = fur_context_host(context);
    fur_vector *near = NULL;
    *copy = NULL;
    if (host == context)
        return FUR_OK;
    FUR_TRY(fur_from_companion(
        context, fur_vector_create(host, fur_vector_value_type(*x), fur_vector_size(*x), &near)));
    fur_status status = fur_vector_copy(*x, near);
    if (status != FUR_OK) {
        fur_vector_destroy(near);
        return status;
    }
    *x = *copy = near;
    return FUR_OK;
}
