/* Shared by the tests of ranks: bounds of many kinds, and serial solves for comparison. Ranks are
 * threads and contain no assertions. They store results, and the test checks the results when the
 * threads have ended. */
#ifndef FURROW_TESTS_RANKS_SUPPORT_H
#define FURROW_TESTS_RANKS_SUPPORT_H

#include "support.h"

#include <furrow/ranks.h>

#define RANKS_MAX 8

/* Draws random bounds, which are ranks + 1 numbers. By `kind` the parts are even, odd, with empty
 * ranks, with ranks of one row, or all rows are at one rank. */
#define BOUND_KINDS 5
void bounds_random(rng *r, int kind, int ranks, int64_t rows, int64_t *bounds);

/* Returns a symmetric positive definite matrix with random entries far from the diagonal. */
fur_csr *matrix_definite(fur_context *context, rng *r, fur_value_type value, int64_t rows);

/* Returns a matrix with a random numbering or the numbering of its graph. If `graph` is less than
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

/* A solve, which one context or several ranks compute. */
typedef struct solve_job {
    const fur_csr *a;      /* rank 0's; every rank may read it */
    const int64_t *bounds; /* NULL: balanced */
    const char *method;
    bool jacobi;       /* with Jacobi as an operator, or */
    bool by_precond;   /* as in furrow/ranks_precond.h */
    bool no_reduction; /* as in fur_solver_options */
    const void *b;     /* all entries; also in x */
    void *x;
    fur_solver_report report;
} solve_job;

void solve_alone(solve_job *job);
/* The function that fur_ranks_run calls on each rank. `user` is a solve_job. */
fur_status solve_on_ranks(fur_ranks *group, void *user);

/* Two ranks, because three on two GPUs could block: freeing memory between reductions waits for the
 * work of the other rank on that GPU. */
#define GPU_RANKS 2
#define GPU_WAYS 3

/* Sets options of ranks on GPUs with the n-th transport. Returns false if there are too few GPUs.
 */
bool options_on_gpus(int n, int ranks, fur_ranks_options *out);

#endif
