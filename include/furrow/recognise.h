/* Recognition of a stencil in an assembled matrix.
 *
 * Many matrices are stencils on a grid whose points are numbered in the natural order of
 * furrow/stencil.h: all but a few rows have the same entries at the same distances from the
 * diagonal. Such a matrix need not be read to be multiplied by: y = A x is the product of the
 * stencil, in which the few rows that differ are replaced by products of these rows themselves. The
 * result has the bits of the matrix's exact kernels (furrow/spmv.h).
 *
 * A row is left to the stencil if its columns and the bits of its values are those that the stencil
 * with Dirichlet boundaries would have there; every row is compared, without tolerance. Rows at
 * periodic and Neumann boundaries, one altered value among millions, a removed entry: all are rows
 * that differ. */
#ifndef FURROW_RECOGNISE_H
#define FURROW_RECOGNISE_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/operator.h>
#include <furrow/stencil.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A stencil and the rows that differ from it. It does without the matrix it was found in, but while
 * that lives follows it to new values (fur_csr_set_values): these are compared on the same grid, as
 * a proof is, which reads the matrix once, takes a byte of memory a row for the while and, on a
 * GPU, waits. Constants may then be others, of which a graph that was captured does not know. If
 * another row differs than did before, it refuses to be used, and so do its stencil and what was
 * made from these, until new values suit it: recognise the matrix again.
 *
 * One thread's at a time, as its context is, and for one product at a time. Keeps the rows that
 * differ as a matrix with a plan and a vector; and, unless coefficients are constants, a vector of
 * the grid for each of the stencil's points. */
typedef struct fur_recognised fur_recognised;

typedef struct fur_recognise_options {
    size_t size;        /* sizeof(fur_recognise_options) */
    const char *kernel; /* of the stencil, as in fur_stencil_definition */
} fur_recognise_options;

/* What was found. Where nothing was, `reason` says why and only `seconds` is set besides. */
typedef struct fur_recognise_report {
    size_t size;       /* sizeof(fur_recognise_report) */
    int recognised;    /* 1 or 0 */
    char reason[256];  /* one sentence */
    int axes;          /* of the grid; those with one point are not counted */
    int64_t extent[3]; /* 1 beyond `axes` */
    int points;
    int variable; /* 0: coefficients are constants, 1: fields */
    int64_t rows_differing;
    int64_t bytes;  /* compulsory traffic of one product with beta = 0 */
    double seconds; /* what recognition took */
} fur_recognise_report;

/* Looks for a stencil in a matrix. That there is none is no failure: *out is NULL then. Of such a
 * matrix hardly more than some hundred rows are looked at. A stencil is proved by reading the
 * matrix once; constant coefficients are preferred, others are copied to fields. Refused, too, are
 * matrices of which more than an eighth of the rows would differ and those whose fields would be
 * more to read than the matrix. What is found in a matrix on a GPU lies there, too, and is the
 * same as on the CPU. options and report may be NULL.
 * FUR_UNSUPPORTED for a kernel that does not exist or does not suit the stencil. */
FUR_API fur_status fur_stencil_recognise(const fur_csr *a, const fur_recognise_options *options,
                                         fur_recognise_report *report, fur_recognised **out);

FUR_API void fur_recognised_destroy(fur_recognised *r);

/* The stencil, as long as r lives. Its products differ from r's in the rows that differ. */
FUR_API const fur_stencil *fur_recognised_stencil(const fur_recognised *r);

/* The rows that differ, as a matrix of as many rows, as long as r lives: row i of it is row
 * fur_recognised_row_numbers(r)[i] of the matrix that was recognised. The numbers rise; they lie
 * where the context's kernels work, NULL if there are none. */
FUR_API const fur_csr *fur_recognised_rows(const fur_recognised *r);
FUR_API const int32_t *fur_recognised_row_numbers(const fur_recognised *r);

/* y = alpha A x + beta y, as fur_spmv_apply, with the bits of its exact kernels. Allocates nothing;
 * products with one r must not overlap. */
FUR_API fur_status fur_recognised_apply(const fur_recognised *r, fur_scalar alpha,
                                        const fur_vector *x, fur_scalar beta, fur_vector *y);

/* The operator A; r must outlive it. It knows its diagonal. */
FUR_API fur_status fur_operator_from_recognised(const fur_recognised *r, fur_operator **out);

#ifdef __cplusplus
}
#endif
#endif
