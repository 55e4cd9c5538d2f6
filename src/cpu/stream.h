/* Streams that are read once a product: arrays of A larger than the cache. Announcing them as such
 * keeps them from displacing x, which is read again. */
#ifndef FURROW_CPU_STREAM_H
#define FURROW_CPU_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* Smaller arrays may still be in the cache from the last product, and should stay there. */
#define FUR_STREAM_BYTES (64 << 20)
/* So far ahead of its use. */
#define FUR_STREAM_AHEAD 2048

static inline bool fur_streams(int64_t bytes)
{
    return bytes > FUR_STREAM_BYTES;
}

/* The address may lie beyond the array's end: a prefetch reads nothing then. */
static inline void fur_prefetch_once(const void *p)
{
    __builtin_prefetch((const char *)p + FUR_STREAM_AHEAD, 0, 0);
}

#endif
