/* Shared data of races of products with blocks on both devices: the matrix, the number of columns,
 * the blocks in both layouts, and the plans. */
#ifndef FURROW_TOOLS_BENCH_SPMM_CASE_H
#define FURROW_TOOLS_BENCH_SPMM_CASE_H

#include "bench.h"

#define SPMM_PRODUCTS 24

typedef struct spmm_product {
    fur_spmm *plan; /* NULL: one product with a vector for each column */
    const struct spmm_case *of;
    fur_layout layout;
    char name[40];
} spmm_product;

typedef struct spmm_case {
    bench *b;
    const char *name;
    fur_csr *a;
    int64_t cols;
    fur_vectors *x[2]; /* by layout */
    fur_vectors *y[2];
    fur_spmv *single;
    fur_vector **x_column; /* of x[FUR_LAYOUT_COLUMNS] */
    fur_vector **y_column;
    fur_vectors *expected; /* results of single products, on the host */
    int count;
    spmm_product products[SPMM_PRODUCTS];
} spmm_case;

/* Loads the matrix of a case "MATRIX" or "MATRIX@COLUMNS". *cols = that number, or 0. */
fur_status spmm_load(const bench *b, const char *case_name, fur_csr **out, int64_t *cols);

/* The first makes blocks and plans for `cols` columns, and the second releases them. Unsuitable
 * kernels are left out. */
fur_status spmm_open(spmm_case *c, int64_t cols);
void spmm_close(spmm_case *c);

/* Computes one product. */
fur_status spmm_run(const spmm_product *p);

/* Checks that all exact products give the bits of single products. */
fur_status spmm_check(spmm_case *c);

/* Runs `contest` for each number of columns of the case, or of a list that ends with 0. */
fur_status spmm_each(bench *b, const char *name, const int64_t *counts,
                     fur_status (*contest)(spmm_case *c));

/* The descriptions of a contender and of the case. */
race_about spmm_about(const spmm_product *p);
json_t *spmm_record(const spmm_case *c);

#endif
