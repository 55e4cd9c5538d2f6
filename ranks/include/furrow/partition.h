/* Partitions: which rows of a square matrix belong together, for the ranks of furrow/ranks.h.
 *
 * A partition is an order of the rows. Most methods also divide this order into parts. Order and
 * parts do not depend on the number of ranks: each rank takes consecutive parts. A matrix that is
 * arranged by a partition therefore has products and solves with the same bits on any number of
 * ranks. They equal the bits for fur_csr_permute(a, order, order) without ranks.
 *
 * Methods:
 *
 *   contiguous  keeps the order of the rows; ranks may begin at any row
 *   rcm         the order of fur_reorder; ranks may begin at any row
 *   metis       parts by recursive bisection with METIS 5 (Karypis and Kumar 1998)
 *   scotch      parts by SCOTCH through its METIS 5 interface (Pellegrini and Roman 1996)
 *   bricks      bricks of a grid with 16 x 16 x 8 points (64 x 32 in a plane), along a Morton curve
 *               (Morton 1966). Bricks are larger if there would be more than 2^20.
 *
 * metis and scotch use the graph of A + A^T, in which a row has the weight of its entries plus 4.
 * They need their library, which is opened at the call. With several threads the parts of SCOTCH
 * differ from run to run. SCOTCH_PTHREAD_NUMBER is therefore set to 1, unless this environment
 * variable has a value. Within a part rows keep their order. */
#ifndef FURROW_PARTITION_H
#define FURROW_PARTITION_H

#include <furrow/reorder.h>
#include <furrow/ranks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A partition. It stores 12 bytes a row on the host.
 *
 * Use it in one thread at a time, as its context. */
typedef struct fur_partition fur_partition;

/* Options of fur_partition_create and fur_ranks_partition. */
typedef struct fur_partition_options {
    size_t size;        /* sizeof(fur_partition_options) */
    const char *method; /* NULL: "contiguous" */
    int parts;          /* metis, scotch only. Default 0: one part per 64 rows, at most 1024 */
    /* bricks only: points of the grid along each axis, and 1 for a missing axis. x runs fastest, as
     * in furrow/stencil.h. Default 0, 0, 0: the grid of the stencil that is recognised in A. */
    int64_t extent[3];
} fur_partition_options;

/* Returns the name of method 0, 1, 2 ..., and NULL after the last one. */
FUR_API const char *fur_partition_method_at(int index);

/* Finds a partition of a matrix in a context of the CPU.
 *
 * Errors: FUR_INVALID if A is not square, if the method is unknown, or if there are more parts than
 * rows. FUR_UNSUPPORTED if the library cannot be opened, or if bricks are requested for a matrix
 * that is not a stencil. */
FUR_API fur_status fur_partition_create(const fur_csr *a, const fur_partition_options *options,
                                        fur_partition **out);

/* Makes a partition in which row i belongs to part[i], from 0 to 2^20-1. Parts may be empty. Copies
 * the array. */
FUR_API fur_status fur_partition_from_parts(fur_context *context, int64_t rows, const int32_t *part,
                                            fur_partition **out);

/* Reads a partition from a Matrix Market file: an array of one column with the part of each row,
 * counted from 0.
 *
 * Errors: FUR_INVALID, with the place in the file, if the file does not have `rows` numbers or a
 * number is not a part. */
FUR_API fur_status fur_partition_read(fur_context *context, const char *path, int64_t rows,
                                      fur_partition **out);

/* Writes such a file. FUR_INVALID if the partition has no parts (contiguous, rcm). */
FUR_API fur_status fur_partition_write(const fur_partition *partition, const char *path);

/* Releases the partition; NULL is ignored. */
FUR_API void fur_partition_destroy(fur_partition *partition);

/* Returns the number of rows. */
FUR_API int64_t fur_partition_rows(const fur_partition *partition);
/* Returns the number of parts. 0: ranks may begin at any row. */
FUR_API int fur_partition_parts(const fur_partition *partition);
/* Returns the part of each row; NULL if there are no parts. */
FUR_API const int32_t *fur_partition_of_rows(const fur_partition *partition);
/* Returns parts + 1 numbers: places begin[k] .. begin[k+1]-1 of the order hold the rows of part k.
 * NULL if there are no parts. */
FUR_API const int64_t *fur_partition_begin(const fur_partition *partition);
/* Returns the order: row order[i] of A moves to place i. */
FUR_API const fur_permutation *fur_partition_order(const fur_partition *partition);

/* Collective. Finds a partition of a matrix of all ranks, the same on all ranks. Rank 0 finds it
 * and needs memory for the whole pattern. */
FUR_API fur_status fur_ranks_partition(const fur_ranks_csr *a, const fur_partition_options *options,
                                       fur_partition **out);

/* Collective. Rank 0 calls fur_partition_read for all ranks. */
FUR_API fur_status fur_ranks_partition_read(const fur_ranks_csr *a, const char *path,
                                            fur_partition **out);

/* Collective. Returns P A P^T, in which row i is row order[i] of A. Each rank gets consecutive
 * parts with about equal work. If there are fewer parts than ranks, some ranks are empty. Takes as
 * much memory as A, which is unchanged. FUR_INVALID if the partition has another number of rows or
 * if ranks pass different partitions. */
FUR_API fur_status fur_ranks_csr_arrange(const fur_ranks_csr *a, const fur_partition *partition,
                                         fur_ranks_csr **out);

/* Copies this rank's entries of `all` to x.
 *
 * `all` has the entries of all rows in the order of A.
 * `a` is the arranged matrix and `partition` is the partition that arranged it; NULL if none did.
 */
FUR_API fur_status fur_ranks_take_vector(const fur_ranks_csr *a, const fur_partition *partition,
                                         const void *all, fur_vector *x);

/* Collective. Copies all entries of x to rank 0 in the order of A. `all` is NULL on other ranks. */
FUR_API fur_status fur_ranks_give_vector(fur_ranks_csr *a, const fur_partition *partition,
                                         const fur_vector *x, void *all);

#ifdef __cplusplus
}
#endif
#endif
