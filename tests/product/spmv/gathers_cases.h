/* Compiled once for each instruction set. */
#ifndef FURROW_TESTS_GATHERS_CASES_H
#define FURROW_TESTS_GATHERS_CASES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether both gathers load the eight entries of x unchanged, for each value type. x must
 * have twice as many doubles as the largest index requires. */
bool fur_gathers_agree_avx2(const double *x, const int32_t *index);
bool fur_gathers_agree_avx512(const double *x, const int32_t *index);

#endif
