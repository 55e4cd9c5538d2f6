/* The rows of a matrix of all ranks as one matrix. */
#ifndef FURROW_RANKS_ROWS_H
#define FURROW_RANKS_ROWS_H

#include "matrix.h"

typedef struct csr_rows {
    int64_t rows;
    int64_t entries;
    int64_t *offsets;
    int32_t *columns;
    char *values;
} csr_rows;

/* Copies this rank's rows, either with only its own columns, numbered from 0, or with all
 * columns. */
fur_status rows_take(const fur_ranks_csr *m, bool own_columns, csr_rows *out);

/* Gathers the rows of all ranks. Collective, but ends without an agreement. */
fur_status rows_gather(const fur_ranks_csr *m, const csr_rows *mine, csr_rows *out);

/* Gathers an array of all ranks in the order of ranks: count[i] elements of rank i, of `size` bytes
 * each. */
fur_status rows_gather_array(fur_ranks *g, const void *mine, const int64_t *count, size_t size,
                             char *to);

void rows_release(const fur_ranks_csr *m, csr_rows *r);

#endif
