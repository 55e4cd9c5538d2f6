/* A linear operator y = A x, known by its action alone: an SpMV plan, a stencil, a preconditioner,
 * or functions of the user's own (furrow/author/operator.h). Solvers see operators and vectors and
 * nothing else. */
#ifndef FURROW_OPERATOR_H
#define FURROW_OPERATOR_H

#include <furrow/base.h>
#include <furrow/reorder.h>
#include <furrow/spmv.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by one thread at a time, as its context, and for one application at a time. Keeps no memory
 * except as said below. */
typedef struct fur_operator fur_operator;

/* The operator op(A) of a plan, which must outlive it: without the plan, or its matrix, the
 * operator refuses to be used, FUR_INVALID. Like the plan, it takes over new values. */
FUR_API fur_status fur_operator_from_spmv(const fur_spmv *plan, fur_operator **out);

/* Jacobi's preconditioner y_i = x_i / d_i, d the diagonal of a; it keeps a vector. While a lives,
 * the preconditioner reads the diagonal again when values change (fur_csr_set_values,
 * fur_operator_changed); if it cannot use the new diagonal, applying it fails until the next
 * change. FUR_UNSUPPORTED if a does not know its diagonal. FUR_INVALID if a is not square or an
 * entry of the diagonal has no finite reciprocal; the sentence names the entry. */
FUR_API fur_status fur_operator_jacobi(const fur_operator *a, fur_operator **out);

/* The operator A = P^T B P in the original numbering, where B = P A P^T: y_order[i] = (B x')_i with
 * x'_i = x_order[i]. B is the plan of what fur_csr_permute(a, p, p) made, or a preconditioner of
 * it; the caller then sees the original numbering only. The operator takes over new values of B;
 * the permuted matrix is a matrix of its own, whose new values are in its own order. It knows its
 * diagonal if b does. b and p must outlive it. It keeps two vectors. FUR_INVALID unless b is
 * square, as large as p and of the same context. */
FUR_API fur_status fur_operator_permute(const fur_operator *b, const fur_permutation *p,
                                        fur_operator **out);

/* Destroys an operator; a user's own is released. */
FUR_API void fur_operator_destroy(fur_operator *op);

/* The number of rows of A: the size of y. */
FUR_API int64_t fur_operator_rows(const fur_operator *op);
/* The number of columns of A: the size of x. */
FUR_API int64_t fur_operator_cols(const fur_operator *op);
/* The value type of A, x and y. */
FUR_API fur_value_type fur_operator_value_type(const fur_operator *op);

/* y = A x */
FUR_API fur_status fur_operator_apply(const fur_operator *op, const fur_vector *x, fur_vector *y);

/* d_i = A(i, i). FUR_UNSUPPORTED if the operator does not know it. */
FUR_API fur_status fur_operator_diagonal(const fur_operator *op, fur_vector *d);

/* Races two operators of the same shape, value type and context: least[i] = least seconds of a
 * product by operator i, of several in turns within about `seconds`, at least four each. */
FUR_API fur_status fur_operator_race(const fur_operator *const operators[2], double seconds,
                                     double least[2]);

#ifdef __cplusplus
}
#endif
#endif
