/* Conjugate gradients whose iterations all run on a GPU, in one launch between two reads of the
 * scalars by the host. */
#ifndef FURROW_SOLVER_PERSISTENT_H
#define FURROW_SOLVER_PERSISTENT_H

#include "kernel.h"
#include "solver.h"

/* The slots of cg's scalars. */
typedef struct fur_cg_slots {
    int rz;
    int pq;
    int rr;
} fur_cg_slots;

/* A plan for the matrix of A. NULL if single iterations are better: on the host, for larger
 * systems, and for operators that have no matrix. */
fur_persistent *fur_persistent_plan(const fur_operator *a);
/* Updates the values of A. Call this before the first iteration of a pass. */
fur_status fur_persistent_refresh(fur_persistent *persistent);
void fur_persistent_release(fur_persistent *persistent);

/* `count` iterations of cg.c with the same bits, or fewer if the scalars halt. Each is a turn and a
 * new residual. d: M. */
fur_status fur_persistent_advance(fur_persistent *persistent, fur_pass *s, fur_diagonal d,
                                  fur_vector *p, fur_vector *q, fur_cg_slots slots, int64_t count);

#endif
