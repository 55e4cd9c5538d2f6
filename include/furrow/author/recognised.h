/* Recognition of a stencil in an assembled matrix.
 *
 * Many matrices are stencils on a grid whose points are numbered in the natural order of
 * furrow/stencil.h: all but a few rows have the same entries at the same distances from the
 * diagonal. A product with such a matrix need not read it: the stencil computes y = A x, and a
 * small matrix of the few rows that differ computes these rows. The result has the bits of the
 * matrix's exact kernels (furrow/spmv.h).
 *
 * A row belongs to the stencil if its columns and the bits of its values are those of the stencil
 * with Dirichlet boundaries. Every row is compared, without tolerance. Rows at periodic and Neumann
 * boundaries, one changed value among millions, a removed entry: all are rows that differ. */
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

/* A stencil and the rows that differ from it. It does not need the matrix any more. While the
 * matrix lives, it takes over its new values (fur_csr_set_values): it compares every row again on
 * the same grid, which reads the matrix once, takes a byte of memory a row meanwhile and, on a GPU,
 * waits. Constant coefficients may change; a captured graph still has the old ones. If another set
 * of rows differs than before, it refuses to be used until values suit it, and so do its stencil
 * and the objects made from these: recognise the matrix again.
 *
 * Used by one thread at a time, as its context, and for one product at a time. Keeps the rows that
 * differ as a matrix with a plan and a vector; and, if coefficients are variable, a vector of the
 * grid for each of the stencil's points. */
typedef struct fur_recognised fur_recognised;

typedef struct fur_recognise_options {
    size_t size;        /* sizeof(fur_recognise_options) */
    const char *kernel; /* of the stencil, as in fur_stencil_definition */
    int constant;       /* 1: only one with constant coefficients */
} fur_recognise_options;

/* Looks for a stencil in a matrix. If there is none, the call returns FUR_OK and sets *out to NULL,
 * mostly after a few hundred rows. To prove a stencil it reads the matrix once. It prefers constant
 * coefficients and copies others to fields. It also finds none if more than an eighth of the rows
 * would differ, or if the fields were larger than the matrix. For a matrix on a GPU the result lies
 * there too, and is the same as on the CPU. options and report may be NULL. FUR_UNSUPPORTED for a
 * kernel that does not exist or does not suit the stencil. */
FUR_API fur_status fur_stencil_recognise(const fur_csr *a, const fur_recognise_options *options,
                                         fur_recognise_report *report, fur_recognised **out);

/* Destroys it, its stencil and its rows. */
FUR_API void fur_recognised_destroy(fur_recognised *r);

/* The stencil, as long as r lives. Its products differ from those of r in the rows that differ. */
FUR_API const fur_stencil *fur_recognised_stencil(const fur_recognised *r);

/* The rows that differ, as a matrix, as long as r lives: its row i is row
 * fur_recognised_row_numbers(r)[i] of the recognised matrix. */
FUR_API const fur_csr *fur_recognised_rows(const fur_recognised *r);

/* The numbers of these rows, rising, in the memory of the context's device; NULL if no row differs.
 */
FUR_API const int32_t *fur_recognised_row_numbers(const fur_recognised *r);

/* y = alpha A x + beta y, as fur_spmv_apply, with the bits of its exact kernels. Allocates nothing.
 * Products with one r must not overlap in time. */
FUR_API fur_status fur_recognised_apply(const fur_recognised *r, fur_scalar alpha,
                                        const fur_vector *x, fur_scalar beta, fur_vector *y);

/* The operator A; r must outlive it. It knows its diagonal. */
FUR_API fur_status fur_operator_from_recognised(const fur_recognised *r, fur_operator **out);

#ifdef __cplusplus
}
#endif
#endif
