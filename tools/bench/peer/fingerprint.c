/* Fingerprints of matrices. */
#include "fingerprint.h"

#include <string.h>

#include "offset.h"
#include "random.h"

static uint64_t hash(int64_t row, int64_t col, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return random_mix(random_mix((uint64_t)row << 32 ^ (uint64_t)col) + bits);
}

fingerprint fingerprint_csr(const fur_csr *matrix)
{
    fur_csr_view a = *fur_csr_get(matrix);
    const double *values = a.values;
    fingerprint f = {.rows = a.rows, .cols = a.cols, .entries = a.entries};
    int64_t k = 0;
    for (int64_t i = 0; i < a.rows; i++) {
        int64_t end = offset_at(&a, i + 1);
        for (; k < end; k++)
            f.sum += hash(i, a.columns[k], values[k]);
    }
    return f;
}

fingerprint fingerprint_coordinates(const peer_matrix *matrix)
{
    const peer_matrix *m = matrix;
    fingerprint f = {.rows = m->rows, .cols = m->cols, .entries = m->entries};
    for (int64_t k = 0; k < m->entries; k++) {
        int64_t row = m->row_indices[k] - m->base;
        int64_t col = m->col_indices[k] - m->base;
        double value = m->values ? m->values[k] : 1;
        f.sum += hash(row, col, value);
        if (m->mirror != 0 && row != col) {
            f.sum += hash(col, row, m->mirror * value);
            f.entries++;
        }
    }
    return f;
}

bool fingerprint_equal(const fingerprint *a, const fingerprint *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->entries == b->entries && a->sum == b->sum;
}
