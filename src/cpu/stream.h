/* Streams through memory: arrays of A that are larger than the cache and are read from front to
 * back. Hardware prefetchers stop at every page, and do not look far enough ahead to keep all
 * memory channels busy. Prefetching lines a page or two ahead does keep them busy. */
#ifndef FURROW_CPU_STREAM_H
#define FURROW_CPU_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#    include <immintrin.h>
#endif

/* Smaller arrays are still in the cache from the last product. */
#define FUR_STREAM_BYTES (32 << 20)
/* The distance of a prefetch. It is long enough to cover the latency. It is short enough that the
 * line is still in the first-level cache when it is used. */
#define FUR_STREAM_AHEAD 8192

static inline bool fur_streams(int64_t bytes)
{
    return bytes > FUR_STREAM_BYTES;
}

/* The address may lie beyond the array's end. The prefetch then reads nothing. */
static inline void fur_prefetch_ahead(const void *p)
{
    __builtin_prefetch((const char *)p + FUR_STREAM_AHEAD);
}

#define FUR_STREAM_LINE 64
#define FUR_STREAM_PAGE 4096

/* Prefetches two cache lines for each 128 bytes, in two pages that are traversed side by side. The
 * hardware follows one stream in each page. It loses two streams that alternate in one page. */
static inline void fur_prefetch_pages(const void *p)
{
    const uintptr_t ahead = (uintptr_t)p + FUR_STREAM_AHEAD;
    const uintptr_t in = ahead % (2 * FUR_STREAM_PAGE);
    const uintptr_t first = ahead - in + in / 2;
    __builtin_prefetch((const void *)first);
    __builtin_prefetch((const void *)(first + FUR_STREAM_PAGE));
}

/* Copies past the caches. Cache lines that are written whole are not read first, and do not evict
 * data that is used again. `to` is aligned to `bytes` or to a cache line; `bytes` is a multiple of
 * 32. The writing thread calls fur_stream_end before another thread reads. */
static inline void fur_stream(void *to, const void *from, size_t bytes)
{
    char *out = to;
    const char *in = from;
    size_t i = 0;
#if defined(__AVX512F__)
    for (; i + 64 <= bytes; i += 64)
        _mm512_stream_si512((__m512i *)(out + i), _mm512_loadu_si512(in + i));
#endif
#if defined(__SSE2__)
    for (; i < bytes; i += 16)
        _mm_stream_si128((__m128i *)(out + i), _mm_loadu_si128((const __m128i *)(in + i)));
#endif
    memcpy(out + i, in + i, bytes - i);
}

static inline void fur_stream_end(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

#endif
