/* A and its preconditioner M times powers of two, for a method that would overflow or underflow. */
#ifndef FURROW_SOLVER_LIFT_H
#define FURROW_SOLVER_LIFT_H

#include "drive.h"

/* Sets d->lift from `image`, which holds A v; v is b or the guess. Sets *finite to whether A v was.
 *
 * ||A v|| / ||v|| is near 2^d->lift if that is outside the range in which methods work; otherwise
 * d->lift is 0. If v is too large or too small to tell, another product of A is computed. */
fur_status fur_lift_measure(fur_drive *d, const fur_vector *v, const fur_vector *image,
                            bool *finite);

/* Prepares passes with 2^-d->lift A and with M scaled to about 1, which is applied to r once.
 *
 * The first call allocates one vector for A and one for M. */
fur_status fur_lift_open(fur_drive *d, const fur_vector *r);

/* Runs a pass of the method with the scaled operators: its x solves 2^-d->lift A x = r. */
fur_status fur_lift_run(const fur_drive *d);

/* Releases what fur_lift_open made. lift may be NULL. */
void fur_lift_release(fur_lift *lift);

#endif
