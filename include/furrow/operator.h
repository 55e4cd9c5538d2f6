/* A linear operator y = A x, known by its action alone.
 *
 *     fur_operator_from_spmv(plan, &op);
 *     fur_operator_apply(op, x, y);
 *     fur_operator_destroy(op);
 *
 * An operator is an SpMV plan, a stencil, a preconditioner, or the user's functions
 * (furrow/author/operator.h). Solvers use operators and vectors and nothing else. */
#ifndef FURROW_OPERATOR_H
#define FURROW_OPERATOR_H

#include <furrow/base.h>
#include <furrow/reorder.h>
#include <furrow/spmv.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A linear operator. Use it in one thread at a time, as its context.
 *
 * It runs one application at a time. It allocates nothing unless stated. */
typedef struct fur_operator fur_operator;

/* Makes the operator op(A) of a plan. The caller destroys *out.
 *
 * The plan must outlive the operator. If the plan or its matrix is destroyed, the operator refuses
 * to be used: FUR_INVALID. It uses new values, as the plan does. */
FUR_API fur_status fur_operator_from_spmv(const fur_spmv *plan, fur_operator **out);

/* Makes Jacobi's preconditioner y_i = x_i / d_i, where d is the diagonal of a.
 *
 * It allocates one vector. The caller destroys *out. While `a` lives, the preconditioner reads the
 * diagonal again when values change (fur_csr_set_values, fur_operator_changed). If it cannot use
 * the new diagonal, applying it fails until the next change.
 *
 * Errors: FUR_UNSUPPORTED if `a` does not know its diagonal. FUR_INVALID if `a` is not square or an
 * entry of the diagonal has no finite reciprocal; the sentence names the entry. */
FUR_API fur_status fur_operator_jacobi(const fur_operator *a, fur_operator **out);

/* Makes A = P^T B P in the original numbering, where B = P A P^T.
 *
 * - b: B as an operator: the plan of the matrix that fur_csr_permute(a, p, p) made, or a
 *   preconditioner of that matrix. It must outlive *out.
 * - p: P. It must outlive *out.
 * - out: y[order[i]] = (B x')_i, where x'_i = x[order[i]]. The caller destroys it.
 *
 * The caller then uses the original numbering only. The operator uses new values of B. The permuted
 * matrix is a matrix by itself: its new values are in its own order. The operator knows its
 * diagonal if b does. It allocates two vectors.
 *
 * Errors: FUR_INVALID if b is not square, or p has another size or context than b. */
FUR_API fur_status fur_operator_permute(const fur_operator *b, const fur_permutation *p,
                                        fur_operator **out);

/* Destroys an operator; NULL does nothing.
 *
 * A user-defined operator's release function is called. */
FUR_API void fur_operator_destroy(fur_operator *op);

/* Returns the number of rows of A: the size of y. */
FUR_API int64_t fur_operator_rows(const fur_operator *op);
/* Returns the number of columns of A: the size of x. */
FUR_API int64_t fur_operator_cols(const fur_operator *op);
/* Returns the value type of A, x and y. */
FUR_API fur_value_type fur_operator_value_type(const fur_operator *op);

/* Computes y = A x. x and y must not overlap.
 *
 * Errors: FUR_INVALID if x or y has another context, value type or size than the operator, or if
 * they overlap. FUR_INVALID if an object that the operator uses has been destroyed. A user-defined
 * operator returns its own failures. */
FUR_API fur_status fur_operator_apply(const fur_operator *op, const fur_vector *x, fur_vector *y);

/* Stores the diagonal in d: d_i = A(i, i).
 *
 * d has min(rows, cols) entries.
 *
 * Errors: FUR_UNSUPPORTED if the operator does not know its diagonal. FUR_INVALID if d has another
 * context, value type or size than the diagonal. */
FUR_API fur_status fur_operator_diagonal(const fur_operator *op, fur_vector *d);

/* Times two operators and stores the shortest time of each, in seconds.
 *
 * Runs the two in turn for about `seconds` s, at least four times each. Stores the times in
 * least[0] and least[1]. Allocates two vectors meanwhile.
 *
 * Errors: FUR_INVALID if the operators differ in shape, value type or context, or if `seconds` is
 * negative. */
FUR_API fur_status fur_operator_race(const fur_operator *const operators[2], double seconds,
                                     double least[2]);

#ifdef __cplusplus
}
#endif
#endif
