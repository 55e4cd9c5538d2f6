/* gzip (Deutsch 1996, RFC 1952): one or several members, each with a checksum and its length. Only
 * zeros may follow the last member, because tape blocks are filled up with them. */
#include "stage.h"

#include <furrow/author/try.h>

#include <isa-l/igzip_lib.h>

/* ISA-L counts in 32 bits. */
#define LARGEST_STEP ((size_t)1 << 30)

typedef struct gzip {
    fur_stage stage;
    bool in_member;
    struct inflate_state state;
} gzip;

static const char *explain(int error)
{
    switch (error) {
    case ISAL_INVALID_WRAPPER:
        return "no gzip header";
    case ISAL_UNSUPPORTED_METHOD:
        return "an unknown method";
    case ISAL_INCORRECT_CHECKSUM:
        return "a wrong checksum or length";
    default:
        return "an invalid code";
    }
}

/* Lends the prefetched bytes to the decompressor. */
static void lend(gzip *g)
{
    const fur_stage *below = g->stage.below;
    size_t size = fur_stage_size(below);
    g->state.next_in = (uint8_t *)(uintptr_t)below->at; /* only read by ISA-L */
    g->state.avail_in = (uint32_t)(size < LARGEST_STEP ? size : LARGEST_STEP);
}

/* Takes back the bytes that the decompressor has not used. Returns whether it has used any. */
static bool take_back(gzip *g)
{
    const char *at = (const char *)g->state.next_in;
    bool taken = at != g->stage.below->at;
    g->stage.below->at = at;
    return taken;
}

/* Reads the header separately from the data, because isal_inflate forgets its flags between two
 * calls. */
static fur_status begin_member(gzip *g, fur_failure *failure)
{
    fur_stage *below = g->stage.below;
    struct isal_gzip_header header;
    int result;
    isal_gzip_header_init(&header);
    isal_inflate_reset(&g->state);
    do {
        FUR_TRY(fur_stage_ahead(below, 1, failure));
        lend(g);
        result = isal_read_gzip_header(&g->state, &header);
        if (!take_back(g))
            return fur_decompress_truncated(below, failure);
    } while (result == ISAL_END_INPUT);
    if (result != ISAL_DECOMP_OK)
        return fur_decompress_damaged(below, explain(result), failure);
    g->in_member = true;
    return FUR_OK;
}

static fur_status check_padding(fur_stage *below, fur_failure *failure)
{
    while (fur_stage_size(below) > 0) {
        if (*below->at != '\0')
            return fur_decompress_damaged(below, "other bytes after it", failure);
        below->at++;
        FUR_TRY(fur_stage_ahead(below, 1, failure));
    }
    return FUR_OK;
}

/* Begins the next member, if there is one. */
static fur_status next_member(gzip *g, fur_failure *failure)
{
    fur_stage *below = g->stage.below;
    FUR_TRY(fur_stage_ahead(below, 1, failure));
    return fur_stage_size(below) > 0 && *below->at != '\0' ? begin_member(g, failure)
                                                           : check_padding(below, failure);
}

/* Decompresses the prefetched bytes. */
static fur_status inflate_member(gzip *g, char *to, size_t room, size_t *got, fur_failure *failure)
{
    fur_stage *below = g->stage.below;
    FUR_TRY(fur_stage_ahead(below, 1, failure));
    lend(g);
    g->state.next_out = (uint8_t *)to;
    g->state.avail_out = (uint32_t)(room < LARGEST_STEP ? room : LARGEST_STEP);
    int result = isal_inflate(&g->state);
    bool taken = take_back(g);
    if (result != ISAL_DECOMP_OK)
        return fur_decompress_damaged(below, explain(result), failure);
    *got = (size_t)((char *)g->state.next_out - to);
    g->in_member = g->state.block_state != ISAL_BLOCK_FINISH;
    return g->in_member && !taken && *got == 0 ? fur_decompress_truncated(below, failure) : FUR_OK;
}

/* Reads text of this member, or of the next member that has any. */
static fur_status read_gzip(fur_stage *stage, char *to, size_t room, size_t *got,
                            fur_failure *failure)
{
    gzip *g = (gzip *)stage;
    *got = 0;
    while (*got == 0) {
        if (!g->in_member)
            FUR_TRY(next_member(g, failure));
        if (!g->in_member)
            return FUR_OK;
        FUR_TRY(inflate_member(g, to, room, got, failure));
    }
    return FUR_OK;
}

fur_status fur_decompress_gzip(fur_stage *below, fur_failure *failure, fur_stage **out)
{
    gzip *g = NULL;
    FUR_TRY(fur_stage_create(below->context, below->name, sizeof *g, FUR_STAGE_AHEAD, failure, &g));
    g->stage.read = read_gzip;
    g->stage.below = below;
    isal_inflate_init(&g->state);
    g->state.crc_flag = ISAL_GZIP_NO_HDR_VER;
    *out = &g->stage;
    return FUR_OK;
}
