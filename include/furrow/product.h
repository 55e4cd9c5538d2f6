/* The fastest product by a matrix, in one call: y = op(A) x by a plan (furrow/spmv.h), or by the
 * stencil that A is, with rows and columns in the order of A or in a better
 * one (furrow/reorder.h). Where estimates cannot decide, the candidates race and the fastest wins.
 * The result has the same bits whichever wins, unless the order changes, and so has a solve by
 * cg. The command furrow multiplies and solves in this way. */
#ifndef FURROW_PRODUCT_H
#define FURROW_PRODUCT_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/operator.h>
#include <furrow/reorder.h>
#include <furrow/spmv.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by one thread at a time, as its context, and for one product at a time. */
typedef struct fur_product fur_product;

typedef struct fur_product_options {
    size_t size; /* sizeof(fur_product_options) */
    fur_op op;
    /* NULL or "auto": the plan that fur_spmv_plan chooses, or the stencil that A is, whichever is
     * faster. "stencil": the stencil; FUR_UNSUPPORTED if A is none. Else a plan by this kernel. */
    const char *kernel;
    /* NULL or "none": the order of A. "auto": the order of "rcm" if it makes products at least 5 %
     * faster. Else the order of this method of fur_reorder, even if it gains nothing. */
    const char *order;
    /* The number of products to expect, as in fur_spmv_options; 0: not known. Fewer than 20 do not
     * pay for a race with a stencil, and fewer than 100 do not pay for the search of another order:
     * "auto" then leaves it out. */
    int64_t uses;
    /* As in fur_spmv_options: with other than FUR_STORED_EXACT "auto" takes no stencil, and
     * "stencil" is FUR_UNSUPPORTED. */
    fur_stored values;
    /* As in fur_spmv_options: A is half of the matrix that is meant. Only with kernel "auto", which
     * then takes no stencil, and in the order of A: FUR_INVALID otherwise. */
    fur_half half;
} fur_product_options;

/* Chooses and prepares. A must outlive the product. The product takes over new values of A
 * (fur_csr_set_values). In another order it copies them, which allocates memory. If new values are
 * not those of the stencil that "auto" took, a plan takes its place, which allocates memory, and
 * the report changes: capture graphs again. A product by kernel "stencil" then refuses to multiply,
 * FUR_INVALID, until values suit it.
 * FUR_UNSUPPORTED for a kernel or a method that does not exist or does not suit A; FUR_INVALID for
 * another order than "auto" if A is not square. */
FUR_API fur_status fur_product_create(const fur_csr *a, const fur_product_options *options,
                                      fur_product **out);

/* Destroys a product. */
FUR_API void fur_product_destroy(fur_product *p);

/* The operator op(B), as long as the product lives: B = A, or B = P A P^T in another order. Vectors
 * then are in that order, too: fur_vector_permute brings x into it and fur_vector_unpermute takes y
 * back, once for a whole solve; fur_operator_permute makes an operator that does both each time. */
FUR_API const fur_operator *fur_product_operator(const fur_product *p);

/* B, as long as the product lives: A, or P A P^T in another order. It takes over new values of A.
 */
FUR_API const fur_csr *fur_product_matrix(const fur_product *p);

/* P, as long as the product lives; NULL: the order is that of A. */
FUR_API const fur_permutation *fur_product_order(const fur_product *p);

/* The stencil that was found in a matrix (furrow/author/recognised.h). If none was, only `reason`,
 * which says why, and `seconds` are set. */
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
    double seconds; /* duration of the recognition */
} fur_recognise_report;

/* The choice, and its reasons. Strings live as long as the product. */
typedef struct fur_product_report {
    size_t size;        /* of the library's struct */
    const char *kernel; /* of the plan, or "stencil" */
    const char *reason; /* why it was chosen, one sentence; after a race with what, and figures */
    int64_t bytes;      /* as in fur_spmv_report, as the next three */
    int64_t csr_bytes;
    double seconds_plan; /* of a stencil: duration of the recognition */
    double seconds_estimated;
    const char *order;        /* the method, or "none" */
    const char *order_reason; /* one sentence; "" if no other order was asked for */
    double seconds_order;     /* to find the order; 0: no other order was tried */
    double seconds_permute;
    double seconds_before; /* of one product in the order of A, if the orders raced; else 0 */
    double seconds_after;  /* in the other order */
    const fur_recognise_report *recognition; /* NULL: no stencil was searched */
} fur_product_report;

/* The report lives as long as the product. For NULL all numbers are 0 and all strings "". */
FUR_API const fur_product_report *fur_product_describe(const fur_product *p);

#ifdef __cplusplus
}
#endif
#endif
