/* Conjugate gradients whose iterations run on a GPU from beginning to end, in one launch each look.
 */
#ifndef FURROW_SOLVER_PERSISTENT_H
#define FURROW_SOLVER_PERSISTENT_H

#include "kernel.h"
#include "solver.h"

/* The slots of the scalars of cg. */
typedef struct fur_cg_slots {
    int rz;
    int pq;
    int rr;
} fur_cg_slots;

/* A plan for the matrix behind A. NULL where iterations one by one are the way: on the host, for
 * larger systems, for operators without a matrix. */
fur_persistent *fur_persistent_plan(const fur_operator *a);
/* Takes over A's values; before the first iteration of a pass. */
fur_status fur_persistent_refresh(fur_persistent *persistent);
void fur_persistent_release(fur_persistent *persistent);

/* `count` iterations of cg.c, each a turn and a new residual, with its bits; fewer if the scalars
 * halt. d: M. */
fur_status fur_persistent_advance(fur_persistent *persistent, fur_pass *s, fur_diagonal d,
                                  fur_vector *p, fur_vector *q, fur_cg_slots slots, int64_t count);

#endif
