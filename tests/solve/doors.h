/* Every way from a matrix of two colours to a solve by cg with its Jacobi: iterations and bits are
 * the same, on any device. */
#ifndef TEST_DOORS_H
#define TEST_DOORS_H

#include "support.h"

#define GRID_COUNT 4

/* An SPD matrix of two colours on the host: grids with constant and with random couplings, and a
 * tree. */
fur_csr *grid_make(fur_context *host, rng *r, fur_value_type value, int number);

/* Solves in all ways in the context of A and compares each result with the first. If x is not NULL,
 * it is the result of a solve elsewhere and is compared, too. Otherwise returns the first x, which
 * the caller frees. */
void *doors_compare(const fur_csr *a, const void *b, void *x, int64_t *iterations);

#endif
