/* Streams through memory: arrays of A that are larger than the cache, and read front to back. The
 * hardware's prefetchers stop at every page and never reach far enough ahead to keep all of the
 * memory's channels busy; asking for lines a page or two ahead does. */
#ifndef FURROW_CPU_STREAM_H
#define FURROW_CPU_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#    include <immintrin.h>
#endif

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

#define FUR_STREAM_LINE 64
#define FUR_STREAM_PAGE 4096

/* Two cache lines for 128 bytes, in two pages that are gone through side by side: one stream in
 * each is what the hardware follows; it loses two that alternate in one page. */
static inline void fur_prefetch_pages(const void *p)
{
    const uintptr_t ahead = (uintptr_t)p + FUR_STREAM_AHEAD;
    const uintptr_t in = ahead % (2 * FUR_STREAM_PAGE);
    const uintptr_t first = ahead - in + in / 2;
    __builtin_prefetch((const void *)first);
    __builtin_prefetch((const void *)(first + FUR_STREAM_PAGE));
}

/* Copies past the caches: cache lines that are written whole are neither read before, nor take the
 * place of what is used again. `to` is aligned to `bytes` or to a cache line, bytes are a multiple
 * of 32. Who wrote says fur_stream_end before another thread reads. */
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
