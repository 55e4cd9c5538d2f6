/* Recognition of a stencil in an assembled matrix.
 *
 *     fur_stencil_recognise(a, NULL, NULL, &r);
 *     if (r)
 *         fur_recognised_apply(r, fur_real(1), x, fur_real(0), y);
 *
 * Many matrices are stencils on a grid whose points are numbered in the natural order of
 * furrow/stencil.h. All but a few rows then have the same entries at the same distances from the
 * diagonal. A product by such a matrix need not read the matrix: the stencil computes y = A x, and
 * a small matrix of the few rows that differ computes these rows. The result has the bits of the
 * matrix's exact kernels (furrow/spmv.h).
 *
 * A row belongs to the stencil if its columns and the bits of its values equal a row of the stencil
 * with Dirichlet boundaries. Every row is compared, without tolerance. Examples of rows that differ
 * are rows at periodic and Neumann boundaries, one changed value among millions, and a removed
 * entry. */
#ifndef FURROW_AUTHOR_RECOGNISED_H
#define FURROW_AUTHOR_RECOGNISED_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/operator.h>
#include <furrow/product.h>
#include <furrow/stencil.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A stencil and the rows that differ from it. Use it in one thread at a time.
 *
 * It runs one product at a time. It owns the rows that differ, as a matrix with a plan, and a
 * vector. If coefficients are variable, it also owns a vector of the grid for each of the stencil's
 * points.
 *
 * It does not need the matrix. While the matrix lives, it uses the matrix's new values
 * (fur_csr_set_values). It compares every row again on the same grid. This reads the matrix once,
 * allocates a byte of memory a row meanwhile and, on a GPU, waits. Constant coefficients may
 * change; a captured graph still has the old coefficients. If another set of rows differs, it
 * refuses to be used until values suit it, and so do its stencil and the objects made from these:
 * recognise the matrix again. */
typedef struct fur_recognised fur_recognised;

/* Options of fur_stencil_recognise. */
typedef struct fur_recognise_options {
    size_t size;        /* sizeof(fur_recognise_options) */
    const char *kernel; /* kernel of the stencil, as in fur_stencil_definition */
    int constant;       /* 1: only stencils with constant coefficients. Default 0 */
} fur_recognise_options;

/* Finds a stencil in a matrix.
 *
 * - a: the matrix. If it is on a GPU, the result is there too, and is the same as on the CPU.
 * - options: NULL means all defaults.
 * - report: NULL, or filled.
 * - out: the result, which the caller destroys; NULL if there is no stencil. The call then still
 *   returns FUR_OK, usually after a few hundred rows.
 *
 * To prove a stencil it reads the matrix once. It prefers constant coefficients and copies other
 * coefficients to fields. There is no stencil if more than an eighth of the rows differ, or if the
 * fields need more memory than the matrix.
 *
 * Errors: FUR_UNSUPPORTED if the kernel does not exist or does not suit the stencil. */
FUR_API fur_status fur_stencil_recognise(const fur_csr *a, const fur_recognise_options *options,
                                         fur_recognise_report *report, fur_recognised **out);

/* Destroys the result with its stencil and its rows; NULL does nothing. */
FUR_API void fur_recognised_destroy(fur_recognised *r);

/* Returns the stencil; do not destroy it.
 *
 * It is valid as long as r. Its products differ from the products of r in the rows that differ. */
FUR_API const fur_stencil *fur_recognised_stencil(const fur_recognised *r);

/* Returns the rows that differ, as a matrix; do not destroy it.
 *
 * It is valid as long as r. Its row i is row fur_recognised_row_numbers(r)[i] of the recognised
 * matrix. */
FUR_API const fur_csr *fur_recognised_rows(const fur_recognised *r);

/* Returns the numbers of the rows that differ; NULL if no row differs.
 *
 * They rise, and are in the memory of the context's device. */
FUR_API const int32_t *fur_recognised_row_numbers(const fur_recognised *r);

/* Computes y = alpha A x + beta y, as fur_spmv_apply by an exact kernel.
 *
 * Allocates nothing. Products by one r must not overlap in time. */
FUR_API fur_status fur_recognised_apply(const fur_recognised *r, fur_scalar alpha,
                                        const fur_vector *x, fur_scalar beta, fur_vector *y);

/* Makes the operator A, which knows its diagonal. The caller destroys *out.
 *
 * r must outlive it. */
FUR_API fur_status fur_operator_from_recognised(const fur_recognised *r, fur_operator **out);

#ifdef __cplusplus
}
#endif
#endif
