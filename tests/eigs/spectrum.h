/* Reference results for the tests of eigenvalue methods. */
#ifndef FURROW_TESTS_SPECTRUM_H
#define FURROW_TESTS_SPECTRUM_H

#include "dense.h"

/* ||A v - lambda v||, in long double. */
double spectrum_residual(const dense *d, const fur_vector *v, double lambda);

/* All eigenvalues of a Hermitian matrix, rising; to be freed. */
long double *spectrum_of(const dense *d);

#define FOUND_MAX 40 /* eigenvalues */

/* What a method finds. */
typedef struct found {
    double values[FOUND_MAX];
    double residuals[FOUND_MAX];
    fur_vector *vectors[FOUND_MAX];
    fur_eigs_report report;
} found;

/* Allocates room for `count` pairs of an operator. */
found found_open(const fur_operator *a, int count);
void found_release(found *f);

/* That a method, asked for two pairs, finds out an operator that is not symmetric. */
void check_asymmetric(rng *r, found (*find_two)(const fur_operator *a));

/* 800 chains of 10 points, whose scales differ by at most 1e-4: 10 eigenvalues, each of which
 * occurs 800 times, nearly equal. */
typedef struct nearly_equal {
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *op;
} nearly_equal;

nearly_equal nearly_equal_open(fur_context *context);
void nearly_equal_close(nearly_equal *p);

#endif
