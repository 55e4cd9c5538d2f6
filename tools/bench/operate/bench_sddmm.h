/* Shared data of races of sampled products on both devices: the matrix, the blocks and the
 * product. */
#ifndef FURROW_TOOLS_BENCH_SDDMM_H
#define FURROW_TOOLS_BENCH_SDDMM_H

#include "bench.h"

typedef struct sddmm_case {
    bench *b;
    const char *name;
    fur_csr *a; /* its values are the result */
    int64_t cols;
    fur_vectors *x[2]; /* by layout */
    fur_vectors *y[2];
} sddmm_case;

/* Computes the values of A by the product with blocks of this layout. May return before the end. */
fur_status sddmm_run(const sddmm_case *c, fur_layout layout);

/* Runs `contest` for each number of columns of the case, "MATRIX" or "MATRIX@COLUMNS". */
fur_status sddmm_each(bench *b, const char *name, fur_status (*contest)(sddmm_case *c));

/* The descriptions of a contender and of the case. */
race_about sddmm_about(const sddmm_case *c, race_role role);
json_t *sddmm_record(const sddmm_case *c);

#endif
