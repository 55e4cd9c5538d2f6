/* Scales of rows and columns, powers of two, that bring the largest entries of all rows and columns
 * of R A C near 1 (Ruiz 2001). */
#ifndef FURROW_CHOOSE_BALANCE_H
#define FURROW_CHOOSE_BALANCE_H

#include <furrow/solver.h>

#include <stdbool.h>

/* Vectors of A's value type in its context; each entry has a reciprocal. All NULL: no scales. */
typedef struct fur_balance {
    fur_vector *rows;    /* R */
    fur_vector *cols;    /* C; equal to R if the scaling is symmetric */
    fur_vector *unscale; /* C^-1 */
    const char *name;    /* as in the report */
} fur_balance;

/* Finds scales for a square A. FUR_SCALE_AUTO: symmetric ones if A is Hermitian, and none if the
 * largest entries of the rows, and those of the columns, differ by less than 1e3. */
fur_status fur_balance_find(const fur_csr *a, fur_scale scale, bool hermitian, fur_balance *out);

/* R A C, a matrix of its own. */
fur_status fur_balance_apply(const fur_balance *s, const fur_csr *a, fur_csr **out);

void fur_balance_release(fur_balance *s);

#endif
