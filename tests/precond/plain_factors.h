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

/* x := M x by factors that are computed here. */
void apply_plainly(const fur_csr *a, const form *kind, fur_vector *x);

#endif
