/* The interface between src/algebra and a device's kernels for operations on whole matrices. */
#ifndef FURROW_KERNEL_ALGEBRA_KERNEL_H
#define FURROW_KERNEL_ALGEBRA_KERNEL_H

#include <furrow/algebra.h>

#include "env.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fur_making_kind {
    FUR_MAKING_ADD,      /* alpha A + beta B */
    FUR_MAKING_MULTIPLY, /* A(i, j) B(i, j) */
    FUR_MAKING_KRON,     /* the Kronecker product of A and B */
    FUR_MAKING_SHIFT,    /* A + alpha I */
    FUR_MAKING_SLICE,    /* a range of each row of A */
    FUR_MAKING_SELECT,   /* rows and columns of A by number */
    FUR_MAKING_DROP,     /* A without small entries */
    FUR_MAKING_BLOCKS,   /* a grid of matrices */
} fur_making_kind;

/* B(i, j) = A(row + i, col + j) for the columns low + slope i <= col + j < high + slope i. */
typedef struct fur_row_slice {
    int64_t row;
    int64_t col;
    int64_t low;
    int64_t high;
    int64_t slope; /* 0, or 1 along the diagonals */
} fur_row_slice;

/* The rows and columns of A that are selected. Row i of the result is row row[i] of A. Column j of
 * A becomes the columns start[j] .. start[j+1]-1 of the result. Both lists are on the device. NULL:
 * all. */
typedef struct fur_selection {
    const int32_t *row;
    const int32_t *start;
} fur_selection;

/* blocks[r * cols + c] is in block row r and block column c, which begin at row_starts[r] and
 * col_starts[c]. A NULL block is zero. All these arrays are on the host. */
typedef struct fur_block_grid {
    int64_t rows;
    int64_t cols;
    const fur_csr_view *const *blocks;
    const int64_t *row_starts;
    const int64_t *col_starts;
} fur_block_grid;

/* The operands of a new matrix. */
typedef struct fur_making {
    fur_making_kind kind;
    int64_t rows; /* rows of the result; cols and value_type likewise */
    int64_t cols;
    fur_value_type value_type;
    const fur_csr_view *a;
    const fur_csr_view *b;
    fur_scalar alpha;
    fur_scalar beta;
    double tolerance;
    fur_row_slice slice;
    fur_selection selection;
    fur_block_grid grid;
} fur_making;

/* Operations on matrices of a device. A backend has all of them or none. */
typedef struct fur_algebra_services {
    /* The offsets of the result, with the total as the last element. */
    fur_status (*count)(fur_env *env, const fur_making *m, int64_t *starts);
    /* Fills in offsets, columns and values of the result in allocated arrays. The entries of a row
     * are in order. Exception: a selection of columns from a matrix with kept duplicates. */
    fur_status (*fill)(fur_env *env, const fur_making *m, const int64_t *starts,
                       const fur_csr_view *out);
    /* Fills in the offsets and columns of the diagonal matrix of n numbers. Its values are already
     * there. */
    fur_status (*count_up)(fur_env *env, const fur_csr_view *out);
    /* values = (r_i c_j) A(i, j). NULL: all factors of that side are 1. `values` may be A's. */
    fur_status (*scale)(fur_env *env, const fur_csr_view *a, const void *r, const void *c,
                        void *values);
    /* max_i sum_j |A(i, j)|. Waits for the result. */
    fur_status (*norm_inf)(fur_env *env, const fur_csr_view *a, double *out);
    /* v := R v, where R has powers of two from the rows of A (src/csr/row_errors.h). */
    fur_status (*scale_by_rows)(fur_env *env, const fur_csr_view *a, void *v);
    /* errors_i = |b - A x|_i / (|A| |x| + |b|)_i in A's value type; b may be NULL. */
    fur_status (*row_errors)(fur_env *env, const fur_csr_view *a, const void *b, const void *x,
                             void *errors);
    /* Sets all members of *out except its size. Waits for the result. */
    fur_status (*compare)(fur_env *env, const fur_csr_view *a, const fur_csr_view *b, double rtol,
                          double atol, fur_csr_difference *out);
} fur_algebra_services;

#ifdef __cplusplus
}
#endif
#endif
