/* Streams through memory: arrays of A that are larger than the cache, and read front to back. The
 * hardware's prefetchers stop at every page and never reach far enough ahead to keep all of the
 * memory's channels busy; asking for lines a page or two ahead does. */
#ifndef FURROW_CPU_STREAM_H
#define FURROW_CPU_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* Smaller arrays are in the cache from the last product. */
#define FUR_STREAM_BYTES (32 << 20)
/* So far ahead of its use: long enough to cover the latency, short enough to stay in the first
 * cache until then. */
#define FUR_STREAM_AHEAD 8192

static inline bool fur_streams(int64_t bytes)
{
    return bytes > FUR_STREAM_BYTES;
}

/* The address may lie beyond the array's end: a prefetch reads nothing then. */
static inline void fur_prefetch_ahead(const void *p)
{
    __builtin_prefetch((const char *)p + FUR_STREAM_AHEAD);
}

#endif
