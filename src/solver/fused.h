/* The two passes of an iteration of cg over a stencil. They store no product. */
#ifndef FURROW_SOLVER_FUSED_H
#define FURROW_SOLVER_FUSED_H

#include "solver.h"

/* The plan of a device for the passes over A. NULL if A is not a stencil, or the passes do not
 * support it. */
fur_fused *fur_fused_plan(const fur_operator *a);
void fur_fused_release(fur_fused *fused);
/* Returns `fused`, or NULL if A has become another operator since the plan was made. */
fur_fused *fur_fused_of(fur_fused *fused, const fur_operator *a);

/* x += alpha p, q = d z + beta p with the residual z, and q.A q into the slot. */
fur_status fur_fused_turn(const fur_pass *s, fur_coefficient alpha, fur_coefficient beta,
                          fur_scalar d, const fur_vector *p, fur_vector *q, int product);

/* r += alpha A p, ||r|| and r.d r into the slots. */
fur_status fur_fused_descend(const fur_pass *s, fur_coefficient alpha, fur_scalar d,
                             const fur_vector *p, int norm, int product);

#endif
