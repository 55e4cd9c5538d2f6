/* Triangular solves: op(T) x = alpha b, where T is a triangle of a square matrix A.
 *
 *     fur_trsv_plan(a, FUR_TRIANGLE_LOWER, FUR_OP_N, FUR_DIAGONAL_STORED, NULL, &plan);
 *     fur_trsv_apply(plan, fur_real(1), b, x);
 *     fur_trsv_destroy(plan);
 *
 * Plan once, solve many times. T has A's entries on one side of the diagonal. Its diagonal is A's,
 * or ones. The other side is never read. So A may be an incomplete factorization with both factors
 * in one matrix, or a matrix for a Gauss-Seidel sweep.
 *
 * A row needs the rows of its entries. Rows that need no other row are on level 0. Every other row
 * is one level above the highest row that it needs. Rows of one level can be solved at once
 * (Anderson and Saad 1989). A plan depends on the pattern alone. New values of A
 * (fur_csr_set_values) reach it in place.
 *
 * Every x_i is computed in one order (docs/numerics.md). So it has the same bits for any number of
 * threads, by any schedule, and on a GPU. */
#ifndef FURROW_TRIANGULAR_H
#define FURROW_TRIANGULAR_H

#include <furrow/base.h>
#include <furrow/csr.h>
#include <furrow/operator.h>
#include <furrow/spmv.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plan. Use it in one thread at a time, as its context.
 *
 * It runs one solve at a time. It keeps a copy of the triangle, and for FUR_OP_T and FUR_OP_H also
 * the transpose of A. */
typedef struct fur_trsv fur_trsv;

/* Which triangle of A is used. */
typedef enum fur_triangle {
    FUR_TRIANGLE_LOWER = 0, /* entries A(i, j) with j <= i */
    FUR_TRIANGLE_UPPER      /* entries A(i, j) with j >= i */
} fur_triangle;

/* Which diagonal the triangle has. */
typedef enum fur_triangle_diagonal {
    FUR_DIAGONAL_STORED = 0, /* A's diagonal; kept duplicates are added up */
    FUR_DIAGONAL_UNIT        /* ones; A's diagonal entries, if any, are not read */
} fur_triangle_diagonal;

/* Options of fur_trsv_plan. */
typedef struct fur_trsv_options {
    size_t size; /* sizeof(fur_trsv_options) */
    /* How the context's threads share the rows; x does not depend on it. "serial": one thread, row
     * after row. "blocks": blocks of consecutive rows, each begun when the blocks that it needs are
     * done. "levels": the rows of a level at once. NULL or "auto": the schedule that is expected to
     * be fastest. A GPU ignores the option. */
    const char *schedule;
    /* 1: fur_trsv_apply_many solves for up to eight right-hand sides at once, and the plan
     * allocates eight vectors. 0: one after the other. Default 0 */
    int many;
} fur_trsv_options;

/* Prepares solves with op of the lower or upper triangle of A.
 *
 * - a: a square matrix, which must outlive the plan. The plan uses its new values. After the matrix
 *   is destroyed the plan refuses to solve: FUR_INVALID.
 * - triangle: the triangle T of A. op(T) is a triangle on the other side for FUR_OP_T and FUR_OP_H.
 * - options: NULL means all defaults.
 * - out: the plan; the caller destroys it.
 *
 * Errors: FUR_INVALID if A is not square, or if a row has no entry on a stored diagonal, or a zero
 * (complex types: an entry without a finite reciprocal). The sentence names the first such row. If
 * new values have such an entry, solves fail until new values suit. FUR_UNSUPPORTED if the schedule
 * is unknown. */
FUR_API fur_status fur_trsv_plan(const fur_csr *a, fur_triangle triangle, fur_op op,
                                 fur_triangle_diagonal diagonal, const fur_trsv_options *options,
                                 fur_trsv **out);

/* Destroys a plan; NULL does nothing. */
FUR_API void fur_trsv_destroy(fur_trsv *plan);

/* Solves op(T) x = alpha b. Allocates nothing.
 *
 * b and x have A's size and value type. x may be b, or lie at the same address, but must not
 * overlap it in part. The result satisfies (T + E) x = alpha b up to the rounding of alpha b, with
 * |E| <= (n + 2) u |T| entry by entry for rows of n entries. This holds unless a number overflows
 * or underflows (Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapter 8).
 *
 * Errors: FUR_INVALID if a vector does not fit, the vectors overlap in part, or the matrix has been
 * destroyed. */
FUR_API fur_status fur_trsv_apply(const fur_trsv *plan, fur_scalar alpha, const fur_vector *b,
                                  fur_vector *x);

/* Solves op(T) x[k] = alpha b[k] for `count` right-hand sides.
 *
 * - count: at least 0. If it is 0, the lists may be NULL.
 * - b, x: `count` vectors each. x[k] may be b[k], but must not overlap any other vector.
 *
 * The results have the bits of fur_trsv_apply. If the plan was made with fur_trsv_options.many, T
 * is read once for eight right-hand sides.
 *
 * Errors: as fur_trsv_apply. */
FUR_API fur_status fur_trsv_apply_many(const fur_trsv *plan, fur_scalar alpha, int count,
                                       const fur_vector *const *b, fur_vector *const *x);

/* Report of fur_trsv_describe. */
typedef struct fur_trsv_report {
    size_t size;       /* of the library's struct */
    int64_t entries;   /* entries of the triangle, without a unit diagonal */
    int64_t levels;    /* number of levels; 0: not counted, because the device does not need them */
    int64_t level_max; /* rows of the largest level; 0: not counted */
    const char *schedule; /* "serial", "blocks" or "levels"; on a GPU the name of its schedule */
    const char *reason;   /* why it was chosen, one sentence; valid as long as the plan */
    int64_t tasks;        /* pieces that are given to threads; 1: one thread does everything */
    int64_t bytes;        /* compulsory traffic of one solve: the triangle once, b once, x once */
    double seconds_plan;  /* duration of the analysis */
} fur_trsv_report;

/* Returns the plan's schedule and cost.
 *
 * The report is valid as long as the plan. For NULL all numbers are 0 and all strings "". */
FUR_API const fur_trsv_report *fur_trsv_describe(const fur_trsv *plan);

/* Makes the operator y = op(T)^-1 x of a plan. The caller destroys *out.
 *
 * It is a preconditioner, or half of one. The plan must outlive it. It uses new values, as the plan
 * does. */
FUR_API fur_status fur_operator_from_trsv(const fur_trsv *plan, fur_operator **out);

#ifdef __cplusplus
}
#endif
#endif
