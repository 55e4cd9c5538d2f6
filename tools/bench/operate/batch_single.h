/* Systems with one pattern, and the loops over single systems. */
#ifndef FURROW_TOOLS_BATCH_SINGLE_H
#define FURROW_TOOLS_BATCH_SINGLE_H

#include "bench.h"

/* Symmetric positive definite systems with entries on the diagonals 0, 1 and -1, and on `far` and
 * -far unless that is 0. They are on the host, one after the other. */
typedef struct batch_systems {
    int64_t rows;
    int64_t count;
    int64_t entries; /* entries of one system */
    int32_t *offsets;
    int32_t *columns;
    double *values;
    double *b;
    double *x; /* of the plain loop */
    double *work;
} batch_systems;

fur_status batch_systems_make(fur_context *context, int64_t rows, int64_t count, int64_t far,
                              batch_systems *out);
void batch_systems_release(batch_systems *s);

/* Makes the matrix of system 0, for its pattern. */
fur_status batch_pattern(fur_context *context, const batch_systems *s, fur_csr **out);

/* The prepared data of one system: a product, a solver for cg, or a batch of one. */
typedef struct batch_single {
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *op;
    fur_operator *jacobi;
    fur_solver *solver;
    fur_vector *b;
    fur_vector *x;
    fur_vectors *values;
    fur_vectors *b_block;
    fur_vectors *x_block;
    fur_batch *batch;
    fur_batch_solver *elimination;
} batch_single;

typedef struct batch_singles {
    int64_t count;
    const batch_systems *systems;
    batch_single *each;
} batch_singles;

/* Makes the data that the method needs; NULL means products. */
fur_status batch_singles_make(fur_context *context, const batch_systems *s, const char *method,
                              batch_singles *out);
void batch_singles_release(batch_singles *s);

/* The loops over batch_singles. */
typedef fur_status batch_run(void *self);
batch_run batch_single_multiply;
batch_run batch_single_cg;
batch_run batch_single_band;

/* As the first two, with only the data of system 0. It takes the values of each system in turn. */
batch_run batch_reused_multiply;
batch_run batch_reused_cg;

/* Returns x of system s. */
fur_status batch_single_result(const batch_singles *singles, int64_t s, double *x);

/* Eliminates tridiagonal systems with pivoting, one after the other, in one thread: the loop of
 * LAPACK's dgtsv. Uses batch_systems. */
batch_run batch_plain_band;

#endif
