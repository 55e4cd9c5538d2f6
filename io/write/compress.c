/* Chooses the compression by the path. */
#include "write.h"

#include <stdbool.h>
#include <string.h>

#ifdef FURROW_HAVE_GZIP
#    define GZIP &fur_compressor_gzip
#else
#    define GZIP NULL
#endif
#ifdef FURROW_HAVE_ZSTD
#    define ZSTD &fur_compressor_zstd
#else
#    define ZSTD NULL
#endif

static const struct {
    const char *suffix;
    const char *option; /* the build option of this format */
    const fur_compressor *compressor;
} compressors[] = {{".gz", "FURROW_WITH_GZIP", GZIP}, {".zst", "FURROW_WITH_ZSTD", ZSTD}};

static bool ends_with(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

fur_status fur_compressor_find(fur_context *context, const char *path, const fur_compressor **out)
{
    const fur_compressor *found = NULL;
    for (size_t i = 0; i < sizeof compressors / sizeof *compressors; i++) {
        if (!ends_with(path, compressors[i].suffix))
            continue;
        found = compressors[i].compressor;
        if (!found)
            return fur_context_fail(
                context, FUR_UNSUPPORTED,
                "%.400s: this build cannot write %s files; choose another name, "
                "or build furrow with -D%s=ON",
                path, compressors[i].suffix, compressors[i].option);
    }
    *out = found;
    return FUR_OK;
}
