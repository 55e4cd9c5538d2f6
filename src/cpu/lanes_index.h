/* Eight indices, one a lane, for the search for common columns of eight rows. A condition is -1 in
 * the lanes where it holds, else 0. */
#ifndef FURROW_CPU_LANES_INDEX_H
#define FURROW_CPU_LANES_INDEX_H

#include "lanes.h"

#ifdef __AVX2__
typedef __m256i lanes_index;

static inline lanes_index index_load(const int32_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}
static inline void index_store(int32_t *p, lanes_index a)
{
    _mm256_storeu_si256((void *)p, a);
}
static inline lanes_index index_all(int32_t a)
{
    return _mm256_set1_epi32(a);
}
static inline lanes_index index_minus(lanes_index a, lanes_index b)
{
    return _mm256_sub_epi32(a, b);
}
/* a < b */
static inline lanes_index index_below(lanes_index a, lanes_index b)
{
    return _mm256_cmpgt_epi32(b, a);
}
/* a == b */
static inline lanes_index index_equal(lanes_index a, lanes_index b)
{
    return _mm256_cmpeq_epi32(a, b);
}
/* a where the condition holds, else b. */
static inline lanes_index index_select(lanes_index condition, lanes_index a, lanes_index b)
{
    return _mm256_blendv_epi8(b, a, condition);
}
/* Bit i is set where the condition holds in lane i. */
static inline unsigned index_bits(lanes_index condition)
{
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(condition));
}
/* Puts the smallest lane in all lanes. */
static inline lanes_index index_least(lanes_index a)
{
    a = _mm256_min_epi32(a, _mm256_permute2x128_si256(a, a, 1));
    a = _mm256_min_epi32(a, _mm256_shuffle_epi32(a, 0x4e));
    return _mm256_min_epi32(a, _mm256_shuffle_epi32(a, 0xb1));
}
/* from[at] where the condition holds, else `other`. */
static inline lanes_index index_fetch(const int32_t *from, lanes_index at, lanes_index condition,
                                      lanes_index other)
{
    return _mm256_mask_i32gather_epi32(other, from, at, condition, 4);
}
#else
typedef struct lanes_index {
    int32_t lane[LANES];
} lanes_index;

static inline lanes_index index_load(const int32_t *p)
{
    lanes_index a;
    memcpy(&a, p, sizeof a);
    return a;
}
static inline void index_store(int32_t *p, lanes_index a)
{
    memcpy(p, &a, sizeof a);
}
static inline lanes_index index_all(int32_t a)
{
    lanes_index out;
    for (int i = 0; i < LANES; i++)
        out.lane[i] = a;
    return out;
}
static inline lanes_index index_minus(lanes_index a, lanes_index b)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] -= b.lane[i];
    return a;
}
static inline lanes_index index_below(lanes_index a, lanes_index b)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] = -(a.lane[i] < b.lane[i]);
    return a;
}
static inline lanes_index index_equal(lanes_index a, lanes_index b)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] = -(a.lane[i] == b.lane[i]);
    return a;
}
static inline lanes_index index_select(lanes_index condition, lanes_index a, lanes_index b)
{
    for (int i = 0; i < LANES; i++)
        a.lane[i] = condition.lane[i] ? a.lane[i] : b.lane[i];
    return a;
}
static inline unsigned index_bits(lanes_index condition)
{
    unsigned bits = 0;
    for (int i = 0; i < LANES; i++)
        bits |= (unsigned)(condition.lane[i] & 1) << i;
    return bits;
}
static inline lanes_index index_least(lanes_index a)
{
    int32_t least = a.lane[0];
    for (int i = 1; i < LANES; i++)
        least = a.lane[i] < least ? a.lane[i] : least;
    return index_all(least);
}
static inline lanes_index index_fetch(const int32_t *from, lanes_index at, lanes_index condition,
                                      lanes_index other)
{
    for (int i = 0; i < LANES; i++)
        if (condition.lane[i])
            other.lane[i] = from[at.lane[i]];
    return other;
}
#endif

#endif
