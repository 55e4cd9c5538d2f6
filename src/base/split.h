/* Divides a range of work into nearly equal parts. */
#ifndef FURROW_BASE_SPLIT_H
#define FURROW_BASE_SPLIT_H

#include <stdint.h>

static inline int64_t fur_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t fur_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* First element of part `part` of `parts` over 0 .. count-1; part = parts gives count. */
static inline int64_t fur_split(int64_t count, int parts, int part)
{
    return count / parts * part + count % parts * part / parts;
}

#endif
