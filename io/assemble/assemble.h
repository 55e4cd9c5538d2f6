/* From the entries of a file, as threads read them, to a matrix in CSR.
 *
 * While rows come in order, entries go straight to their place in the matrix. From the first that
 * does not, and where the size of the text is not known and the header may promise anything, they
 * are parted into buckets of rows. When all are there, each range of rows is put in order by
 * itself, and gaps that duplicates have left are closed. */
#ifndef FURROW_IO_ASSEMBLE_H
#define FURROW_IO_ASSEMBLE_H

#include "arrays.h"
#include "batch.h"
#include "buckets.h"

#include <furrow/vector.h>

#include <stdatomic.h>

/* The entries of a file on their way into a matrix. */
typedef struct fur_collection {
    fur_storage *storage;
    const fur_job *job;
    bool direct;
    bool columns_rise; /* in every row so far */
    fur_arrays arrays;
    fur_buckets buckets;
    int64_t count;    /* entries claimed */
    int64_t last_row; /* of the last entry, -1 if there is none */
    int32_t last_col;
    atomic_llong copied;    /* of the entries claimed, those that are in the arrays */
    atomic_bool in_buckets; /* not direct, for threads that have not claimed yet */
} fur_collection;

/* A batch on its way. */
typedef struct fur_delivery {
    bool direct;
    int64_t begin;   /* of its entries in the arrays, if it goes there directly */
    bool parted;     /* symmetry has been applied and entries have been counted by bucket */
    fur_share share; /* of the buckets */
} fur_delivery;

/* A collection for entries_in_file entries or their double. With `direct` they are expected in the
 * order of rows; their number must then be one that the file is likely to hold. */
fur_status fur_collection_open(fur_storage *storage, const fur_job *job, bool direct,
                               fur_failure *failure, fur_collection *out);

/* Does what can be done before it is the batch's turn. */
void fur_collection_prepare(const fur_collection *collection, fur_batch *batch,
                            fur_delivery *delivery);

/* Sets room aside for the batch; called in the order of the file, by one thread at a time. */
fur_status fur_collection_claim(fur_collection *collection, fur_batch *batch,
                                fur_delivery *delivery, fur_failure *failure);

/* Puts the batch into its room. */
void fur_collection_put(fur_collection *collection, const fur_batch *batch, fur_delivery *delivery);

/* All entries have come: the last row ends here, and empty rows get their offsets. */
void fur_collection_end(fur_collection *collection);

void fur_collection_close(fur_collection *collection);

/* The matrix of all entries of a collection, which is used up. If there are entries that must not
 * be there together, *conflict tells where and the status is FUR_OK, but no matrix is made. */
fur_status fur_assemble(fur_collection *collection, fur_failure *failure, fur_conflict *conflict,
                        fur_csr **out);

/* The vector of a context whose host has the matrix; entries that are not stored are 0.
 * FUR_INVALID, naming the path, for a matrix of another shape. */
fur_status fur_column_to_vector(fur_context *context, const char *path, const fur_csr *matrix,
                                fur_vector **out);

#endif
