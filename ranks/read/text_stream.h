/* The lines of a packed Matrix Market file, which rank 0 distributes while it unpacks them. */
#ifndef FURROW_RANKS_TEXT_STREAM_H
#define FURROW_RANKS_TEXT_STREAM_H

#include "text_range.h"

/* As text_range_read, with equal shares of the lines for all ranks. *found = false on the ranks
 * that have not received all their lines. Collective. */
fur_status text_stream_read(fur_ranks *g, const char *path, const fur_mtx_header *header,
                            text_range *t, bool *found);

#endif
