/* A file that the command writes itself. It appears under its name only when it is complete, so
 * that a failure leaves an existing file as it was. */
#ifndef FURROW_TOOLS_NEW_FILE_H
#define FURROW_TOOLS_NEW_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include <furrow/context.h>

typedef struct new_file {
    fur_context *context;
    const char *path; /* as given, for sentences */
    FILE *stream;
    char target[PATH_MAX];         /* links resolved */
    char temporary[PATH_MAX + 32]; /* "": a pipe or device, written to in place */
} new_file;

/* Whether a path ends in this suffix. */
bool new_file_is(const char *path, const char *suffix);

/* FUR_IO if the file cannot be created, or an existing one must not be written. */
fur_status new_file_open(fur_context *context, const char *path, new_file *out);

/* Ends the file. With status FUR_OK it gets its name; else, or if that fails, nothing is left of
 * it. Returns status, or what went wrong. */
fur_status new_file_close(new_file *file, fur_status status);

#endif
