/* Preconditioners that divide by positive numbers, read once: they do not take over new values. */
#ifndef FURROW_CHOOSE_DIVIDE_H
#define FURROW_CHOOSE_DIVIDE_H

#include <furrow/csr.h>
#include <furrow/operator.h>

/* y_i = x_i / |A(i, i)|, Jacobi's by the moduli: positive definite for any A, as minres needs it.
 * No entry of the diagonal may be 0. */
fur_status fur_operator_moduli(const fur_operator *a, fur_operator **out);

/* y_j = x_j / ||A e_j||_2: the columns of A M are unit vectors, and the diagonal of its normal
 * equations is 1. Columns of zeros stay. */
fur_status fur_operator_columns(const fur_csr *a, fur_operator **out);

#endif
