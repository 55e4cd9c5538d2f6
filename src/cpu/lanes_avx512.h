/* lanes.h on AVX-512: one register of doubles, and half a register of floats or a whole one,
 * f32x16. */
#include "lanes_gather.h"

/* If optimisation is off, gcc's gathers are macros, and -Wsign-conversion reports the casts in
 * them. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

typedef __m512d lanes_f64;
typedef __m256 lanes_f32;
typedef __m512 lanes_f32x16;

static inline lanes_f64 f64_zero(void)
{
    return _mm512_setzero_pd();
}
static inline lanes_f64 f64_all(double a)
{
    return _mm512_set1_pd(a);
}
static inline lanes_f64 f64_load(const double *p)
{
    return _mm512_loadu_pd(p);
}
static inline lanes_f64 f64_load_single(const float *p)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
}
static inline void f64_keep(lanes_f64 *a)
{
    __asm__("" : "+v"(*a));
}
static inline lanes_f64 f64_load_some(const double *p, unsigned mask)
{
    return _mm512_maskz_loadu_pd((__mmask8)mask, p);
}
static inline void f64_store(double *p, lanes_f64 a)
{
    _mm512_storeu_pd(p, a);
}
static inline void f64_store_some(double *p, lanes_f64 a, unsigned mask)
{
    _mm512_mask_storeu_pd(p, (__mmask8)mask, a);
}
static inline lanes_f64 join_halves(__m256d low, __m256d high)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}
static inline lanes_f64 f64_gather(const double *x, const int32_t *index)
{
    return join_halves(four_doubles(x, index), four_doubles(x, index + 4));
}
static inline lanes_f64 f64_gather_at_once(const double *x, const int32_t *index)
{
    return _mm512_i32gather_pd(_mm256_loadu_si256((const void *)index), x, 8);
}
static inline lanes_f64 f64_gather_some(const double *x, const int32_t *index, unsigned mask)
{
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), (__mmask8)mask,
                                    _mm256_maskz_loadu_epi32((__mmask8)mask, index), x, 8);
}
static inline lanes_f64 f64_gather_pairs(const double *x, const int32_t *index)
{
    return join_halves(two_pairs(x, index), two_pairs(x, index + 2));
}
static inline lanes_f64 f64_gather_pairs_at_once(const double *x, const int32_t *index)
{
    return f64_gather_pairs(x, index);
}
static inline lanes_f64 f64_gather_pairs_some(const double *x, const int32_t *index, unsigned mask)
{
    return join_halves(two_pairs_some(x, index, mask), two_pairs_some(x, index + 2, mask >> 2));
}
static inline lanes_f64 f64_madd(lanes_f64 a, lanes_f64 b, lanes_f64 c)
{
    return _mm512_fmadd_pd(a, b, c);
}
static inline lanes_f64 f64_madd_some(lanes_f64 a, lanes_f64 b, lanes_f64 c, unsigned mask)
{
    return _mm512_mask3_fmadd_pd(a, b, c, (__mmask8)mask);
}
static inline lanes_f64 f64_plus_some(lanes_f64 a, lanes_f64 b, unsigned mask)
{
    return _mm512_mask_add_pd(a, (__mmask8)mask, a, b);
}
static inline lanes_f64 f64_plus(lanes_f64 a, lanes_f64 b)
{
    return _mm512_add_pd(a, b);
}
static inline lanes_f64 f64_over(lanes_f64 a, lanes_f64 b)
{
    return _mm512_div_pd(a, b);
}
static inline lanes_f64 f64_lower(lanes_f64 before, lanes_f64 a)
{
    return (lanes_f64)_mm512_alignr_epi64((__m512i)a, (__m512i)before, 7);
}
static inline lanes_f64 f64_upper(lanes_f64 a, lanes_f64 next)
{
    return (lanes_f64)_mm512_alignr_epi64((__m512i)next, (__m512i)a, 1);
}
static inline double f64_fold(lanes_f64 a)
{
    __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1));
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/* re and im alternate. */
static inline lanes_f64 f64_pairs(double re, double im)
{
    return _mm512_broadcast_f64x2(_mm_setr_pd(re, im));
}
/* Repeats each even lane. */
static inline lanes_f64 f64_evens(lanes_f64 a)
{
    return _mm512_movedup_pd(a);
}
/* Repeats each odd lane. The first copy is negated. */
static inline lanes_f64 f64_signed_odds(lanes_f64 a)
{
    return _mm512_xor_pd(_mm512_permute_pd(a, 0xff), f64_pairs(-0.0, 0.0));
}
/* Swaps the two lanes of each pair. */
static inline lanes_f64 f64_swapped(lanes_f64 a)
{
    return _mm512_permute_pd(a, 0x55);
}
/* f64_lower and f64_upper, shifted by a pair of lanes. */
static inline lanes_f64 f64_lower_pair(lanes_f64 before, lanes_f64 a)
{
    return (lanes_f64)_mm512_alignr_epi64((__m512i)a, (__m512i)before, 6);
}
static inline lanes_f64 f64_upper_pair(lanes_f64 a, lanes_f64 next)
{
    return (lanes_f64)_mm512_alignr_epi64((__m512i)next, (__m512i)a, 2);
}

