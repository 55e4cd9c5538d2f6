/* Incomplete factors by the plain serial algorithm, on dense arrays. */
#ifndef FURROW_TESTS_PRECOND_PLAIN_FACTORS_H
#define FURROW_TESTS_PRECOND_PLAIN_FACTORS_H

#include "support.h"

/* The kind of a preconditioner and its form of factors. */
typedef struct form {
    const char *kind;
    int modified;
    bool lower; /* A ~ L L^H, from the lower triangle */
    bool hermitian;
    int fill; /* levels of fill-in */
} form;

/* The entries that factors by thresholds store. */
typedef struct thresholds {
    int64_t fill;
    double drop;
    double shift;
} thresholds;

/* Computes x := (L U)^-1 x with factors of `a` by thresholds. *raised becomes the number of raised
 * pivots. */
void apply_thresholds_plainly(const fur_csr *a, const thresholds *t, fur_vector *x,
                              int64_t *raised);

/* Computes x := M x with factors of `a` of the given form. */
void apply_plainly(const fur_csr *a, const form *kind, fur_vector *x);

#endif
