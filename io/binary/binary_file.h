/* An open binary file (.fur), and the arrays that are read from it or mapped. */
#ifndef FURROW_IO_BINARY_FILE_H
#define FURROW_IO_BINARY_FILE_H

#include "binary_format.h"
#include "limit.h"

/* The arrays of a matrix. */
typedef struct fur_binary_arrays {
    fur_context *context;
    void *mapping;   /* the file in memory; NULL if it is not mapped */
    uint64_t mapped; /* its size in bytes */
    /* in the mapping or in memory of the context; NULL for an empty section */
    void *of[FUR_BINARY_SECTIONS];
} fur_binary_arrays;

typedef struct fur_binary_file {
    fur_context *context;
    const char *path;
    int descriptor;
    fur_watch watch; /* progress and cancellation of reading pieces */
    fur_binary_header header;
    fur_binary_layout layout;
    uint64_t *table; /* the expected checksum of every piece */
    fur_binary_arrays arrays;
} fur_binary_file;

/* Maps the file, whose sections are then the arrays. If the system cannot map it, nothing changes
 * and the file must be read. */
void fur_binary_map(fur_binary_file *file);

/* Releases the arrays and the mapping, if they exist. */
void fur_binary_release(fur_binary_arrays *arrays);

/* Opens a file and checks its header for consistency and against the limits. */
fur_status fur_binary_open(fur_context *context, const char *path, const fur_read_limits *limits,
                           fur_binary_file *out);

/* Reads and checks everything after the header. The arrays of a mapped file are only checked. */
fur_status fur_binary_load(fur_binary_file *file);

/* Closes the file and releases the arrays that still belong to it. */
void fur_binary_close(fur_binary_file *file);

#endif
