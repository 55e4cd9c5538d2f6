/* An open .fur file and the arrays that are read from it. */
#ifndef FURROW_IO_BINARY_FILE_H
#define FURROW_IO_BINARY_FILE_H

#include "binary_format.h"

typedef struct fur_binary_file {
    fur_context *context;
    const char *path;
    int descriptor;
    fur_binary_header header;
    fur_binary_layout layout;
    uint64_t *table;                   /* the expected checksum of every piece */
    void *arrays[FUR_BINARY_SECTIONS]; /* memory of the context; NULL for sections without bytes */
} fur_binary_file;

/* Opens a file and checks its header. */
fur_status fur_binary_open(fur_context *context, const char *path, fur_binary_file *out);

/* Reads and checks all that lies behind the header. */
fur_status fur_binary_load(fur_binary_file *file);

/* Closes the file and releases those arrays that nobody has taken. */
void fur_binary_close(fur_binary_file *file);

#endif
