/* The two passes of an iteration of cg over a stencil, which store no product. */
#ifndef FURROW_SOLVER_FUSED_H
#define FURROW_SOLVER_FUSED_H

#include "solver.h"

/* What the device needs for the passes over A. NULL where it has none: A is no stencil, or none
 * that they serve. */
fur_fused *fur_fused_plan(const fur_operator *a);
void fur_fused_release(fur_fused *fused);
/* What was planned; NULL once A is another operator than it was then. */
fur_fused *fur_fused_of(fur_fused *fused, const fur_operator *a);

/* x += alpha p, q = d z + beta p with the residual z, and q.A q into the slot. */
fur_status fur_fused_turn(const fur_pass *s, fur_coefficient alpha, fur_coefficient beta,
                          fur_scalar d, const fur_vector *p, fur_vector *q, int product);

/* r += alpha A p, ||r|| and r.d r into the slots. */
fur_status fur_fused_descend(const fur_pass *s, fur_coefficient alpha, fur_scalar d,
                             const fur_vector *p, int norm, int product);

#endif
