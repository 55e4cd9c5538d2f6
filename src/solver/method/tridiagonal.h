/* Eigenvalues of a real symmetric tridiagonal matrix T, which Lanczos' and related methods find for
 * an operator. They are computed on the host by +, -, *, / only, so that every machine gets the
 * same bits.
 *
 * T has the n >= 1 diagonal entries `diagonal`, and the n - 1 entries `beside` them. For CG with
 * the coefficients alpha_k and beta_k it is (Saad 2003, section 6.7.3)
 *     diagonal[k] = 1 / alpha_k + beta_(k-1) / alpha_(k-1), beside[k] = sqrt(beta_k) / alpha_k. */
#ifndef FURROW_METHOD_TRIDIAGONAL_H
#define FURROW_METHOD_TRIDIAGONAL_H

#include <stdint.h>

/* Eigenvalue `index` of T, where 0 is the smallest. The error is at most tolerance times the
 * eigenvalue, or eps ||T|| if that is larger. NaN if T has a nonfinite entry. */
double fur_tridiagonal_eigenvalue(int64_t n, const double *diagonal, const double *beside,
                                  int64_t index, double tolerance);

/* The interval that contains eigenvalue `index` up to rounding. Its middle is the eigenvalue
 * above. */
void fur_tridiagonal_bracket(int64_t n, const double *diagonal, const double *beside, int64_t index,
                             double tolerance, double *low, double *high);

/* An upper bound of the first eigenvalue, and a lower bound of the last. */
void fur_tridiagonal_extremes(int64_t n, const double *diagonal, const double *beside,
                              double tolerance, double *smallest, double *largest);

/* A lower bound of the quotient of the ends of a spectrum. `smallest` and `largest` lie in it up to
 * rounding, in a value type with this epsilon. */
double fur_condition_below(double smallest, double largest, double epsilon);

#endif
