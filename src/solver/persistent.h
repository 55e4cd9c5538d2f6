/* Conjugate gradients whose iterations run on a GPU from beginning to end, in one launch each look.
 */
#ifndef FURROW_SOLVER_PERSISTENT_H
#define FURROW_SOLVER_PERSISTENT_H

#include "solver.h"

typedef struct fur_persistent fur_persistent;

/* The slots of the scalars of cg. */
typedef struct fur_cg_slots {
    int rz;
    int pq;
    int rr;
} fur_cg_slots;

/* A plan for s->a, whose values it copies, with the diagonal of M in d (NULL: of ones). NULL where
 * iterations one by one are the way: the host's, larger systems, operators without a matrix. */
fur_persistent *fur_persistent_plan(const fur_solve *s, const fur_vector *d);
void fur_persistent_release(fur_persistent *persistent);

/* `count` iterations of cg.c, each a turn and a new residual, with its bits; fewer if the scalars
 * halt. */
fur_status fur_persistent_advance(fur_persistent *persistent, fur_solve *s, fur_vector *p,
                                  fur_vector *q, fur_cg_slots slots, int64_t count);

#endif
