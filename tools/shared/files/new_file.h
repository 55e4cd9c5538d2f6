/* A stream into a file that the command writes itself. As all of the library's, the file appears
 * under its name only when it is complete. */
#ifndef FURROW_TOOLS_NEW_FILE_H
#define FURROW_TOOLS_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include <furrow/author/files.h>

typedef struct new_file {
    fur_output *output;
    FILE *stream;
} new_file;

/* Whether a path ends in this suffix. */
bool new_file_is(const char *path, const char *suffix);

/* FUR_IO_ERROR if the file cannot be created, or an existing one must not be written. */
fur_status new_file_open(fur_context *context, const char *path, new_file *out);

/* Fails as new_file_open, so that this is known before long work; NULL for `path` is nowhere.
 * Leaves alone what a new file does not replace: standard output, pipes and devices. */
fur_status new_file_try(fur_context *context, const char *path);

/* Ends the file. With status FUR_OK it gets its name; else, or if that fails, nothing is left of
 * it. Returns status, or what went wrong. */
fur_status new_file_close(new_file *file, fur_status status);

#endif
