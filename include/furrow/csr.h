/* A sparse matrix in compressed sparse row (CSR) form.
 *
 *     fur_csr_create(context, &arrays, FUR_OWNERSHIP_COPY, &a);             from CSR arrays, or
 *     fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a);              from a coordinate list
 *     fur_csr_destroy(a);
 *
 * The entries of row i are at positions offsets[i] .. offsets[i+1]-1 of columns and values.
 * offsets[0] is 0 and offsets[rows] is the number of entries. Within a row the columns increase
 * strictly: they are sorted and have no duplicates. Only FUR_DUPLICATES_KEEP allows duplicates.
 * rows and cols are at most 2^31-1. Offsets are int32 or int64.
 *
 * The pattern of a matrix never changes. Its values can be replaced (fur_csr_set_values). Every
 * operation that returns a matrix makes a new one with values of its own. Later changes of the old
 * matrix do not reach the new one. In a CUDA context fur_csr_from_coo, convert, compare, scale,
 * eliminate and find_asymmetry move their operands to the host. The other functions work on the
 * device. */
#ifndef FURROW_CSR_H
#define FURROW_CSR_H

#include <furrow/base.h>
#include <furrow/context.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A sparse matrix. Use it in one thread at a time, as its context.
 *
 * It owns the arrays that it does not borrow. Matrices of other contexts may borrow its arrays in
 * other threads, as long as nobody changes the values. */
typedef struct fur_csr fur_csr;

/* Defined in furrow/reorder.h. */
typedef struct fur_permutation fur_permutation;

/* The plain arrays of a matrix. */
typedef struct fur_csr_view {
    size_t size;                 /* sizeof(fur_csr_view) */
    int64_t rows;                /* at most 2^31-1 */
    int64_t cols;                /* at most 2^31-1 */
    int64_t entries;             /* number of stored entries */
    fur_value_type value_type;   /* type of `values` */
    fur_offset_type offset_type; /* type of `offsets` */
    const void *offsets;         /* rows + 1 offsets: int32_t or int64_t */
    const int32_t *columns;      /* `entries` column indices */
    const void *values;          /* `entries` values of the value type */
} fur_csr_view;

/* Makes a matrix from CSR arrays, which are copied, borrowed or adopted.
 *
 * - arrays: the arrays of the matrix. They are checked as by fur_csr_check, which reads offsets and
 *   columns once. In a CUDA context all arrays lie on the host or all on the device. Both can be
 *   copied. Only device memory can be borrowed. Adopted host arrays are moved to the device.
 * - out: the matrix; the caller destroys it.
 *
 * Errors: as fur_csr_check. FUR_INVALID if `ownership` is unknown or borrowed arrays are not on the
 * device. If the call fails, adopted arrays still belong to the caller. */
FUR_API fur_status fur_csr_create(fur_context *context, const fur_csr_view *arrays,
                                  fur_ownership ownership, fur_csr **out);

/* Destroys a matrix; NULL does nothing.
 *
 * Plans and other objects made from it refuse to be used from then on: FUR_INVALID. */
FUR_API void fur_csr_destroy(fur_csr *matrix);

/* Copies a matrix into another context, or into its own.
 *
 * The caller destroys the copy. If the call fails, the sentence is in the matrix's context. */
FUR_API fur_status fur_csr_transfer(const fur_csr *a, fur_context *context, fur_csr **out);

/* Returns the matrix's arrays, in the memory of the context's device.
 *
 * They are valid as long as the matrix. The pointer `values` changes if new values are borrowed or
 * adopted. For NULL all members are 0. */
FUR_API const fur_csr_view *fur_csr_get(const fur_csr *matrix);

/* Replaces the values of a matrix; the pattern stays.
 *
 * - values: one value for each entry, in the order of `columns`. The values are copied into the
 *   matrix's own array, borrowed or adopted, as by fur_csr_create.
 *
 * These objects use the new values when the call returns: plans and their operators, Jacobi's
 * preconditioner, permuted operators, products, recognised stencils, and the solvers that use them.
 * No analysis is repeated, and only a product in another order may allocate (furrow/product.h). The
 * method "direct" is the exception: its next solve factors again. A preconditioner of
 * furrow/precond.h may need fur_precond_update. If an object cannot use the new
 * values, it refuses to be used until values suit it: FUR_INVALID with the reason. An example is
 * Jacobi's preconditioner with a zero on the diagonal.
 *
 * A plan that reads the matrix's own arrays needs no time for this. A plan with kernel "sell" needs
 * about the time of a product. A plan for A^T needs the time of some products
 * (docs/results/values.md). furrow/author/recognised.h has the cost of stencils.
 *
 * In a CUDA context all of this is queued in order on the context's stream. Only Jacobi's
 * preconditioner and recognised stencils wait, to see whether the values suit them. Copied values
 * keep their address: a captured graph multiplies by the new ones. Borrowed and adopted values have
 * a new address: capture the graph again. The first copy into a matrix that borrowed its values
 * also has a new address, because the matrix then allocates an array. The caller may free a
 * previously borrowed array as soon as the work queued so far is done.
 *
 * Errors: FUR_INVALID if `values` is NULL although there are entries, or if they are the matrix's
 * own array and not copied. The matrix and the objects made from it are then unchanged. */
