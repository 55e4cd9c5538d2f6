/* Compiled once for each instruction set. */
#ifndef FURROW_TESTS_GATHERS_CASES_H
#define FURROW_TESTS_GATHERS_CASES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether entries of x, of each value type, come by both gathers as they are; x has twice
 * as many doubles as the largest of the eight indices says. */
bool fur_gathers_agree_avx2(const double *x, const int32_t *index);
bool fur_gathers_agree_avx512(const double *x, const int32_t *index);

#endif
