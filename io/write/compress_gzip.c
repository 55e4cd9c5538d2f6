/* gzip members by ISA-L. */
#include "write.h"

#include <isa-l/igzip_lib.h>

/* The level from 0 to 3 that packs matrices best, to between 0.20 and 0.40 of the text. Levels 1
 * and 2 reach 0.22 to 0.41, and neither is always faster. */
#define LEVEL 3

typedef struct gzip_state {
    struct isal_zstream stream;
    uint8_t work[ISAL_DEF_LVL3_DEFAULT];
} gzip_state;

/* Incompressible text is stored in blocks of up to 65535 bytes, with 5 more bytes for each block.
 * Header and trailer of a member take 18 bytes. */
static size_t gzip_bound(size_t size)
{
    return size + 5 * (size / 65535 + 1) + 64;
}

static fur_status gzip_start(fur_context *context, void **state)
{
    return fur_context_allocate(context, sizeof(gzip_state), state);
}

static size_t gzip_compress(void *state, const char *text, size_t size, char *out, size_t room)
{
    if (room > UINT32_MAX)
        return 0;
    gzip_state *gzip = state;
    struct isal_zstream *stream = &gzip->stream;
    isal_deflate_stateless_init(stream);
    stream->gzip_flag = IGZIP_GZIP;
    stream->level = LEVEL;
    stream->level_buf = gzip->work;
    stream->level_buf_size = sizeof gzip->work;
    stream->end_of_stream = 1;
    stream->next_in = (uint8_t *)(uintptr_t)text;
    stream->avail_in = (uint32_t)size;
    stream->next_out = (uint8_t *)out;
    stream->avail_out = (uint32_t)room;
    return isal_deflate_stateless(stream) == COMP_OK ? stream->total_out : 0;
}

const fur_compressor fur_compressor_gzip = {gzip_bound, gzip_start, gzip_compress,
                                            fur_context_release};
