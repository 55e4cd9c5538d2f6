/* Red-black reduction: A x = b, where the rows of A have two colours, as a system of the red ones,
 * which conjugate gradients solve in half the iterations. */
#ifndef FURROW_SOLVER_RED_BLACK_H
#define FURROW_SOLVER_RED_BLACK_H

#include "solver.h"

#include <furrow/vectors.h>

/* What a solver needs for it; *out = NULL where the whole system is the way: for operators without
 * a matrix, matrices without two colours or with a diagonal that cannot be divided by, and
 * preconditioners other than A's own Jacobi. work and r: three vectors of the solver and its
 * residual.
 */
fur_status fur_red_black_create(const fur_operator *a, const fur_operator *preconditioner,
                                fur_vector *const *work, const fur_vector *r, fur_red_black **out);
void fur_red_black_release(fur_red_black *reduction);

/* Whether A's present values allow it. */
bool fur_red_black_works(const fur_red_black *reduction);

/* Makes passes solve 2^-exponent A x = r from now on, by powers of two in what was made from A. */
fur_status fur_red_black_lift(fur_red_black *reduction, int exponent);

/* A pass of the solve, by a method that sees the reduced system: it has two vectors of workspace.
 */
fur_status fur_red_black_run(fur_red_black *reduction, const fur_method *method, fur_solve *s);

/* The same of several solves at once. Each has three work vectors of its own, as the solver has;
 * the first of them are columns of the block p, the third of the block q. */
fur_status fur_red_black_run_block(fur_red_black *reduction, const fur_method *method,
                                   fur_solve_block *passes, const fur_vectors *p,
                                   const fur_vectors *q);

#endif
