/* The matrix object: creation from arrays and coordinates, checks, conversion, transposition,
 * permutation, new values, and figures of its pattern. */
#ifndef FURROW_CSR_CSR_H
#define FURROW_CSR_CSR_H

#include <furrow/csr.h>

#include "core.h"

/* A pattern that several matrices share: pattern.h. */
typedef struct fur_csr_pattern fur_csr_pattern;

struct fur_csr {
    fur_context *context;
    fur_csr_view view;
    fur_csr_pattern *pattern; /* NULL: offsets and columns are the matrix's own, or borrowed */
    bool owns_pattern;
    bool owns_values;
    void (*release)(void *user); /* releases the memory of borrowed arrays, or NULL */
    void *user;
    fur_dependents made; /* objects made from the matrix */
    /* The profile, taken when a matrix arrives on a device. A plan then need not wait for it. */
    bool profiled;
    fur_spmv_profile profile;
    /* If kernels are chosen for a larger matrix, of which this is a part: its size relative to this
     * matrix. Otherwise 0. */
    double times;
};

/* A matrix with its own, uninitialised arrays. */
fur_status fur_csr_allocate(fur_context *context, int64_t rows, int64_t cols, int64_t entries,
                            fur_value_type value, fur_offset_type offset, fur_csr **out);

/* The arrays of a matrix under construction. */
static inline int32_t *fur_csr_columns(fur_csr *a)
{
    return (int32_t *)(uintptr_t)a->view.columns;
}
static inline void *fur_csr_offsets(fur_csr *a)
{
    return (void *)(uintptr_t)a->view.offsets;
}
static inline void *fur_csr_values(fur_csr *a)
{
    return (void *)(uintptr_t)a->view.values;
}

/* Sets the offsets of a matrix under construction. */
void fur_csr_set_offsets(fur_csr *a, const int64_t *starts);

/* The narrowest offset type for `entries` entries. */
static inline fur_offset_type fur_offset_for(int64_t entries)
{
    return entries <= INT32_MAX ? FUR_I32 : FUR_I64;
}

/* The matrix itself if the host can read it, else a copy in the companion. */
fur_status fur_csr_to_host(const fur_csr *a, const fur_csr **view, fur_csr **copy);

/* Runs a matrix algorithm of the host. If the matrix is on a device, the algorithm runs on a copy
 * in the context's companion, and the result is moved to the matrix's context. */
typedef fur_status fur_csr_algorithm(const fur_csr *a, const void *arguments, fur_csr **out);
fur_status fur_csr_on_host(const fur_csr *a, fur_csr_algorithm *algorithm, const void *arguments,
                           fur_csr **out);

/* As above, for an algorithm that only sets the values of a matrix in a's context. Its pattern is
 * already there. */
typedef void fur_csr_filling(const fur_csr *a, const void *arguments, fur_csr *to);
fur_status fur_csr_fill_on_host(const fur_csr *a, fur_csr_filling *fill, const void *arguments,
                                fur_csr *to);

/* The checks of fur_csr_check that read no array. */
fur_status fur_csr_check_shape(fur_env *env, const fur_csr_view *a);

/* Sets the columns and values of B, whose offsets are set. Row i is copied from the beginning of
 * A's row i, and has as many entries as B's offsets say. If `sorts`, entries are sorted by column,
 * and entries of one column keep their order. longest: the length of B's longest row. */
fur_status fur_csr_gather_rows(const fur_csr *a, bool sorts, int64_t longest, fur_csr *b);

void fur_csr_figures(const fur_env *env, const fur_csr_view *a, fur_csr_statistics *out);

/* Sets the values of T to the values of A^T or A^H. T has the pattern of A^T. */
fur_status fur_csr_transpose_values(const fur_csr *a, bool conjugate, fur_csr *t);

/* Returns FUR_INVALID unless the vector has the matrix's context and value type and this size.
 * Error sentences call it `name`. */
fur_status fur_csr_check_vector(const fur_csr *a, const char *name, const fur_vector *v,
                                int64_t size);

/* Computes new values for all entries of a matrix that the host can read. `values` may be the array
 * of the view: each value is read before it is written. Errors occur before the first write. */
typedef fur_status (*fur_csr_rewriter)(fur_env *env, const fur_csr_view *a, const void *arguments,
                                       void *values);
/* Gives the matrix these values, in its own array, and updates objects made from it. If the matrix
 * is on a device, it is copied to the host and its values are copied back. */
fur_status fur_csr_rewrite_values(fur_csr *a, fur_csr_rewriter rewrite, const void *arguments);
/* As above, for a rewriter that works in the memory of the matrix, also on a device. */
fur_status fur_csr_rewrite_in_place(fur_csr *a, fur_csr_rewriter rewrite, const void *arguments);

/* *out = A(row, col) in the value type: the sum of the entries stored there, in order. If there is
 * none, returns false and *out is 0. The host must be able to read the arrays. */
bool fur_csr_read_entry(const fur_csr_view *a, int64_t row, int64_t col, void *out);

/* Makes a matrix with A's offsets and columns, which it borrows, and its own uninitialised
 * values. */
fur_status fur_csr_share_pattern(const fur_csr *a, fur_csr **out);
/* Sets the values of B to A's values rounded to single precision. B has the pattern of A, and may
 * be A. Both have a type in double precision. */
fur_status fur_csr_round_values(const fur_csr *a, fur_csr *b);

/* d_i = A(i, i), into an existing vector of min(rows, cols) entries. */
fur_status fur_csr_read_diagonal(const fur_csr *a, fur_vector *d);

/* The rows of A with these numbers. The numbers are in the memory where the context's kernels
 * work. */
fur_status fur_csr_take_rows(const fur_csr *a, int64_t count, const int32_t *numbers,
                             fur_csr **out);
/* Updates the values of a matrix that fur_csr_take_rows made. */
fur_status fur_csr_take_rows_again(const fur_csr *a, const int32_t *numbers, fur_csr *rows);

#endif
