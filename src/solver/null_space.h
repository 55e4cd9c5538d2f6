/* The nullspace of a singular A, removed from b, from x and from what M gives. */
#ifndef FURROW_SOLVER_NULL_SPACE_H
#define FURROW_SOLVER_NULL_SPACE_H

#include "solver.h"

typedef struct fur_null_space {
    fur_context *context;
    int count;
    fur_vector **basis; /* orthonormal */
    fur_vector *b;      /* the right-hand side of a solve without its part of the nullspace */
    const fur_operator *inner;    /* M; NULL: none, or one that divides by numbers */
    fur_operator *preconditioner; /* M with its results projected; NULL: without inner */
} fur_null_space;

/* That of the options; *out stays NULL if they have none. v and image are vectors to work in.
 * FUR_INVALID for vectors that do not fit, are linearly dependent or are not turned into 0 by A. */
fur_status fur_null_space_create(const fur_operator *a, const fur_solver_options *options,
                                 fur_vector *v, fur_vector *image, fur_null_space **out);

/* v -= N N^H v; *removed = ||N^H v||. */
fur_status fur_null_space_remove(const fur_null_space *n, fur_vector *v, double *removed);

void fur_null_space_release(fur_null_space *n);

#endif
