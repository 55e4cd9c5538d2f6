/* Small operations on sparse matrices: sums, parts, blocks, Kronecker products, norms.
 *
 * Operands of one call have the same context and value type, or the call returns FUR_INVALID. A
 * result is a new matrix with sorted rows and int32 offsets, or int64 ones if it has 2^31 entries
 * or more, with the same bits for any number of threads. A result that would have more than 2^31-1
 * rows or columns, or 2^63 entries, is FUR_OVERFLOW before memory is touched. Entries that come out
 * as zero stay stored; fur_csr_drop takes them away. Time and memory are proportional to what a
 * call reads and writes, unless said otherwise. Kept duplicates (fur_duplicates) are taken one by
 * one: where two matrices meet, the first of a position with the first and so on; a norm adds up
 * their moduli.
 *
 * Products with diagonal matrices are fur_csr_scale, transposes and permutations are in csr.h. In a
 * CUDA context all of them work on the device, with the same bits; each waits for the number of the
 * result's entries, which takes 8 bytes a row meanwhile. */
#ifndef FURROW_ALGEBRA_H
#define FURROW_ALGEBRA_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C = alpha A + beta B: C(i, j) is stored where A(i, j) or B(i, j) is, and is
 *
 *     fma(alpha, a, beta b)   where both are
 *     alpha a, or beta b      where one is
 *
 * with beta b rounded first; a coefficient 1 multiplies nothing. FUR_INVALID unless A and B have
 * the same shape. */
FUR_API fur_status fur_csr_add(const fur_csr *a, fur_scalar alpha, const fur_csr *b,
                               fur_scalar beta, fur_csr **out);

/* B = A - shift I. The whole diagonal is stored: a_ii - shift, or -shift where A has no entry.
 * FUR_INVALID unless A is square. */
FUR_API fur_status fur_csr_shift(const fur_csr *a, fur_scalar shift, fur_csr **out);

/* C(i, j) = A(i, j) B(i, j), stored where both are. FUR_INVALID unless A and B have the same shape.
 */
FUR_API fur_status fur_csr_multiply_elementwise(const fur_csr *a, const fur_csr *b, fur_csr **out);

/* C = A (x) B, the Kronecker product: with B of p rows and q columns
 *     C(i p + k, j q + l) = A(i, j) B(k, l). */
FUR_API fur_status fur_csr_kron(const fur_csr *a, const fur_csr *b, fur_csr **out);

/* The square matrix with d on its diagonal, zeros among it stored: the reverse of fur_csr_diagonal.
 */
FUR_API fur_status fur_csr_from_diagonal(const fur_vector *d, fur_csr **out);

/* The entries of A on the diagonals lowest <= j - i <= highest, in a matrix of A's shape: the lower
 * triangle with (INT64_MIN, 0), the strict one with (INT64_MIN, -1), the upper ones with (0,
 * INT64_MAX) and (1, INT64_MAX), the diagonal with (0, 0). Nothing if lowest > highest. */
FUR_API fur_status fur_csr_band(const fur_csr *a, int64_t lowest, int64_t highest, fur_csr **out);

/* B(i, j) = A(row_begin + i, col_begin + j), with row_end - row_begin rows and col_end - col_begin
 * columns. FUR_INVALID unless both ranges lie in A. */
FUR_API fur_status fur_csr_submatrix(const fur_csr *a, int64_t row_begin, int64_t row_end,
                                     int64_t col_begin, int64_t col_end, fur_csr **out);

/* B(i, j) = A(rows[i], cols[j]) for i < row_count, j < col_count: numbers in any order, also
 * several times. NULL takes all of A's rows or columns, and its count is ignored. Both lists lie on
 * the host. Takes memory for A's columns and, unless cols rises, a copy of B meanwhile.
 * FUR_INVALID, and the place in the list, for a number out of range. */
FUR_API fur_status fur_csr_select(const fur_csr *a, int64_t row_count, const int32_t *rows,
                                  int64_t col_count, const int32_t *cols, fur_csr **out);

/* The matrix of a grid of blocks, where blocks[r * block_cols + c] stands in block row r and block
 * column c; NULL is a block of zeros. Block rows have the height of their blocks, block columns
 * their width. FUR_INVALID where two differ, and for a block row or column of NULLs alone, whose
 * size nobody knows. */
FUR_API fur_status fur_csr_from_blocks(int64_t block_rows, int64_t block_cols,
                                       const fur_csr *const *blocks, fur_csr **out);

/* The entries of A whose modulus is above the tolerance, and those that are NaN, in a matrix of A's
 * shape. Tolerance 0 takes away stored zeros. FUR_INVALID for a tolerance that is negative or NaN.
 */
FUR_API fur_status fur_csr_drop(const fur_csr *a, double tolerance, fur_csr **out);

/* A norm, in double precision for every value type; NaN if an entry is, 0 without entries. The
 * moduli of a row, or of a column, are added in the order of docs/numerics.md.
 *
 *   FUR_NORM_1           max_j sum_i |A(i, j)|; takes 24 bytes a column meanwhile, in a CUDA
 *                        context a transpose
 *   FUR_NORM_INF         max_i sum_j |A(i, j)|
 *   FUR_NORM_MAX         max |A(i, j)|, the fur_norm_max of the values
 *   FUR_NORM_FROBENIUS   sqrt(sum |A(i, j)|^2), the fur_norm2 of the values
 *
 * FUR_UNSUPPORTED for FUR_NORM_2. */
FUR_API fur_status fur_csr_norm(const fur_csr *a, fur_norm norm, double *out);

/* How far two matrices are apart. */
typedef struct fur_csr_difference {
    size_t size;    /* sizeof(fur_csr_difference) */
    int64_t beyond; /* positions at which they differ by more than the tolerance; 0: they agree */
    double largest; /* max |A(i, j) - B(i, j)|, NaN if one is */
    int64_t row;    /* where that is, first in the order of rows; counting from 0. This and what
                       follows is 0 if nothing differs */
    int64_t col;
    fur_scalar a; /* A(row, col), 0 if it is not stored */
    fur_scalar b;
} fur_csr_difference;

/* Compares A with B, position by position: they agree where
 *     |a - b| <= atol + rtol |b|
 * in double precision, with 0 for what is not stored. Equal infinities agree, and so do two NaN; an
 * infinity and a NaN agree with nothing else. FUR_INVALID unless A and B have the same shape, and
 * for a tolerance that is negative or NaN. */
FUR_API fur_status fur_csr_compare_within(const fur_csr *a, const fur_csr *b, double rtol,
                                          double atol, fur_csr_difference *out);

#ifdef __cplusplus
}
#endif
#endif
