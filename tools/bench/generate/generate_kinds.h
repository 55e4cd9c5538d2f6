/* The kinds of generated matrices, one function each; see generate.h. */
#ifndef FURROW_TOOLS_GENERATE_KINDS_H
#define FURROW_TOOLS_GENERATE_KINDS_H

#include <furrow/csr.h>

#include <stdbool.h>

fur_status generate_random(fur_context *context, int64_t rows, int64_t per_row, fur_csr **out);
fur_status generate_rmat(fur_context *context, int scale, fur_csr **out);
fur_status generate_power(fur_context *context, int64_t rows, fur_csr **out);

/* Writes the entries of a row, columns rising, and returns how many; with columns NULL it only
 * counts. Called for several rows at once. */
typedef int64_t generate_row(const void *self, int64_t row, int32_t *columns, double *values);

/* The square matrix of these rows. */
fur_status generate_rows(fur_context *context, int64_t rows, generate_row *row, const void *self,
                         fur_csr **out);

#endif
