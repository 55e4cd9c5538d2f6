/* Sparse matrix times dense vector: y = alpha op(A) x + beta y. Plan once, run many times.
 *
 * Kernels that are marked `exact` add the products of a row in the same order (docs/numerics.md):
 * they give the same bits for any number of threads, on the CPU and on a GPU. "auto" takes only
 * these.
 *
 * On a GPU fur_spmv_apply only queues work: it never waits and can be captured into a CUDA graph. A
 * plan holds partial results of its running product: products with one plan, also those of replayed
 * graphs, must not overlap in time. */
#ifndef FURROW_SPMV_H
#define FURROW_SPMV_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plan. Used by one thread at a time, as its context, and for one product at a time, because it
 * holds partial results. If its kernel has a format of its own, the plan keeps A in that format:
 * about as much memory as A, less in compressed formats. A plan for FUR_OP_T or FUR_OP_H also keeps
 * the transpose, as much memory as A. */
typedef struct fur_spmv fur_spmv;

typedef enum fur_op {
    FUR_OP_N = 0, /* A */
    FUR_OP_T,     /* A^T */
    FUR_OP_H      /* A^H, the conjugate transpose */
} fur_op;

/* What a matrix stores of the one that is meant. */
typedef enum fur_half {
    FUR_HALF_NONE = 0,  /* all of it */
    FUR_HALF_SYMMETRIC, /* the lower triangle and the diagonal, of A = A^T */
    FUR_HALF_HERMITIAN  /* the same, of A = A^H; the diagonal is taken as it is */
} fur_half;

/* Values that a product multiplies by. */
typedef enum fur_stored {
    FUR_STORED_EXACT = 0, /* A's */
    /* On request, as digits are lost: A's rounded to single precision, for f64 and c128. Vectors
     * and additions stay in double precision. With A' for the rounded matrix the product has, to
     * the bit, the result of one with A' stored in f64, and for rows of n entries and real values
     *
     *     |A' x - A x| <= (2^-24 |A| + 2^-150) |x|,
     *     |y - A x| <= (2^-24 + (n + 2) 2^-53 (1 + 2^-24)) |A| |x| + 2^-150 |x|
     *
     * summed over each row's entries; of complex values for each part of A. An entry above the
     * largest number of single precision, about 3.4e38, becomes infinite. */
    FUR_STORED_F32
} fur_stored;

typedef struct fur_spmv_options {
    size_t size;        /* sizeof(fur_spmv_options) */
    fur_op op;          /* which product the plan is for */
    const char *kernel; /* NULL or "auto": chosen; else a name from fur_spmv_kernel_at */
    /* The number of products to expect: a few do not pay for an expensive analysis. 0: not known,
     * taken as 50, a short iterative solve; a GPU then makes no plan that costs more than about
     * four. On the CPU fewer than 8, or so few that a million entries are not multiplied, take
     * kernel "rows" unseen, unless the context knows its machine already. */
    int64_t uses;
    /* auto: 1 builds and times the promising kernels instead of estimating; on a GPU 200 uses or
     * more do the same. */
    int measure;
    /* Whether A is half of a symmetric matrix: the product has the bits of the whole one. Half as
     * much memory, for which the plan adds the entries between the parts of its threads: few where
     * the bandwidth is small, as after fur_reorder. On the CPU only, FUR_UNSUPPORTED elsewhere;
     * FUR_INVALID for an entry above the diagonal, and for a kernel other than "auto". */
    fur_half half;
    /* FUR_STORED_F32: the plan keeps rounded values, 8 bytes an entry, beside what its kernel
     * needs. Kernels that keep single precision where no bit is lost (docs/kernels.md) then do, so
     * that a product reads 4 bytes an entry less. The plan's operator (fur_operator_from_spmv) is
     * that of A'. New values of A are rounded, too. */
    fur_stored values;
} fur_spmv_options;

/* Chooses a kernel and prepares it. The plan reads the matrix's arrays at every product, so the
 * matrix must outlive it; without the matrix the plan refuses to multiply, FUR_INVALID. FUR_OP_T
 * and FUR_OP_H keep a transposed copy of A, and kernels with a format of their own a copy in it.
 * New values of the matrix (fur_csr_set_values) reach these copies in place; the kernel stays the
 * same. FUR_UNSUPPORTED if the kernel does not exist (the sentence lists those that do) or does not
 * suit the matrix (it says why). */
FUR_API fur_status fur_spmv_plan(const fur_csr *a, const fur_spmv_options *options, fur_spmv **out);

/* Destroys a plan. */
FUR_API void fur_spmv_destroy(fur_spmv *plan);

/* y = alpha op(A) x + beta y, for x of cols(op(A)) and y of rows(op(A)) entries of A's value type.
 * x and y must not overlap. Allocates nothing. beta = 0 overwrites y: NaN in y does not survive.
 * alpha = 0 does not skip the product: NaN and infinity in A and x propagate. */
FUR_API fur_status fur_spmv_apply(const fur_spmv *plan, fur_scalar alpha, const fur_vector *x,
                                  fur_scalar beta, fur_vector *y);

typedef struct fur_spmv_report {
    size_t size;         /* of the library's struct */
    const char *kernel;  /* its name */
    const char *reason;  /* why it was chosen, one sentence; valid as long as the plan */
    int64_t bytes;       /* compulsory traffic of one product with beta = 0: the kernel's own format
                            of A once, x once, y once; new values of A may change it */
    int64_t csr_bytes;   /* the same for plain CSR, the traffic that GB/s usually refer to */
    double seconds_plan; /* duration of the analysis */
    double seconds_product;   /* of one product, if the plan was made with measure; else 0 */
    double seconds_estimated; /* of one product and its share of the plan, if the kernel was chosen
                                 by estimates; else 0 */
    /* The same of the plainest parallel kernel, if measured; else 0. A GPU measures it only
     * where it is promising. */
    double seconds_plain;
    /* Number of products after which the analysis pays back against the plainest kernel; 0 if that
     * one was chosen, -1 if it was not measured. */
    int64_t break_even;
} fur_spmv_report;

/* The plan's kernel, why it was chosen, and its cost: the report lives as long as the plan. For
 * NULL all numbers are 0 and all strings "". */
FUR_API const fur_spmv_report *fur_spmv_describe(const fur_spmv *plan);

#ifdef __cplusplus
}
#endif
#endif
