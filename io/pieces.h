/* Pieces of text cut into words, 64 bytes at a time, with a bit for each byte that belongs to a
 * word (after Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019). Inline, as it is
 * compiled for several instruction sets. */
#ifndef FURROW_IO_PIECES_H
#define FURROW_IO_PIECES_H

#include "scan.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#    include <emmintrin.h>
#endif

#define FUR_EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

/* Bytes of a piece: few at first, as a line of another form may end it soon; more pay off later. */
#define FUR_PIECE_LEAST ((size_t)256)
#define FUR_PIECE_MOST ((size_t)8192)

/* Where words end. A word is what stands between characters up to the blank (U+0020). */
typedef struct fur_piece {
    const char *text;
    int words;
    uint16_t end[FUR_PIECE_MOST / 2 + 64];
} fur_piece;

#ifdef __SSE2__
/* Bit i: whether byte i of 64 belongs to a word. */
static inline uint64_t fur_find_words(const char *at)
{
    const __m128i blank = _mm_set1_epi8(' ');
    uint64_t blanks = 0;
    for (int i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
        __m128i found = _mm_cmpeq_epi8(_mm_min_epu8(bytes, blank), bytes);
        blanks |= (uint64_t)(unsigned)_mm_movemask_epi8(found) << (16 * i);
    }
    return ~blanks;
}
#else
/* The same with words of eight bytes: adding 0x5f carries into the top bit from 0x21 on; a
 * multiplication gathers the top bits. */
static inline uint64_t fur_find_words(const char *at)
{
    uint64_t words = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t bytes;
        memcpy(&bytes, at + 8 * i, sizeof bytes);
#    if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        bytes = __builtin_bswap64(bytes);
#    endif
        uint64_t top = ((bytes & FUR_EACH_BYTE(0x7f)) + FUR_EACH_BYTE(0x5f)) | bytes;
        top = (top & FUR_EACH_BYTE(0x80)) >> 7;
        words |= (top * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
    return words;
}
#endif

/* Appends the positions of all bits; eight at a time, of which the last may not count. */
static inline int fur_add_ends(uint16_t *end, int words, uint64_t bits, size_t base)
{
    int count = __builtin_popcountll(bits);
    for (int done = 0; done < count; done += 8)
        for (int i = 0; i < 8; i++) {
            end[words + done + i] =
                (uint16_t)(base + (size_t)__builtin_ctzll(bits | UINT64_C(1) << 63));
            bits &= bits - 1;
        }
    return words + count;
}

/* Cuts the text from `at` on, which begins with a line, up to `end` or about `size` bytes. */
static inline void fur_piece_cut(fur_piece *piece, const char *at, const char *end, size_t size)
{
    size_t left = (size_t)(end - at) + 1; /* with the line end that stands behind the text */
    uint64_t before = 0;
    piece->text = at;
    piece->words = 0;
    for (size_t base = 0; base < size && base < left; base += 64) {
        uint64_t words = fur_find_words(at + base);
        uint64_t ends = ~words & (words << 1 | before);
        if (left - base < 64)
            ends &= (UINT64_C(1) << (left - base)) - 1;
        before = words >> 63;
        piece->words = fur_add_ends(piece->end, piece->words, ends, base);
    }
}

static inline bool fur_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline const char *fur_skip_blanks(const char *at)
{
    while (fur_is_blank(*at))
        at++;
    return at;
}

/* The words of a line with more than one blank between them, blanks at its ends or CR LF; they know
 * their ends already. NULL as below. */
static inline const char *fur_piece_odd_line(const char *at, fur_token *word, int count)
{
    for (int i = 0; i < count; i++) {
        word[i].begin = fur_skip_blanks(at);
        if ((unsigned char)*word[i].begin <= ' ')
            return NULL;
        at = word[i].end;
    }
    at = fur_skip_blanks(at);
    at += *at == '\r';
    return *at == '\n' ? at + 1 : NULL;
}

/* The words, `count` of them, of the line that begins at `at`; the first of them is word `first` of
 * the piece, and all must be there. Returns where the next line begins, NULL if the line has more
 * or fewer words. */
static inline __attribute__((always_inline)) const char *
fur_piece_line(const fur_piece *piece, int first, int count, const char *at, fur_token *word)
{
    const char *begin = at;
    bool plain = true;
    for (int i = 0; i < count; i++) {
        word[i].begin = at;
        word[i].end = piece->text + piece->end[first + i];
        plain &= *word[i].end == (i + 1 < count ? ' ' : '\n');
        at = word[i].end + 1;
    }
    return plain ? at : fur_piece_odd_line(begin, word, count);
}

#endif
