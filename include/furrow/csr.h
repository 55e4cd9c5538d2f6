/* A sparse matrix in compressed sparse row form.
 *
 * Row i has its entries at positions offsets[i] .. offsets[i+1]-1 of columns and values, with
 * offsets[0] = 0 and offsets[rows] = entries. Within a row columns increase strictly: sorted, no
 * duplicates (unless they were kept on purpose, see fur_duplicates). rows and cols are at most
 * 2^31-1; offsets are int32 or int64.
 *
 * The pattern of a matrix never changes; its values can be replaced (fur_csr_set_values). Every
 * operation that returns a matrix makes a new one with values of its own, which later changes of
 * the old one do not reach. In a CUDA context fur_csr_from_coo, convert, compare, scale, eliminate
 * and find_asymmetry move their operands to the host; the others work on the device. */
#ifndef FURROW_CSR_H
#define FURROW_CSR_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by one thread at a time, as its context. Matrices of other contexts, in other threads, may
 * borrow its arrays as long as nobody changes the values. Keeps the arrays that it does not borrow.
 */
typedef struct fur_csr fur_csr;

/* Defined in furrow/reorder.h. */
typedef struct fur_permutation fur_permutation;

/* The plain arrays of a matrix. */
typedef struct fur_csr_view {
    size_t size; /* sizeof(fur_csr_view) */
    int64_t rows;
    int64_t cols;
    int64_t entries;
    fur_value_type value_type;
    fur_offset_type offset_type;
    const void *offsets;    /* rows + 1 of int32_t or int64_t */
    const int32_t *columns; /* entries */
    const void *values;     /* entries of the value type */
} fur_csr_view;

/* A matrix over the caller's arrays: copied, borrowed or adopted. The arrays are checked as by
 * fur_csr_check, which reads offsets and columns once. On failure adopted arrays still belong to
 * the caller. In a CUDA context all arrays lie on the host or all on the device: either can be
 * copied, only device memory can be borrowed, and adopted host arrays are moved to the device. */
FUR_API fur_status fur_csr_create(fur_context *context, const fur_csr_view *arrays,
                                  fur_ownership ownership, fur_csr **out);

/* Destroys a matrix. Plans made from it refuse to multiply from then on. */
FUR_API void fur_csr_destroy(fur_csr *matrix);

/* A copy of the matrix in another context, or in its own. On failure the sentence is in the
 * matrix's context. */
FUR_API fur_status fur_csr_transfer(const fur_csr *a, fur_context *context, fur_csr **out);

/* The matrix's arrays, in the memory of the context's device, as long as the matrix lives. New
 * values that are borrowed or adopted change the pointer `values`. For NULL all zero. */
FUR_API const fur_csr_view *fur_csr_get(const fur_csr *matrix);

/* New values for the same pattern: one for each entry, in the order of the columns, copied into the
 * matrix's own array, borrowed or adopted as by fur_csr_create. Every object made from the matrix
 * takes them over before the call returns, without another analysis and without allocating: plans
 * and their operators, Jacobi's preconditioner, permuted operators, recognised stencils
 * (furrow/author/recognised.h has their cost), and so the solvers that use them. An object that
 * cannot take them over, such as Jacobi's preconditioner with a zero on the diagonal, refuses to be
 * used, FUR_INVALID with the reason, until values suit it; it never works with the old ones. A plan
 * that reads the matrix's own arrays takes no time, one with kernel "sell" about that of a product,
 * one for A^T that of some products (docs/results/values.md).
 *
 * In a CUDA context all of this is queued in order on the context's stream; only Jacobi's
 * preconditioner and recognised stencils wait, to see whether the values suit them. Copied values
 * keep their address: a captured graph multiplies by the new ones. Borrowed and adopted values have
 * a new address: capture the graph again. (So does the first copy into a matrix that has borrowed
 * its values, because it then gets an array of its own.) The caller may free the array borrowed
 * before as soon as the work queued so far is done.
 *
 * FUR_INVALID without values, or for the matrix's own array unless it is copied; the matrix and the
 * objects made from it then stay as they were. */
