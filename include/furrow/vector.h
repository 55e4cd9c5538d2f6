/* A vector of n entries of one value type, and the element-wise operations on vectors.
 *
 * Vectors in one call must have the same context, value type and size, or the call returns
 * FUR_INVALID. Real vectors ignore the imaginary part of coefficients. A result may be an operand,
 * or lie where that does, but not overlap it in part: FUR_INVALID. */
#ifndef FURROW_VECTOR_H
#define FURROW_VECTOR_H

#include <furrow/base.h>
#include <furrow/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by one thread at a time, as its context. Keeps its entries, unless it borrows them. */
typedef struct fur_vector fur_vector;

/* A vector of `size` zeros. */
FUR_API fur_status fur_vector_create(fur_context *context, fur_value_type value, int64_t size,
                                     fur_vector **out);

/* A vector over `size` entries at data: copied, borrowed or adopted. Operations write their results
 * to borrowed data in place. In a CUDA context data of the host or the device can be copied, only
 * device memory can be borrowed, and adopted host memory is moved to the device. */
FUR_API fur_status fur_vector_wrap(fur_context *context, fur_value_type value, int64_t size,
                                   void *data, fur_ownership ownership, fur_vector **out);

/* Destroys a vector. */
FUR_API void fur_vector_destroy(fur_vector *vector);

/* The context of the vector. */
FUR_API fur_context *fur_vector_context(const fur_vector *vector);
/* The type of its entries. */
FUR_API fur_value_type fur_vector_value_type(const fur_vector *vector);
/* The number of its entries. */
FUR_API int64_t fur_vector_size(const fur_vector *vector);

/* The entries in the memory of the context's device, to read and write in place; valid as long as
 * the vector. NULL if size is 0. */
FUR_API void *fur_vector_data(fur_vector *vector);
/* The same, to read only. */
FUR_API const void *fur_vector_const_data(const fur_vector *vector);

/* Copies the caller's `size` entries into a vector. In a CUDA context they may lie on the host or
 * on the device; a copy from the device is in the order of the context's work. Pinned memory
 * (cudaMallocHost) goes at the full rate of the bus. */
FUR_API fur_status fur_vector_upload(const void *entries, fur_vector *x);
/* Copies a vector's entries into the caller's array, in the same way. */
FUR_API fur_status fur_vector_download(const fur_vector *x, void *entries);

/* fur_vector_upload without waiting: the copy is queued in the order of the context's work. entries
 * must be pinned or device memory, else FUR_INVALID, and must not be touched until
 * fur_context_synchronize. On the CPU any memory will do, and the copy is done on return. */
FUR_API fur_status fur_vector_upload_async(const void *entries, fur_vector *x);
/* fur_vector_download without waiting, in the same way. */
FUR_API fur_status fur_vector_download_async(const fur_vector *x, void *entries);

/* x_i = value */
FUR_API fur_status fur_vector_fill(fur_vector *x, fur_scalar value);

/* y_i = x_i, of the same value type; any overlap of the two is allowed. The two may belong to
 * different contexts: this is how a vector moves between devices. */
FUR_API fur_status fur_vector_copy(const fur_vector *x, fur_vector *y);

/* A new vector with x's entries in another value type, rounded to nearest; a real entry becomes a
 * complex one with imaginary part 0. FUR_INVALID if a complex entry would lose an imaginary part
 * that is not zero. In a CUDA context the host converts the entries. */
FUR_API fur_status fur_vector_convert(const fur_vector *x, fur_value_type value, fur_vector **out);

/* y_i = alpha x_i + beta y_i, computed as fma(alpha, x_i, beta y_i). beta = 0 overwrites y, so that
 * NaN in y does not survive; beta = 1 adds y as it is. docs/numerics.md has the order of the real
 * products of complex entries. */
FUR_API fur_status fur_axpby(fur_scalar alpha, const fur_vector *x, fur_scalar beta, fur_vector *y);

/* y_i = y_i + sum_k alpha[k] x[k]_i for k < count, added in the order of k with the bits of as many
 * fur_axpby with beta = 1. y is read and written once for up to 32 of them. No x[k] may be y.
 * With count 0 the lists may be NULL. */
FUR_API fur_status fur_axpy_many(int count, const fur_scalar *alpha, const fur_vector *const *x,
                                 fur_vector *y);

/* x_i = alpha x_i, each product rounded once: fur_axpby of x with itself and beta = 0. alpha = 0
 * keeps NaN and turns infinity into NaN. */
FUR_API fur_status fur_vector_scale(fur_vector *x, fur_scalar alpha);

/* z_i = x_i y_i; z may be x or y. */
FUR_API fur_status fur_multiply_elementwise(const fur_vector *x, const fur_vector *y,
                                            fur_vector *z);

/* Reductions. All of them follow the summation tree of docs/numerics.md, in double precision also
 * for f32 and c64: the result has the same bits for any number of threads, instruction set,
 * compiler and optimisation level. Results for f32 and c64 are not rounded to single precision.
 * Each call reads its vectors once and waits for its result. Norm 2 reads them twice more if
 * squares overflow or underflow. Variants of furrow/author/scalars.h leave the result on the
 * device. Empty vectors give 0. */

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
