/* Triangular solves: op(T) x = alpha b, where T is a triangle of a square matrix A. Plan once,
 * solve many times.
 *
 * T has A's entries on one side of the diagonal, and on the diagonal A's own or ones. The other
 * side is never read: A may be an incomplete factorisation with both factors in one matrix, or a
 * matrix whose Gauss-Seidel sweep is wanted.
 *
 * A row needs the rows of its entries. Rows that need none are on level 0, the others one level
 * above the highest of those they need: rows of one level can be solved at once (Anderson and Saad
 * 1989). A plan looks at the pattern alone; new values of A (fur_csr_set_values) reach it in place.
 *
 * Every x_i is computed in one order (docs/numerics.md), so that it has the same bits for any
 * number of threads, by any schedule, and on a GPU. */
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

/* A plan. Used by one thread at a time, as its context, and for one solve at a time. It keeps a
 * copy of the triangle; for FUR_OP_T and FUR_OP_H also the transpose of A. */
typedef struct fur_trsv fur_trsv;

typedef enum fur_triangle {
    FUR_TRIANGLE_LOWER = 0, /* entries A(i, j) with j <= i */
    FUR_TRIANGLE_UPPER      /* j >= i */
} fur_triangle;

typedef enum fur_triangle_diagonal {
    FUR_DIAGONAL_STORED = 0, /* A's; kept duplicates count as their sum */
    FUR_DIAGONAL_UNIT        /* ones; A's own entries there, if any, are not read */
} fur_triangle_diagonal;

typedef struct fur_trsv_options {
    size_t size; /* sizeof(fur_trsv_options) */
    /* How the context's threads share the rows; x does not depend on it. NULL or "auto": what is
     * expected to be fastest; "serial": one thread, row after row; "blocks": blocks of consecutive
     * rows, each begun when those that it needs are done; "levels": the rows of a level at once. A
     * GPU has a way of its own and ignores it. */
    const char *schedule;
    /* 1: fur_trsv_apply_many solves for up to eight right-hand sides at once; the plan keeps room
     * for as many vectors. 0: one after the other. */
    int many;
} fur_trsv_options;

/* Prepares to solve with op of the lower or upper triangle of A: op(T) is a triangle of the other
 * side for FUR_OP_T and FUR_OP_H. The matrix must outlive the plan, which takes over its new
 * values; without it the plan refuses to solve, FUR_INVALID. FUR_INVALID unless A is square, for a
 * row without an entry on a stored diagonal, and for a zero there (for complex types: for an entry
 * without a finite reciprocal): the sentence names the first such row. New values with such an
 * entry make solves fail until better ones come. */
FUR_API fur_status fur_trsv_plan(const fur_csr *a, fur_triangle triangle, fur_op op,
                                 fur_triangle_diagonal diagonal, const fur_trsv_options *options,
                                 fur_trsv **out);

/* Destroys a plan. */
FUR_API void fur_trsv_destroy(fur_trsv *plan);

/* Solves op(T) x = alpha b, for b and x of A's size and value type. x may be b, or lie where b
 * does, but not overlap it in part. Allocates nothing. The result satisfies (T + E) x = alpha b up
 * to the rounding of alpha b, with |E| <= (n + 2) u |T| entry by entry for rows of n entries,
 * unless a number overflows or underflows (Higham, Accuracy and Stability of Numerical Algorithms,
 * 2002, chapter 8). */
FUR_API fur_status fur_trsv_apply(const fur_trsv *plan, fur_scalar alpha, const fur_vector *b,
                                  fur_vector *x);

/* The same for `count` right-hand sides, with the bits of as many single solves: if the plan was
 * made for it (fur_trsv_options.many), T is read once for eight of them. x[k] may be b[k], but must
 * not overlap any other vector. Of 0 right-hand sides the lists may be NULL. */
FUR_API fur_status fur_trsv_apply_many(const fur_trsv *plan, fur_scalar alpha, int count,
                                       const fur_vector *const *b, fur_vector *const *x);

typedef struct fur_trsv_report {
    size_t size;          /* of the library's struct */
    int64_t entries;      /* of the triangle, a unit diagonal not counted */
    int64_t levels;       /* 0: not counted, as the device's way does not need them */
    int64_t level_max;    /* rows of the largest level; 0 likewise */
    const char *schedule; /* "serial", "blocks" or "levels"; on a GPU its way */
    const char *reason;   /* why it was chosen, one sentence; valid as long as the plan */
    int64_t tasks;        /* pieces that are handed to threads; 1: one thread does all */
    int64_t bytes;        /* compulsory traffic of one solve: the triangle once, b once, x once */
    double seconds_plan;  /* duration of the analysis */
} fur_trsv_report;

/* What the plan does: the report lives as long as the plan. For NULL all numbers are 0 and all
 * strings "". */
FUR_API const fur_trsv_report *fur_trsv_describe(const fur_trsv *plan);

/* The operator y = op(T)^-1 x of a plan, which must outlive it: a preconditioner, or half of one.
 * Like the plan, it takes over new values. */
FUR_API fur_status fur_operator_from_trsv(const fur_trsv *plan, fur_operator **out);

#ifdef __cplusplus
}
#endif
#endif
