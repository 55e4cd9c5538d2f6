/* Partitions: which rows of a square matrix belong together, for the ranks of furrow/ranks.h.
 *
 * A partition is an order of the rows and, of most methods, a division of that order into parts.
 * Order and parts do not depend on the number of ranks: each rank takes a run of parts. So a matrix
 * that is arranged by a partition, its products and its solves have the same bits on any number of
 * ranks, which are those of fur_csr_permute(a, order, order) without ranks. Methods:
 *
 *   contiguous  the order of the rows as they are; ranks may begin at any row
 *   rcm         the order of fur_reorder; ranks may begin at any row
 *   metis       parts by recursive bisection with METIS 5 (Karypis and Kumar 1998)
 *   scotch      the same by SCOTCH's interface of METIS 5 (Pellegrini and Roman 1996)
 *   bricks      of a grid, of 16 x 16 x 8 points (64 x 32 in a plane), more where they would be
 *               more than 2^20, along a Morton curve (Morton 1966)
 *
 * metis and scotch look at the graph of A + A^T, in which a row weighs its entries plus 4, and need
 * the library, which they open when they are called. SCOTCH's parts differ from run to run with
 * several threads: unless the environment variable SCOTCH_PTHREAD_NUMBER says otherwise, it is set
 * to 1. Within a part rows keep their order. */
#ifndef FURROW_PARTITION_H
#define FURROW_PARTITION_H

#include <furrow/reorder.h>
#include <furrow/ranks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by one thread at a time, as its context. Keeps 12 bytes a row, on the host. */
typedef struct fur_partition fur_partition;

typedef struct fur_partition_options {
    size_t size;        /* sizeof(fur_partition_options) */
    const char *method; /* NULL: "contiguous" */
    int parts;          /* of metis and scotch; 0: one for 64 rows, at most 1024 */
    /* Of bricks: the points of the grid along each axis, 1 where it has none, x moving fastest as
     * in furrow/stencil.h. 0, 0, 0: of the grid that A is recognised to be a stencil on. */
    int64_t extent[3];
} fur_partition_options;

/* Method 0, 1, 2 ...; NULL past the last. */
FUR_API const char *fur_partition_method_at(int index);

/* The partition of a matrix in a context of the CPU. FUR_INVALID if A is not square, for an unknown
 * method and for more parts than rows; FUR_UNSUPPORTED if the library is not there, or
 * for bricks of a matrix that is no stencil. */
FUR_API fur_status fur_partition_create(const fur_csr *a, const fur_partition_options *options,
                                        fur_partition **out);

/* The partition in which row i belongs to part[i], from 0 to 2^20-1. Parts may be empty. The array
 * is copied. */
FUR_API fur_status fur_partition_from_parts(fur_context *context, int64_t rows, const int32_t *part,
                                            fur_partition **out);

/* The partition of a Matrix Market file: an array of one column with the part of each row, counted
 * from 0. FUR_INVALID, naming the place, if it has not `rows` numbers or one is no part. */
FUR_API fur_status fur_partition_read(fur_context *context, const char *path, int64_t rows,
                                      fur_partition **out);

/* Writes such a file. FUR_INVALID for a partition without parts: contiguous and rcm. */
FUR_API fur_status fur_partition_write(const fur_partition *partition, const char *path);

FUR_API void fur_partition_destroy(fur_partition *partition);

FUR_API int64_t fur_partition_rows(const fur_partition *partition);
/* 0: ranks may begin at any row. */
FUR_API int fur_partition_parts(const fur_partition *partition);
/* The part of each row; NULL without parts. */
FUR_API const int32_t *fur_partition_of_rows(const fur_partition *partition);
/* parts + 1 numbers: places begin[k] .. begin[k+1]-1 of the order are the rows of part k; NULL
 * without parts. */
FUR_API const int64_t *fur_partition_begin(const fur_partition *partition);
/* Row order[i] of A comes to place i. */
FUR_API const fur_permutation *fur_partition_order(const fur_partition *partition);

/* Collective: the partition of a matrix of all ranks, the same on all of them. Rank 0 finds it, and
 * has meanwhile the whole pattern. */
FUR_API fur_status fur_ranks_partition(const fur_ranks_csr *a, const fur_partition_options *options,
                                       fur_partition **out);

/* Collective: fur_partition_read by rank 0 for all. */
FUR_API fur_status fur_ranks_partition_read(const fur_ranks_csr *a, const char *path,
                                            fur_partition **out);

/* Collective: P A P^T, in which row i is row order[i] of A. Each rank has a run of parts, of about
 * the same work; ranks are empty where parts are fewer. Takes as much memory as A, which stays as
 * it is. FUR_INVALID if the partition has another number of rows or ranks have different ones. */
FUR_API fur_status fur_ranks_csr_arrange(const fur_ranks_csr *a, const fur_partition *partition,
                                         fur_ranks_csr **out);

/* x = the entries of this rank's rows among those of all rows of A, in the order of A. `a` is the
 * arranged matrix, partition what arranged it; NULL: nothing did. */
FUR_API fur_status fur_ranks_take_vector(const fur_ranks_csr *a, const fur_partition *partition,
                                         const void *all, fur_vector *x);

/* Collective: all entries of x at rank 0, in the order of A; `all` is NULL elsewhere. */
FUR_API fur_status fur_ranks_give_vector(fur_ranks_csr *a, const fur_partition *partition,
                                         const fur_vector *x, void *all);

#ifdef __cplusplus
}
#endif
#endif
