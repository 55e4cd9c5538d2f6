/* The rows of a matrix of all ranks, put together again. */
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

/* This rank's rows: with its own columns only, numbered from 0, or with those of the whole. */
fur_status rows_take(const fur_ranks_csr *m, bool own_columns, csr_rows *out);

/* Those of all ranks; collective, without an agreement. */
fur_status rows_gather(const fur_ranks_csr *m, const csr_rows *mine, csr_rows *out);

/* An array of all ranks, one rank's elements after the other: count[i] of rank i, `size` bytes
 * each.
 */
fur_status rows_gather_array(fur_ranks *g, const void *mine, const int64_t *count, size_t size,
                             char *to);

void rows_release(const fur_ranks_csr *m, csr_rows *r);

#endif
