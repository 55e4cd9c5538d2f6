/* A rank's range of the bytes of a Matrix Market file. */
#ifndef FURROW_RANKS_TEXT_RANGE_H
#define FURROW_RANKS_TEXT_RANGE_H

#include "group.h"

#include <furrow/mtx.h>

/* The lines that begin in a rank's range, as a file of their own in memory. */
typedef struct text_range {
    char *memory;
    const char *text; /* with a banner and a size line of its own before the lines */
    size_t bytes;
    int64_t entries;    /* lines that have one */
    int64_t file_bytes; /* of the whole file */
} text_range;

/* *found = false for a file that cannot be read in ranges, or not without a sentence about it.
 * FUR_IO_ERROR if the system refuses. */
fur_status text_range_read(fur_ranks *g, const char *path, const fur_mtx_header *header,
                           text_range *out, bool *found);

void text_range_release(fur_ranks *g, text_range *t);

#endif
