/* Steps of iterations that read and write their vectors once. The rules of furrow/vector.h hold. */
#ifndef FURROW_AUTHOR_FUSED_H
#define FURROW_AUTHOR_FUSED_H

#include <furrow/base.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computes y_i = y_i + sum_k alpha[k] x[k]_i for k < count.
 *
 * The terms are added in the order of k, with the bits of `count` calls of fur_axpby with beta = 1.
 * y is read and written once for up to 32 terms. No x[k] may be y. If `count` is 0, the lists may
 * be NULL. */
FUR_API fur_status fur_axpy_many(int count, const fur_scalar *alpha, const fur_vector *const *x,
                                 fur_vector *y);

/* Stores out[k] = sum_i conj(x[k]_i) y_i for k < count.
 *
 * Each result has the bits of fur_dot. y is read once for up to 32 results. If `count` is 0, the
 * lists may be NULL. */
FUR_API fur_status fur_dot_many(int count, const fur_vector *const *x, const fur_vector *y,
                                fur_scalar *out);

/* Computes fur_axpy_many and the norm 2 of the new y in the same pass.
 *
 * It is a step of Gram-Schmidt. No x[k] may be y. If `count` is 0, the lists may be NULL. */
FUR_API fur_status fur_axpy_many_norm2(int count, const fur_scalar *alpha,
                                       const fur_vector *const *x, fur_vector *y, double *norm);

/* Computes fur_axpy_many and fur_dot_many with the new y.
 *
 * It is a step of Gram-Schmidt. On the CPU the last 32 of the x[k] are read once for both. No x[k]
 * may be y. If `count` is 0, the lists may be NULL. */
FUR_API fur_status fur_axpy_many_dots(int count, const fur_scalar *alpha,
                                      const fur_vector *const *x, fur_vector *y, fur_scalar *out);

/* Computes y_i = alpha x_i + y_i, as fur_axpby, and the norm 2 of the new y.
 *
 * One pass moves three vectors instead of four. */
FUR_API fur_status fur_axpy_norm2(fur_scalar alpha, const fur_vector *x, fur_vector *y,
                                  double *norm);

#ifdef __cplusplus
}
#endif
#endif
