/* Shared by the tests of ranks: bounds of many kinds, serial references. Ranks are threads and
 * contain no assertions. They store results, and the test checks the results when the threads have
 * ended. */
#ifndef FURROW_TESTS_RANKS_SUPPORT_H
#define FURROW_TESTS_RANKS_SUPPORT_H

#include "support.h"

#include <furrow/ranks.h>

#define RANKS_MAX 8

/* Random bounds of ranks + 1 numbers: by `kind` even, odd, with empty ranks, with ranks of one row,
 * or all rows at one rank. */
#define BOUND_KINDS 5
void bounds_random(rng *r, int kind, int ranks, int64_t rows, int64_t *bounds);

/* A symmetric positive definite matrix with random far entries. */
fur_csr *matrix_definite(fur_context *context, rng *r, fur_value_type value, int64_t rows);

/* A matrix with a random numbering or the numbering of its graph. If `graph` is less than
 * COLOURED_GRAPHS and there are two rows, it is Hermitian positive definite and its rows have two
 * colours. The graph is a line, a tree, edges between the first half and the second, pairs of the
 * halves, or small parts with isolated rows.
 * COLOURED_RING: a ring, which has two colours if its number of rows is even. COLOURED_SKEW: a line
 * with an entry that has no mirror image. COLOURED_HOLE: a line with a missing diagonal entry. */
#define COLOURED_GRAPHS 5
#define COLOURED_RING COLOURED_GRAPHS
#define COLOURED_SKEW (COLOURED_GRAPHS + 1)
#define COLOURED_HOLE (COLOURED_GRAPHS + 2)
fur_csr *matrix_coloured(fur_context *context, rng *r, fur_value_type value, int64_t rows,
                         int graph);

/* A solve, by one context or by ranks. */
typedef struct solve_job {
    const fur_csr *a;      /* of rank 0's; every rank may read it */
    const int64_t *bounds; /* NULL: balanced */
    const char *method;
    bool jacobi;       /* by the operator, or by */
    bool by_precond;   /* furrow/ranks_precond.h */
    bool no_reduction; /* as in fur_solver_options */
    const void *b;     /* all entries, as x */
    void *x;
    fur_solver_report report;
} solve_job;

void solve_alone(solve_job *job);
/* work of fur_ranks_run; user is a solve_job */
fur_status solve_on_ranks(fur_ranks *group, void *user);

/* Not three on two GPUs: memory is freed between reductions, which waits for the other rank's. */
#define GPU_RANKS 2
#define GPU_WAYS 3

/* Options of ranks on GPUs by the n-th transport between them; false if there are not enough. */
bool options_on_gpus(int n, int ranks, fur_ranks_options *out);

#endif
