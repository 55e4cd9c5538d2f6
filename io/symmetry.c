/* Symmetric files: every entry below the diagonal stands for two. */
#include "symmetry.h"
#include "repeat.h"

/* What mirroring does to the parts of a value: keeps or negates them. */
typedef struct mirror {
    bool negate_re;
    bool negate_im;
} mirror;

static mirror mirror_of(fur_mtx_symmetry symmetry)
{
    bool skew = symmetry == FUR_MTX_SKEW_SYMMETRIC;
    return (mirror){.negate_re = skew, .negate_im = skew || symmetry == FUR_MTX_HERMITIAN};
}

static float turn_f32(float part, bool negate)
{
    return negate ? -part : part;
}

static double turn_f64(double part, bool negate)
{
    return negate ? -part : part;
}

/* Entry `to` becomes the mirror image of entry `from`; the two may be the same. */
static void reflect(fur_entries *entries, mirror m, int64_t from, int64_t to)
{
    int32_t row = entries->rows[from], col = entries->cols[from];
    float *f32 = entries->values;
    double *f64 = entries->values;
    entries->rows[to] = col;
    entries->cols[to] = row;
    switch (entries->value) {
    case FUR_F32:
        f32[to] = turn_f32(f32[from], m.negate_re);
        break;
    case FUR_F64:
        f64[to] = turn_f64(f64[from], m.negate_re);
        break;
    case FUR_C64:
        f32[2 * to] = turn_f32(f32[2 * from], m.negate_re);
        f32[2 * to + 1] = turn_f32(f32[2 * from + 1], m.negate_im);
        break;
    case FUR_C128:
        f64[2 * to] = turn_f64(f64[2 * from], m.negate_re);
        f64[2 * to + 1] = turn_f64(f64[2 * from + 1], m.negate_im);
        break;
    }
}

static bool has_both_triangles(const fur_entries *entries)
{
    bool lower = false, upper = false;
    for (int64_t k = 0; k < entries->count; k++) {
        lower |= entries->rows[k] > entries->cols[k];
        upper |= entries->rows[k] < entries->cols[k];
    }
    return lower && upper;
}

/* Entries in both triangles are fine as long as no two of them mean the same pair. */
static fur_status check_triangles(const fur_entries *entries, fur_mtx_symmetry symmetry)
{
    if (!has_both_triangles(entries))
        return FUR_OK;
    fur_repeat repeat;
    FUR_TRY(fur_repeat_find(entries, FUR_REPEAT_MIRRORED, &repeat));
    if (repeat.first < 0)
        return FUR_OK;
    fur_scan first = fur_entries_place(entries, repeat.first);
    fur_scan second = fur_entries_place(entries, repeat.second);
    return fur_scan_fail(&second, FUR_MALFORMED, second.at,
                         "found entry (%d, %d) besides its mirror image in line %lld, expected one "
                         "of the two in a %s file",
                         entries->rows[repeat.second] + 1, entries->cols[repeat.second] + 1,
                         (long long)first.line, fur_mtx_symmetry_name(symmetry));
}

fur_status fur_symmetry_normalise(fur_entries *entries, fur_mtx_symmetry symmetry)
{
    FUR_TRY(check_triangles(entries, symmetry));
    for (int64_t k = 0; k < entries->count; k++)
        if (entries->rows[k] < entries->cols[k])
            reflect(entries, mirror_of(symmetry), k, k);
    return FUR_OK;
}

void fur_symmetry_expand(fur_entries *entries, fur_mtx_symmetry symmetry)
{
    for (int64_t k = 0; k < entries->in_file; k++)
        if (entries->rows[k] != entries->cols[k])
            reflect(entries, mirror_of(symmetry), k, entries->count++);
}
