/* Recognises the compression format of a file by its first bytes. */
#include "stage.h"

#include <furrow/author/try.h>

#include <string.h>

#ifdef FURROW_HAVE_GZIP
#    define GZIP fur_decompress_gzip
#else
#    define GZIP NULL
#endif
#ifdef FURROW_HAVE_ZSTD
#    define ZSTD fur_decompress_zstd
#else
#    define ZSTD NULL
#endif

/* The most bytes that any format needs to be recognised. */
#define HEAD_SIZE 4

static bool is_gzip(const char *head, size_t size)
{
    return size >= 2 && memcmp(head, "\x1f\x8b", 2) == 0;
}

/* Returns whether the data begins with a frame, or with one of the sixteen kinds of skippable
 * frames. */
static bool is_zstd(const char *head, size_t size)
{
    return size >= 4 && (memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0 ||
                         ((head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0));
}

typedef struct format {
    const char *name;
    const char *option; /* the build option of this format */
    bool (*is)(const char *head, size_t size);
    fur_status (*open)(fur_stage *below, fur_failure *failure, fur_stage **out);
} format;

static const format formats[] = {
    {"gzip", "FURROW_WITH_GZIP", is_gzip, GZIP},
    {"zstd", "FURROW_WITH_ZSTD", is_zstd, ZSTD},
};

static const format *recognise(const char *head, size_t size)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].is(head, size))
            return &formats[i];
    return NULL;
}

fur_status fur_decompress(fur_stage **top, fur_failure *failure)
{
    fur_stage *stage = *top;
    FUR_TRY(fur_stage_ahead(stage, HEAD_SIZE, failure));
    const format *found = recognise(stage->at, fur_stage_size(stage));
    if (!found)
        return FUR_OK;
    if (!found->open)
        return fur_failure_set(failure, FUR_UNSUPPORTED,
                               "%.400s: found %s-compressed data, which this build cannot read; "
                               "decompress it first: %s -dc FILE > FILE.mtx, or build furrow with "
                               "-D%s=ON",
                               stage->name, found->name, found->name, found->option);
    return found->open(stage, failure, top);
}

fur_status fur_decompress_truncated(const fur_stage *stage, fur_failure *failure)
{
    return fur_failure_set(failure, FUR_MALFORMED,
                           "%.400s: the compressed data ends early, at byte %lld; the file is "
                           "incomplete: get it again",
                           stage->name, (long long)fur_stage_offset(stage));
}

fur_status fur_decompress_damaged(const fur_stage *stage, const char *what, fur_failure *failure)
{
    return fur_failure_set(
        failure, FUR_MALFORMED,
        "%.400s: found damaged compressed data before byte %lld (%s); get the file again",
        stage->name, (long long)fur_stage_offset(stage), what);
}
