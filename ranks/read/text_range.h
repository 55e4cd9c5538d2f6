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

/* Where the scan of a head is. */
typedef enum head_state { LINE_BEGINS, COMMENT, SIZE_LINE, BODY } head_state;

/* The next state; BODY: behind the size line. */
static inline head_state head_advance(head_state state, char c)
{
    if (c == '\n')
        return state == SIZE_LINE ? BODY : LINE_BEGINS;
    if (state != LINE_BEGINS || c == ' ' || c == '\t' || c == '\r')
        return state;
    return c == '%' ? COMMENT : SIZE_LINE;
}

/* Room for the banner and the size line that lines get. */
#define HEAD_MOST 160

/* Puts a head right before the `bytes` bytes of lines, which begin at memory + HEAD_MOST. */
void text_range_head(text_range *t, int64_t bytes, const fur_mtx_header *header);

void text_range_release(fur_ranks *g, text_range *t);

#endif
