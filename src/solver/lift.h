/* A and its preconditioner M times powers of two, for methods that would overflow or underflow. */
#ifndef FURROW_SOLVER_LIFT_H
#define FURROW_SOLVER_LIFT_H

#include "drive.h"

/* Sets d->lift from `image`, which contains A v, where v is b or the initial guess. *finite:
 * whether A v is finite.
 *
 * If ||A v|| / ||v|| is outside the range in which methods work, it is near 2^d->lift. Otherwise
 * d->lift is 0. If v is too large or too small, another product with A is computed. */
fur_status fur_lift_measure(fur_drive *d, const fur_vector *v, const fur_vector *image,
                            bool *finite);

/* Prepares passes with 2^-d->lift A, and with M scaled to about 1. M is applied to r once for this.
 *
 * The first call allocates one vector for A and one for M. */
fur_status fur_lift_open(fur_drive *d, const fur_vector *r);

/* Runs a pass of the method with the scaled operators. Its x solves 2^-d->lift A x = r. */
fur_status fur_lift_run(const fur_drive *d);

/* Releases the objects that fur_lift_open made. lift may be NULL. */
void fur_lift_release(fur_lift *lift);

#endif
