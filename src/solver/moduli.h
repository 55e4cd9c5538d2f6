#ifndef FURROW_SOLVER_MODULI_H
#define FURROW_SOLVER_MODULI_H

#include <furrow/operator.h>

/* y_i = x_i / |A(i, i)|; no entry of the diagonal may be 0. It does not take over new values. */
fur_status fur_operator_moduli(const fur_operator *a, fur_operator **out);

#endif
