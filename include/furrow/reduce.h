/* Reductions of vectors: dot product and norms.
 *
 * All of them follow the summation tree of docs/numerics.md, in double precision also for f32 and
 * c64: the result has the same bits for any number of threads, instruction set, compiler and
 * optimisation level. Results for f32 and c64 are not rounded to single precision.
 * Vectors of one call agree in size, context and value type, as in vector.h. Each call reads its
 * vectors once (norm 2 reads them twice more where squares overflow or underflow) and waits for its
 * result; the variants in scalars.h leave the result on the device. Empty vectors give 0. */
#ifndef FURROW_REDUCE_H
#define FURROW_REDUCE_H

#include <furrow/base.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* sum_i conj(x_i) y_i */
FUR_API fur_status fur_dot(const fur_vector *x, const fur_vector *y, fur_scalar *out);

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

/* sum_i |x_i|, with the modulus for complex entries (not |re| + |im|). */
FUR_API fur_status fur_norm1(const fur_vector *x, double *out);

/* sqrt(sum_i |x_i|^2). Neither overflows nor underflows when the result is representable. */
FUR_API fur_status fur_norm2(const fur_vector *x, double *out);

/* max_i |x_i|; NaN if any entry is NaN. */
FUR_API fur_status fur_norm_max(const fur_vector *x, double *out);

/* y_i = alpha x_i + y_i as fur_axpby computes it, and the norm 2 of the new y in the same pass,
 * which moves three vectors instead of four. */
FUR_API fur_status fur_axpy_norm2(fur_scalar alpha, const fur_vector *x, fur_vector *y,
                                  double *norm);

#ifdef __cplusplus
}
#endif
#endif
