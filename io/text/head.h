/* The head of a Matrix Market file: banner, comments, size line. */
#ifndef FURROW_IO_HEAD_H
#define FURROW_IO_HEAD_H

#include "cursor.h"
#include "feed.h"

typedef struct fur_banner {
    fur_mtx_header header;
    bool vector;         /* the object is a vector: a size and an index instead of two */
    fur_failure dialect; /* what was tolerated, if the sentence is not empty: its place and words */
} fur_banner;

/* Reads the head from the beginning of the feed, and leaves *cursor behind the size line. Checks
 * all that the head alone can show: the words, that the field can have the symmetry, the sizes.
 * name is the file's in sentences. FUR_MALFORMED also for files of other formats, naming the format
 * and what to do. */
fur_status fur_head_read(fur_feed *feed, const char *name, bool refuse_dialects,
                         fur_failure *failure, fur_banner *banner, fur_cursor *cursor);

/* FUR_OVERFLOW if the matrix is larger than the reader takes. */
fur_status fur_banner_check_size(const fur_cursor *cursor, const fur_banner *banner);

/* FUR_OVERFLOW if the matrix is beyond the limits for a file of `bytes` bytes, -1: not known yet.
 */
fur_status fur_banner_check_limits(const fur_cursor *cursor, const fur_banner *banner,
                                   const fur_read_limits *limits, int64_t bytes);

/* FUR_MALFORMED if a text of which `left` bytes are behind the size line cannot hold the entries:
 * so that memory is only asked for what the file can fill. */
fur_status fur_banner_check_room(const fur_cursor *cursor, const fur_banner *banner, int64_t left);

#endif
