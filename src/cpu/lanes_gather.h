/* Pairs of doubles, complex numbers, from anywhere into a register of AVX. */
#ifndef FURROW_CPU_LANES_PAIRS_H
#define FURROW_CPU_LANES_PAIRS_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/* Pairs index[0] and index[1] of x. */
static inline __m256d two_pairs(const double *x, const int32_t *index)
{
    __m128d first = _mm_loadu_pd(x + 2 * (ptrdiff_t)index[0]);
    __m128d second = _mm_loadu_pd(x + 2 * (ptrdiff_t)index[1]);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(first), second, 1);
}

/* Those whose bits are set; else 0, and neither x nor index is read. */
static inline __m256d two_pairs_some(const double *x, const int32_t *index, unsigned mask)
{
    __m128d zero = _mm_setzero_pd();
    __m128d first = mask & 1 ? _mm_loadu_pd(x + 2 * (ptrdiff_t)index[0]) : zero;
    __m128d second = mask & 2 ? _mm_loadu_pd(x + 2 * (ptrdiff_t)index[1]) : zero;
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(first), second, 1);
}

#endif
