/* Small operations on sparse matrices: sums, parts, blocks, Kronecker products, norms.
 *
 *     fur_csr_add(a, fur_real(1), b, fur_real(-1), &c);          C = A - B
 *     fur_csr_band(a, INT64_MIN, 0, &lower);                     the lower triangle of A
 *
 * Operands of one call have the same context and value type; otherwise the call returns
 * FUR_INVALID. A result is a new matrix with sorted rows, which the caller destroys. It has int32
 * offsets, or int64 offsets from 2^31 entries on, and the same bits for any number of threads.
 * FUR_OVERFLOW if the result would have more than 2^31-1 rows or columns, or 2^63 entries; nothing
 * is allocated then. Entries that become zero stay stored; fur_csr_drop removes them. Time and
 * memory are proportional to the data that a call reads and writes, unless stated. Kept duplicates
 * (fur_duplicates) are used one by one. If both matrices have duplicates at a position, the first
 * is combined with the first, and so on. A norm adds up their moduli.
 *
 * Products with diagonal matrices are fur_csr_scale. Transposes and permutations are in csr.h. In a
 * CUDA context all functions work on the device, with the same bits. Each waits for the number of
 * entries of the result, which takes 8 bytes a row meanwhile. */
#ifndef FURROW_ALGEBRA_H
#define FURROW_ALGEBRA_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes C = alpha A + beta B.
 *
 * C(i, j) is stored if A(i, j) or B(i, j) is stored. It is
 *
 *     fma(alpha, a, beta b)   if both are stored, with beta b rounded first
 *     alpha a, or beta b      if one is stored
 *
 * A coefficient of 1 multiplies nothing.
 *
 * Errors: FUR_INVALID if A and B differ in shape. */
FUR_API fur_status fur_csr_add(const fur_csr *a, fur_scalar alpha, const fur_csr *b,
                               fur_scalar beta, fur_csr **out);

/* Makes B = A - shift I. The whole diagonal of B is stored.
 *
 * B(i, i) is a_ii - shift, or -shift if A has no entry there.
 *
 * Errors: FUR_INVALID if A is not square. */
FUR_API fur_status fur_csr_shift(const fur_csr *a, fur_scalar shift, fur_csr **out);

/* Makes C(i, j) = A(i, j) B(i, j), stored if both entries are stored.
 *
 * Errors: FUR_INVALID if A and B differ in shape. */
FUR_API fur_status fur_csr_multiply_elementwise(const fur_csr *a, const fur_csr *b, fur_csr **out);

/* Makes the Kronecker product C = A (x) B.
 *
 * With B of p rows and q columns,
 *
 *     C(i p + k, j q + l) = A(i, j) B(k, l). */
FUR_API fur_status fur_csr_kron(const fur_csr *a, const fur_csr *b, fur_csr **out);

/* Makes the square matrix with d on its diagonal; zeros of d are stored.
 *
 * It reverses fur_csr_diagonal. */
FUR_API fur_status fur_csr_from_diagonal(const fur_vector *d, fur_csr **out);

/* Makes the matrix of A's entries on the diagonals lowest <= j - i <= highest.
 *
 * It has A's shape. Examples: the lower triangle (INT64_MIN, 0), the strict lower triangle
 * (INT64_MIN, -1), the upper triangle (0, INT64_MAX), the strict upper triangle (1, INT64_MAX), the
 * diagonal (0, 0). If lowest > highest, the matrix has no entries. */
FUR_API fur_status fur_csr_band(const fur_csr *a, int64_t lowest, int64_t highest, fur_csr **out);

/* Makes B(i, j) = A(row_begin + i, col_begin + j).
 *
 * B has row_end - row_begin rows and col_end - col_begin columns.
 *
 * Errors: FUR_INVALID if a range does not lie in A. */
FUR_API fur_status fur_csr_submatrix(const fur_csr *a, int64_t row_begin, int64_t row_end,
                                     int64_t col_begin, int64_t col_end, fur_csr **out);

/* Makes B(i, j) = A(rows[i], cols[j]) for i < row_count, j < col_count.
 *
 * - rows, cols: numbers on the host, in any order; a number may occur several times. NULL: all rows
 *   or columns of A; the count is then ignored.
 *
 * Allocates memory for A's columns meanwhile, and a copy of B unless `cols` rises.
 *
 * Errors: FUR_INVALID if a number is out of range (the sentence names its place in the list), or if
 * a count is negative. */
FUR_API fur_status fur_csr_select(const fur_csr *a, int64_t row_count, const int32_t *rows,
                                  int64_t col_count, const int32_t *cols, fur_csr **out);

/* Makes the matrix of a grid of blocks.
 *
 * - blocks: blocks[r * block_cols + c] is in block row r and block column c. NULL is a block of
 *   zeros.
 *
 * Block rows have the height of their blocks, and block columns their width.
 *
 * Errors: FUR_INVALID if two heights or widths differ, or if a block row or column has only NULLs,
 * because its size is then unknown. */
FUR_API fur_status fur_csr_from_blocks(int64_t block_rows, int64_t block_cols,
                                       const fur_csr *const *blocks, fur_csr **out);

/* Copies A without the entries whose modulus is at most `tolerance`.
 *
 * NaN stays. The result has A's shape. Tolerance 0 drops stored zeros.
 *
 * Errors: FUR_INVALID if the tolerance is negative or NaN. */
FUR_API fur_status fur_csr_drop(const fur_csr *a, double tolerance, fur_csr **out);

/* Stores a norm of A in *out, in double precision for every value type.
 *
 * It is NaN if an entry is NaN, and 0 if A has no entries. The moduli of a row, or of a column, are
 * added in the order of docs/numerics.md.
 *
 *   FUR_NORM_1           max_j sum_i |A(i, j)|; allocates 24 bytes a column meanwhile, in a CUDA
 *                        context a transpose
 *   FUR_NORM_INF         max_i sum_j |A(i, j)|
 *   FUR_NORM_MAX         max |A(i, j)|, the fur_norm_max of the values
 *   FUR_NORM_FROBENIUS   sqrt(sum |A(i, j)|^2), the fur_norm2 of the values
 *
 * Errors: FUR_UNSUPPORTED for FUR_NORM_2. */
FUR_API fur_status fur_csr_norm(const fur_csr *a, fur_norm norm, double *out);

/* Difference of two matrices. */
typedef struct fur_csr_difference {
    size_t size;    /* sizeof(fur_csr_difference) */
    int64_t beyond; /* positions at which they differ by more than the tolerance; 0: they agree */
    double largest; /* max |A(i, j) - B(i, j)|; NaN if a difference is NaN */
    /* Position of the largest difference, the first in the order of rows, counting from 0. This and
     * the next members are 0 if nothing differs. */
    int64_t row;
    int64_t col;  /* column of this position */
    fur_scalar a; /* A(row, col), 0 if it is not stored */
    fur_scalar b; /* B(row, col), 0 if it is not stored */
} fur_csr_difference;

/* Compares A with B, position by position, with a tolerance.
 *
 * Two entries agree if
 *
 *     |a - b| <= atol + rtol |b|
 *
 * in double precision, where an entry that is not stored is 0. Equal infinities agree, and so do
 * two NaN. Otherwise infinity and NaN agree with nothing.
 *
 * Errors: FUR_INVALID if A and B differ in shape, or if a tolerance is negative or NaN. */
FUR_API fur_status fur_csr_compare_within(const fur_csr *a, const fur_csr *b, double rtol,
                                          double atol, fur_csr_difference *out);

#ifdef __cplusplus
}
#endif
#endif
