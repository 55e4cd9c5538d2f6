/* A stream into a file that the command writes. Like all files of the library, it appears under its
 * name only when it is complete. */
#ifndef FURROW_TOOLS_NEW_FILE_H
#define FURROW_TOOLS_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include <furrow/author/files.h>

typedef struct new_file {
    fur_output *output;
    FILE *stream;
} new_file;

/* Returns whether a path ends in this suffix. */
bool new_file_is(const char *path, const char *suffix);

/* Opens a new file. FUR_IO_ERROR if it cannot be created or an existing file is write-protected. */
fur_status new_file_open(fur_context *context, const char *path, new_file *out);

/* Fails as new_file_open would, so that the failure is known before long work. A NULL `path` stands
 * for no file. Standard output, pipes and devices are not touched, as they are not replaced. */
fur_status new_file_try(fur_context *context, const char *path);

/* Closes the file. With status FUR_OK it gets its name. Otherwise, or if naming fails, the file is
 * removed. Returns status, or the failure to close. */
fur_status new_file_close(new_file *file, fur_status status);

#endif
