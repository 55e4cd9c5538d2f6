/* A line of text cut into words. Inline, as it is compiled for several instruction sets. */
#ifndef FURROW_IO_WORDS_H
#define FURROW_IO_WORDS_H

#include "cursor.h"
#include "digits.h"

#ifdef __SSE2__
#    include <emmintrin.h>
#endif

/* Bit i: whether character i of the 64 from `at` on is one up to the blank (U+0020), which ends a
 * word. One bit a byte, as Langdale and Lemire do ("Parsing gigabytes of JSON per second", 2019).
 */
static inline __attribute__((always_inline)) uint64_t fur_find_ends(const char *at)
{
    uint64_t ends = 0;
#ifdef __SSE2__
    const __m128i blank = _mm_set1_epi8(' ');
#    pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
        __m128i found = _mm_cmpeq_epi8(_mm_min_epu8(bytes, blank), bytes);
        ends |= (uint64_t)(unsigned)_mm_movemask_epi8(found) << (16 * i);
    }
#else
    /* Adding 0x5f carries into a byte's top bit from 0x21 on; a multiplication gathers the bits. */
    for (int i = 0; i < 8; i++) {
        uint64_t bytes;
        memcpy(&bytes, at + 8 * i, sizeof bytes);
        bytes = fur_low_first(bytes);
        uint64_t words = ((bytes & FUR_EACH_BYTE(0x7f)) + FUR_EACH_BYTE(0x5f)) | bytes;
        words = (~words & FUR_EACH_BYTE(0x80)) >> 7;
        ends |= (words * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
#endif
    return ends;
}

static inline const char *fur_skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* As fur_words_cut, for lines with more than one blank between words, blanks at their ends, CR LF
 * or more than 64 characters. */
static __attribute__((noinline)) const char *fur_words_cut_odd(const char *at, int count,
                                                               fur_token *word)
{
    at = fur_skip_blanks(at);
    for (int i = 0; i < count; i++) {
        word[i].begin = at;
        while ((unsigned char)*at > ' ')
            at++;
        word[i].end = at;
        at = fur_skip_blanks(at);
        if (word[i].end == word[i].begin || (i + 1 < count && at == word[i].end))
            return NULL;
    }
    at += *at == '\r';
    return *at == '\n' ? at + 1 : NULL;
}

/* The ends of words in 64 characters, as far as they are not used up. */
typedef struct fur_window {
    const char *text;
    uint64_t ends;
} fur_window;

/* Whether the window has fewer than `count` ends left. */
static inline __attribute__((always_inline)) bool fur_window_lacks(const fur_window *window,
                                                                   int count)
{
    uint64_t ends = window->ends;
    for (int i = 1; i < count; i++)
        ends &= ends - 1;
    return ends == 0;
}

/* The words, `count` of them, of the line that begins at `at`, which is where the window's text
 * begins or where the line before it ended. Returns where the next line begins, NULL if this one
 * has more or fewer words. The text must end with LF, and 64 characters behind it must be readable.
 */
static inline __attribute__((always_inline)) const char *
fur_words_cut(fur_window *window, const char *at, int count, fur_token *word)
{
    if (fur_window_lacks(window, count))
        *window = (fur_window){at, fur_find_ends(at)};
    const char *begin = at;
    bool plain = window->ends != 0;
    for (int i = 0; i < count; i++) {
        const char *end = window->text + __builtin_ctzll(window->ends | UINT64_C(1) << 63);
        window->ends &= window->ends - 1;
        plain &= *end == (i + 1 < count ? ' ' : '\n');
        word[i] = (fur_token){begin, end};
        begin = end + 1;
    }
    if (__builtin_expect(plain, 1))
        return begin;
    window->ends = 0;
    return fur_words_cut_odd(at, count, word);
}

#endif
