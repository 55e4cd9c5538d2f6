/* Steps of iterations that read and write their vectors once. Rules of furrow/vector.h. */
#ifndef FURROW_AUTHOR_FUSED_H
#define FURROW_AUTHOR_FUSED_H

#include <furrow/base.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* y_i = y_i + sum_k alpha[k] x[k]_i for k < count, added in the order of k with the bits of as many
 * fur_axpby with beta = 1. y is read and written once for up to 32 of them. No x[k] may be y.
 * With count 0 the lists may be NULL. */
FUR_API fur_status fur_axpy_many(int count, const fur_scalar *alpha, const fur_vector *const *x,
                                 fur_vector *y);

/* out[k] = sum_i conj(x[k]_i) y_i for k < count, each with the bits of fur_dot; y is read once for
 * up to 32 of them. With count 0 the lists may be NULL, here and below. */
FUR_API fur_status fur_dot_many(int count, const fur_vector *const *x, const fur_vector *y,
                                fur_scalar *out);

/* y = y + sum_k alpha[k] x[k] as fur_axpy_many, and in the same pass the norm 2 of the new y, or
 * out[k] = sum_i conj(x[k]_i) y_i with it for k < count: steps of Gram-Schmidt. On the
 * CPU the second reads the last 32 of the x[k] once for both. No x[k] may be y. */
FUR_API fur_status fur_axpy_many_norm2(int count, const fur_scalar *alpha,
                                       const fur_vector *const *x, fur_vector *y, double *norm);

FUR_API fur_status fur_axpy_many_dots(int count, const fur_scalar *alpha,
                                      const fur_vector *const *x, fur_vector *y, fur_scalar *out);

/* y_i = alpha x_i + y_i as fur_axpby computes it, and the norm 2 of the new y in the same pass,
 * which moves three vectors instead of four. */
FUR_API fur_status fur_axpy_norm2(fur_scalar alpha, const fur_vector *x, fur_vector *y,
                                  double *norm);

#ifdef __cplusplus
}
#endif
#endif
