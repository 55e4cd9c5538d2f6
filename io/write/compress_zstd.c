/* zstd frames by libzstd, each with its checksum. */
#include "write.h"

#include <zstd.h>

/* Packs matrices to between 0.10 and 0.39 of the text. Levels 2 to 6 reach about the same and take
 * longer. */
#define LEVEL 1

static fur_status zstd_start(fur_context *context, void **state)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    if (!zstd)
        return fur_context_fail(context, FUR_OUT_OF_MEMORY,
                                "out of memory for compression by zstd");
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    *state = zstd;
    return FUR_OK;
}

static size_t zstd_compress(void *state, const char *text, size_t size, char *out, size_t room)
{
    size_t compressed = ZSTD_compress2(state, out, room, text, size);
    return ZSTD_isError(compressed) ? 0 : compressed;
}

static void zstd_stop(fur_context *context, void *state)
{
    (void)context;
    ZSTD_freeCCtx(state);
}

const fur_compressor fur_compressor_zstd = {ZSTD_compressBound, zstd_start, zstd_compress,
                                            zstd_stop};
