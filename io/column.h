/* A matrix of one column, or of one row, as a vector. */
#ifndef FURROW_IO_COLUMN_H
#define FURROW_IO_COLUMN_H

#include <furrow/csr.h>
#include <furrow/vector.h>

/* The vector of a context whose host has the matrix; entries that are not stored are 0.
 * FUR_INVALID, naming the path, for a matrix of another shape. */
fur_status fur_column_to_vector(fur_context *context, const char *path, const fur_csr *matrix,
                                fur_vector **out);

#endif
