/* Sparse matrix times dense vector: y = alpha op(A) x + beta y. Plan once, run many times.
 *
 *     fur_spmv_plan(a, NULL, &plan);
 *     fur_spmv_apply(plan, fur_real(1), x, fur_real(0), y);
 *     fur_spmv_destroy(plan);
 *
 * Kernels that are marked `exact` add the products of a row in the same order (docs/numerics.md).
 * They give the same bits for any number of threads, on the CPU and on a GPU. "auto" chooses only
 * among exact kernels.
 *
 * On a GPU fur_spmv_apply only queues work. It never waits and can be captured into a CUDA graph. A
 * plan holds partial results while its product runs. So products by one plan, including replayed
 * graphs, must not overlap in time. */
#ifndef FURROW_SPMV_H
#define FURROW_SPMV_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plan. Use it in one thread at a time, as its context.
 *
 * It runs one product at a time, because it holds partial results. If its kernel has its own
 * format, the plan also keeps A in that format: about as much memory as A, less in compressed
 * formats. A plan for FUR_OP_T or FUR_OP_H also keeps the transpose, which takes as much memory as
 * A. */
typedef struct fur_spmv fur_spmv;

/* Which operator is applied: A or a transpose of A. */
typedef enum fur_op {
    FUR_OP_N = 0, /* A */
    FUR_OP_T,     /* A^T */
    FUR_OP_H      /* A^H, the conjugate transpose */
} fur_op;

/* Which part of a symmetric matrix is stored. */
typedef enum fur_half {
    FUR_HALF_NONE = 0,  /* the whole matrix */
    FUR_HALF_SYMMETRIC, /* the lower triangle and the diagonal of A = A^T */
    FUR_HALF_HERMITIAN  /* the lower triangle and the diagonal of A = A^H; the diagonal is used as
                           stored */
} fur_half;

/* Which values a product multiplies by. */
typedef enum fur_stored {
    FUR_STORED_EXACT = 0, /* the values of A */
    /* The values of A, rounded to single precision, for f64 and c128. Vectors and additions stay in
     * double precision. It is never chosen automatically, because digits are lost. Let A' be the
     * rounded matrix. The product has the bits of a product by A' stored in f64. For rows of n
     * entries and real values
     *
     *     |A' x - A x| <= (2^-24 |A| + 2^-150) |x|,
     *     |y - A x| <= (2^-24 + (n + 2) 2^-53 (1 + 2^-24)) |A| |x| + 2^-150 |x|
     *
     * summed over the entries of each row. For complex values the bounds hold for each part of A.
     * An entry above the largest number of single precision, about 3.4e38, becomes infinite. */
    FUR_STORED_F32
} fur_stored;

/* Options of fur_spmv_plan. */
typedef struct fur_spmv_options {
    size_t size; /* sizeof(fur_spmv_options) */
    /* Which product the plan is for. Default FUR_OP_N. */
    fur_op op;
    /* NULL or "auto": the plan chooses. Otherwise a name from fur_spmv_kernel_at
     * (furrow/author/kernels.h). */
    const char *kernel;
    /* Expected number of products. A few products do not pay for an expensive analysis. Default 0:
     * not known, taken as 50, a short iterative solve; a GPU then makes no plan that costs more
     * than about four products. The CPU takes kernel "rows" without an analysis if fewer than 8
     * products are expected, or if all products together multiply fewer than a million entries. It
     * does not if the context already knows the speed of its machine. */
    int64_t uses;
    /* 1: "auto" builds and times the promising kernels instead of estimating. On a GPU 200 uses or
     * more have the same effect. Default 0. */
    int measure;
    /* Whether A is half of a symmetric matrix. Default FUR_HALF_NONE. The product has the bits of a
     * product by the whole matrix, with half the memory. The plan also stores sums between the
     * parts of its threads, which are few if the bandwidth is small, as after fur_reorder.
     * FUR_UNSUPPORTED on a GPU, and for a transpose that differs from a complex A. FUR_INVALID if A
     * has an entry above the diagonal or is not square, and for a kernel other than "auto". */
    fur_half half;
    /* FUR_STORED_F32: the plan keeps rounded values, 8 bytes an entry, in addition to the kernel's
     * own data. A product reads 4 bytes an entry less by kernels that can keep single precision
     * (docs/kernels.md). The plan's operator (fur_operator_from_spmv) is then A'. New values of A
     * are rounded, too. Default FUR_STORED_EXACT. */
    fur_stored values;
} fur_spmv_options;

/* Chooses a kernel for products by A and prepares it.
 *
 * - a: the matrix, which must outlive the plan. The plan reads its arrays at every product. After
 *   the matrix is destroyed the plan refuses to multiply: FUR_INVALID.
 * - options: NULL means all defaults.
 * - out: the plan; the caller destroys it.
 *
 * New values of the matrix (fur_csr_set_values) reach the plan and its copies in place. The kernel
 * stays the same.
 *
 * Errors: FUR_UNSUPPORTED if the kernel does not exist (the sentence lists the kernels) or does not
 * suit the matrix (the sentence says why). FUR_INVALID if an option is out of range. */
FUR_API fur_status fur_spmv_plan(const fur_csr *a, const fur_spmv_options *options, fur_spmv **out);

/* Destroys a plan; NULL does nothing. */
FUR_API void fur_spmv_destroy(fur_spmv *plan);

/* Computes y = alpha op(A) x + beta y. x and y must not overlap.
 *
 * - x: as many entries as op(A) has columns, of A's value type.
 * - y: as many entries as op(A) has rows, of A's value type.
 *
 * Allocates nothing. beta = 0 overwrites y: NaN in y does not survive. alpha = 0 does not skip the
 * product: NaN and infinity in A and x propagate.
 *
 * Errors: FUR_INVALID if a vector has another context, value type or size, if x and y overlap, or
 * if the matrix has been destroyed. */
FUR_API fur_status fur_spmv_apply(const fur_spmv *plan, fur_scalar alpha, const fur_vector *x,
                                  fur_scalar beta, fur_vector *y);

/* Report of fur_spmv_describe: the kernel, why it was chosen, and its cost. */
typedef struct fur_spmv_report {
    size_t size;        /* of the library's struct */
    const char *kernel; /* name of the kernel */
    const char *reason; /* why it was chosen, one sentence; valid as long as the plan */
    /* Compulsory traffic of one product with beta = 0: the kernel's format of A once, x once, y
     * once. New values of A may change it. */
    int64_t bytes;
    /* The same traffic for plain CSR, to which GB/s usually refer. */
    int64_t csr_bytes;
    double seconds_plan; /* duration of the analysis */
    /* Duration of one product if the plan was made with `measure`; otherwise 0. */
    double seconds_product;
    /* Estimate for one product and its share of the plan, if the kernel was chosen by estimates;
     * otherwise 0. */
    double seconds_estimated;
    /* Duration of one product by the plainest parallel kernel, if it was measured; otherwise 0. A
     * GPU measures it only if it is promising. */
    double seconds_plain;
    /* Number of products after which the analysis pays back against the plainest kernel. 0 if the
     * plainest kernel was chosen, -1 if it was not measured. */
    int64_t break_even;
} fur_spmv_report;

/* Returns the plan's kernel, why it was chosen, and its cost.
 *
 * The report is valid as long as the plan. For NULL all numbers are 0 and all strings "". */
FUR_API const fur_spmv_report *fur_spmv_describe(const fur_spmv *plan);

#ifdef __cplusplus
}
#endif
#endif
