/* The nullspace of a singular A. It is removed from b, from x and from the results of M. */
#ifndef FURROW_SOLVER_NULL_SPACE_H
#define FURROW_SOLVER_NULL_SPACE_H

#include "solver.h"

typedef struct fur_null_space {
    fur_context *context;
    int count;
    fur_vector **basis;           /* orthonormal */
    fur_vector *b;                /* right-hand side of a solve without its part in the nullspace */
    const fur_operator *inner;    /* M; NULL if there is no M, or M only divides by numbers */
    fur_operator *preconditioner; /* M with projected results, or NULL */
} fur_null_space;

/* Makes the nullspace of the options. If they have none, *out stays NULL. v and image are
 * workspace. Returns FUR_INVALID if vectors do not fit, are linearly dependent, or are not mapped
 * to 0 by A. */
fur_status fur_null_space_create(const fur_operator *a, const fur_solver_options *options,
                                 fur_vector *v, fur_vector *image, fur_null_space **out);

/* v -= N N^H v; *removed = ||N^H v||. */
fur_status fur_null_space_remove(const fur_null_space *n, fur_vector *v, double *removed);

void fur_null_space_release(fur_null_space *n);

#endif
