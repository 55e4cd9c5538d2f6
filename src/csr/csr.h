/* The matrix object: making it from arrays and coordinates, checking, converting, transposing,
 * permuting, new values, figures of its pattern. */
#ifndef FURROW_CSR_CSR_H
#define FURROW_CSR_CSR_H

#include <furrow/csr.h>

#include "core.h"

/* A pattern that several matrices hold: pattern.h. */
typedef struct fur_csr_pattern fur_csr_pattern;

struct fur_csr {
    fur_context *context;
    fur_csr_view view;
    fur_csr_pattern *pattern; /* NULL: offsets and columns are its own, or borrowed */
    bool owns_pattern;
    bool owns_values;
    void (*release)(void *user); /* of what borrowed arrays lie in, or NULL */
    void *user;
    fur_dependents made; /* from the matrix */
    /* Taken when a matrix arrives on a device, so that a plan need not wait for it. */
    bool profiled;
    fur_spmv_profile profile;
    /* The size, in this matrix's, of the one that it is a part of, for which kernels are chosen; or
     * 0.
     */
    double times;
};

/* A matrix with its own, uninitialised arrays. */
fur_status fur_csr_allocate(fur_context *context, int64_t rows, int64_t cols, int64_t entries,
                            fur_value_type value, fur_offset_type offset, fur_csr **out);

/* The arrays of a matrix that is being made. */
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

/* Sets the offsets of a matrix that is being made. */
void fur_csr_set_offsets(fur_csr *a, const int64_t *starts);

/* The narrowest offsets for that many entries. */
static inline fur_offset_type fur_offset_for(int64_t entries)
{
    return entries <= INT32_MAX ? FUR_I32 : FUR_I64;
}

/* The matrix itself if the host reaches it, else a copy in the companion. */
fur_status fur_csr_to_host(const fur_csr *a, const fur_csr **view, fur_csr **copy);

/* A matrix algorithm of the host: for a matrix that lies elsewhere runs it on a copy in the
 * context's companion and moves what it makes to the matrix's context. */
typedef fur_status fur_csr_algorithm(const fur_csr *a, const void *arguments, fur_csr **out);
fur_status fur_csr_on_host(const fur_csr *a, fur_csr_algorithm *algorithm, const void *arguments,
                           fur_csr **out);

/* The same for one that sets the values of a matrix, in a's context, whose pattern is there. */
typedef void fur_csr_filling(const fur_csr *a, const void *arguments, fur_csr *to);
fur_status fur_csr_fill_on_host(const fur_csr *a, fur_csr_filling *fill, const void *arguments,
                                fur_csr *to);

/* The checks of fur_csr_check that read no array. */
fur_status fur_csr_check_shape(fur_env *env, const fur_csr_view *a);

/* Sets B's columns and values, B's offsets being set: row i has as many entries as B's row i, from
 * where A's row begins; if `sorts`, in the order of their columns, those of one column in their
 * order. longest: of B's rows. */
fur_status fur_csr_gather_rows(const fur_csr *a, bool sorts, int64_t longest, fur_csr *b);

void fur_csr_figures(const fur_env *env, const fur_csr_view *a, fur_csr_statistics *out);

/* Sets T's values, T having the pattern of A^T, to those of A^T or A^H. */
fur_status fur_csr_transpose_values(const fur_csr *a, bool conjugate, fur_csr *t);

/* FUR_INVALID unless the vector, which sentences call `name`, has the matrix's context and value
 * type and that size. */
fur_status fur_csr_check_vector(const fur_csr *a, const char *name, const fur_vector *v,
                                int64_t size);

/* Computes new values for all entries of a matrix that the host reaches. `values` may be the array
 * that the view has: each is read before it is written. What can fail does so before. */
typedef fur_status (*fur_csr_rewriter)(fur_env *env, const fur_csr_view *a, const void *arguments,
                                       void *values);
/* Gives the matrix those values, in an array of its own; what was made from it follows. A matrix on
 * a device is copied to the host and its values back. */
fur_status fur_csr_rewrite_values(fur_csr *a, fur_csr_rewriter rewrite, const void *arguments);
/* The same by one that writes where the matrix lies, on a device or not. */
fur_status fur_csr_rewrite_in_place(fur_csr *a, fur_csr_rewriter rewrite, const void *arguments);

/* *out = A(row, col) in the value type: the sum of the entries stored there, in their order. False,
 * and *out 0, without any. The host must reach the arrays. */
bool fur_csr_read_entry(const fur_csr_view *a, int64_t row, int64_t col, void *out);

/* A matrix with A's offsets and columns, which it borrows, and uninitialised values of its own. */
fur_status fur_csr_share_pattern(const fur_csr *a, fur_csr **out);
/* Sets B's values, B having the pattern of A and maybe being A, to those of A rounded to single
 * precision; both of a type in double precision. */
fur_status fur_csr_round_values(const fur_csr *a, fur_csr *b);

/* d_i = A(i, i), into a vector of min(rows, cols) entries that is there. */
fur_status fur_csr_read_diagonal(const fur_csr *a, fur_vector *d);

/* The rows of a with these numbers, which lie where the context's kernels work. */
fur_status fur_csr_take_rows(const fur_csr *a, int64_t count, const int32_t *numbers,
                             fur_csr **out);
/* The values of these rows, into the matrix that they were made. */
fur_status fur_csr_take_rows_again(const fur_csr *a, const int32_t *numbers, fur_csr *rows);

#endif
