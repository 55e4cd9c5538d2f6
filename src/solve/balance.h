/* Scales of rows and columns, which are powers of two. They bring the largest entry of each row and
 * column of R A C near 1 (Ruiz 2001). */
#ifndef FURROW_CHOOSE_BALANCE_H
#define FURROW_CHOOSE_BALANCE_H

#include <furrow/solver.h>

#include <stdbool.h>

/* Vectors of A's value type, in its context. Each entry has a reciprocal. Without scales all are
 * NULL. */
typedef struct fur_balance {
    fur_vector *rows;    /* R */
    fur_vector *cols;    /* C; equal to R if the scaling is symmetric */
    fur_vector *unscale; /* C^-1 */
    const char *name;    /* as in the report */
} fur_balance;

/* Finds scales for a square A. FUR_SCALE_AUTO means symmetric scales if A is Hermitian. It means no
 * scales if the largest entries of rows differ by less than 1e3, and so do the largest entries of
 * columns. */
fur_status fur_balance_find(const fur_csr *a, fur_scale scale, bool hermitian, fur_balance *out);

/* Makes the matrix R A C. */
fur_status fur_balance_apply(const fur_balance *s, const fur_csr *a, fur_csr **out);

void fur_balance_release(fur_balance *s);

#endif
