/* Binary files (.fur): an open one, and the arrays that are read from it or lie in it. */
#ifndef FURROW_IO_BINARY_FILE_H
#define FURROW_IO_BINARY_FILE_H

#include "binary_format.h"
#include "limit.h"

/* The arrays of a matrix. */
typedef struct fur_binary_arrays {
    fur_context *context;
    void *mapping;                 /* the file in memory; NULL if it is read */
    uint64_t mapped;               /* bytes of it */
    void *of[FUR_BINARY_SECTIONS]; /* in the mapping or memory of the context; NULL without bytes */
} fur_binary_arrays;

typedef struct fur_binary_file {
    fur_context *context;
    const char *path;
    int descriptor;
    fur_watch watch; /* over the reading of pieces */
    fur_binary_header header;
    fur_binary_layout layout;
    uint64_t *table; /* the expected checksum of every piece */
    fur_binary_arrays arrays;
} fur_binary_file;

/* Maps the file, whose sections are then the arrays. If the system does not, all stays as it was:
 * the file is to be read. */
void fur_binary_map(fur_binary_file *file);

/* Releases arrays and mapping; does nothing where there are none. */
void fur_binary_release(fur_binary_arrays *arrays);

/* Opens a file and checks its header, by itself and against the limits. */
fur_status fur_binary_open(fur_context *context, const char *path, const fur_read_limits *limits,
                           fur_binary_file *out);

/* Reads and checks everything behind the header; the arrays of a mapped file are only checked. */
fur_status fur_binary_load(fur_binary_file *file);

/* Closes the file and releases those arrays that nobody has taken. */
void fur_binary_close(fur_binary_file *file);

#endif
