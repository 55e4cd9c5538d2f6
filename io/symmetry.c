/* Symmetric files: every entry below the diagonal stands for two. */
#include "symmetry.h"
#include "order.h"

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

/* Value `to` becomes the mirror image of value `from`; the two may be the same. */
static void reflect(const fur_reading *reading, void *values, int64_t from, int64_t to)
{
    mirror m = mirror_of(reading->banner.header.symmetry);
    float *f32 = values;
    double *f64 = values;
    switch (reading->value_type) {
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

bool fur_symmetry_expands(const fur_reading *reading)
{
    return reading->banner.header.symmetry != FUR_MTX_GENERAL && !reading->options.keep_triangle;
}

/* The mirror image of entry `from` as entry `to`; both may be the same. */
static void place_image(const fur_reading *reading, fur_batch *batch, int64_t from, int64_t to)
{
    int32_t row = batch->rows[from], col = batch->cols[from];
    batch->rows[to] = col & ~FUR_FROM_ABOVE;
    batch->cols[to] = row | (col & FUR_FROM_ABOVE);
    if (reading->numbers > 0)
        reflect(reading, batch->values, from, to);
}

void fur_symmetry_apply(const fur_reading *reading, fur_batch *batch)
{
    bool expand = fur_symmetry_expands(reading);
    int64_t stored = batch->count;
    for (int64_t k = 0; k < stored; k++) {
        int32_t row = batch->rows[k], col = batch->cols[k];
        if (col > row)
            batch->cols[k] |= FUR_FROM_ABOVE;
        if (expand && row != col)
            place_image(reading, batch, k, batch->count++);
        else if (!expand && col > row)
            place_image(reading, batch, k, k);
    }
}
