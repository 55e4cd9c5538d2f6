/* Reference results for the tests of eigenvalue methods. */
#ifndef FURROW_TESTS_SPECTRUM_H
#define FURROW_TESTS_SPECTRUM_H

#include "dense.h"

/* Returns ||A v - lambda v||, computed in long double. */
double spectrum_residual(const dense *d, const fur_vector *v, double lambda);

/* Returns all eigenvalues of a Hermitian matrix in rising order. The caller frees them. */
long double *spectrum_of(const dense *d);

#define FOUND_MAX 40 /* eigenvalues */

/* The results of a method. */
typedef struct found {
    double values[FOUND_MAX];
    double residuals[FOUND_MAX];
    fur_vector *vectors[FOUND_MAX];
    fur_eigs_report report;
} found;

/* Allocates vectors for `count` eigenpairs of an operator. */
found found_open(const fur_operator *a, int count);
void found_release(found *f);

/* Checks that a method for two eigenpairs detects an operator that is not symmetric. */
void check_asymmetric(rng *r, found (*find_two)(const fur_operator *a));

/* A matrix of 800 chains of 10 points. The scales of the chains differ by at most 1e-4. The matrix
 * has 10 groups of 800 nearly equal eigenvalues. */
typedef struct nearly_equal {
    fur_csr *a;
    fur_spmv *plan;
    fur_operator *op;
} nearly_equal;

nearly_equal nearly_equal_open(fur_context *context);
void nearly_equal_close(nearly_equal *p);

#endif
