/* User-defined operators, and properties of operators that solvers use.
 *
 *     fur_operator_definition d = FUR_DEFAULT(fur_operator_definition);
 *     d.rows = d.cols = n;
 *     d.value_type = FUR_F64;
 *     d.apply = my_apply;
 *     fur_operator_create(context, &d, &op); */
#ifndef FURROW_AUTHOR_OPERATOR_H
#define FURROW_AUTHOR_OPERATOR_H

#include <furrow/base.h>
#include <furrow/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The blocks of a matrix whose rows have two colours.
 *
 * No entry off the diagonal joins two rows of one colour. With the red rows before the black rows A
 * = [D E; F C], where D and C are diagonal. The library sets all members to 0 before a function of
 * the user fills them. */
typedef struct fur_two_colours {
    int64_t red;          /* number of red rows of this operator, without rows of other ranks */
    const int32_t *order; /* the rows: red before black, both rising; copied */
    /* Context of vectors of red rows. Ranks share these vectors by other bounds. */
    fur_context *of_red;
    fur_context *of_black; /* context of vectors of black rows */
    void *user;            /* passed to the functions below */
    /* Computes q = [D E] both, where D's entry is the first of each row. `both` is a vector of the
     * operator's context: the entries of the red rows, then those of the black rows. */
    fur_status (*multiply_red)(void *user, const fur_vector *both, fur_vector *q);
    /* Multiplies the entries of D and E by a power of two. */
    fur_status (*scale_red)(void *user, double factor);
    /* Computes t = -W p. An entry of W = C^-1 F is the product of an entry of `inverse` and an
     * entry of F. */
    fur_status (*multiply_black)(void *user, const fur_vector *p, fur_vector *t);
    /* Called once when the blocks are no longer used. NULL: none. */
    void (*release)(void *user);
} fur_two_colours;

/* Definition of a user-defined operator.
 *
 * A function that fails returns a status. fur_context_fail, or the failed call of the library in
 * it, has set the sentence. If there is no sentence, the library's sentence says which function
 * returned which status. */
typedef struct fur_operator_definition {
    size_t size;               /* sizeof(fur_operator_definition) */
    int64_t rows;              /* size of y */
    int64_t cols;              /* size of x */
    fur_value_type value_type; /* value type of A, x and y */
    void *user;                /* passed to the functions below */
    /* Computes y = A x. x has `cols` entries and y has `rows`. They do not overlap. Required. */
    fur_status (*apply)(void *user, const fur_vector *x, fur_vector *y);
    /* Computes d_i = A(i, i). NULL: the operator does not know its diagonal. */
    fur_status (*diagonal)(void *user, fur_vector *d);
    /* Called once when the operator is destroyed. NULL: none. */
    void (*release)(void *user);
    /* 1: for the same vectors `apply` always queues the same work on the context's stream and does
     * nothing else. Solvers may then record it once and replay it (furrow/author/recording.h).
     * Default 0 */
    int recordable;
    /* The context of x, on the same device. NULL: the operator's context. It differs if ranks share
     * x and y by different bounds (furrow/author/sharing.h), as for a matrix that is not square.
     * The operator keeps both contexts alive. */
    fur_context *domain;
    /* Finds two colours of the rows, so that cg solves for the red rows alone. NULL: cg solves for
     * all rows. fur_solver_create calls it if the preconditioner is NULL or Jacobi's of this
     * operator. `inverse` has the reciprocals of the diagonal. It is NULL if an entry has no finite
     * reciprocal; the blocks are then not used. *found = 0: there are no two colours, and *out is
     * ignored. A solver that has the blocks solves for all rows after fur_operator_changed. */
    fur_status (*two_colours)(void *user, const fur_vector *inverse, fur_two_colours *out,
                              int *found);
} fur_operator_definition;

/* Makes an operator from the user's functions. The caller destroys *out.
 *
 * - context: the context of the vectors.
 * - definition: copied. `user` must live until `release` is called. If the call fails, `release` is
 *   not called.
 *
 * Errors: FUR_INVALID if `apply` is NULL, a size is negative, the value type is unknown, or
 * `domain` is on another device. */
FUR_API fur_status fur_operator_create(fur_context *context,
                                       const fur_operator_definition *definition,
                                       fur_operator **out);

/* Tells an operator that its apply() now computes something else.
 *
 * Preconditioners made from the operator read its diagonal again, as after fur_csr_set_values. Call
 * it for a user-defined operator, and for the operator of a stencil whose fields changed. The
 * operator of a plan does not need it. */
FUR_API void fur_operator_changed(fur_operator *op);

/* Returns the context of x.
 *
 * It equals fur_operator_context(op) unless the definition set `domain`. */
FUR_API fur_context *fur_operator_domain(const fur_operator *op);

/* Returns 1 if applications of the operator may be recorded, otherwise 0.
 *
 * furrow/author/recording.h describes recordings. */
FUR_API int fur_operator_recordable(const fur_operator *op);

/* Returns d if the operator is y_i = d_i x_i, such as Jacobi's preconditioner.
 *
 * d belongs to the operator. NULL for other operators, and for an operator that refuses to be used.
 * Solvers then save a pass over the vectors, and do not read d if it is constant. */
FUR_API const fur_vector *fur_operator_scaling(const fur_operator *op);

#ifdef __cplusplus
}
#endif
#endif
