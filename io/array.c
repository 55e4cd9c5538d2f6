/* Positions of an array's numbers. */
#include "array.h"

/* The row in which column `col` of an array file begins. */
static int64_t first_row(fur_mtx_symmetry symmetry, int64_t col)
{
    return symmetry == FUR_MTX_GENERAL ? 0 : symmetry == FUR_MTX_SKEW_SYMMETRIC ? col + 1 : col;
}

void fur_array_place(const fur_reading *reading, int64_t before, fur_batch *batch)
{
    const fur_mtx_header *header = &reading->banner.header;
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

static bool is_real(const fur_reading *reading, const void *values, int64_t k)
{
    return fur_reading_is_single(reading) ? ((const float *)values)[2 * k + 1] == 0
                                          : ((const double *)values)[2 * k + 1] == 0;
}

int64_t fur_array_find_not_real(const fur_reading *reading, const fur_batch *batch, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (batch->rows[k] == batch->cols[k] && !is_real(reading, batch->values, k))
            return k;
    return -1;
}
