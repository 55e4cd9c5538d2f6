/* The head of a Matrix Market file: banner, comments and size line. */
#ifndef FURROW_IO_HEAD_H
#define FURROW_IO_HEAD_H

#include "cursor.h"
#include "feed.h"

typedef struct fur_banner {
    fur_mtx_header header;
    bool vector;         /* the object is a vector: one size and one index instead of two */
    fur_failure dialect; /* accepted syntax violations, if the message is not empty */
} fur_banner;

/* Reads the head from the beginning of the feed, and leaves *cursor after the size line. Checks
 * everything that the head alone can show: the words, the field with the symmetry, and the sizes.
 * `name` is the file's name in messages. Returns FUR_MALFORMED also for files of other formats,
 * with the format and what to do. */
fur_status fur_head_read(fur_feed *feed, const char *name, bool refuse_dialects,
                         fur_failure *failure, fur_banner *banner, fur_cursor *cursor);

/* Returns FUR_OVERFLOW if the matrix is larger than the reader supports. */
fur_status fur_banner_check_size(const fur_cursor *cursor, const fur_banner *banner);

/* Returns FUR_OVERFLOW if the matrix exceeds the limits for a file of `bytes` bytes. -1: unknown
 * size. */
fur_status fur_banner_check_limits(const fur_cursor *cursor, const fur_banner *banner,
                                   const fur_read_limits *limits, int64_t bytes);

/* Returns FUR_MALFORMED if a text with `left` bytes after the size line cannot hold the entries.
 * Memory is then only allocated for entries that the file can have. */
fur_status fur_banner_check_room(const fur_cursor *cursor, const fur_banner *banner, int64_t left);

#endif
