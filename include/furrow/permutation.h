/* A permutation of 0 .. n-1 and its inverse: order[i] is what comes to place i, position[j] is
 * where j goes, position[order[i]] = i. It never changes and is always a bijection, which
 * fur_permutation_create checks. */
#ifndef FURROW_PERMUTATION_H
#define FURROW_PERMUTATION_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by one thread at a time, as its context. Keeps both arrays, 8 bytes a number. */
typedef struct fur_permutation fur_permutation;

/* The permutation with this order of `size` numbers, which is copied; NULL is the identity. In a
 * CUDA context the order may lie on the host or on the device. FUR_INVALID, naming a place, for a
 * number that is out of range or occurs twice; FUR_OVERFLOW for a size beyond 2^31-1. */
FUR_API fur_status fur_permutation_create(fur_context *context, int64_t size, const int32_t *order,
                                          fur_permutation **out);

/* Destroys a permutation. */
FUR_API void fur_permutation_destroy(fur_permutation *permutation);

/* A copy in another context, or in its own. */
FUR_API fur_status fur_permutation_transfer(const fur_permutation *permutation,
                                            fur_context *context, fur_permutation **out);

/* The context of the permutation. */
FUR_API fur_context *fur_permutation_context(const fur_permutation *permutation);
/* n */
FUR_API int64_t fur_permutation_size(const fur_permutation *permutation);

/* The array `order`, in the memory of the context's device; valid as long as the permutation. */
FUR_API const int32_t *fur_permutation_order(const fur_permutation *permutation);
/* The array `position`, likewise. */
FUR_API const int32_t *fur_permutation_position(const fur_permutation *permutation);

/* y_i = x_order[i]: into the permuted numbering. x and y must not overlap. */
FUR_API fur_status fur_vector_permute(const fur_permutation *permutation, const fur_vector *x,
                                      fur_vector *y);

/* y_order[i] = x_i: back to the original numbering, to the bit. x and y must not overlap. */
FUR_API fur_status fur_vector_unpermute(const fur_permutation *permutation, const fur_vector *x,
                                        fur_vector *y);

#ifdef __cplusplus
}
#endif
#endif
