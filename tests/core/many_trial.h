/* Shared by the tests of several vectors at a time, on the CPU and on a GPU. It draws random
 * vectors and computes the results of single operations. It compares them with an operation on all
 * vectors at once. */
#ifndef FURROW_TESTS_MANY_TRIAL_H
#define FURROW_TESTS_MANY_TRIAL_H

#include "support.h"

#define MAX_MANY 70 /* more vectors than two kernels process */

/* y and the vectors of a call, in host memory. */
typedef struct many_trial {
    fur_value_type value;
    int64_t n;
    int count;
    void *x[MAX_MANY];
    fur_scalar alpha[MAX_MANY];
    void *y;
} many_trial;

many_trial many_random(rng *r, fur_value_type value, int64_t n, int count);
void many_release(many_trial *t);

typedef struct many_results {
    fur_scalar dots[MAX_MANY];
    void *y; /* y + sum_k alpha_k x_k, in memory of malloc */
    double norm;
    fur_scalar after[MAX_MANY]; /* dot products of the x_k with the updated y */
} many_results;

/* Computes the results with fur_dot, fur_axpby and fur_norm2, one vector at a time. */
many_results many_one_by_one(fur_context *context, const many_trial *t);

/* Checks that the calls with all vectors give the same bits. Each vector with an odd index begins
 * `shift` entries after an aligned address. */
void many_check(fur_context *context, const many_trial *t, const many_results *expected,
                int64_t shift);

#endif
