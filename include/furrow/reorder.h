/* Orders of rows and columns that move a matrix's entries towards its diagonal.
 *
 *     fur_reorder(a, "rcm", NULL, NULL, &p);
 *     fur_csr_permute(a, p, p, &b);
 *
 * A method works on the graph of A: n vertices, and an edge between i and j != i if A(i, j) or A(j,
 * i) is stored. Values are ignored. The order is the same on every device, for any number of
 * threads. Methods:
 *
 *   rcm          reverse Cuthill-McKee (Cuthill and McKee 1969; George 1971), each component from
 *                the best of some pseudo-peripheral starts (George and Liu 1979)
 *   cm           as rcm, but not reversed: the same bandwidth, usually a larger profile
 *   rcm-quality  many more starts, and relaxation; a smaller bandwidth in about 20 times the time
 *   sloan        a small profile and wavefront, for envelope and frontal solvers (Sloan 1986); not
 *                for a small bandwidth
 *
 * docs/reordering.md has the complete rules. */
#ifndef FURROW_REORDER_H
#define FURROW_REORDER_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/csr.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns method 0, 1, 2, ...; NULL after the last. */
FUR_API const fur_method_info *fur_reorder_method_at(int index);

/* Options of fur_reorder. */
typedef struct fur_reorder_options {
    size_t size; /* sizeof(fur_reorder_options) */
    /* 0: a component keeps the input's order if the method finds no smaller bandwidth (sloan:
     * profile) than the whole input has. So the result is never worse than the input. 1: always the
     * method's order. Default 0 */
    int allow_worse;
} fur_reorder_options;

/* Report of fur_reorder. */
typedef struct fur_reorder_report {
    size_t size;              /* sizeof(fur_reorder_report) */
    int64_t components;       /* connected components of the graph */
    int64_t components_kept;  /* components that keep the input's order */
    int64_t bandwidth_before; /* bandwidth of A */
    int64_t bandwidth_after;  /* bandwidth in the new order */
    double seconds;           /* duration of the call */
} fur_reorder_report;

/* Finds an order for the rows and columns of a square matrix.
 *
 * - method: a method of fur_reorder_method_at. NULL means "rcm".
 * - options: NULL means all defaults.
 * - report: NULL, or filled.
 * - out: the order, which fur_csr_permute(a, p, p) applies. The caller destroys it.
 *
 * The time of rcm and cm is O(entries log(largest degree) + n), for any number of components.
 *
 * Errors: FUR_INVALID if A is not square. FUR_UNSUPPORTED if the method is unknown. */
FUR_API fur_status fur_reorder(const fur_csr *a, const char *method,
                               const fur_reorder_options *options, fur_reorder_report *report,
                               fur_permutation **out);

/* Figures of an order, for the pattern of A + A^T with a full diagonal.
 *
 * f_i is the first column of row i. The wavefront of row i is the number of rows j >= i with f_j <=
 * i. */
typedef struct fur_order_figures {
    size_t size;           /* sizeof(fur_order_figures) */
    int64_t bandwidth;     /* max i - f_i */
    int64_t profile;       /* sum i - f_i */
    int64_t wavefront_max; /* largest wavefront */
    double wavefront_rms;  /* root of the mean of their squares */
} fur_order_figures;

/* Computes the figures of a square matrix in an order.
 *
 * - order: NULL means the order of A.
 *
 * Errors: FUR_INVALID if A is not square, or the order has another context or size. */
FUR_API fur_status fur_order_measure(const fur_csr *a, const fur_permutation *order,
                                     fur_order_figures *out);

/* A permutation of 0 .. n-1 and its inverse.
 *
 * order[i] is the number that moves to place i. position[j] is the place of number j:
 * position[order[i]] = i. A permutation never changes. It is always a bijection, which
 * fur_permutation_create checks. */

/* A permutation. Use it in one thread at a time, as its context.
 *
 * It owns both arrays, 8 bytes a number. */
typedef struct fur_permutation fur_permutation;

/* Makes a permutation of `size` numbers. The caller destroys *out.
 *
 * - order: `size` numbers, which are copied. NULL is the identity. In a CUDA context they may lie
 *   on the host or on the device.
 *
 * Errors: FUR_INVALID if a number is out of range or occurs twice; the sentence names its place.
 * FUR_OVERFLOW if `size` exceeds 2^31-1. */
FUR_API fur_status fur_permutation_create(fur_context *context, int64_t size, const int32_t *order,
                                          fur_permutation **out);

/* Destroys a permutation; NULL does nothing. */
FUR_API void fur_permutation_destroy(fur_permutation *permutation);

/* Copies a permutation into another context, or into its own.
 *
 * The caller destroys *out. */
FUR_API fur_status fur_permutation_transfer(const fur_permutation *permutation,
                                            fur_context *context, fur_permutation **out);

/* Returns the number of permuted numbers, n. */
FUR_API int64_t fur_permutation_size(const fur_permutation *permutation);

/* Returns the array `order`, in the memory of the context's device.
 *
 * It is valid as long as the permutation. */
FUR_API const int32_t *fur_permutation_order(const fur_permutation *permutation);
/* Returns the array `position`, in the memory of the context's device.
 *
 * It is valid as long as the permutation. */
FUR_API const int32_t *fur_permutation_position(const fur_permutation *permutation);

/* Computes y[i] = x[order[i]]: into the permuted numbering.
 *
 * x and y must not overlap: FUR_INVALID. */
FUR_API fur_status fur_vector_permute(const fur_permutation *permutation, const fur_vector *x,
                                      fur_vector *y);

/* Computes y[order[i]] = x[i]: back to the original numbering, to the bit.
 *
 * x and y must not overlap: FUR_INVALID. */
FUR_API fur_status fur_vector_unpermute(const fur_permutation *permutation, const fur_vector *x,
                                        fur_vector *y);

#ifdef __cplusplus
}
#endif
#endif
