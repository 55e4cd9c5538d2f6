/* Orders of rows and columns that bring a matrix's entries to its diagonal.
 *
 * A method works on the graph of A: n vertices, an edge between i and j != i where A(i, j) or
 * A(j, i) is stored; values do not matter. The order is the same on every device, for any
 * number of threads. Methods:
 *
 *   rcm          reverse Cuthill-McKee (Cuthill and McKee 1969; George 1971), each component from
 *                the best of some pseudo-peripheral starts (George and Liu 1979)
 *   cm           the same, not reversed: the same bandwidth, usually a larger profile
 *   rcm-quality  many more starts, and relaxation; a smaller bandwidth in some 20 times the time
 *   sloan        a small profile and wavefront, for envelope and frontal solvers (Sloan 1986); not
 *                for a small bandwidth
 *
 * docs/reordering.md has the rules in full. */
#ifndef FURROW_REORDER_H
#define FURROW_REORDER_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/csr.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Method 0, 1, 2 ...; NULL past the last. */
FUR_API const fur_method_info *fur_reorder_method_at(int index);

typedef struct fur_reorder_options {
    size_t size; /* sizeof(fur_reorder_options) */
    /* 0: a component stays in the input's order if the method finds no smaller bandwidth (sloan:
     * profile) than that of the whole input, so that the result is never worse than the input.
     * 1: always the method's own order. */
    int allow_worse;
} fur_reorder_options;

typedef struct fur_reorder_report {
    size_t size; /* sizeof(fur_reorder_report) */
    int64_t components;
    int64_t components_kept; /* in the input's order */
    int64_t bandwidth_before;
    int64_t bandwidth_after;
    double seconds;
} fur_reorder_report;

/* An order for the rows and columns of square A: fur_csr_permute(a, p, p) applies it. method NULL
 * is "rcm"; report may be NULL. O(entries log(largest degree) + n) time for rcm and cm, for any
 * number of components. FUR_INVALID if A is not square, FUR_UNSUPPORTED for an unknown method.
 */
FUR_API fur_status fur_reorder(const fur_csr *a, const char *method,
                               const fur_reorder_options *options, fur_reorder_report *report,
                               fur_permutation **out);

/* Figures of an order, of the pattern of A + A^T with a full diagonal: f_i is the first column of
 * row i, the wavefront of row i the rows j >= i with f_j <= i. */
typedef struct fur_order_figures {
    size_t size;           /* sizeof(fur_order_figures) */
    int64_t bandwidth;     /* max i - f_i */
    int64_t profile;       /* sum i - f_i */
    int64_t wavefront_max; /* largest wavefront */
    double wavefront_rms;  /* root of the mean of their squares */
} fur_order_figures;

/* The figures of square A in this order; order NULL: as it is. */
FUR_API fur_status fur_order_measure(const fur_csr *a, const fur_permutation *order,
                                     fur_order_figures *out);

/* A permutation of 0 .. n-1 and its inverse: order[i] is what comes to place i, position[j] is
 * where j goes, position[order[i]] = i. It never changes and is always a bijection, which
 * fur_permutation_create checks. */

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
