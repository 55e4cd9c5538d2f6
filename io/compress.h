/* Compressing a text piece by piece: each piece becomes a gzip member (RFC 1952) or a zstd frame
 * (RFC 8878) of its own, so that threads can make them apart, and the pieces one after the other
 * are a valid file. */
#ifndef FURROW_IO_COMPRESS_H
#define FURROW_IO_COMPRESS_H

#include <furrow/context.h>

typedef struct fur_compressor {
    /* Bytes that `size` bytes of text become at most. */
    size_t (*bound)(size_t size);
    /* What one thread compresses with. */
    fur_status (*start)(fur_context *context, void **state);
    /* Compresses a text; returns the bytes of the result, 0 if that fails. */
    size_t (*compress)(void *state, const char *text, size_t size, char *out, size_t room);
    /* Gives back what start made; accepts NULL. */
    void (*stop)(fur_context *context, void *state);
} fur_compressor;

extern const fur_compressor fur_compressor_gzip; /* there if FURROW_HAVE_GZIP is defined */
extern const fur_compressor fur_compressor_zstd; /* there if FURROW_HAVE_ZSTD is defined */

/* What the end of the path asks for: .gz, .zst; NULL for every other, which is plain text.
 * FUR_UNSUPPORTED if this build lacks the library for it. */
fur_status fur_compressor_find(fur_context *context, const char *path, const fur_compressor **out);

#endif
