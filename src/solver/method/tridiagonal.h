/* Eigenvalues of a real symmetric tridiagonal matrix T: what Lanczos' and related methods know of
 * an operator. Computed on the host by +, -, *, / alone, so that every machine finds the same bits.
 *
 * T has the n >= 1 diagonal entries `diagonal` and the n - 1 entries `beside` them. Of CG with its
 * coefficients alpha_k and beta_k it is (Saad 2003, section 6.7.3)
 *     diagonal[k] = 1 / alpha_k + beta_(k-1) / alpha_(k-1), beside[k] = sqrt(beta_k) / alpha_k. */
#ifndef FURROW_METHOD_TRIDIAGONAL_H
#define FURROW_METHOD_TRIDIAGONAL_H

#include <stdint.h>

/* Eigenvalue `index` of T, 0 being the smallest, within tolerance times itself or eps ||T||,
 * whichever is larger. NaN where T has an entry that is not finite. */
double fur_tridiagonal_eigenvalue(int64_t n, const double *diagonal, const double *beside,
                                  int64_t index, double tolerance);

/* The interval that eigenvalue `index` lies in but for rounding. Its middle is the eigenvalue
 * above.
 */
void fur_tridiagonal_bracket(int64_t n, const double *diagonal, const double *beside, int64_t index,
                             double tolerance, double *low, double *high);

/* The first of them from above, and the last from below. */
void fur_tridiagonal_extremes(int64_t n, const double *diagonal, const double *beside,
                              double tolerance, double *smallest, double *largest);

/* The quotient of the ends of a spectrum from below: `smallest` and `largest` lie within it but for
 * rounding, in a value type of this epsilon. */
double fur_condition_below(double smallest, double largest, double epsilon);

#endif
