/* A partition from the inside, and the libraries that find one. */
#ifndef FURROW_RANKS_PARTITION_H
#define FURROW_RANKS_PARTITION_H

#include <furrow/partition.h>

/* No part has a larger number. */
#define PARTS_MOST (1 << 20)

struct fur_partition {
    fur_context *context;
    int64_t rows;
    int parts; /* 0: of a method without */
    int32_t *of_rows;
    int64_t *begin;
    fur_permutation *order;
};

/* FUR_INVALID for options that a matrix of so many rows cannot have. */
fur_status partition_check_options(fur_context *context, int64_t rows,
                                   const fur_partition_options *options);

/* A partition of this order without parts. NULL: the rows as they are. */
fur_status partition_from_order(fur_context *context, int64_t rows, const int32_t *order,
                                fur_partition **out);

/* part[i] from 0 to parts-1 for each row of square A, of the host, by the library of a method
 * (graph_parts.c). */
fur_status graph_parts(const fur_csr *a, const char *method, int parts, int32_t *part);

/* The same by the bricks of a grid (bricks.c). extent[0] = 0: of the grid that A is a stencil on;
 * FUR_UNSUPPORTED if it is none. */
fur_status brick_parts(const fur_csr *a, const int64_t extent[3], int32_t *part);

#endif