FUR_API fur_status fur_csr_set_values(fur_csr *a, const void *values, fur_ownership ownership);

/* The same for values that the caller has changed in place, in the array that the matrix borrows
 * (or in its own, on the context's stream). Until this call a product may use old values, new ones,
 * or both: some kernels read the matrix and others a copy. */
FUR_API void fur_csr_values_changed(fur_csr *a);

/* A(i, j) := (r_i c_j) A(i, j), that is A := D_r A D_c with diagonal matrices of r, as long as A
 * has rows, and c, as long as it has columns. NULL for r or c leaves that side as it is. Both
 * products are rounded, r_i c_j first, so that a symmetric matrix stays symmetric if one real
 * vector scales both sides. Kept duplicates are scaled one by one. The pattern stays, and objects
 * made from A take over the new values as after fur_csr_set_values. Borrowed values are not written
 * to: the matrix gets an array of its own. FUR_INVALID unless the vectors have A's context, value
 * type and sizes. */
FUR_API fur_status fur_csr_scale(fur_csr *a, const fur_vector *r, const fur_vector *c);

/* Takes `count` known unknowns out of A x = b, as Dirichlet conditions x_d = g_d, for square A: for
 * every d in unknowns
 *
 *     b_i := b_i - A(i, d) x_d   for every other row i, by fma, d rising along the row
 *     A(i, d) := A(d, i) := 0    for i != d, still stored
 *     A(d, d) := diagonal,  b_d := diagonal x_d
 *
 * so that the solution has x_d there, and a symmetric A stays symmetric. x is as long as b, and
 * only its entries x_d are read. b may be NULL, and then x too: only A changes. A number may occur
 * twice. diagonal, such as fur_real(1), is best of the magnitude of A's own. unknowns lies on the
 * host and counts from 0. Values change as by fur_csr_scale.
 *
 * FUR_INVALID, and nothing has changed, for a number out of range (names it), for a row d without
 * an entry on the diagonal (the pattern stays: store a zero there), and unless x and b have A's
 * context, value type and size and do not overlap. Takes a byte of memory a row meanwhile. */
FUR_API fur_status fur_csr_eliminate(fur_csr *a, int64_t count, const int32_t *unknowns,
                                     fur_scalar diagonal, const fur_vector *x, fur_vector *b);

/* What fur_csr_from_coo does with several entries at one position. */
typedef enum fur_duplicates {
    FUR_DUPLICATES_SUM = 0, /* adds them in the order given */
    FUR_DUPLICATES_LAST,    /* keeps the last one given */
    FUR_DUPLICATES_ERROR,   /* FUR_INVALID, names the first position in row order */
    FUR_DUPLICATES_KEEP /* keeps all: products add them up; fur_csr_check refuses such a matrix */
} fur_duplicates;

/* Coordinate form: entry k is values[k] at (row_indices[k], col_indices[k]), in any order. */
typedef struct fur_coo_view {
    size_t size; /* sizeof(fur_coo_view) */
    int64_t rows;
    int64_t cols;
    int64_t entries;
    fur_value_type value_type;
    const int32_t *row_indices;
    const int32_t *col_indices;
    const void *values;
} fur_coo_view;

/* The matrix of a coordinate list. Offsets are int32 when the entries fit, else int64. Entries that
 * are zero are kept. O(entries + rows + cols) time. FUR_INVALID for an index out of range, naming
 * the entry. */
FUR_API fur_status fur_csr_from_coo(fur_context *context, const fur_coo_view *coo,
                                    fur_duplicates duplicates, fur_csr **out);

/* A^T, or A^H with conjugated values. */
FUR_API fur_status fur_csr_transpose(const fur_csr *a, int conjugate, fur_csr **out);

