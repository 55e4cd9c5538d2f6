/* Sparse matrix times a block of dense vectors: Y = alpha op(A) X + beta Y.
 *
 *     fur_spmm_plan(a, NULL, &plan);
 *     fur_spmm_apply(plan, fur_real(1), x, fur_real(0), y);
 *     fur_spmm_destroy(plan);
 *
 * Plan once, multiply blocks of any number of columns. Column j of the result has the bits of
 * fur_spmv_apply with an exact kernel on column j of X and Y (docs/numerics.md). The bits do not
 * depend on the number of columns, layouts, strides, threads and device. A is read once for many
 * columns, so a block costs much less than single products. The least traffic is entries (entry +
 * 4) + rows offset bytes for A, and k (rows + cols) entries for X and Y.
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

/* A plan. Use it in one thread at a time, as its context.
 *
 * It runs one product at a time. A plan for FUR_OP_T or FUR_OP_H keeps the transpose, which takes
 * as much memory as A. A kernel with its own format may keep as much. */
typedef struct fur_spmm fur_spmm;

/* Options of fur_spmm_plan. */
typedef struct fur_spmm_options {
    size_t size; /* sizeof(fur_spmm_options) */
    fur_op op;   /* which product the plan is for. Default FUR_OP_N */
    const char
        *kernel; /* NULL or "auto": the plan chooses; otherwise a name from fur_spmm_kernel_at */
    /* Expected layout of the blocks. Default FUR_LAYOUT_ROWS. Products accept any layout. With
     * FUR_LAYOUT_COLUMNS and "auto" a plan on the CPU also makes a plan for single products
     * (furrow/spmv.h) if this compresses A, and multiplies columns one by one with it. This is
     * faster on matrices such as stencils, for which it moves a fraction of the bytes of CSR. */
    fur_layout layout;
} fur_spmm_options;

/* Chooses a kernel for products by op(A) and prepares it.
 *
 * - a: the matrix, which must outlive the plan. The plan reads its arrays at every product, and
 *   uses new values (fur_csr_set_values). After the matrix is destroyed the plan refuses to
 *   multiply: FUR_INVALID.
 * - options: NULL means all defaults.
 * - out: the plan; the caller destroys it.
 *
 * Errors: FUR_UNSUPPORTED if the kernel does not exist (the sentence lists the kernels) or does not
 * suit the matrix (the sentence says why). FUR_INVALID if an option is unknown. */
FUR_API fur_status fur_spmm_plan(const fur_csr *a, const fur_spmm_options *options, fur_spmm **out);

/* Destroys a plan; NULL does nothing. */
FUR_API void fur_spmm_destroy(fur_spmm *plan);

/* Computes Y = alpha op(A) X + beta Y.
 *
 * - x: cols(op(A)) rows and any number of columns, of A's value type.
 * - y: rows(op(A)) rows and the same number of columns. X and Y must not overlap.
 *
 * Layouts and strides may differ; row-major order for both is fastest. beta = 0 overwrites Y: NaN
 * in Y does not survive. alpha = 0 does not skip the product: NaN and infinity in A and X
 * propagate. Allocates nothing if the context's device has a kernel.
 *
 * Errors: FUR_INVALID if a block does not fit, the blocks overlap, or the matrix has been
 * destroyed. */
FUR_API fur_status fur_spmm_apply(const fur_spmm *plan, fur_scalar alpha, const fur_vectors *x,
                                  fur_scalar beta, fur_vectors *y);

/* Report of fur_spmm_describe: the kernel and its cost. */
typedef struct fur_spmm_report {
    size_t size;        /* of the library's struct */
    const char *kernel; /* name of the kernel */
    /* Bytes of A in the kernel's format, which a product reads at least once. X and Y add (rows +
     * cols) entries for each column. */
    int64_t matrix_bytes;
    double seconds_plan; /* duration of the analysis */
    int by_columns;      /* 1: blocks in columns are multiplied one column after the other */
} fur_spmm_report;

/* Returns the plan's kernel and cost.
 *
 * The report is valid as long as the plan. For NULL all numbers are 0 and all strings "". */
FUR_API const fur_spmm_report *fur_spmm_describe(const fur_spmm *plan);

/* Products of two blocks at the entries of a sparse matrix ("SDDMM").
 *
 * SDDMM is a sampled dense-dense product:
 *
 *     C(i, j) = alpha sum_t X(i, t) conj(Y(j, t)) + beta A(i, j)     where A stores an entry
 *
 * A is an m x n matrix. X is a block of m rows and Y a block of n rows, with the same number of
 * columns. C is alpha X Y^H + beta A on the pattern of A. X Y^H is never formed. Uses are attention
 * on graphs, the gradient of an SpMM by its matrix, and factorizations of matrices that are known
 * at some entries.
 *
 * The columns are added in eight lanes, which are folded in halves (docs/numerics.md). So an entry
 * has the same bits at any position, for any layout, stride and number of threads, and on any
 * device. If A stores an entry twice, each is computed.
 *
 * Rows of X and Y are read side by side, so blocks should be in row-major order. A block in
 * column-major order is copied into rows meanwhile. The least traffic is offsets, columns and
 * values of A, and cols (m + n) entries of X and Y. Y comes from the caches if rows of A have
 * columns in common. Sources: Gale, Zaharia, Young and Elsen 2020 (Sputnik); Hong, Sukumaran-Rajam,
 * Nisa, Singh and Sadayappan 2019 (ASpT). */

/* Makes C as a new matrix with A's pattern. The caller destroys *out.
 *
 * - x: rows(A) rows. X may be Y.
 * - y: cols(A) rows, and as many columns as X.
 * - beta: 0 does not read A's values: NaN there does not survive.
 *
 * C has its own arrays.
 *
 * Errors: FUR_INVALID if contexts, value types or shapes do not fit. */
FUR_API fur_status fur_sddmm_multiply(fur_scalar alpha, const fur_vectors *x, const fur_vectors *y,
                                      fur_scalar beta, const fur_csr *a, fur_csr **out);

/* Replaces A's values by those of C, as by fur_csr_set_values.
 *
 * Objects made from A use the new values. Allocates nothing, with these exceptions: a block is in
 * column-major order, A borrows its values (which are not written to), or the device has no kernel.
 * On a GPU it only queues work.
 *
 * Errors: FUR_INVALID if contexts, value types or shapes do not fit. */
FUR_API fur_status fur_sddmm_apply(fur_scalar alpha, const fur_vectors *x, const fur_vectors *y,
                                   fur_scalar beta, fur_csr *a);

#ifdef __cplusplus
}
#endif
#endif
