/* Products of two sparse matrices: C = alpha A B.
 *
 *     fur_csr_multiply(a, b, &c);                           one product, or
 *
 *     fur_spgemm_plan(a, b, NULL, &plan);                   many products with one pattern
 *     fur_spgemm_multiply(plan, fur_real(1), &c);
 *     fur_spgemm_apply(plan, fur_real(1), c);               after new values of A or B
 *
 * A plan finds the pattern of C once and keeps it. For new values of A and B only the values of C
 * are computed again:
 *
 *     c_ij = alpha sum_k a_ik b_kj,   k rising along row i of A
 *
 * Products are added one by one by fma from +0, in the value type. Then alpha multiplies the sum
 * (Gustavson 1978; docs/numerics.md). So C has the same bits for any number of threads and on any
 * device. Its columns are sorted. Entries that cancel to 0 stay, because the pattern does not
 * depend on values: C stores every (i, j) for which some a_ik and b_kj are stored. Kept duplicates
 * of A and B are used one by one, in their order; C has no duplicates. */
#ifndef FURROW_SPGEMM_H
#define FURROW_SPGEMM_H

#include <furrow/base.h>
#include <furrow/csr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plan. Use it in one thread at a time, as its context.
 *
 * It runs one product at a time. It keeps the pattern of C, which its matrices share, and for each
 * thread the sums of one row. */
typedef struct fur_spgemm fur_spgemm;

/* Options of fur_spgemm_plan. */
typedef struct fur_spgemm_options {
    size_t size; /* sizeof(fur_spgemm_options) */
    /* Largest number of entries of C; more is FUR_OVERFLOW. Default 0: no limit */
    int64_t max_entries;
} fur_spgemm_options;

/* Finds the pattern of C = A B.
 *
 * - a, b: the matrices, which must outlive the plan. The plan reads them at every product, so new
 *   values (fur_csr_set_values) are used from the next product on. A and B may be the same matrix.
 * - options: NULL means all defaults.
 * - out: the plan; the caller destroys it.
 *
 * The offsets of C are int32 if the entries fit, otherwise int64, for any offsets of A and B. The
 * call allocates 16 bytes a row of A meanwhile, and a bit a column of B for each thread. The time
 * is O(products), less if rows repeat those before.
 *
 * Errors: FUR_INVALID if A's number of columns is not B's number of rows, or if context or value
 * type differ. FUR_OVERFLOW if C has more entries than the options allow. FUR_OUT_OF_MEMORY if C
 * does not fit in memory. Both are found before C is allocated. */
FUR_API fur_status fur_spgemm_plan(const fur_csr *a, const fur_csr *b,
                                   const fur_spgemm_options *options, fur_spgemm **out);

/* Destroys a plan; NULL does nothing. Its matrices stay valid. */
FUR_API void fur_spgemm_destroy(fur_spgemm *plan);

/* Makes C = alpha A B as a new matrix. The caller destroys *out.
 *
 * Matrices of one plan share offsets and columns. Each has its own values. */
FUR_API fur_status fur_spgemm_multiply(const fur_spgemm *plan, fur_scalar alpha, fur_csr **out);

/* Computes C = alpha A B in a matrix that fur_spgemm_multiply made by this plan.
 *
 * The values of C are replaced as by fur_csr_set_values, and objects made from C use the new
 * values. Allocates nothing, unless C borrows its values.
 *
 * Errors: FUR_INVALID if C was not made by this plan. */
FUR_API fur_status fur_spgemm_apply(const fur_spgemm *plan, fur_scalar alpha, fur_csr *c);

/* Report of fur_spgemm_describe. */
typedef struct fur_spgemm_report {
    size_t size;         /* of the library's struct */
    int64_t rows;        /* rows of C */
    int64_t cols;        /* columns of C */
    int64_t entries;     /* entries of C */
    int64_t products;    /* number of products a_ik b_kj: 2 flops each for a real type */
    int64_t bytes;       /* compulsory traffic of one product: A, B and C once */
    double seconds_plan; /* duration of the search for the pattern */
} fur_spgemm_report;

/* Returns the size and the cost of the product.
 *
 * The report is valid as long as the plan. For NULL all numbers are 0. */
FUR_API const fur_spgemm_report *fur_spgemm_describe(const fur_spgemm *plan);

/* Makes C = A B in one call, without a plan. The caller destroys *out.
 *
 * Errors: as fur_spgemm_plan. */
FUR_API fur_status fur_csr_multiply(const fur_csr *a, const fur_csr *b, fur_csr **out);
/* Makes C = R (A P) in one call, with the bits of plans. The caller destroys *out.
 *
 * On the CPU it does not store A P if each row of A P is needed about once, as with the R of
 * aggregates. This is the case if R has at most 9/8 as many entries as A has rows, and A's rows
 * times the longest row of P are at most twice the entries of A and P. The call then allocates one
 * more value and column for each of these meanwhile. It does not write to most of them.
 *
 * Errors: as fur_spgemm_plan. */
FUR_API fur_status fur_csr_triple(const fur_csr *r, const fur_csr *a, const fur_csr *p,
                                  fur_csr **out);

#ifdef __cplusplus
}
#endif
#endif
