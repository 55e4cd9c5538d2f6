/* The contents of a partition, and the libraries that compute one. */
#ifndef FURROW_RANKS_PARTITION_H
#define FURROW_RANKS_PARTITION_H

#include <furrow/partition.h>

/* The largest number of parts. */
#define PARTS_MAX (1 << 20)

struct fur_partition {
    fur_context *context;
    int64_t rows;
    int parts; /* 0: the method has no parts */
    int32_t *of_rows;
    int64_t *begin;
    fur_permutation *order;
};

/* Returns FUR_INVALID for options that do not fit a matrix with `rows` rows. */
fur_status partition_check_options(fur_context *context, int64_t rows,
                                   const fur_partition_options *options);

/* Makes a partition of this order without parts. NULL means the natural order. */
fur_status partition_from_order(fur_context *context, int64_t rows, const int32_t *order,
                                fur_partition **out);

/* Sets part[i] in 0 .. parts-1 for each row of a square A on the host, by the library of a method
 * (graph_parts.c). */
fur_status graph_parts(const fur_csr *a, const char *method, int parts, int32_t *part);

/* As above, by the bricks of a grid (bricks.c). extent[0] = 0 means the grid for which A is a
 * stencil. FUR_UNSUPPORTED if A is not a stencil. */
fur_status brick_parts(const fur_csr *a, const int64_t extent[3], int32_t *part);

#endif
