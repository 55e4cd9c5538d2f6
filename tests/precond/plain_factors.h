/* Incomplete factors by the plain serial algorithm, on dense arrays. */
#ifndef FURROW_TESTS_PRECOND_PLAIN_FACTORS_H
#define FURROW_TESTS_PRECOND_PLAIN_FACTORS_H

#include "support.h"

/* The forms that kinds have. */
typedef struct form {
    const char *kind;
    int modified;
    bool lower; /* A ~ L L^H, of the lower triangle */
    bool hermitian;
    int fill; /* levels */
} form;

/* Which entries factors by thresholds keep. */
typedef struct thresholds {
    int64_t fill;
    double drop;
    double shift;
} thresholds;

/* x := (L U)^-1 x by factors of a by thresholds, computed here; *raised: pivots that were. */
void apply_thresholds_plainly(const fur_csr *a, const thresholds *t, fur_vector *x,
                              int64_t *raised);

/* x := M x by factors that are computed here. */
void apply_plainly(const fur_csr *a, const form *kind, fur_vector *x);

#endif
