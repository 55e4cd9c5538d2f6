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

/* One thread's at a time, as its context is. Keeps its entries, unless it borrows them. */
typedef struct fur_vector fur_vector;

/* A vector of `size` zeros. */
FUR_API fur_status fur_vector_create(fur_context *context, fur_value_type value, int64_t size,
                                     fur_vector **out);

/* A vector over `size` entries at data: copied, borrowed or adopted. A borrowed vector is written
 * to by operations that have it as their result. In a CUDA context data may be copied from either
 * side, must be device memory to be borrowed, and is moved to the device when adopted. */
FUR_API fur_status fur_vector_wrap(fur_context *context, fur_value_type value, int64_t size,
                                   void *data, fur_ownership ownership, fur_vector **out);

FUR_API void fur_vector_destroy(fur_vector *vector);

FUR_API fur_context *fur_vector_context(const fur_vector *vector);
FUR_API fur_value_type fur_vector_value_type(const fur_vector *vector);
FUR_API int64_t fur_vector_size(const fur_vector *vector);

/* The entries where the context's device has them, for reading and writing in place; valid as long
 * as the vector. NULL if size is 0. */
FUR_API void *fur_vector_data(fur_vector *vector);
FUR_API const void *fur_vector_const_data(const fur_vector *vector);

/* Copies `size` entries between a vector and the caller's array, which may lie on either side; from
 * or to device memory in the order of the context's work.
 * Pinned memory (cudaMallocHost) goes at the full rate of the bus. */
FUR_API fur_status fur_vector_upload(const void *entries, fur_vector *x);
FUR_API fur_status fur_vector_download(const fur_vector *x, void *entries);

/* The same without waiting, in the order of the context's work: entries must be pinned or device
 * memory, or the call returns FUR_INVALID, and belong to the copy until fur_context_synchronize. On
 * the CPU any memory will do and the copy is done on return. */
FUR_API fur_status fur_vector_upload_async(const void *entries, fur_vector *x);
FUR_API fur_status fur_vector_download_async(const fur_vector *x, void *entries);

/* x_i = value */
FUR_API fur_status fur_vector_fill(fur_vector *x, fur_scalar value);

/* y_i = x_i, of the same value type; any overlap of the two is allowed. The two may belong to
 * different contexts: this is how a vector moves between devices. */
FUR_API fur_status fur_vector_copy(const fur_vector *x, fur_vector *y);

/* A new vector with x's entries in another value type: rounded to nearest; a real becomes a
 * complex with imaginary part 0. FUR_INVALID if complex entries would lose an imaginary part
 * that is not zero. In a CUDA context the entries go by way of the host. */
FUR_API fur_status fur_vector_convert(const fur_vector *x, fur_value_type value, fur_vector **out);

/* y_i = alpha x_i + beta y_i, computed as fma(alpha, x_i, beta y_i); beta = 0 overwrites y, so
 * that NaN in y does not survive; beta = 1 adds y as it is; complex: the real products in the order
 * of docs/numerics.md. */
FUR_API fur_status fur_axpby(fur_scalar alpha, const fur_vector *x, fur_scalar beta, fur_vector *y);

/* x_i = alpha x_i, each product rounded once: as fur_axpby of x with itself and beta = 0. alpha = 0
 * keeps NaN and makes infinity one. */
FUR_API fur_status fur_vector_scale(fur_vector *x, fur_scalar alpha);

/* z_i = x_i y_i; z may be x or y. */
FUR_API fur_status fur_multiply_elementwise(const fur_vector *x, const fur_vector *y,
                                            fur_vector *z);

#ifdef __cplusplus
}
#endif
#endif
