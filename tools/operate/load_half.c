/* Half of a symmetric matrix, as stored in the file or cut from the whole matrix. */
#include "load_half.h"

#include <furrow/author/context.h>

#include "symmetric.h"

const char *half_name(fur_half half)
{
    static const char *const names[] = {NULL, "symmetric", "Hermitian"};
    return names[half];
}

/* Finds whether a whole matrix is symmetric or Hermitian. A complex matrix may be either. */
static fur_status find_symmetry(const fur_csr *a, fur_half *half)
{
    const fur_csr_view *v = fur_csr_get(a);
    fur_csr_asymmetry pair = FUR_DEFAULT(fur_csr_asymmetry);
    if (v->rows != v->cols)
        return fur_context_fail(fur_csr_context(a), FUR_INVALID,
                                "--half needs a symmetric matrix; this one is %lld x %lld",
                                (long long)v->rows, (long long)v->cols);
    if (v->value_type == FUR_C64 || v->value_type == FUR_C128) {
        FUR_TRY(fur_csr_find_asymmetry(a, FUR_SYMMETRY_HERMITIAN, &pair));
        *half = FUR_HALF_HERMITIAN;
        if (!pair.found)
            return FUR_OK;
    }
    *half = FUR_HALF_SYMMETRIC;
    return symmetric_check(a, FUR_SYMMETRY_SYMMETRIC, "--half");
}

/* Replaces a whole matrix by its triangle. */
static fur_status cut(loaded_matrix *a, fur_half *half)
{
    fur_csr *lower;
    FUR_TRY(find_symmetry(a->matrix, half));
    FUR_TRY(fur_csr_band(a->matrix, INT64_MIN, 0, &lower));
    fur_csr_destroy(a->matrix);
    a->matrix = lower;
    return FUR_OK;
}

fur_status load_half(fur_context *context, const command_common *common, const char *path,
                     loaded_matrix *out, fur_half *half)
{
    command_common with = *common;
    double start = fur_seconds();
    with.reading.keep_triangle = 1;
    FUR_TRY(load_matrix(context, &with, path, out));
    if (!out->triangle)
        FUR_TRY(cut(out, half));
    else if (out->header.symmetry == FUR_MTX_SKEW_SYMMETRIC)
        return fur_context_fail(context, FUR_INVALID,
                                "--half needs a symmetric matrix; this one is skew-symmetric");
    else
        *half = out->header.symmetry == FUR_MTX_HERMITIAN ? FUR_HALF_HERMITIAN : FUR_HALF_SYMMETRIC;
    out->seconds = fur_seconds() - start;
    return FUR_OK;
}
