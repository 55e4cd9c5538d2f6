/* From a collection to a matrix. */
#ifndef FURROW_IO_ASSEMBLE_H
#define FURROW_IO_ASSEMBLE_H

#include "collection.h"

/* The matrix of all entries of a collection, which is used up. If there are entries that must not
 * be there together, *conflict tells where and the status is FUR_OK, but no matrix is made. */
fur_status fur_assemble(fur_collection *collection, fur_failure *failure, fur_conflict *conflict,
                        fur_csr **out);

#endif
