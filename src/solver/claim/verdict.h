/* The quality of the x of a solve: it meets the tolerance, is exact up to rounding, or is a
 * least-squares solution. */
#ifndef FURROW_SOLVER_VERDICT_H
#define FURROW_SOLVER_VERDICT_H

#include "drive.h"

/* The tolerance of a least-squares method's claim: ||A^H r|| <= tolerance ||A|| ||r||. */
double fur_verdict_gradient(const fur_solver *solver);

/* Called after a pass of such a method: whether x is a least-squares solution (fur_outcome). */
bool fur_verdict_is_least_squares(const fur_drive *d);

/* Estimates a lower bound of ||A|| by steps of the power method, from a pseudo-random vector: any v
 * has ||A v|| / ||v|| <= ||A||. v and image are workspace. */
#define FUR_NORM_PRODUCTS 4
fur_status fur_estimate_norm(const fur_operator *a, fur_vector *v, fur_vector *image, double *norm);

/* residual / (norm x_norm + b_norm), without overflow. */
double fur_backward_error(double residual, double norm, double x_norm, double b_norm);

/* Returns whether rounding in the value type explains this normwise backward error. */
bool fur_is_rounding(double backward_error, fur_value_type value);

/* If x is exact up to rounding, a failed solve ends with FUR_OUTCOME_WORKING_PRECISION. A solve
 * with a nonfinite x ends with FUR_OUTCOME_BREAKDOWN. Sets d->backward_error. */
fur_status fur_verdict_settle(fur_drive *d);

#endif
