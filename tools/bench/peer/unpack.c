/* The decompressors alone. */
#include "unpack.h"

#include <string.h>

#ifdef FURROW_HAVE_GZIP
#    include <isa-l/igzip_lib.h>

/* One member, as gzip makes of a file, below 4 GB, which is what the library takes at once. */
static int64_t run_inflate(const void *packed, size_t size, void *block, size_t room)
{
    struct inflate_state state;
    isal_inflate_init(&state);
    state.crc_flag = ISAL_GZIP;
    state.next_in = (uint8_t *)(uintptr_t)packed;
    state.avail_in = (uint32_t)size;
    int64_t made = size > UINT32_MAX ? -1 : 0;
    while (made >= 0 && state.block_state != ISAL_BLOCK_FINISH) {
        state.next_out = block;
        state.avail_out = (uint32_t)room;
        if (isal_inflate(&state) != ISAL_DECOMP_OK || state.avail_out == room)
            return -1;
        made += (int64_t)(room - state.avail_out);
    }
    return state.avail_in == 0 ? made : -1;
}
#endif

#ifdef FURROW_HAVE_ZSTD
#    include <zstd.h>

static int64_t run_zstd(const void *packed, size_t size, void *block, size_t room)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = {packed, size, 0};
    int64_t made = 0;
    size_t left = 1;
    while (stream && left != 0 && !ZSTD_isError(left)) {
        ZSTD_outBuffer out = {block, room, 0};
        left = ZSTD_decompressStream(stream, &out, &in);
        made += (int64_t)out.pos;
        if (out.pos < room && in.pos == size)
            break;
    }
    ZSTD_freeDStream(stream);
    return left == 0 ? made : -1;
}
#endif

static const unpacker unpackers[] = {
#ifdef FURROW_HAVE_GZIP
    {"isal_inflate", 2, {0x1f, 0x8b}, run_inflate},
#endif
#ifdef FURROW_HAVE_ZSTD
    {"ZSTD_decompressStream", 4, {0x28, 0xb5, 0x2f, 0xfd}, run_zstd},
#endif
    {NULL, 0, {0}, NULL},
};

const unpacker *unpack_find(const void *data, size_t size)
{
    for (const unpacker *u = unpackers; u->name; u++)
        if (size >= u->magic_size && memcmp(data, u->magic, u->magic_size) == 0)
            return u;
    return NULL;
}
