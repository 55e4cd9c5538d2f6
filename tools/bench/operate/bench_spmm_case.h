/* What races of products with blocks share on both devices: the matrix, the number of columns, the
 * blocks in both orders, and the plans. */
#ifndef FURROW_TOOLS_BENCH_SPMM_CASE_H
#define FURROW_TOOLS_BENCH_SPMM_CASE_H

#include "bench.h"

#define SPMM_PRODUCTS 24

typedef struct spmm_product {
    fur_spmm *plan; /* NULL: a product with a vector for each column */
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
    fur_vectors *expected; /* on the host: the products one by one */
    int count;
    spmm_product products[SPMM_PRODUCTS];
} spmm_case;

/* The matrix of a case "MATRIX" or "MATRIX@COLUMNS"; then *cols is that number, else 0. */
fur_status spmm_load(const bench *b, const char *case_name, fur_csr **out, int64_t *cols);

/* Blocks and plans for so many columns, and their end. A kernel that does not suit is left out. */
fur_status spmm_open(spmm_case *c, int64_t cols);
void spmm_close(spmm_case *c);

/* One product. */
fur_status spmm_run(const spmm_product *p);

/* Whether all exact products give the bits of products one by one. */
fur_status spmm_check(spmm_case *c);

/* Runs `contest` for each number of columns of the case, or all of a list that ends with 0. */
fur_status spmm_each(bench *b, const char *name, const int64_t *counts,
                     fur_status (*contest)(spmm_case *c));

/* What is told of a contender, and of the case. */
race_about spmm_about(const spmm_product *p);
json_t *spmm_record(const spmm_case *c);

#endif
