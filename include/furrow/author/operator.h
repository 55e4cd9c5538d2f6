/* Operators of functions of one's own, and what solvers ask of operators. */
#ifndef FURROW_AUTHOR_OPERATOR_H
#define FURROW_AUTHOR_OPERATOR_H

#include <furrow/base.h>
#include <furrow/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The blocks of a matrix whose rows have two colours: no entry off the diagonal joins two rows of
 * one colour. With the red rows before the black ones A = [D E; F C]. D and C are diagonal.
 * The library sets all members to 0 before a function of the user fills them. */
typedef struct fur_two_colours {
    int64_t red;          /* the number of red rows of this operator, other ranks' not counted */
    const int32_t *order; /* its rows: red ones before black ones, both rising; copied */
    fur_context *of_red;  /* the context of vectors of red rows; ranks share them by other bounds */
    fur_context *of_black; /* the context of vectors of black rows */
    void *user;            /* passed to the functions below */
    /* q = [D E] both, where D's entry comes first in each row. `both` is a vector of the operator's
     * context: entries of the red rows, then of the black ones. */
    fur_status (*multiply_red)(void *user, const fur_vector *both, fur_vector *q);
    /* Multiplies the entries of D and E by a power of two. */
    fur_status (*scale_red)(void *user, double factor);
    /* t = -W p. An entry of W = C^-1 F is the product of an entry of `inverse` and one of F. */
    fur_status (*multiply_black)(void *user, const fur_vector *p, fur_vector *t);
    /* Called once when the blocks are not used any more. NULL: nothing to do. */
    void (*release)(void *user);
} fur_two_colours;

/* The functions of a user's operator. A function that fails returns a status; fur_context_fail, or
 * the library's call that failed in it, has set the sentence. Without a sentence the library's says
 * which function returned which status. */
typedef struct fur_operator_definition {
    size_t size; /* sizeof(fur_operator_definition) */
    int64_t rows;
    int64_t cols;
    fur_value_type value_type;
    void *user; /* passed to the functions below */
    /* y = A x; x has cols entries, y rows; they do not overlap. Required. */
    fur_status (*apply)(void *user, const fur_vector *x, fur_vector *y);
    /* d_i = A(i, i). NULL: the operator does not know its diagonal. */
    fur_status (*diagonal)(void *user, fur_vector *d);
    /* Called once when the operator is destroyed. NULL if nothing is to be done. */
    void (*release)(void *user);
    /* apply does nothing but queue the same work on the context's stream whenever it is called with
     * the same vectors: solvers may record it once and replay it (furrow/author/recording.h). */
    int recordable;
    /* The context of x, on the same device; NULL: the operator's own. It is another one where ranks
     * share x and y by different bounds (furrow/author/sharing.h), as those of a matrix that is not
     * square. The operator keeps both contexts alive. */
    fur_context *domain;
    /* Finds two colours of the rows, so that cg solves for the red ones alone. NULL: cg solves for
     * all rows. fur_solver_create calls it if the preconditioner is NULL or Jacobi's of this
     * operator. inverse: the reciprocals of the diagonal; NULL if an entry has no finite one, and
     * the blocks are then not used. *found = 0: there are none, and *out is ignored. A solver that
     * has the blocks solves for all rows after fur_operator_changed. */
    fur_status (*two_colours)(void *user, const fur_vector *inverse, fur_two_colours *out,
                              int *found);
} fur_operator_definition;

/* An operator of the user's functions, which work on vectors of this context. The definition is
 * copied; `user` must live until release is called. On failure release is not called. FUR_INVALID
 * without apply, for a negative size or an unknown value type, or if the domain is on another
 * device. */
FUR_API fur_status fur_operator_create(fur_context *context,
                                       const fur_operator_definition *definition,
                                       fur_operator **out);

/* Says that the operator now does something else: preconditioners made from it read its diagonal
 * again, as after fur_csr_set_values. For a user's own operator, and for that of a stencil whose
 * fields the caller has changed. The operator of a plan does not need it. */
FUR_API void fur_operator_changed(fur_operator *op);

/* The context of x, which is another one only if the definition says so. */
FUR_API fur_context *fur_operator_domain(const fur_operator *op);

/* Whether applications of the operator may be recorded (furrow/author/recording.h). */
FUR_API int fur_operator_recordable(const fur_operator *op);

/* d where the operator is y_i = d_i x_i, as Jacobi's preconditioner is; it belongs to the operator.
 * NULL for others, and for an operator that refuses to be used. Solvers then do without a pass over
 * the vectors, and without d if that is constant. */
FUR_API const fur_vector *fur_operator_scaling(const fur_operator *op);

#ifdef __cplusplus
}
#endif
#endif
