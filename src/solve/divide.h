/* Preconditioners that divide by positive numbers. The numbers are read once: new values of A are
 * not used. */
#ifndef FURROW_CHOOSE_DIVIDE_H
#define FURROW_CHOOSE_DIVIDE_H

#include <furrow/csr.h>
#include <furrow/operator.h>

/* Makes y_i = x_i / |A(i, i)|, Jacobi's preconditioner by the moduli. It is positive definite for
 * any A, as minres requires. The diagonal must have no zero. */
fur_status fur_operator_moduli(const fur_operator *a, fur_operator **out);

/* Makes y_j = x_j / ||A e_j||_2. The columns of A M are then unit vectors, and the diagonal of its
 * normal equations is 1. Columns of zeros are not scaled. */
fur_status fur_operator_columns(const fur_csr *a, fur_operator **out);

#endif
