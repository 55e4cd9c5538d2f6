/* What the results of eigenvalue methods are compared with. */
#ifndef FURROW_TESTS_SPECTRUM_H
#define FURROW_TESTS_SPECTRUM_H

#include "dense.h"

/* ||A v - lambda v||, in long double. */
double spectrum_residual(const dense *d, const fur_vector *v, double lambda);

/* All eigenvalues of a Hermitian matrix, rising; to be freed. */
long double *spectrum_of(const dense *d);

#endif