static inline lanes_f32 f32_zero(void)
{
    return _mm256_setzero_ps();
}
static inline lanes_f32 f32_all(float a)
{
    return _mm256_set1_ps(a);
}
static inline lanes_f32 f32_load(const float *p)
{
    return _mm256_loadu_ps(p);
}
static inline lanes_f32 f32_load_single(const float *p)
{
    return f32_load(p);
}
static inline void f32_keep(lanes_f32 *a)
{
    __asm__("" : "+v"(*a));
}
static inline lanes_f32 f32_load_some(const float *p, unsigned mask)
{
    return _mm256_maskz_loadu_ps((__mmask8)mask, p);
}
static inline void f32_store(float *p, lanes_f32 a)
{
    _mm256_storeu_ps(p, a);
}
static inline void f32_store_some(float *p, lanes_f32 a, unsigned mask)
{
    _mm256_mask_storeu_ps(p, (__mmask8)mask, a);
}
static inline lanes_f32 f32_gather(const float *x, const int32_t *index)
{
    return eight_floats(x, index);
}
static inline lanes_f32 f32_gather_at_once(const float *x, const int32_t *index)
{
    return _mm256_i32gather_ps(x, _mm256_loadu_si256((const void *)index), 4);
}
static inline lanes_f32 f32_gather_some(const float *x, const int32_t *index, unsigned mask)
{
    return _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), (__mmask8)mask,
                                     _mm256_maskz_loadu_epi32((__mmask8)mask, index), x, 4);
}
static inline lanes_f32 f32_madd(lanes_f32 a, lanes_f32 b, lanes_f32 c)
{
    return _mm256_fmadd_ps(a, b, c);
}
static inline lanes_f32 f32_madd_some(lanes_f32 a, lanes_f32 b, lanes_f32 c, unsigned mask)
{
    return _mm256_mask3_fmadd_ps(a, b, c, (__mmask8)mask);
}

#pragma GCC diagnostic pop
static inline lanes_f32 f32_plus_some(lanes_f32 a, lanes_f32 b, unsigned mask)
{
    return _mm256_mask_add_ps(a, (__mmask8)mask, a, b);
}
static inline lanes_f32 f32_plus(lanes_f32 a, lanes_f32 b)
{
    return _mm256_add_ps(a, b);
}
static inline lanes_f32 f32_over(lanes_f32 a, lanes_f32 b)
{
    return _mm256_div_ps(a, b);
}
static inline float f32_fold(lanes_f32 a)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