FUR_API fur_status fur_csr_set_values(fur_csr *a, const void *values, fur_ownership ownership);

/* Tells the matrix that the caller changed its values in place.
 *
 * Call it after a change of the array that the matrix borrows. It also serves the matrix's own
 * array, changed on the context's stream. Objects made from the matrix are updated as by
 * fur_csr_set_values. Until this call a product may use old values, new ones, or both: some kernels
 * read the matrix and others a copy. */
FUR_API void fur_csr_values_changed(fur_csr *a);

/* Scales rows and columns in place: A(i, j) := (r_i c_j) A(i, j).
 *
 * - r: `rows` factors, or NULL for 1.
 * - c: `cols` factors, or NULL for 1.
 *
 * Both products are rounded, r_i c_j first. So a symmetric matrix stays symmetric if one real
 * vector scales both sides. Kept duplicates are scaled one by one. Objects made from A use the new
 * values, as after fur_csr_set_values. Borrowed values are not written to: the matrix allocates an
 * array of its own.
 *
 * Errors: FUR_INVALID if a vector has another context, value type or size than A needs. */
FUR_API fur_status fur_csr_scale(fur_csr *a, const fur_vector *r, const fur_vector *c);

/* Eliminates unknowns with known values from A x = b, as at Dirichlet boundaries.
 *
 * A is square. For every d in `unknowns`, where x_d is the known value:
 *
 *     b_i := b_i - A(i, d) x_d   for every other row i, by fma, d rising along the row
 *     A(i, d) := A(d, i) := 0    for i != d, still stored
 *     A(d, d) := diagonal,  b_d := diagonal x_d
 *
 * The solution then has x_d there, and a symmetric A stays symmetric.
 *
 * - count: number of unknowns, at least 0.
 * - unknowns: `count` row numbers on the host, from 0. A number may occur twice.
 * - diagonal: the new entry on the diagonal, such as fur_real(1). It is best if it has the
 *   magnitude of A's own diagonal.
 * - x: as long as b. Only its entries x_d are read. NULL only if b is NULL.
 * - b: right-hand side, changed in place. NULL: only A changes.
 *
 * Values change as by fur_csr_scale. The call allocates one byte a row meanwhile.
 *
 * Errors: FUR_INVALID if A is not square, a number is out of range, or a row d has no entry on the
 * diagonal (store a zero there). FUR_INVALID if x or b has another context, value type or size than
 * A, or if they overlap. Nothing has changed then. */
FUR_API fur_status fur_csr_eliminate(fur_csr *a, int64_t count, const int32_t *unknowns,
                                     fur_scalar diagonal, const fur_vector *x, fur_vector *b);

/* How fur_csr_from_coo treats several entries at one position. */
typedef enum fur_duplicates {
    FUR_DUPLICATES_SUM = 0, /* adds them in the order given */
    FUR_DUPLICATES_LAST,    /* keeps the last one given */
    FUR_DUPLICATES_ERROR,   /* FUR_INVALID; the sentence names the first position in row order */
    FUR_DUPLICATES_KEEP     /* keeps all: products add them; fur_csr_check refuses such a matrix */
} fur_duplicates;

/* A matrix in coordinate form.
 *
 * Entry k is values[k] at (row_indices[k], col_indices[k]), counting from 0, in any order. */
typedef struct fur_coo_view {
    size_t size;                /* sizeof(fur_coo_view) */
    int64_t rows;               /* at most 2^31-1 */
    int64_t cols;               /* at most 2^31-1 */
    int64_t entries;            /* length of the three arrays */
    fur_value_type value_type;  /* type of `values` */
    const int32_t *row_indices; /* row of each entry */
    const int32_t *col_indices; /* column of each entry */
    const void *values;         /* value of each entry */
} fur_coo_view;

/* Makes a matrix from a coordinate list; the list is copied.
 *
 * Offsets are int32 if the entries fit, otherwise int64. Entries that are zero are kept. The time
 * is O(entries + rows + cols). The caller destroys *out.
 *
 * Errors: FUR_INVALID if an index is out of range (the sentence names the entry), if `duplicates`
 * is FUR_DUPLICATES_ERROR and there are duplicates, or if an array is missing. FUR_OVERFLOW if rows
 * or cols exceed 2^31-1. */
