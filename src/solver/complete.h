/* Complete factors of A as the preconditioner of a solver that has made them. */
#ifndef FURROW_SOLVER_COMPLETE_H
#define FURROW_SOLVER_COMPLETE_H

#include "solver.h"

/* Makes them if the method wants them and the options have no preconditioner, which they become. */
fur_status fur_complete_make(fur_solver *s);

/* Before a solve: makes them anew if A has other values. */
fur_status fur_complete_renew(fur_solver *s);

void fur_complete_release(fur_solver *s);

#endif
