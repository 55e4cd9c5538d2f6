/* Products of two blocks of vectors at the entries of a sparse matrix, "sampled dense-dense"
 * (SDDMM):
 *
 *     C(i, j) = alpha sum_t X(i, t) conj(Y(j, t)) + beta A(i, j)     where A stores an entry
 *
 * for an m x n matrix A and blocks X of m and Y of n rows with as many columns: alpha X Y^H + beta
 * A on the pattern of A. Attention on graphs, the gradient of an SpMM by its matrix, and
 * factorisations of matrices that are known at some entries consist of it. X Y^H is never formed.
 *
 * The columns are added in eight lanes, which are folded in halves (docs/numerics.md). So an entry
 * has the same bits wherever it stands, for any layout, stride and number of threads, and on any
 * device. Of entries that A stores twice each counts for itself.
 *
 * Rows of X and Y are read side by side: blocks should be in row-major order. One in column-major
 * order is copied into rows meanwhile. The floor of bytes is offsets, columns and values of A, and
 * cols (m + n) entries of X and Y; Y comes from the caches where rows of A have columns in common.
 * Sources: Gale, Zaharia, Young and Elsen 2020 (Sputnik); Hong, Sukumaran-Rajam, Nisa, Singh and
 * Sadayappan 2019 (ASpT). */
#ifndef FURROW_SDDMM_H
#define FURROW_SDDMM_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/vectors.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C as a new matrix with arrays of its own and A's pattern. FUR_INVALID unless all have one context
 * and value type, X has rows(A) and Y cols(A) rows, and both as many columns. beta = 0 does not
 * read A's values: NaN there does not survive. X may be Y. */
FUR_API fur_status fur_sddmm_multiply(fur_scalar alpha, const fur_vectors *x, const fur_vectors *y,
                                      fur_scalar beta, const fur_csr *a, fur_csr **out);

/* The same in place: A's values are replaced as by fur_csr_set_values, and objects made from A take
 * over the new ones. Allocates nothing, unless a block is in column-major order, A has borrowed its
 * values (which are not written to), or the device has no kernel. On a GPU it only queues work. */
FUR_API fur_status fur_sddmm_apply(fur_scalar alpha, const fur_vectors *x, const fur_vectors *y,
                                   fur_scalar beta, fur_csr *a);

#ifdef __cplusplus
}
#endif
#endif
