/* A rank's range of the bytes of a Matrix Market file. */
#ifndef FURROW_RANKS_TEXT_RANGE_H
#define FURROW_RANKS_TEXT_RANGE_H

#include "group.h"

#include <furrow/files.h>

/* The lines that begin in a rank's range, as a complete file in memory. */
typedef struct text_range {
    char *memory;
    const char *text; /* begins with a separate banner and size line */
    size_t bytes;
    int64_t entries;    /* lines with an entry */
    int64_t file_bytes; /* bytes of the whole file */
} text_range;

/* Reads a rank's range. *found = false for a file that cannot be read in ranges, or that needs a
 * message. FUR_IO_ERROR on a system error. */
fur_status text_range_read(fur_ranks *g, const char *path, const fur_mtx_header *header,
                           text_range *out, bool *found);

/* The position of the scan in a head. */
typedef enum head_state { LINE_BEGINS, COMMENT, SIZE_LINE, BODY } head_state;

/* Returns the next state. BODY: after the size line. */
static inline head_state head_advance(head_state state, char c)
{
    if (c == '\n')
        return state == SIZE_LINE ? BODY : LINE_BEGINS;
    if (state != LINE_BEGINS || c == ' ' || c == '\t' || c == '\r')
        return state;
    return c == '%' ? COMMENT : SIZE_LINE;
}

/* Most bytes of the banner and size line that are put before the lines. */
#define HEAD_MAX 160

/* Writes a head directly before the `bytes` bytes of lines, which begin at memory + HEAD_MAX. */
void text_range_head(text_range *t, int64_t bytes, const fur_mtx_header *header);

void text_range_release(fur_ranks *g, text_range *t);

#endif
