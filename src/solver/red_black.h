/* Red-black reduction. If the rows of A have two colours, A x = b becomes a system of the red rows.
 * Conjugate gradients solve it in half the iterations. */
#ifndef FURROW_SOLVER_RED_BLACK_H
#define FURROW_SOLVER_RED_BLACK_H

#include "solver.h"

#include <furrow/vector.h>

/* Makes the reduction of a solver's system. It uses the residual and three work vectors of the
 * solver. In these cases the whole system must be solved, and *out = NULL:
 *
 * - The operator has neither a matrix nor a function that finds two colours.
 * - Its rows do not have two colours.
 * - An entry of the diagonal has no finite reciprocal.
 * - The preconditioner is not A's own Jacobi preconditioner. */
fur_status fur_red_black_create(const fur_solver *solver, const fur_operator *preconditioner,
                                fur_red_black **out);
void fur_red_black_release(fur_red_black *reduction);

/* Returns whether A's current values allow the reduction. */
bool fur_red_black_works(const fur_red_black *reduction);

/* Makes later passes solve 2^-exponent A x = r, by scaling the objects that were made from A. */
fur_status fur_red_black_lift(fur_red_black *rb, int exponent);

/* Runs a pass of the solve. The method sees the reduced system, with two vectors of workspace. */
fur_status fur_red_black_run(fur_red_black *reduction, const fur_method *method, fur_pass *s);

/* As above, for several solves at once. Each has its own three work vectors, as the solver has. The
 * first ones are columns of the block p, the third ones columns of the block q. */
fur_status fur_red_black_run_block(fur_red_black *reduction, const fur_method *method,
                                   fur_pass_block *passes, const fur_vectors *p,
                                   const fur_vectors *q);

#endif
