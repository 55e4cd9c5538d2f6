/* A grid that is cut into blocks of lines. The planes of a block stay in the second-level cache
 * while the block advances along z (Rivera, Tseng 2000). */
#ifndef FURROW_CPU_STENCIL_CUT_H
#define FURROW_CPU_STENCIL_CUT_H

#include "kernel.h"
#include "lanes.h"
#include "split.h"
#include "team.h"
#include "stream.h"

#include <unistd.h>

/* Lines are computed in pairs, which share their loads. Lanes in plain C gain nothing from this. */
#define PAIRS FUR_REAL_REGISTERS
#define FUR_POINT_GRAIN 16384
/* The bytes of x that a block may have in the second-level cache, and the least lines of a
 * block. */
#define FUR_BLOCK_BYTES (1 << 20)
#define FUR_BLOCK_LINES 16
/* Block widths are multiples of this many points, so that they are whole cache lines of every
 * type. */
#define FUR_BLOCK_STEP 16

/* Blocks are `width` points of `height` lines in each plane. Slices of blocks, one plane thick, are
 * numbered along z, then by block along x and y. */
typedef struct fur_cut {
    int64_t width;
    int64_t height;
    int64_t columns; /* of blocks, along x */
    int64_t slices;
    int64_t ahead; /* entries from a point to the last of its neighbours in memory */
} fur_cut;

/* Points from <= i < to of the lines first <= j < last of a plane. */
typedef struct fur_slice {
    int64_t from;
    int64_t to;
    int64_t first;
    int64_t last;
    int64_t plane;
} fur_slice;

static inline int64_t fur_parts_of(int64_t count, int64_t size)
{
    return (count + size - 1) / size;
}

/* Planes of at most this size are not cut: three quarters of the second-level cache, if known. */
static inline int64_t fur_uncut_bytes(void)
{
    int64_t cache = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return fur_larger(cache / 4 * 3, FUR_BLOCK_BYTES);
}

/* entry_bytes: the size of x at one point */
static inline fur_cut fur_cut_of(const fur_stencil_view *s, int64_t entry_bytes)
{
    fur_cut c;
    int64_t point_bytes = (2 * s->radius[2] + 1) * entry_bytes;
    int64_t most_points = fur_larger(FUR_BLOCK_BYTES / FUR_BLOCK_LINES / point_bytes, 1);
    int64_t columns = fur_parts_of(s->extent[0], most_points);
    c.width = fur_parts_of(fur_parts_of(s->extent[0], columns), FUR_BLOCK_STEP) * FUR_BLOCK_STEP;
    int64_t line_bytes = c.width * point_bytes;
    int64_t most = fur_larger(FUR_BLOCK_BYTES / line_bytes, 1);
    int64_t rows =
        s->extent[1] <= fur_uncut_bytes() / line_bytes ? 1 : fur_parts_of(s->extent[1], most);
    c.height = fur_parts_of(s->extent[1], rows);
    c.columns = fur_parts_of(s->extent[0], c.width);
    c.slices = c.columns * fur_parts_of(s->extent[1], c.height) * s->extent[2];
    fur_stencil_offset last = s->offsets[s->points - 1];
    c.ahead = last.x + s->extent[0] * (last.y + s->extent[1] * last.z);
    return c;
}

static inline fur_slice fur_slice_of(const fur_stencil_view *s, const fur_cut *c, int64_t number)
{
    int64_t block = number / s->extent[2];
    int64_t from = block % c->columns * c->width;
    int64_t first = block / c->columns * c->height;
    return (fur_slice){.from = from,
                       .to = fur_smaller(s->extent[0], from + c->width),
                       .first = first,
                       .last = fur_smaller(s->extent[1], first + c->height),
                       .plane = number % s->extent[2]};
}

/* Prefetches the data `next` that the block reaches next, around `bytes` bytes of one or two lines.
 * The lines are `line` bytes apart, and the position in each is `at`. Two uncut lines are one
 * stretch. */
INLINE void fur_prefetch_lines(const void *next, int64_t at, int64_t line, int bytes, int lines,
                               bool uncut)
{
    const char *p = next;
    if (lines == 2 && uncut)
#pragma GCC unroll 4
        for (int n = 0; n < 2 * bytes; n += 2 * FUR_STREAM_LINE)
            fur_prefetch_pages(p + 2 * at + n);
    else
#pragma GCC unroll 4
        for (int n = 0; n < lines * bytes; n += FUR_STREAM_LINE)
            fur_prefetch_ahead(p + n / bytes * line + at + n % bytes);
}

/* Multiplies the slices begin .. end-1. */
typedef void fur_multiply_slices(const fur_stencil_call *call, int64_t begin, int64_t end);
typedef struct fur_sliced_product {
    const fur_stencil_call *call;
    fur_multiply_slices *multiply;
} fur_sliced_product;

static inline void fur_multiply_some_slices(void *job, int64_t begin, int64_t end)
{
    const fur_sliced_product *p = job;
    p->multiply(p->call, begin, end);
}

/* Runs `multiply` over all slices. */
static inline fur_status fur_stencil_by_slices(const fur_stencil_call *call, const fur_cut *c,
                                               fur_multiply_slices *multiply)
{
    fur_sliced_product p = {call, multiply};
    fur_parallel(call->env, fur_stencil_rows(call->s) / FUR_POINT_GRAIN, c->slices,
                 fur_multiply_some_slices, &p);
    return FUR_OK;
}

#endif
