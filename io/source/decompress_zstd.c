/* Zstandard (Collet, Kucherawy 2021, RFC 8878): frames, with checksums if their author chose them,
 * and skippable frames between them. */
#include "stage.h"

#include <furrow/author/try.h>

#include <zstd.h>
#include <zstd_errors.h>

/* The default memory limit of the zstd command. */
#define LARGEST_WINDOW_LOG 27

typedef struct zstd {
    fur_stage stage;
    ZSTD_DCtx *decompressor;
    size_t pending; /* 0: all frames that have begun are complete */
} zstd;

static fur_status refuse(const zstd *z, size_t result, fur_failure *failure)
{
    const fur_stage *below = z->stage.below;
    if (ZSTD_getErrorCode(result) != ZSTD_error_frameParameter_windowTooLarge)
        return fur_decompress_damaged(below, ZSTD_getErrorName(result), failure);
    return fur_failure_set(failure, FUR_UNSUPPORTED,
                           "%.400s: found zstd data that takes more than %d MiB to decompress; "
                           "decompress it first: zstd -dc --long=31 FILE > FILE.mtx",
                           below->name, 1 << (LARGEST_WINDOW_LOG - 20));
}

/* Decompresses the prefetched bytes. */
static fur_status decompress(zstd *z, char *to, size_t room, size_t *got, fur_failure *failure)
{
    fur_stage *below = z->stage.below;
    ZSTD_inBuffer in = {.src = below->at, .size = fur_stage_size(below)};
    ZSTD_outBuffer out = {.dst = to, .size = room};
    z->pending = ZSTD_decompressStream(z->decompressor, &out, &in);
    below->at += in.pos;
    if (ZSTD_isError(z->pending))
        return refuse(z, z->pending, failure);
    *got = out.pos;
    return z->pending > 0 && in.pos + out.pos == 0 ? fur_decompress_truncated(below, failure)
                                                   : FUR_OK;
}

/* Reads text of this frame, or of the next frame that has any. */
static fur_status read_zstd(fur_stage *stage, char *to, size_t room, size_t *got,
                            fur_failure *failure)
{
    zstd *z = (zstd *)stage;
    *got = 0;
    while (*got == 0) {
        FUR_TRY(fur_stage_ahead(stage->below, 1, failure));
        if (z->pending == 0 && fur_stage_size(stage->below) == 0)
            return FUR_OK;
        FUR_TRY(decompress(z, to, room, got, failure));
    }
    return FUR_OK;
}

static void release_zstd(fur_stage *stage)
{
    ZSTD_freeDCtx(((zstd *)stage)->decompressor);
}

fur_status fur_decompress_zstd(fur_stage *below, fur_failure *failure, fur_stage **out)
{
    zstd *z = NULL;
    FUR_TRY(fur_stage_create(below->context, below->name, sizeof *z, FUR_STAGE_AHEAD, failure, &z));
    z->stage.read = read_zstd;
    z->stage.release = release_zstd;
    z->stage.below = below;
    z->decompressor = ZSTD_createDCtx();
    if (!z->decompressor) {
        fur_stage_close(&z->stage, below);
        return fur_failure_set(failure, FUR_OUT_OF_MEMORY, "%.400s: out of memory for zstd",
                               below->name);
    }
    ZSTD_DCtx_setParameter(z->decompressor, ZSTD_d_windowLogMax, LARGEST_WINDOW_LOG);
    *out = &z->stage;
    return FUR_OK;
}
