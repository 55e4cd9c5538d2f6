/* Products of two sparse matrices: C = alpha A B. The pattern of C is found once, by a plan, and
 * kept: for new values of A and B only the values of C are computed again.
 *
 *     c_ij = alpha sum_k a_ik b_kj,   k rising along row i of A
 *
 * Products are added one by one by fma from +0, in the value type; then alpha multiplies the sum
 * (Gustavson 1978; docs/numerics.md). So C has the same bits for any number of threads and on any
 * device. Its columns are sorted. Entries that cancel to 0 stay, as the pattern does not depend on
 * values: C has every (i, j) for which some a_ik and b_kj are stored. Kept duplicates of A and B
 * count one by one, in their order; C has none. */
#ifndef FURROW_SPGEMM_H
#define FURROW_SPGEMM_H

#include <furrow/base.h>
#include <furrow/csr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plan. Used by one thread at a time, as its context, and for one product at a time. It keeps the
 * pattern of C, which the matrices made by it share, and for each thread the sums of one row. */
typedef struct fur_spgemm fur_spgemm;

typedef struct fur_spgemm_options {
    size_t size;  /* sizeof(fur_spgemm_options) */
    int64_t most; /* refuse products C of more entries; 0: any number that memory can hold */
} fur_spgemm_options;

/* Finds the pattern of C. Its offsets are int32 when the entries fit, else int64, whatever those of
 * A and B. The plan reads A and B at every product: both must outlive it, and new values of theirs
 * (fur_csr_set_values) count from the next product on. A and B may be the same matrix.
 *
 * FUR_INVALID unless A has as many columns as B has rows, and both have one context and value type.
 * FUR_OVERFLOW for more entries than options allow, FUR_OUT_OF_MEMORY for more than the machine
 * has memory for: both are known, and said, before C takes memory. Takes 16 bytes a row of A and a
 * bit a column of B for each thread meanwhile. O(products) time, less where rows repeat those
 * before. */
FUR_API fur_status fur_spgemm_plan(const fur_csr *a, const fur_csr *b,
                                   const fur_spgemm_options *options, fur_spgemm **out);

/* Destroys a plan. Matrices that it made stay. */
FUR_API void fur_spgemm_destroy(fur_spgemm *plan);

/* C = alpha A B as a new matrix. Matrices of one plan share offsets and columns and have values of
 * their own. */
FUR_API fur_status fur_spgemm_multiply(const fur_spgemm *plan, fur_scalar alpha, fur_csr **out);

/* The same into a matrix that fur_spgemm_multiply made by this plan: its values are replaced as by
 * fur_csr_set_values, and objects made from it take over the new ones. Allocates nothing, unless C
 * has borrowed its values meanwhile. FUR_INVALID for another matrix. */
FUR_API fur_status fur_spgemm_apply(const fur_spgemm *plan, fur_scalar alpha, fur_csr *c);

typedef struct fur_spgemm_report {
    size_t size;         /* of the library's struct */
    int64_t rows;        /* of C */
    int64_t cols;        /* of C */
    int64_t entries;     /* of C */
    int64_t products;    /* a_ik b_kj that make them up: 2 flops each for a real type */
    int64_t bytes;       /* compulsory traffic of one product: A, B and C once */
    double seconds_plan; /* duration of the search for the pattern */
} fur_spgemm_report;

/* What the plan found. For NULL all numbers are 0. */
FUR_API const fur_spgemm_report *fur_spgemm_describe(const fur_spgemm *plan);

/* C = A B, and C = R (A P), in one call, without a plan that stays. The latter has the bits of a
 * plan's. On the CPU it does not store A P where each row of it is needed about once, as by the R
 * of aggregates: where R has up to 9/8 of the entries that A has rows, and A's rows times the
 * longest row of P are at most twice the entries of A and P. It then takes the memory of one more
 * value and column for each of these meanwhile, most of which it does not write to. */
FUR_API fur_status fur_csr_multiply(const fur_csr *a, const fur_csr *b, fur_csr **out);
FUR_API fur_status fur_csr_triple(const fur_csr *r, const fur_csr *a, const fur_csr *p,
                                  fur_csr **out);

#ifdef __cplusplus
}
#endif
#endif
