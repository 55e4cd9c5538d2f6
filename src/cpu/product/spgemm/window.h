/* A set of columns that lie close together. Each column has one byte, so that adding one is a store
 * that waits for nothing. Columns are removed 64 at a time. */
#ifndef FURROW_CPU_SPGEMM_WINDOW_H
#define FURROW_CPU_SPGEMM_WINDOW_H

#include <stdint.h>
#include <string.h>

/* The most columns from the first to the last. */
#define WINDOW_COLUMNS (1 << 15)
/* Bytes of a window, which are all zero between rows. */
#define WINDOW_BYTES (WINDOW_COLUMNS + 64)

static inline void window_add(uint8_t *window, int32_t first, const int32_t *columns, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        window[columns[k] - first] = 1;
}

/* Packs 64 bytes that are 0 or 1 into bits, the first byte lowest. The factor moves byte j of eight
 * to bit j of the highest byte. No two products overlap. */
static inline uint64_t window_bits(const uint8_t *bytes)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t eight = 0;
        for (int j = 0; j < 8; j++)
            eight |= (uint64_t)bytes[8 * i + j] << 8 * j;
        bits |= (eight * UINT64_C(0x0102040810204080)) >> 56 << 8 * i;
    }
    return bits;
}

/* Removes the columns of the first `width` places, in order. Returns the end of the list. */
static inline int32_t *window_take(uint8_t *window, int32_t first, int64_t width, int32_t *to)
{
    for (int64_t at = 0; at < width; at += 64) {
        uint64_t bits = window_bits(window + at);
        if (!bits)
            continue;
        memset(window + at, 0, 64);
        for (; bits; bits &= bits - 1)
            *to++ = first + (int32_t)at + __builtin_ctzll(bits);
    }
    return to;
}

/* Removes the columns of the first `width` places, and returns their number. */
static inline int64_t window_count(uint8_t *window, int64_t width)
{
    int64_t count = 0;
    for (int64_t at = 0; at < width; at += 64) {
        count += __builtin_popcountll(window_bits(window + at));
        memset(window + at, 0, 64);
    }
    return count;
}

#endif
