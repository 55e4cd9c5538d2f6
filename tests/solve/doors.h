/* Solves a system whose matrix has two colours by cg with Jacobi, in every way that the library
 * has. All ways must give the same iterations and bits on any device. */
#ifndef TEST_DOORS_H
#define TEST_DOORS_H

#include "support.h"

#define GRID_COUNT 4

/* Makes an SPD matrix of two colours on the host: a grid with constant or random couplings, or a
 * tree. */
fur_csr *grid_make(fur_context *host, rng *r, fur_value_type value, int number);

/* Solves in all ways in the context of A and compares each result with the first. If x is not NULL,
 * it is the result of a solve elsewhere, and the results are compared with it, too. Otherwise
 * returns the first x, which the caller frees. */
void *doors_compare(const fur_csr *a, const void *b, void *x, int64_t *iterations);

#endif
