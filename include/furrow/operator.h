/* A linear operator y = A x of which only its action is known: an SpMV plan, a preconditioner, or
 * the user's own function. Solvers see operators and vectors and nothing else. */
#ifndef FURROW_OPERATOR_H
#define FURROW_OPERATOR_H

#include <furrow/base.h>
#include <furrow/permutation.h>
#include <furrow/spmv.h>
#include <furrow/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread's at a time, as its context is, and for one application at a time, whatever it is made
 * of. Keeps nothing but what is said below. */
typedef struct fur_operator fur_operator;

/* What a user's operator provides. A function that fails returns its status, with the sentence set
 * by fur_context_fail or by the call of the library that failed in it; without one, the sentence
 * says which function returned which status. */
typedef struct fur_operator_definition {
    size_t size; /* sizeof(fur_operator_definition) */
    int64_t rows;
    int64_t cols;
    fur_value_type value_type;
    void *user; /* handed to the functions below */
    /* y = A x; x has cols entries, y rows; they do not overlap. Required. */
    fur_status (*apply)(void *user, const fur_vector *x, fur_vector *y);
    /* d_i = A(i, i). NULL if unknown. */
    fur_status (*diagonal)(void *user, fur_vector *d);
    /* Called once when the operator is destroyed. NULL if nothing is to be done. */
    void (*release)(void *user);
} fur_operator_definition;

FUR_API fur_status fur_operator_create(fur_context *context,
                                       const fur_operator_definition *definition,
                                       fur_operator **out);

/* The operator op(A) of a plan, which must outlive it. Like the plan it follows new values. */
FUR_API fur_status fur_operator_from_spmv(const fur_spmv *plan, fur_operator **out);

/* Jacobi's preconditioner y_i = x_i / d_i from the diagonal of a, of which it keeps a vector. While
 * a lives it reads the diagonal again when values change (fur_csr_set_values,
 * fur_operator_changed); with one that it cannot take it refuses to be applied until another
 * change. FUR_UNSUPPORTED if a does not know its diagonal; FUR_INVALID if it is not square or an
 * entry of the diagonal has no finite reciprocal (names it). */
FUR_API fur_status fur_operator_jacobi(const fur_operator *a, fur_operator **out);

/* The operator A = P^T B P in the original numbering, where B = P A P^T: y_order[i] = (B x')_i with
 * x'_i = x_order[i]. B is what fur_csr_permute(a, p, p) made, as a plan, or a preconditioner of it;
 * a caller then sees the original numbering only. It follows b; the permuted matrix is one of its
 * own, to be given new values in its own order. It knows its diagonal if b does. b and p must
 * outlive it; it keeps two vectors. FUR_INVALID unless b is square, as large as p and
 * of the same context. */
FUR_API fur_status fur_operator_permute(const fur_operator *b, const fur_permutation *p,
                                        fur_operator **out);

/* What the operator does has changed: what was made from it reads its diagonal again, as after
 * fur_csr_set_values. For a user's own operators, and for those of a stencil whose fields the
 * caller has changed; operators of plans need it not. */
FUR_API void fur_operator_changed(fur_operator *op);

FUR_API void fur_operator_destroy(fur_operator *op);

FUR_API fur_context *fur_operator_context(const fur_operator *op);
FUR_API int64_t fur_operator_rows(const fur_operator *op);
FUR_API int64_t fur_operator_cols(const fur_operator *op);
FUR_API fur_value_type fur_operator_value_type(const fur_operator *op);

/* y = A x */
FUR_API fur_status fur_operator_apply(const fur_operator *op, const fur_vector *x, fur_vector *y);

/* d_i = A(i, i). FUR_UNSUPPORTED if the operator does not know it. */
FUR_API fur_status fur_operator_diagonal(const fur_operator *op, fur_vector *d);

/* Seconds of one product by operator 0 and by operator 1, of the same shape, value type and
 * context: the least of several, made by turns within about `seconds`, and at least four of each.
 */
FUR_API fur_status fur_operator_race(const fur_operator *const operators[2], double seconds,
                                     double least[2]);

#ifdef __cplusplus
}
#endif
#endif