FUR_API fur_status fur_csr_from_coo(fur_context *context, const fur_coo_view *coo,
                                    fur_duplicates duplicates, fur_csr **out);

/* Makes A^T, or A^H if `conjugate` is not 0. The caller destroys *out. */
FUR_API fur_status fur_csr_transpose(const fur_csr *a, int conjugate, fur_csr **out);

/* Makes B(i, j) = A(row_order[i], col_order[j]). The caller destroys *out.
 *
 * Row i of B is row row_order[i] of A. NULL leaves rows or columns in their order. Kept duplicates
 * stay in their order. The time is O(entries + rows).
 *
 * Errors: FUR_INVALID if an order has another context than A, or another length than A's rows or
 * columns. */
FUR_API fur_status fur_csr_permute(const fur_csr *a, const fur_permutation *row_order,
                                   const fur_permutation *col_order, fur_csr **out);

/* Makes the vector d_i = A(i, i) of min(rows, cols) entries.
 *
 * An entry that is not stored is 0. The caller destroys *out. */
FUR_API fur_status fur_csr_diagonal(const fur_csr *a, fur_vector **out);

/* Stores A(row, col) in *out, counting from 0.
 *
 * The result is 0 if no entry is stored. Kept duplicates are added in their order. The time is
 * O(log(length of the row)). On a GPU the row is copied to the host.
 *
 * Errors: FUR_INVALID if the position is outside A. */
FUR_API fur_status fur_csr_entry(const fur_csr *a, int64_t row, int64_t col, fur_scalar *out);

/* Makes a copy of A with another value type and offset width.
 *
 * Values are rounded as by fur_vector_convert. The caller destroys *out.
 *
 * Errors: FUR_INVALID if a complex value would lose an imaginary part that is not 0, or if a type
 * is unknown. FUR_OVERFLOW if int32 offsets cannot hold the entries. */
FUR_API fur_status fur_csr_convert(const fur_csr *a, fur_value_type value, fur_offset_type offset,
                                   fur_csr **out);

/* Stores 1 in *equal if a and b are the same matrix, else 0.
 *
 * They are the same if shape, value type and pattern are equal and every value has the same bits.
 * Offset widths may differ. */
FUR_API fur_status fur_csr_compare(const fur_csr *a, const fur_csr *b, int *equal);

/* Symmetries of a square matrix. */
typedef enum fur_symmetry {
    FUR_SYMMETRY_PATTERN = 0, /* A(j, i) is stored if A(i, j) is; values are ignored */
    FUR_SYMMETRY_SYMMETRIC,   /* also A = A^T */
    FUR_SYMMETRY_HERMITIAN,   /* also A = A^H; for a real matrix, A = A^T */
    FUR_SYMMETRY_SKEW         /* also A = -A^T: entries stored on the diagonal are 0 */
} fur_symmetry;

/* The first pair of entries that breaks a symmetry. */
typedef struct fur_csr_asymmetry {
    size_t size;         /* sizeof(fur_csr_asymmetry) */
    int found;           /* 0: A has the symmetry, and all other members are 0 */
    int64_t row;         /* A(row, col) is stored; counting from 0 */
    int64_t col;         /* column of the entry */
    int missing;         /* 1: A(col, row) is not stored */
    fur_scalar entry;    /* A(row, col) */
    fur_scalar opposite; /* A(col, row), 0 if it is not stored */
} fur_csr_asymmetry;

/* Finds the first pair of entries that breaks a symmetry.
 *
 * Compares rows with those of the transpose, in order and from left to right. Values are compared
 * without tolerance: 0 and -0 are equal, and so are two NaN. Kept duplicates are compared in their
 * order. The time is O(entries + rows). The call allocates the transpose meanwhile.
 *
 * Errors: FUR_INVALID if A is not square or the symmetry is unknown. */
FUR_API fur_status fur_csr_find_asymmetry(const fur_csr *a, fur_symmetry symmetry,
                                          fur_csr_asymmetry *out);

/* Figures of the pattern. */
typedef struct fur_csr_statistics {
    size_t size;        /* sizeof(fur_csr_statistics) */
    int64_t row_min;    /* entries of the shortest row; 0 for a matrix of 0 rows */
    int64_t row_max;    /* entries of the longest row */
    double row_mean;    /* entries / rows; 0 for a matrix of 0 rows */
    int64_t empty_rows; /* rows without entries */
    int64_t bandwidth;  /* max |i - j| over the entries; 0 for a diagonal or empty matrix */
    int64_t profile;    /* sum over rows of i - min(i, first column of row i) */
} fur_csr_statistics;

/* Measures the pattern of a matrix.
 *
 * Reads the offsets, and the first and last column of each row. */
FUR_API fur_status fur_csr_measure(const fur_csr *a, fur_csr_statistics *out);

#ifdef __cplusplus
}
#endif
#endif
