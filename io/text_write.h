/* A long text, a line for each of many entries, printed by several threads. */
#ifndef FURROW_IO_TEXT_WRITE_H
#define FURROW_IO_TEXT_WRITE_H

#include <furrow/context.h>

#include <stdbool.h>

typedef struct fur_text {
    const char *head; /* what comes first */
    size_t head_size;
    int64_t entries;
    size_t entry_size; /* bytes that one takes at most */
    /* Prints the entries begin .. end-1, at least one, and returns the end of what it wrote. Called
     * by several threads at the same time. */
    char *(*print)(const void *user, int64_t begin, int64_t end, char *out);
    const void *user;
} fur_text;

/* Replaces the file, or writes to a pipe, device or "-", as furrow/output.h says, compressed if the
 * end of its name says so. The threads of the context print pieces of about equal size into buffers
 * of their own, a megabyte a thread. Where a piece is cut does not depend on their number, nor does
 * any byte of the file. sync: see fur_output_commit. */
fur_status fur_text_write(fur_context *context, const char *path, const fur_text *text, bool sync);

#endif
