/* Reductions of all kinds, which one context or several ranks compute. */
#ifndef FURROW_TESTS_RANKS_REDUCTIONS_H
#define FURROW_TESTS_RANKS_REDUCTIONS_H

#include "ranks_support.h"

#define REDUCED_MANY 5
#define REDUCED_RESULTS 20

/* Vectors of all rows, and the results of their reductions. */
typedef struct reductions {
    fur_csr *a; /* diagonal; the ranks take their contexts from it */
    const int64_t *bounds;
    void *x[REDUCED_MANY];
    void *y;
    fur_value_type value;
    int64_t rows;
    fur_scalar results[REDUCED_RESULTS]; /* the last rank's results */
} reductions;

/* Makes random vectors in host memory, and `a` in the context. */
reductions reductions_make(fur_context *context, rng *r, fur_value_type value, int64_t rows);
void reductions_free(const reductions *job);

void reduce_alone(reductions *job, fur_context *context, fur_scalar *out);
/* The function that fur_ranks_run calls on each rank. `user` is a reductions. */
fur_status reduce_on_ranks(fur_ranks *group, void *user);
/* Checks that all results have the bits of the expected results. */
void ck_reductions(const reductions *job, const fur_scalar *expected, int ranks, const char *how);

#endif
