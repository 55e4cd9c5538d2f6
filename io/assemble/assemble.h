/* Turns the entries of a file, which threads read in batches, into a CSR matrix.
 *
 * While rows come in order, entries are written directly to their place in the matrix. From the
 * first entry out of order on, entries are distributed into buckets of rows. Buckets are also used
 * if the size of the text is unknown, because then the header could promise any number of entries.
 * When all entries are read, each range of rows is sorted independently. Finally the gaps that
 * duplicates leave are closed. */
#ifndef FURROW_IO_ASSEMBLE_H
#define FURROW_IO_ASSEMBLE_H

#include "arrays.h"
#include "batch.h"
#include "buckets.h"

#include <furrow/vector.h>

#include <stdatomic.h>

/* The entries of a file while they are collected for a matrix. */
typedef struct fur_collection {
    fur_storage *storage;
    const fur_job *job;
    bool direct;
    bool columns_rise; /* in every row so far */
    fur_arrays arrays;
    fur_buckets buckets;
    int64_t count;    /* claimed entries */
    int64_t last_row; /* of the last entry; -1 if there is none */
    int32_t last_col;
    atomic_llong copied;    /* claimed entries that have been copied to the arrays */
    atomic_bool in_buckets; /* not direct, for threads that have not claimed yet */
} fur_collection;

/* The state of a batch on its way into a collection. */
typedef struct fur_delivery {
    bool direct;
    int64_t begin;   /* position of its entries in the arrays, if it is direct */
    bool parted;     /* symmetry has been applied and entries have been counted by bucket */
    fur_share share; /* its share of the buckets */
} fur_delivery;

/* Opens a collection for entries_in_file entries, or twice that number. With `direct`, entries are
 * expected in row order. Their number must then be one that the file is likely to contain. */
fur_status fur_collection_open(fur_storage *storage, const fur_job *job, bool direct,
                               fur_failure *failure, fur_collection *out);

/* Does the work that does not depend on the order of the batches. */
void fur_collection_prepare(const fur_collection *collection, fur_batch *batch,
                            fur_delivery *delivery);

/* Reserves room for the batch. Called in the order of the file, by one thread at a time. */
fur_status fur_collection_claim(fur_collection *collection, fur_batch *batch,
                                fur_delivery *delivery, fur_failure *failure);

/* Copies the batch to its reserved room. */
void fur_collection_put(fur_collection *collection, const fur_batch *batch, fur_delivery *delivery);

/* Call this after all entries have been copied: ends the last row, and sets the offsets of empty
 * rows. */
void fur_collection_end(fur_collection *collection);

void fur_collection_close(fur_collection *collection);

/* Makes a matrix of all entries of a collection, which must not be used afterwards. If two entries
 * are in conflict, *conflict tells where. The status is then FUR_OK, but no matrix is made. */
fur_status fur_assemble(fur_collection *collection, fur_failure *failure, fur_conflict *conflict,
                        fur_csr **out);

/* Makes a vector of a context whose host has the matrix. Entries that are not stored become 0.
 * Errors: FUR_INVALID with the path, if the matrix has more than one column and more than one
 * row. */
fur_status fur_column_to_vector(fur_context *context, const char *path, const fur_csr *matrix,
                                fur_vector **out);

#endif
