/* Sparse matrix times a block of dense vectors: Y = alpha op(A) X + beta Y. Plan once, multiply
 * blocks of any number of columns.
 *
 * Column j of the result has the bits of fur_spmv_apply with an exact kernel on column j of X and
 * Y (docs/numerics.md): they depend neither on the number of columns, nor on layouts, strides,
 * threads and device. A is read once for many columns, so a block costs much less than as many
 * single products: the floor is entries (entry + 4) + rows offset bytes for A and k (rows + cols)
 * entries for X and Y.
 *
 * On a GPU fur_spmm_apply only queues work, as fur_spmv_apply does. Sources: Yang, Buluc and Owens
 * 2018 (row-major blocks, lanes over columns); Huang, Dai, Wang and Yang 2020 (GE-SpMM). */
#ifndef FURROW_SPMM_H
#define FURROW_SPMM_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/spmv.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plan. Used by one thread at a time, as its context, and for one product at a time. A plan for
 * FUR_OP_T or FUR_OP_H keeps the transpose, as much memory as A; so may a kernel with a form of its
 * own. */
typedef struct fur_spmm fur_spmm;

typedef struct fur_spmm_options {
    size_t size;        /* sizeof(fur_spmm_options) */
    fur_op op;          /* which product the plan is for */
    const char *kernel; /* NULL or "auto": chosen; else a name from fur_spmm_kernel_at */
    /* The layout of the blocks to expect: products take any. With FUR_LAYOUT_COLUMNS and "auto" a
     * plan on the CPU also makes one for single products (furrow/spmv.h) if that compresses A, and
     * multiplies columns one by one with it: on matrices such as stencils, where it moves a
     * fraction of the bytes of CSR, that is faster. */
    fur_layout layout;
} fur_spmm_options;

/* Prepares products with op(A). The plan reads the matrix's arrays at every product, so the matrix
 * must outlive it; without the matrix the plan refuses to multiply, FUR_INVALID. New values of the
 * matrix (fur_csr_set_values) reach the plan at once. FUR_UNSUPPORTED if the kernel does not exist
 * (the sentence lists those that do) or does not suit the matrix (it says why). */
FUR_API fur_status fur_spmm_plan(const fur_csr *a, const fur_spmm_options *options, fur_spmm **out);

/* Destroys a plan. */
FUR_API void fur_spmm_destroy(fur_spmm *plan);

/* Y = alpha op(A) X + beta Y, for X of cols(op(A)) and Y of rows(op(A)) rows, as many columns, any
 * number, and A's value type. Layouts and strides may differ; fastest is row-major order for both.
 * X and Y must not overlap. beta = 0 overwrites Y: NaN in Y does not survive. alpha = 0 does not
 * skip the product: NaN and infinity in A and X propagate. Allocates nothing where the context's
 * device has a kernel. */
FUR_API fur_status fur_spmm_apply(const fur_spmm *plan, fur_scalar alpha, const fur_vectors *x,
                                  fur_scalar beta, fur_vectors *y);

typedef struct fur_spmm_report {
    size_t size;          /* of the library's struct */
    const char *kernel;   /* its name */
    int64_t matrix_bytes; /* of A in the kernel's form, which a product reads at least once; X and Y
                             add (rows + cols) entries for each column */
    double seconds_plan;  /* duration of the analysis */
    int by_columns;       /* 1: blocks in columns are multiplied one column after the other */
} fur_spmm_report;

/* The plan's kernel and cost: the report lives as long as the plan. For NULL all numbers are 0 and
 * all strings "". */
FUR_API const fur_spmm_report *fur_spmm_describe(const fur_spmm *plan);

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
