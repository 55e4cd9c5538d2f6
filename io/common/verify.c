/* Comparing a matrix with its transpose, row by row, and its values with integers. */
#include "verify.h"
#include "parallel.h"
#include "try.h"
#include "view.h"

#include <math.h>

/* What a thread takes at a time. */
#define ROW_RUN 1024
#define ENTRY_RUN 16384

/* The matrix and its (conjugate) transpose. */
typedef struct mirror_pair {
    fur_context *context;
    fur_mtx_symmetry symmetry;
    fur_csr_view a;
    fur_csr_view b;
    bool values_matter;
} mirror_pair;

static double part_at(const fur_csr_view *view, int64_t index)
{
    bool single = view->value_type == FUR_F32 || view->value_type == FUR_C64;
    return single ? (double)((const float *)view->values)[index]
                  : ((const double *)view->values)[index];
}

static bool equal(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

static bool equal_values(const mirror_pair *pair, int64_t k)
{
    int parts = pair->a.value_type == FUR_C64 || pair->a.value_type == FUR_C128 ? 2 : 1;
    for (int part = 0; part < parts; part++) {
        double x = part_at(&pair->a, parts * k + part);
        double y = part_at(&pair->b, parts * k + part);
        if (!equal(x, pair->symmetry == FUR_MTX_SKEW_SYMMETRIC ? -y : y))
            return false;
    }
    return true;
}

/* Entry (row, col) exists and (col, row) does not, or the other way round. */
static fur_status fail_alone(const mirror_pair *pair, int64_t row, int64_t col)
{
    return fur_context_fail(pair->context, FUR_INVALID,
                            "the matrix is not %s: there is an entry (%lld, %lld) and none at "
                            "(%lld, %lld), counting from 1",
                            fur_mtx_symmetry_name(pair->symmetry), (long long)row + 1,
                            (long long)col + 1, (long long)col + 1, (long long)row + 1);
}

/* Compares the columns of a row. They agree with the row of the transpose if the pattern is
 * symmetric, so that positions are the same in both up to the first that is not. */
static fur_status compare_positions(const mirror_pair *pair, int64_t row)
{
    int64_t k = fur_view_begin(&pair->a, row);
    int64_t a_end = fur_view_begin(&pair->a, row + 1), b_end = fur_view_begin(&pair->b, row + 1);
    while (k < a_end && k < b_end && pair->a.columns[k] == pair->b.columns[k])
        k++;
    if (k == a_end && k == b_end)
        return FUR_OK;
    if (k < a_end && (k == b_end || pair->a.columns[k] < pair->b.columns[k]))
        return fail_alone(pair, row, pair->a.columns[k]);
    return fail_alone(pair, pair->b.columns[k], row);
}

/* Tells of the first entry of the row whose value does not match that of its mirror image. */
static fur_status compare_values(const mirror_pair *pair, int64_t row)
{
    int64_t end = fur_view_begin(&pair->a, row + 1);
    for (int64_t k = fur_view_begin(&pair->a, row); k < end; k++)
        if (!equal_values(pair, k))
            return fur_context_fail(pair->context, FUR_INVALID,
                                    "the matrix is not %s: entries (%lld, %lld) and (%lld, %lld), "
                                    "counting from 1, do not match",
                                    fur_mtx_symmetry_name(pair->symmetry), (long long)row + 1,
                                    (long long)pair->a.columns[k] + 1,
                                    (long long)pair->a.columns[k] + 1, (long long)row + 1);
    return FUR_OK;
}

/* Whether a row of the matrix and of the transpose are the same, as far as all rows above are. */
static bool row_matches(const mirror_pair *pair, int64_t row)
{
    int64_t begin = fur_view_begin(&pair->a, row), end = fur_view_begin(&pair->a, row + 1);
    bool same = begin == fur_view_begin(&pair->b, row) && end == fur_view_begin(&pair->b, row + 1);
    for (int64_t k = begin; same && k < end; k++)
        same = pair->a.columns[k] == pair->b.columns[k] &&
               (!pair->values_matter || equal_values(pair, k));
    return same;
}

static int64_t find_different_row(void *user, int64_t row, int64_t end)
{
    const mirror_pair *pair = user;
    while (row < end && row_matches(pair, row))
        row++;
    return row;
}

/* Only of the first row that differs a sentence is made. */
static fur_status compare(mirror_pair *pair)
{
    int64_t first = fur_find_first(pair->context, pair->a.rows, ROW_RUN, find_different_row, pair);
    if (first == pair->a.rows)
        return FUR_OK;
    FUR_TRY(compare_positions(pair, first));
    return compare_values(pair, first);
}

fur_status fur_verify_symmetry(const fur_csr *a, fur_mtx_symmetry symmetry, bool values_matter)
{
    mirror_pair pair = {.context = fur_csr_context(a),
                        .symmetry = symmetry,
                        .a = *fur_csr_get(a),
                        .values_matter = values_matter};
    if (pair.a.rows != pair.a.cols)
        return fur_context_fail(
            pair.context, FUR_INVALID, "the matrix is %lld x %lld and cannot be %s",
            (long long)pair.a.rows, (long long)pair.a.cols, fur_mtx_symmetry_name(symmetry));
    fur_csr *transpose;
    FUR_TRY(fur_csr_transpose(a, symmetry == FUR_MTX_HERMITIAN, &transpose));
    pair.b = *fur_csr_get(transpose);
    fur_status status = compare(&pair);
    fur_csr_destroy(transpose);
    return status;
}

static bool is_integer(double value)
{
    return value >= -0x1p63 && value < 0x1p63 && (double)(int64_t)value == value;
}

static int64_t find_fraction(void *user, int64_t k, int64_t end)
{
    const fur_csr_view *view = user;
    while (k < end && is_integer(part_at(view, k)))
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
                            "entry (%lld, %lld), counting from 1, is %g, which is no integer of 64 "
                            "bits; write the matrix as real",
                            (long long)fur_view_row_of(&view, bad) + 1,
                            (long long)view.columns[bad] + 1, part_at(&view, bad));
}
