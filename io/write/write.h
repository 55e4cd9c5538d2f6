/* Writing matrices and vectors as text: threads print entries in pieces and compress them; the
 * pieces leave in order, into a file that appears when it is complete (output.c). */
#ifndef FURROW_IO_WRITE_H
#define FURROW_IO_WRITE_H

#include <furrow/context.h>

#include <stdbool.h>
#include <stddef.h>

/* A long text, a line for each of many entries, printed by several threads (text_write.c). */
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

/* Replaces the file, or writes to a pipe, device or "-", as furrow/author/output.h says, compressed
 * if the end of its name says so. The threads of the context print pieces of about equal size into
 * buffers of their own, a megabyte a thread. Where a piece is cut does not depend on their number,
 * nor does any byte of the file. sync: see fur_output_commit. */
fur_status fur_text_write(fur_context *context, const char *path, const fur_text *text, bool sync);

/* Compressing a text piece by piece (compress.c): each piece becomes a gzip member (RFC 1952) or a
 * zstd frame (RFC 8878) of its own, so that threads can make them apart, and the pieces one after
 * the other are a valid file. */
typedef struct fur_compressor {
    /* Bytes that `size` bytes of text become at most. */
    size_t (*bound)(size_t size);
    /* Makes what one thread compresses with. */
    fur_status (*start)(fur_context *context, void **state);
    /* Compresses a text; returns the bytes of the result, 0 if that fails. */
    size_t (*compress)(void *state, const char *text, size_t size, char *out, size_t room);
    /* Gives back what start made; accepts NULL. */
    void (*stop)(fur_context *context, void *state);
} fur_compressor;

extern const fur_compressor fur_compressor_gzip; /* there if FURROW_HAVE_GZIP is defined */
extern const fur_compressor fur_compressor_zstd; /* there if FURROW_HAVE_ZSTD is defined */

/* The compressor that the end of the path asks for: .gz, .zst; NULL for every other path: plain
 * text. FUR_UNSUPPORTED if this build lacks the library for it. */
fur_status fur_compressor_find(fur_context *context, const char *path, const fur_compressor **out);

#endif
