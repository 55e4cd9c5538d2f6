/* Residuals row by row. They are scaled by the rows of A, or relative to the sum of their terms. */
#ifndef FURROW_CSR_ROW_ERRORS_H
#define FURROW_CSR_ROW_ERRORS_H

#include "csr.h"

/* v := R v, where R(i, i) = 2^-k and 2^k <= max_j |A(i, j)| < 2^(k + 1). A row of zeros has R(i, i)
 * = 1. Here |z| = |re z| + |im z|. */
fur_status fur_csr_scale_by_rows(const fur_csr_view *a, fur_vector *v);

/* errors_i = |b - A x|_i / (|A| |x| + |b|)_i, and 0 if both are 0 (Oettli and Prager 1964). If b is
 * NULL, it is 0. Sums run along the row, by fma. errors may be b, not x. */
fur_status fur_csr_row_errors(const fur_csr_view *a, const fur_vector *b, const fur_vector *x,
                              fur_vector *errors);

#endif
