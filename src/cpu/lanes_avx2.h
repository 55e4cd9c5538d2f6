/* lanes.h on AVX2: two registers of doubles, one of floats. */
#include "lanes_gather.h"

typedef struct lanes_f64 {
    __m256d lo;
    __m256d hi;
} lanes_f64;
typedef __m256 lanes_f32;

/* Sets all bits of lane i of the half (or of the eight) if bit i of mask is set. */
static inline __m256i mask_pd(unsigned mask)
{
    const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask), bit), bit);
}
static inline __m256i mask_ps(unsigned mask)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)mask), bit), bit);
}

static inline lanes_f64 f64_zero(void)
{
    return (lanes_f64){_mm256_setzero_pd(), _mm256_setzero_pd()};
}
static inline lanes_f64 f64_all(double a)
{
    return (lanes_f64){_mm256_set1_pd(a), _mm256_set1_pd(a)};
}
static inline lanes_f64 f64_load(const double *p)
{
    return (lanes_f64){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
}
static inline lanes_f64 f64_load_single(const float *p)
{
    return (lanes_f64){_mm256_cvtps_pd(_mm_loadu_ps(p)), _mm256_cvtps_pd(_mm_loadu_ps(p + 4))};
}
static inline void f64_keep(lanes_f64 *a)
{
    __asm__("" : "+x"(a->lo), "+x"(a->hi));
}
static inline lanes_f64 f64_load_some(const double *p, unsigned mask)
{
    return (lanes_f64){_mm256_maskload_pd(p, mask_pd(mask)),
                       _mm256_maskload_pd(p + 4, mask_pd(mask >> 4))};
}
static inline void f64_store(double *p, lanes_f64 a)
{
    _mm256_storeu_pd(p, a.lo);
    _mm256_storeu_pd(p + 4, a.hi);
}
static inline void f64_store_some(double *p, lanes_f64 a, unsigned mask)
{
    _mm256_maskstore_pd(p, mask_pd(mask), a.lo);
    _mm256_maskstore_pd(p + 4, mask_pd(mask >> 4), a.hi);
}
static inline lanes_f64 f64_gather(const double *x, const int32_t *index)
{
    return (lanes_f64){four_doubles(x, index), four_doubles(x, index + 4)};
}
static inline lanes_f64 f64_gather_at_once(const double *x, const int32_t *index)
{
    return (lanes_f64){
        _mm256_i32gather_pd(x, _mm_loadu_si128((const void *)index), 8),
        _mm256_i32gather_pd(x, _mm_loadu_si128((const void *)(index + 4)), 8),
    };
}
static inline lanes_f64 f64_gather_some(const double *x, const int32_t *index, unsigned mask)
{
    __m256i some = _mm256_maskload_epi32(index, mask_ps(mask));
    return (lanes_f64){
        _mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, _mm256_castsi256_si128(some),
                                 _mm256_castsi256_pd(mask_pd(mask)), 8),
        _mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, _mm256_extracti128_si256(some, 1),
                                 _mm256_castsi256_pd(mask_pd(mask >> 4)), 8),
    };
}
static inline lanes_f64 f64_gather_pairs(const double *x, const int32_t *index)
{
    return (lanes_f64){two_pairs(x, index), two_pairs(x, index + 2)};
}
static inline lanes_f64 f64_gather_pairs_at_once(const double *x, const int32_t *index)
{
    return f64_gather_pairs(x, index);
}
static inline lanes_f64 f64_gather_pairs_some(const double *x, const int32_t *index, unsigned mask)
{
    return (lanes_f64){two_pairs_some(x, index, mask), two_pairs_some(x, index + 2, mask >> 2)};
}
static inline lanes_f64 f64_madd(lanes_f64 a, lanes_f64 b, lanes_f64 c)
{
    return (lanes_f64){_mm256_fmadd_pd(a.lo, b.lo, c.lo), _mm256_fmadd_pd(a.hi, b.hi, c.hi)};
}
static inline lanes_f64 f64_madd_some(lanes_f64 a, lanes_f64 b, lanes_f64 c, unsigned mask)
{
    lanes_f64 sum = f64_madd(a, b, c);
    return (lanes_f64){
        _mm256_blendv_pd(c.lo, sum.lo, _mm256_castsi256_pd(mask_pd(mask))),
        _mm256_blendv_pd(c.hi, sum.hi, _mm256_castsi256_pd(mask_pd(mask >> 4))),
    };
}
static inline lanes_f64 f64_plus_some(lanes_f64 a, lanes_f64 b, unsigned mask)
{
    return (lanes_f64){
        _mm256_blendv_pd(a.lo, _mm256_add_pd(a.lo, b.lo), _mm256_castsi256_pd(mask_pd(mask))),
        _mm256_blendv_pd(a.hi, _mm256_add_pd(a.hi, b.hi), _mm256_castsi256_pd(mask_pd(mask >> 4))),
    };
}
static inline lanes_f64 f64_plus(lanes_f64 a, lanes_f64 b)
{
    return (lanes_f64){_mm256_add_pd(a.lo, b.lo), _mm256_add_pd(a.hi, b.hi)};
}
static inline lanes_f64 f64_over(lanes_f64 a, lanes_f64 b)
{
    return (lanes_f64){_mm256_div_pd(a.lo, b.lo), _mm256_div_pd(a.hi, b.hi)};
}
/* The upper half of a, then the lower half of b. */
static inline __m256d across_pd(__m256d a, __m256d b)
{
    return _mm256_permute2f128_pd(a, b, 0x21);
}
static inline lanes_f64 f64_lower_pair(lanes_f64 before, lanes_f64 a)
{
    return (lanes_f64){across_pd(before.hi, a.lo), across_pd(a.lo, a.hi)};
}
static inline lanes_f64 f64_upper_pair(lanes_f64 a, lanes_f64 next)
{
    return (lanes_f64){across_pd(a.lo, a.hi), across_pd(a.hi, next.lo)};
}
static inline lanes_f64 f64_lower(lanes_f64 before, lanes_f64 a)
{
    lanes_f64 pair = f64_lower_pair(before, a);
    return (lanes_f64){_mm256_shuffle_pd(pair.lo, a.lo, 0x5),
                       _mm256_shuffle_pd(pair.hi, a.hi, 0x5)};
}
static inline lanes_f64 f64_upper(lanes_f64 a, lanes_f64 next)
{
    lanes_f64 pair = f64_upper_pair(a, next);
    return (lanes_f64){_mm256_shuffle_pd(a.lo, pair.lo, 0x5),
                       _mm256_shuffle_pd(a.hi, pair.hi, 0x5)};
}
static inline double f64_fold(lanes_f64 a)
{
    __m256d four = _mm256_add_pd(a.lo, a.hi);
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/* re and im alternate. */
static inline lanes_f64 f64_pairs(double re, double im)
{
    __m128d pair = _mm_setr_pd(re, im);
    return (lanes_f64){_mm256_set_m128d(pair, pair), _mm256_set_m128d(pair, pair)};
}
/* Repeats each even lane. */
static inline lanes_f64 f64_evens(lanes_f64 a)
{
    return (lanes_f64){_mm256_movedup_pd(a.lo), _mm256_movedup_pd(a.hi)};
}
/* Repeats each odd lane. The first copy is negated. */
static inline lanes_f64 f64_signed_odds(lanes_f64 a)
{
    lanes_f64 sign = f64_pairs(-0.0, 0.0);
    return (lanes_f64){
        _mm256_xor_pd(_mm256_permute_pd(a.lo, 0xf), sign.lo),
        _mm256_xor_pd(_mm256_permute_pd(a.hi, 0xf), sign.hi),
    };
}
/* Swaps the two lanes of each pair. */
static inline lanes_f64 f64_swapped(lanes_f64 a)
{
    return (lanes_f64){_mm256_permute_pd(a.lo, 0x5), _mm256_permute_pd(a.hi, 0x5)};
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
    __asm__("" : "+x"(*a));
}
static inline lanes_f32 f32_load_some(const float *p, unsigned mask)
{
    return _mm256_maskload_ps(p, mask_ps(mask));
}
static inline void f32_store(float *p, lanes_f32 a)
{
    _mm256_storeu_ps(p, a);
}
static inline void f32_store_some(float *p, lanes_f32 a, unsigned mask)
{
    _mm256_maskstore_ps(p, mask_ps(mask), a);
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
    return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), x,
                                    _mm256_maskload_epi32(index, mask_ps(mask)),
                                    _mm256_castsi256_ps(mask_ps(mask)), 4);
}
static inline lanes_f32 f32_gather_pairs(const float *x, const int32_t *index)
{
    return _mm256_castpd_ps(four_doubles((const double *)(const void *)x, index));
}
static inline lanes_f32 f32_gather_pairs_at_once(const float *x, const int32_t *index)
{
    return _mm256_castpd_ps(_mm256_i32gather_pd((const double *)(const void *)x,
                                                _mm_loadu_si128((const void *)index), 8));
}
static inline lanes_f32 f32_gather_pairs_some(const float *x, const int32_t *index, unsigned mask)
{
    __m128i at = _mm_maskload_epi32(index, _mm256_castsi256_si128(mask_ps(mask)));
    return _mm256_castpd_ps(_mm256_mask_i32gather_pd(_mm256_setzero_pd(),
                                                     (const double *)(const void *)x, at,
                                                     _mm256_castsi256_pd(mask_pd(mask)), 8));
}
static inline lanes_f32 f32_madd(lanes_f32 a, lanes_f32 b, lanes_f32 c)
{
    return _mm256_fmadd_ps(a, b, c);
}
static inline lanes_f32 f32_madd_some(lanes_f32 a, lanes_f32 b, lanes_f32 c, unsigned mask)
{
    return _mm256_blendv_ps(c, _mm256_fmadd_ps(a, b, c), _mm256_castsi256_ps(mask_ps(mask)));
}
static inline lanes_f32 f32_plus_some(lanes_f32 a, lanes_f32 b, unsigned mask)
{
    return _mm256_blendv_ps(a, _mm256_add_ps(a, b), _mm256_castsi256_ps(mask_ps(mask)));
}
static inline lanes_f32 f32_plus(lanes_f32 a, lanes_f32 b)
{
    return _mm256_add_ps(a, b);
}
static inline lanes_f32 f32_over(lanes_f32 a, lanes_f32 b)
{
    return _mm256_div_ps(a, b);
}
static inline lanes_f32 across_ps(lanes_f32 a, lanes_f32 b)
{
    return _mm256_permute2f128_ps(a, b, 0x21);
}
static inline lanes_f32 f32_lower(lanes_f32 before, lanes_f32 a)
{
    return (lanes_f32)_mm256_alignr_epi8((__m256i)a, (__m256i)across_ps(before, a), 12);
}
static inline lanes_f32 f32_upper(lanes_f32 a, lanes_f32 next)
{
    return (lanes_f32)_mm256_alignr_epi8((__m256i)across_ps(a, next), (__m256i)a, 4);
}
static inline lanes_f32 f32_lower_pair(lanes_f32 before, lanes_f32 a)
{
    return (lanes_f32)_mm256_alignr_epi8((__m256i)a, (__m256i)across_ps(before, a), 8);
}
static inline lanes_f32 f32_upper_pair(lanes_f32 a, lanes_f32 next)
{
    return (lanes_f32)_mm256_alignr_epi8((__m256i)across_ps(a, next), (__m256i)a, 8);
}
static inline float f32_fold(lanes_f32 a)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
static inline lanes_f32 f32_pairs(float re, float im)
{
    return _mm256_castpd_ps(_mm256_broadcastsd_pd(_mm_castps_pd(_mm_setr_ps(re, im, 0, 0))));
}
static inline lanes_f32 f32_evens(lanes_f32 a)
{
    return _mm256_moveldup_ps(a);
}
static inline lanes_f32 f32_signed_odds(lanes_f32 a)
{
    return _mm256_xor_ps(_mm256_movehdup_ps(a), f32_pairs(-0.0F, 0.0F));
}
static inline lanes_f32 f32_swapped(lanes_f32 a)
{
    return _mm256_permute_ps(a, 0xb1);
}
