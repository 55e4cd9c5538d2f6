/* The decompressors alone, from memory to memory: the speed that reading a compressed file is held
 * against. */
#ifndef FURROW_TOOLS_UNPACK_H
#define FURROW_TOOLS_UNPACK_H

#include <stdint.h>
#include <stdlib.h>

typedef struct unpacker {
    const char *name; /* the function that does it */
    size_t magic_size;
    unsigned char magic[4]; /* what such data begins with */
    /* Decompresses all, each block over the one before. The bytes it made, -1 if the data is bad.
     */
    int64_t (*run)(const void *packed, size_t size, void *block, size_t room);
} unpacker;

/* NULL if the data is not compressed, or in a way that the build has no library for. */
const unpacker *unpack_find(const void *data, size_t size);

#endif
