/* The fastest product by a matrix, in one call: y = op(A) x.
 *
 *     fur_product_create(a, NULL, &product);
 *     fur_operator_apply(fur_product_operator(product), x, y);
 *     fur_product_destroy(product);
 *
 * A product multiplies by a plan (furrow/spmv.h), or by the stencil that A is. Rows and columns are
 * in the order of A or in a better order (furrow/reorder.h). If estimates cannot decide, the
 * candidates are timed and the fastest is taken. The result has the same bits for every choice,
 * unless the order changes, and so has a solve by cg. The command furrow multiplies and solves in
 * this way. */
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

/* A product. Use it in one thread at a time, as its context.
 *
 * It runs one product at a time. */
typedef struct fur_product fur_product;

/* Options of fur_product_create. */
typedef struct fur_product_options {
    size_t size; /* sizeof(fur_product_options) */
    /* Which product: A, A^T or A^H. Default FUR_OP_N. */
    fur_op op;
    /* NULL or "auto": the plan that fur_spmv_plan chooses, or the stencil that A is, whichever is
     * faster. "stencil": the stencil; FUR_UNSUPPORTED if A is no stencil. Other names: a plan by
     * this kernel of fur_spmv_kernel_at. */
    const char *kernel;
    /* NULL or "none": the order of A. "auto": the order of "rcm" if it makes products at least 5 %
     * faster. Other names: the order of this method of fur_reorder, even if it gains nothing. */
    const char *order;
    /* Expected number of products, as in fur_spmv_options. Default 0: not known. "auto" times no
     * stencil if it is under 20, and searches no other order if it is under 100. */
    int64_t uses;
    /* Values to multiply by, as in fur_spmv_options. Other than FUR_STORED_EXACT: "auto" takes no
     * stencil, and kernel "stencil" is FUR_UNSUPPORTED. */
    fur_stored values;
    /* Whether A is half of a symmetric matrix, as in fur_spmv_options. It needs kernel "auto",
     * which then takes no stencil, and the order of A; otherwise FUR_INVALID. */
    fur_half half;
} fur_product_options;

/* Chooses the fastest product by A and prepares it.
 *
 * - a: the matrix, which must outlive the product.
 * - options: NULL means all defaults.
 * - out: the product; the caller destroys it.
 *
 * The product uses new values of A (fur_csr_set_values). In another order it copies them, which
 * allocates memory. If "auto" took a stencil and new values do not suit it, a plan replaces the
 * stencil. This allocates memory and changes the report: capture graphs again. A product by kernel
 * "stencil" then refuses to multiply, FUR_INVALID, until values suit it.
 *
 * Errors: FUR_UNSUPPORTED if a kernel or a method does not exist or does not suit A. FUR_INVALID if
 * `order` names a method and A is not square. */
FUR_API fur_status fur_product_create(const fur_csr *a, const fur_product_options *options,
                                      fur_product **out);

/* Destroys a product; NULL does nothing. */
FUR_API void fur_product_destroy(fur_product *p);

/* Returns the operator op(B), where B is A, or P A P^T in another order.
 *
 * It is valid as long as the product; do not destroy it. In another order its vectors are in that
 * order, too. fur_vector_permute brings x into that order, and fur_vector_unpermute takes y back,
 * once for a whole solve. fur_operator_permute makes an operator that does both each time. */
FUR_API const fur_operator *fur_product_operator(const fur_product *p);

/* Returns B: A itself, or P A P^T in another order.
 *
 * It is valid as long as the product; do not destroy it. It uses new values of A. */
FUR_API const fur_csr *fur_product_matrix(const fur_product *p);

/* Returns P, or NULL if the order is that of A.
 *
 * It is valid as long as the product; do not destroy it. */
FUR_API const fur_permutation *fur_product_order(const fur_product *p);

/* Description of the stencil that was found in a matrix.
 *
 * If no stencil was found, only `reason`, which says why, and `seconds` are set.
 * furrow/author/recognised.h has the recognition. */
typedef struct fur_recognise_report {
    size_t size;            /* sizeof(fur_recognise_report) */
    int recognised;         /* 1 or 0 */
    char reason[256];       /* one sentence */
    int axes;               /* axes of the grid that have more than one point */
    int64_t extent[3];      /* points along each axis; 1 from `axes` on */
    int points;             /* points of the stencil */
    int variable;           /* 0: coefficients are constants, 1: fields */
    int64_t rows_differing; /* rows that differ from the stencil of the grid */
    int64_t bytes;          /* compulsory traffic of one product with beta = 0 */
    double seconds;         /* duration of the recognition */
} fur_recognise_report;

/* Report of fur_product_describe: the choice and its reasons. */
typedef struct fur_product_report {
    size_t size;              /* of the library's struct */
    const char *kernel;       /* of the plan, or "stencil" */
    const char *reason;       /* why it was chosen, one sentence; after a race, with figures */
    int64_t bytes;            /* of one product, as in fur_spmv_report */
    int64_t csr_bytes;        /* as in fur_spmv_report */
    double seconds_plan;      /* duration of the analysis; of a stencil: of its recognition */
    double seconds_estimated; /* as in fur_spmv_report */
    const char *order;        /* the method of fur_reorder, or "none" */
    const char *order_reason; /* one sentence; "" if no other order was asked for */
    double seconds_order;   /* duration of the search for the order; 0: no other order was tried */
    double seconds_permute; /* duration of the permutation of A */
    double seconds_before;  /* of one product in the order of A, if the orders raced; else 0 */
    double seconds_after;   /* of one product in the other order */
    const fur_recognise_report *recognition; /* NULL: no stencil was searched */
} fur_product_report;

/* Returns the product's choice, its reasons and its cost.
 *
 * The report and its strings are valid as long as the product. For NULL all numbers are 0 and all
 * strings "". */
FUR_API const fur_product_report *fur_product_describe(const fur_product *p);

#ifdef __cplusplus
}
#endif
#endif
