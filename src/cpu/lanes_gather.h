/* Gathers entries of x into an AVX register, with one load each. On an AMD EPYC, products take half
 * to three quarters of their time with gather instructions. On a fifth-generation Intel Xeon they
 * take up to a third more (docs/results/spmv.md). Intel's remedies for the leak of 2023,
 * CVE-2022-40982, slow down the gather instructions of earlier processors. */
#ifndef FURROW_CPU_LANES_GATHER_H
#define FURROW_CPU_LANES_GATHER_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/* x_index[0] .. x_index[3] */
static inline __m256d four_doubles(const double *x, const int32_t *index)
{
    __m128d low = _mm_loadh_pd(_mm_load_sd(x + index[0]), x + index[1]);
    __m128d high = _mm_loadh_pd(_mm_load_sd(x + index[2]), x + index[3]);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

static inline __m128 four_floats(const float *x, const int32_t *index)
{
    __m128 four = _mm_load_ss(x + index[0]);
    four = _mm_insert_ps(four, _mm_load_ss(x + index[1]), 0x10);
    four = _mm_insert_ps(four, _mm_load_ss(x + index[2]), 0x20);
    return _mm_insert_ps(four, _mm_load_ss(x + index[3]), 0x30);
}

/* x_index[0] .. x_index[7] */
static inline __m256 eight_floats(const float *x, const int32_t *index)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(four_floats(x, index)),
                                four_floats(x, index + 4), 1);
}

/* Pairs index[0] and index[1] of x. */
static inline __m256d two_pairs(const double *x, const int32_t *index)
{
    __m128d first = _mm_loadu_pd(x + 2 * (ptrdiff_t)index[0]);
    __m128d second = _mm_loadu_pd(x + 2 * (ptrdiff_t)index[1]);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(first), second, 1);
}

/* Loads the pairs whose bits are set in the mask. Other pairs are 0, and their x and index are not
 * read. */
static inline __m256d two_pairs_some(const double *x, const int32_t *index, unsigned mask)
{
    __m128d zero = _mm_setzero_pd();
    __m128d first = mask & 1 ? _mm_loadu_pd(x + 2 * (ptrdiff_t)index[0]) : zero;
    __m128d second = mask & 2 ? _mm_loadu_pd(x + 2 * (ptrdiff_t)index[1]) : zero;
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(first), second, 1);
}

#endif
