/* The kinds of generated matrices, with one function each; see generate.h. */
#ifndef FURROW_TOOLS_GENERATE_KINDS_H
#define FURROW_TOOLS_GENERATE_KINDS_H

#include <furrow/csr.h>

#include <stdbool.h>

fur_status generate_random(fur_context *context, int64_t rows, int64_t per_row, fur_csr **out);
fur_status generate_rmat(fur_context *context, int scale, fur_csr **out);
fur_status generate_power(fur_context *context, int64_t rows, fur_csr **out);

/* Writes the entries of a row in ascending order of columns, and returns their number. If `columns`
 * is NULL, it only counts. Several threads call it at once. */
typedef int64_t generate_row(const void *self, int64_t row, int32_t *columns, double *values);

/* Makes the square matrix of these rows. */
fur_status generate_rows(fur_context *context, int64_t rows, generate_row *row, const void *self,
                         fur_csr **out);

#endif
