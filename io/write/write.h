/* Writes matrices and vectors as text. Threads print entries in pieces and compress them. The
 * pieces are written in order, into a file that appears when it is complete (output.c). */
#ifndef FURROW_IO_WRITE_H
#define FURROW_IO_WRITE_H

#include <furrow/context.h>

#include <stdbool.h>
#include <stddef.h>

/* A long text, with a line for each entry, that several threads print (text_write.c). */
typedef struct fur_text {
    const char *head; /* the beginning of the text */
    size_t head_size;
    int64_t entries;
    size_t entry_size; /* most bytes of one entry */
    /* Prints the entries begin .. end-1, at least one, and returns the end of the text. Several
     * threads call it at the same time. */
    char *(*print)(const void *user, int64_t begin, int64_t end, char *out);
    const void *user;
} fur_text;

/* Replaces the file, or writes to a pipe, a device or "-", as described in furrow/author/files.h.
 * The text is compressed if the end of the name requests it. The threads of the context print
 * pieces of about equal size into their own buffers of a megabyte. Neither the cuts between pieces
 * nor any byte of the file depend on the number of threads. sync: see fur_output_commit. */
fur_status fur_text_write(fur_context *context, const char *path, const fur_text *text, bool sync);

/* Compression of a text in pieces (compress.c). Each piece becomes a complete gzip member (RFC
 * 1952) or zstd frame (RFC 8878). Threads can therefore make them independently, and their
 * concatenation is a valid file. */
typedef struct fur_compressor {
    /* Returns the most bytes that `size` bytes of text can become. */
    size_t (*bound)(size_t size);
    /* Makes the state of one thread. */
    fur_status (*start)(fur_context *context, void **state);
    /* Compresses a text. Returns the bytes of the result, or 0 on failure. */
    size_t (*compress)(void *state, const char *text, size_t size, char *out, size_t room);
    /* Releases the state; accepts NULL. */
    void (*stop)(fur_context *context, void *state);
} fur_compressor;

extern const fur_compressor fur_compressor_gzip; /* defined if FURROW_HAVE_GZIP is defined */
extern const fur_compressor fur_compressor_zstd; /* defined if FURROW_HAVE_ZSTD is defined */

/* Finds the compressor for the end of the path: .gz or .zst. Any other path gives NULL, for plain
 * text. Returns FUR_UNSUPPORTED if this build lacks the library for the format. */
fur_status fur_compressor_find(fur_context *context, const char *path, const fur_compressor **out);

#endif