/* B(i, j) = A(row_order[i], col_order[j]): row i of B is row row_order[i] of A. NULL leaves rows or
 * columns in their order. Kept duplicates stay in their order. FUR_INVALID unless the orders belong
 * to A's context and have A's number of rows and columns. O(entries + rows) time. */
FUR_API fur_status fur_csr_permute(const fur_csr *a, const fur_permutation *row_order,
                                   const fur_permutation *col_order, fur_csr **out);

/* d_i = A(i, i), 0 where no entry is stored; size min(rows, cols). */
FUR_API fur_status fur_csr_diagonal(const fur_csr *a, fur_vector **out);

/* *out = A(row, col), counting from 0: 0 where no entry is stored, the sum of kept duplicates in
 * their order. O(log(length of the row)) time; on a GPU the row is copied to the host.
 * FUR_INVALID for a position outside A. */
FUR_API fur_status fur_csr_entry(const fur_csr *a, int64_t row, int64_t col, fur_scalar *out);

/* A with another value type (rounded as by fur_vector_convert) and offset width. FUR_OVERFLOW if
 * int32 offsets cannot hold the entries. */
FUR_API fur_status fur_csr_convert(const fur_csr *a, fur_value_type value, fur_offset_type offset,
                                   fur_csr **out);

/* *equal = 1 if a and b have the same shape, value type, pattern and the same bits in every value
 * (offset widths may differ), else 0. */
FUR_API fur_status fur_csr_compare(const fur_csr *a, const fur_csr *b, int *equal);

/* Symmetries of a square matrix. */
typedef enum fur_symmetry {
    FUR_SYMMETRY_PATTERN = 0, /* A(j, i) is stored where A(i, j) is; values do not matter */
    FUR_SYMMETRY_SYMMETRIC,   /* and A = A^T */
    FUR_SYMMETRY_HERMITIAN,   /* and A = A^H: a real matrix is symmetric */
    FUR_SYMMETRY_SKEW         /* and A = -A^T: entries stored on the diagonal are 0 */
} fur_symmetry;

/* The first pair of entries that breaks a symmetry. */
typedef struct fur_csr_asymmetry {
    size_t size; /* sizeof(fur_csr_asymmetry) */
    int found;   /* 0: no pair does, and all other members are 0 */
    int64_t row; /* A(row, col) is stored; counting from 0 */
    int64_t col;
    int alone;           /* 1: A(col, row) is not stored */
    fur_scalar entry;    /* A(row, col) */
    fur_scalar opposite; /* A(col, row), 0 if it is not stored */
} fur_csr_asymmetry;

/* Finds the first pair of entries that breaks the symmetry: compares rows with those of the
 * transpose, in order and from left to right, and values without tolerance. 0 and -0 are equal, and
 * so are two NaN. Kept duplicates are compared in their order. O(entries + rows) time; takes the
 * memory of the transpose meanwhile. FUR_INVALID unless A is square. */
FUR_API fur_status fur_csr_find_asymmetry(const fur_csr *a, fur_symmetry symmetry,
                                          fur_csr_asymmetry *out);

/* Figures of the pattern. */
typedef struct fur_csr_statistics {
    size_t size;        /* sizeof(fur_csr_statistics) */
    int64_t row_min;    /* entries of the shortest row; 0 without rows */
    int64_t row_max;    /* entries of the longest row */
    double row_mean;    /* entries / rows; 0 without rows */
    int64_t empty_rows; /* rows without entries */
    int64_t bandwidth;  /* max |i - j| over the entries; 0 for a diagonal or empty matrix */
    int64_t profile;    /* sum over rows of i - min(i, first column of row i) */
} fur_csr_statistics;

/* Reads offsets and the first and last column of each row. */
FUR_API fur_status fur_csr_measure(const fur_csr *a, fur_csr_statistics *out);

#ifdef __cplusplus
}
#endif
#endif
