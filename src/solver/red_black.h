/* Red-black reduction: A x = b, where the rows of A have two colours, as a system of the red ones,
 * which conjugate gradients solve in half the iterations. */
#ifndef FURROW_SOLVER_RED_BLACK_H
#define FURROW_SOLVER_RED_BLACK_H

#include "solver.h"

#include <furrow/vectors.h>

/* Makes the reduction of a solver's system. It uses the residual and three work vectors of the
 * solver. *out = NULL if the whole system is to be solved:
 *
 * - the operator has neither a matrix nor a function that finds two colours,
 * - its rows do not have two colours,
 * - an entry of the diagonal has no finite reciprocal,
 * - the preconditioner is another one than A's own Jacobi. */
fur_status fur_red_black_create(const fur_solver *solver, const fur_operator *preconditioner,
                                fur_red_black **out);
void fur_red_black_release(fur_red_black *reduction);

/* Whether A's present values allow it. */
bool fur_red_black_works(const fur_red_black *reduction);

/* Makes passes solve 2^-exponent A x = r from now on, by powers of two in what was made from A. */
fur_status fur_red_black_lift(fur_red_black *rb, int exponent);

/* A pass of the solve, by a method that sees the reduced system: it has two vectors of workspace.
 */
fur_status fur_red_black_run(fur_red_black *reduction, const fur_method *method, fur_pass *s);

/* The same of several solves at once. Each has three work vectors of its own, as the solver has;
 * the first of them are columns of the block p, the third of the block q. */
fur_status fur_red_black_run_block(fur_red_black *reduction, const fur_method *method,
                                   fur_pass_block *passes, const fur_vectors *p,
                                   const fur_vectors *q);

#endif
