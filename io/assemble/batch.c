/* Operations on entries that have been read: dropping zeros, setting positions in an array file,
 * and adding mirror images. */
#include "batch.h"
#include "arrays.h"

#include <string.h>

bool fur_batch_is_zero(const fur_job *job, const fur_batch *batch, int64_t k)
{
    const int parts = fur_value_parts(job->value_type);
    bool zero = job->numbers > 0;
    for (int part = 0; zero && part < parts; part++)
        zero = fur_value_part(job->value_type, batch->values, parts * k + part) == 0;
    return zero;
}

/* Removes the entries that are zero, and closes up the others. */
static void drop_zeros(const fur_job *job, fur_batch *batch)
{
    size_t size = fur_value_size(job->value_type);
    char *values = batch->values;
    int64_t kept = 0;
    for (int64_t k = 0; k < batch->count; k++) {
        if (fur_batch_is_zero(job, batch, k))
            continue;
        batch->rows[kept] = batch->rows[k];
        batch->cols[kept] = batch->cols[k];
        memmove(values + (size_t)kept * size, values + (size_t)k * size, size);
        kept++;
    }
    batch->count = kept;
}

void fur_batch_settle(const fur_job *job, fur_batch *batch)
{
    if (job->options.drop_zeros && job->numbers > 0)
        drop_zeros(job, batch);
    /* as wide as indices, so that compilers vectorise the loops */
    int32_t falls = 0, repeats = 0, above = 0;
    const int32_t *rows = batch->rows, *cols = batch->cols;
    for (int64_t k = 0; k < batch->count; k++)
        above |= cols[k] > rows[k];
    for (int64_t k = 1; k < batch->count; k++) {
        falls |= rows[k] < rows[k - 1];
        repeats |= (rows[k] == rows[k - 1]) & (cols[k] <= cols[k - 1]);
    }
    batch->rows_rise = !falls;
    batch->columns_rise = !repeats;
    batch->lower = !above;
}

/* Returns the first stored row of column `col` in an array file. */
static int64_t first_row(fur_mtx_symmetry symmetry, int64_t col)
{
    return symmetry == FUR_MTX_GENERAL ? 0 : symmetry == FUR_MTX_SKEW_SYMMETRIC ? col + 1 : col;
}

void fur_batch_set_positions(const fur_job *job, int64_t before, fur_batch *batch)
{
    const fur_mtx_header *header = &job->header;
    int64_t col = 0;
    int64_t height = header->rows - first_row(header->symmetry, 0);
    if (header->symmetry == FUR_MTX_GENERAL && header->rows > 0) {
        col = before / header->rows;
        before -= col * header->rows;
    }
    while (header->symmetry != FUR_MTX_GENERAL && height > 0 && before >= height) {
        before -= height--;
        col++;
    }
    int64_t row = first_row(header->symmetry, col) + before;
    for (int64_t k = 0; k < batch->count; k++) {
        batch->rows[k] = (int32_t)row;
        batch->cols[k] = (int32_t)col;
        if (++row == header->rows)
            row = first_row(header->symmetry, ++col);
    }
}

int64_t fur_batch_find_not_real(const fur_job *job, const fur_batch *batch, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (batch->rows[k] == batch->cols[k] &&
            fur_value_part(job->value_type, batch->values, 2 * k + 1) != 0)
            return k;
    return -1;
}

/* The parts of a value that mirroring negates. */
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

/* Sets value `to` to the mirror image of value `from`; the two may be equal. */
static void reflect(const fur_job *job, void *values, int64_t from, int64_t to)
{
    mirror m = mirror_of(job->header.symmetry);
    float *f32 = values;
    double *f64 = values;
    switch (job->value_type) {
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

/* Stores the mirror image of entry `from` as entry `to`; the two may be equal. */
static void place_image(const fur_job *job, fur_batch *batch, int64_t from, int64_t to)
{
    int32_t row = batch->rows[from], col = batch->cols[from];
    batch->rows[to] = col & ~FUR_FROM_ABOVE;
    batch->cols[to] = row | (col & FUR_FROM_ABOVE);
    if (job->numbers > 0)
        reflect(job, batch->values, from, to);
}

void fur_batch_apply_symmetry(const fur_job *job, fur_batch *batch)
{
    bool expand = fur_job_expands(job);
    int64_t stored = batch->count;
    for (int64_t k = 0; k < stored; k++) {
        int32_t row = batch->rows[k], col = batch->cols[k];
        if (col > row)
            batch->cols[k] |= FUR_FROM_ABOVE;
        if (expand && row != col)
            place_image(job, batch, k, batch->count++);
        else if (!expand && col > row)
            place_image(job, batch, k, k);
    }
}
