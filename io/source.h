/* A file's bytes in memory, read as far as they are wanted. */
#ifndef FURROW_IO_SOURCE_H
#define FURROW_IO_SOURCE_H

#include <furrow/context.h>

#include <stdbool.h>

typedef struct fur_source {
    fur_context *context;
    const char *path;
    int descriptor;
    size_t expected; /* size the system reports; 0 if it has none to report, as for a pipe */
    char *text;      /* what was read so far */
    size_t size;
    size_t capacity;
    bool complete; /* the end of the file was reached */
} fur_source;

/* FUR_IO if the file cannot be opened for reading or is a directory. */
fur_status fur_source_open(fur_context *context, const char *path, fur_source *out);

/* Reads until at least `wanted` bytes are there or the file ends. text may move. */
fur_status fur_source_fill(fur_source *source, size_t wanted);

/* Closes the file and releases the text. */
void fur_source_close(fur_source *source);

#endif
