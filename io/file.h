/* The lowest stage: a file, a pipe, a device, or memory that takes the place of a file. */
#ifndef FURROW_IO_FILE_H
#define FURROW_IO_FILE_H

#include "stage.h"

typedef struct fur_file {
    fur_stage stage;
    int descriptor;     /* -1: memory */
    int64_t size;       /* -1: a pipe or another thing without a size */
    const char *memory; /* NULL: a descriptor */
} fur_file;

/* Opens `path`, or standard input if it is "-". `name` stands for it in sentences and must outlive
 * the stage. FUR_IO_ERROR if it cannot be opened for reading or is a directory. */
fur_status fur_file_open(fur_context *context, const char *path, const char *name,
                         fur_failure *failure, fur_file **out);

/* The bytes, which are read where they are. */
fur_status fur_file_borrow(fur_context *context, const void *memory, size_t size, const char *name,
                           fur_failure *failure, fur_file **out);

/* Goes back to the first byte. False if that cannot be done, as with a pipe. */
bool fur_file_rewind(fur_file *file);

#endif