static inline lanes_f32x16 f32x16_zero(void)
{
    return _mm512_setzero_ps();
}
static inline lanes_f32x16 f32x16_all(float a)
{
    return _mm512_set1_ps(a);
}
static inline lanes_f32x16 f32x16_load(const float *p)
{
    return _mm512_loadu_ps(p);
}
static inline lanes_f32x16 f32x16_load_single(const float *p)
{
    return f32x16_load(p);
}
static inline void f32x16_keep(lanes_f32x16 *a)
{
    __asm__("" : "+v"(*a));
}
static inline lanes_f32x16 f32x16_load_some(const float *p, unsigned mask)
{
    return _mm512_maskz_loadu_ps((__mmask16)mask, p);
}
static inline void f32x16_store(float *p, lanes_f32x16 a)
{
    _mm512_storeu_ps(p, a);
}
static inline void f32x16_store_some(float *p, lanes_f32x16 a, unsigned mask)
{
    _mm512_mask_storeu_ps(p, (__mmask16)mask, a);
}
static inline lanes_f32x16 f32x16_gather_pairs(const float *x, const int32_t *index)
{
    return _mm512_castpd_ps(f64_gather((const double *)(const void *)x, index));
}
static inline lanes_f32x16 f32x16_gather_pairs_at_once(const float *x, const int32_t *index)
{
    return _mm512_castpd_ps(f64_gather_at_once((const double *)(const void *)x, index));
}
static inline lanes_f32x16 f32x16_gather_pairs_some(const float *x, const int32_t *index,
                                                    unsigned mask)
{
    return _mm512_castpd_ps(f64_gather_some((const double *)(const void *)x, index, mask));
}
static inline lanes_f32x16 f32x16_madd(lanes_f32x16 a, lanes_f32x16 b, lanes_f32x16 c)
{
    return _mm512_fmadd_ps(a, b, c);
}
static inline lanes_f32x16 f32x16_madd_some(lanes_f32x16 a, lanes_f32x16 b, lanes_f32x16 c,
                                            unsigned mask)
{
    return _mm512_mask3_fmadd_ps(a, b, c, (__mmask16)mask);
}
static inline lanes_f32x16 f32x16_plus_some(lanes_f32x16 a, lanes_f32x16 b, unsigned mask)
{
    return _mm512_mask_add_ps(a, (__mmask16)mask, a, b);
}
static inline lanes_f32x16 f32x16_plus(lanes_f32x16 a, lanes_f32x16 b)
{
    return _mm512_add_ps(a, b);
}
static inline lanes_f32x16 f32x16_lower(lanes_f32x16 before, lanes_f32x16 a)
{
    return (lanes_f32x16)_mm512_alignr_epi32((__m512i)a, (__m512i)before, 15);
}
static inline lanes_f32x16 f32x16_upper(lanes_f32x16 a, lanes_f32x16 next)
{
    return (lanes_f32x16)_mm512_alignr_epi32((__m512i)next, (__m512i)a, 1);
}
static inline lanes_f32x16 f32x16_lower_pair(lanes_f32x16 before, lanes_f32x16 a)
{
    return (lanes_f32x16)_mm512_alignr_epi32((__m512i)a, (__m512i)before, 14);
}
static inline lanes_f32x16 f32x16_upper_pair(lanes_f32x16 a, lanes_f32x16 next)
{
    return (lanes_f32x16)_mm512_alignr_epi32((__m512i)next, (__m512i)a, 2);
}
static inline lanes_f32x16 f32x16_pairs(float re, float im)
{
    return _mm512_broadcast_f32x2(_mm_setr_ps(re, im, 0, 0));
}
static inline lanes_f32x16 f32x16_evens(lanes_f32x16 a)
{
    return _mm512_moveldup_ps(a);
}
static inline lanes_f32x16 f32x16_signed_odds(lanes_f32x16 a)
{
    return _mm512_xor_ps(_mm512_movehdup_ps(a), f32x16_pairs(-0.0F, 0.0F));
}
static inline lanes_f32x16 f32x16_swapped(lanes_f32x16 a)
{
    return _mm512_permute_ps(a, 0xb1);
}
