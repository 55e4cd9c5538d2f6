/* The inner loop of reading a file, compiled once for each instruction set. A line is first cut
 * into words. The end of a word then does not depend on reading the word before, so that the
 * processor reads several words at once. Digits are processed eight at a time, as the bytes of an
 * integer (Lamport, "Multiple byte processing with full-word instructions", 1975), and three
 * multiplications combine them. */
#include "entry.h"

#include "decimal.h"
#include "digits.h"
#include "number.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef __SSE2__
#    include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* Bit i of the result is set if character i of the 64 from `at` on is at most U+0020 (blank) and so
 * ends a word. One bit for each byte, as in Langdale and Lemire ("Parsing gigabytes of JSON per
 * second", 2019). */
INLINE uint64_t find_ends(const char *at)
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
    /* Adding 0x5f carries into a byte's top bit from 0x21 on. A multiplication collects the
     * bits. */
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

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* As cut_line, for lines with several blanks between words, blanks at their ends, CR LF or more
 * than 64 characters. */
static __attribute__((noinline)) const char *cut_odd_line(const char *at, int count,
                                                          fur_token *word)
{
    at = skip_blanks(at);
    for (int i = 0; i < count; i++) {
        word[i].begin = at;
        while ((unsigned char)*at > ' ')
            at++;
        word[i].end = at;
        at = skip_blanks(at);
        if (word[i].end == word[i].begin || (i + 1 < count && at == word[i].end))
            return NULL;
    }
    at += *at == '\r';
    return *at == '\n' ? at + 1 : NULL;
}

/* The ends of words in 64 characters that have not been used yet. */
typedef struct word_ends {
    const char *text;
    uint64_t ends;
} word_ends;

/* Returns whether the window has fewer than `count` remaining ends. */
INLINE bool lacks_ends(const word_ends *window, int count)
{
    uint64_t ends = window->ends;
    for (int i = 1; i < count; i++)
        ends &= ends - 1;
    return ends == 0;
}

/* Cuts the line at `at` into `count` words. It begins where the window's text begins or where the
 * previous line has ended. Returns where the next line begins, or NULL if this line has another
 * number of words. The text must end with LF, and 64 characters after it must be readable. */
INLINE const char *cut_line(word_ends *window, const char *at, int count, fur_token *word)
{
    if (lacks_ends(window, count))
        *window = (word_ends){at, find_ends(at)};
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
    return cut_odd_line(at, count, word);
}

/* The number of digits of a significand that always fit in 64 bits. */
#define SAFE_DIGITS 19

static const uint64_t powers_of_ten[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    10000000000000000000u,
};

/* Masks for the last 0 to 8 digits of a word of eight. */
static const uint64_t last_bytes[] = {
    0,
    UINT64_C(0xff00000000000000),
    UINT64_C(0xffff000000000000),
    UINT64_C(0xffffff0000000000),
    UINT64_C(0xffffffff00000000),
    UINT64_C(0xffffffffff000000),
    UINT64_C(0xffffffffffff0000),
    UINT64_C(0xffffffffffffff00),
    UINT64_MAX,
};

/* Loads the last `count` <= 8 characters before `end`, preceded by zeros. */
INLINE uint64_t load_last(const char *end, int64_t count)
{
    return fur_load_digits(end - 8) & last_bytes[count];
}

/* Returns nonzero if one of the eight characters is not a digit. */
INLINE uint64_t find_others(uint64_t digits)
{
    return ((digits + FUR_EACH_BYTE(0x76)) | digits) & FUR_EACH_BYTE(0x80);
}

INLINE int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

INLINE int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#ifdef __SSE4_1__
/* Converts sixteen digits into two numbers of eight digits each. Returns false if a character is
 * not a digit. */
INLINE bool join_sixteen(__m128i digits, uint64_t *first, uint64_t *second)
{
    __m128i others = _mm_subs_epu8(digits, _mm_set1_epi8(9));
    __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(10 + (1 << 8)));
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 + (1 << 16)));
    __m128i packed = _mm_packus_epi32(fours, fours);
    __m128i eights = _mm_madd_epi16(packed, _mm_set1_epi32(10000 + (1 << 16)));
    uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    *first = both & UINT32_MAX;
    *second = both >> 32;
    return _mm_testz_si128(others, others);
}
#endif

/* Converts the last characters of two words, at most eight of each, into numbers. Returns false if
 * a character is not a digit. */
INLINE bool join_two(const char *end_a, int64_t count_a, const char *end_b, int64_t count_b,
                     uint64_t *a, uint64_t *b)
{
#ifdef __SSE4_1__
    return join_sixteen(
        _mm_set_epi64x((int64_t)load_last(end_b, count_b), (int64_t)load_last(end_a, count_a)), a,
        b);
#else
    uint64_t digits_a = load_last(end_a, count_a), digits_b = load_last(end_b, count_b);
    *a = fur_join_digits(digits_a);
    *b = fur_join_digits(digits_b);
    return (find_others(digits_a) | find_others(digits_b)) == 0;
#endif
}

/* As above, for the last `count` <= 16 characters before `end`. They give the first eight digits
 * and the other eight. */
INLINE bool join_last(const char *end, int64_t count, uint64_t *first, uint64_t *second)
{
#ifdef __SSE4_1__
    /* Sixteen bytes from ones + count on: the bytes of the last `count` digits are ones. */
    static const uint8_t ones[32] = {[16] = 255, 255, 255, 255, 255, 255, 255, 255,
                                     255,        255, 255, 255, 255, 255, 255, 255};
    __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)(ones + count));
    __m128i text = _mm_loadu_si128((const __m128i *)(const void *)(end - 16));
    return join_sixteen(_mm_and_si128(_mm_xor_si128(text, _mm_set1_epi8('0')), mask), first,
                        second);
#else
    return join_two(end - 8, larger(count - 8, 0), end, smaller(count, 8), first, second);
#endif
}

/* Reads an index from 1 to limit that is the whole word, as 0-based *out. */
INLINE bool read_index(fur_token word, uint64_t limit, int32_t *out)
{
    int64_t length = word.end - word.begin;
    uint64_t digits = load_last(word.end, smaller(length, 8));
    uint64_t others = find_others(digits), index = fur_join_digits(digits);
    if (__builtin_expect(length > 8, 0)) {
        uint64_t first = load_last(word.end - 8, smaller(length - 8, 8));
        others |= find_others(first) | (uint64_t)(length > 16);
        index += 100000000 * fur_join_digits(first);
    }
    *out = (int32_t)(index - 1);
    return (others == 0) & (index - 1 < limit);
}

/* Reads two indices, which are below 10^8 in most files. */
INLINE bool read_indices(const fur_token *words, const fur_mtx_header *header, int32_t *row,
                         int32_t *col)
{
    int64_t row_length = words[0].end - words[0].begin, col_length = words[1].end - words[1].begin;
    uint64_t i = 0, j = 0;
    if (__builtin_expect((row_length > 8) | (col_length > 8), 0))
        return read_index(words[0], (uint64_t)header->rows, row) &&
               read_index(words[1], (uint64_t)header->cols, col);
    bool digits = join_two(words[0].end, row_length, words[1].end, col_length, &i, &j);
    *row = (int32_t)(i - 1);
    *col = (int32_t)(j - 1);
    return digits & (i - 1 < (uint64_t)header->rows) & (j - 1 < (uint64_t)header->cols);
}

typedef struct decimal {
    uint64_t significand;
    int64_t exponent;
    bool negative;
    bool integer;
} decimal;

/* Returns the number with the first `count` < 8 digits, or 0 if count is 0. */
INLINE uint64_t join(uint64_t digits, int count)
{
    return fur_join_digits(digits << 1 << (63 - 8 * count));
}

/* Appends digits to `significand` and counts them. */
static const char *read_digits(const char *at, uint64_t *significand, int *counted)
{
    uint64_t digits = fur_load_digits(at);
    int count = fur_count_digits(digits);
    while (count == 8) {
        *significand = 100000000 * *significand + fur_join_digits(digits);
        *counted += 8;
        at += 8;
        digits = fur_load_digits(at);
        count = fur_count_digits(digits);
    }
    *significand = powers_of_ten[count] * *significand + join(digits, count);
    *counted += count;
    return at + count;
}

/* Reads the exponent after its letter. Returns NULL if it does not have one to three digits. */
static const char *read_exponent(const char *at, int64_t *exponent)
{
    bool negative = *at == '-';
    at += negative || *at == '+';
    uint64_t digits = fur_load_digits(at);
    int count = fur_count_digits(digits);
    int64_t value = (int64_t)join(digits, count & 3);
    *exponent += negative ? -value : value;
    return count >= 1 && count <= 3 ? at + count : NULL;
}

/* Reads a number of at most 19 significant digits. Returns its end, or NULL if the text is
 * something else. */
static const char *read_any(const char *at, decimal *out)
{
    int whole = 0, fraction = 0;
    at = read_digits(at, &out->significand, &whole);
    /* With more digits, the significand is a remainder modulo 2^64, which can be 0 for nonzero
     * digits. */
    int significant = out->significand == 0 && whole <= SAFE_DIGITS ? 0 : whole;
    if (*at == '.') {
        at = read_digits(at + 1, &out->significand, &fraction);
        out->integer = false;
        out->exponent = -fraction;
    }
    if (whole + fraction == 0 || significant + fraction > SAFE_DIGITS)
        return NULL;
    if ((*at | 0x21) == 'e') { /* or d, as in Fortran */
        out->integer = false;
        return read_exponent(at + 1, &out->exponent);
    }
    return at;
}

/* Reads at most eight digits, without any other character. */
INLINE bool read_whole(fur_token word, decimal *out)
{
    uint64_t digits = load_last(word.end, word.end - word.begin);
    out->significand = fur_join_digits(digits);
    return find_others(digits) == 0;
}

/* Reads one digit, a point and up to 18 digits, as most programs write numbers. */
INLINE bool read_fraction(fur_token word, decimal *out)
{
    int64_t count = word.end - word.begin - 2;
    uint64_t whole = (uint64_t)(*word.begin - '0');
    uint64_t high = load_last(word.end - 16, larger(count - 16, 0)), mid = 0, low = 0;
    bool digits = join_last(word.end, smaller(count, 16), &mid, &low);
    out->significand = whole * powers_of_ten[count] + low + 100000000 * mid +
                       10000000000000000 * (high >> 56) + 100000000000000000 * (high >> 48 & 0xff);
    out->exponent = -count;
    out->integer = false;
    return digits & (whole <= 9) & (find_others(high) == 0);
}

/* Reads a number of at most 19 significant digits that is the whole word. */
INLINE bool read_decimal(fur_token word, decimal *out)
{
    *out = (decimal){.negative = *word.begin == '-', .integer = true};
    word.begin += out->negative;
    int64_t length = word.end - word.begin;
    if (length >= 1 && length <= 8 && read_whole(word, out))
        return true;
    if (length >= 3 && length <= 20 && word.begin[1] == '.' && read_fraction(word, out))
        return true;
    decimal any = {.negative = out->negative, .integer = true};
    bool whole = read_any(word.begin, &any) == word.end;
    *out = any;
    return whole;
}

/* The form of a line in this file. It is constant in each copy of the loop. */
typedef struct form {
    int indices;
    int numbers;
    bool single;
    bool complex;
} form;

/* Sets the sign of a value without a branch. */
INLINE double sign_f64(double value, bool negative)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits |= (uint64_t)negative << 63;
    memcpy(&value, &bits, sizeof value);
    return value;
}

INLINE float sign_f32(float value, bool negative)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits |= (uint32_t)negative << 31;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Writes a part of a value. Returns false if the number is out of its type's range, or needs a
 * warning. */
INLINE bool store_part(form f, bool integer, const decimal *number, void *values, int64_t index)
{
    double value;
    if (f.single) {
        float rounded = fur_decimal_f32(number->significand, number->exponent);
        value = (double)rounded;
        ((float *)values)[index] = sign_f32(rounded, number->negative);
    } else {
        value = fur_decimal_f64(number->significand, number->exponent);
        ((double *)values)[index] = sign_f64(value, number->negative);
    }
    if (integer)
        return number->integer & (number->significand <= UINT64_C(1) << (f.single ? 24 : 53));
    return (value <= DBL_MAX) & ((value > 0) | (number->significand == 0));
}

/* As above, for a number of any length. */
static bool read_long_part(fur_token word, form f, bool integer, void *values, int64_t index)
{
    fur_number number;
    if (integer || !fur_number_scan(word.begin, word.end, &number) ||
        number.kind != FUR_NUMBER_FINITE)
        return false;
    double value = f.single ? (double)fur_number_f32(&number) : fur_number_f64(&number);
    if (f.single)
        ((float *)values)[index] = (float)value;
    else
        ((double *)values)[index] = value;
    return !isinf(value) && value != 0;
}

INLINE bool read_part(fur_token word, form f, bool integer, void *values, int64_t index)
{
    decimal number;
    return __builtin_expect(read_decimal(word, &number), 1)
               ? store_part(f, integer, &number, values, index)
               : read_long_part(word, f, integer, values, index);
}

/* Reads the words of a line as value k. */
INLINE bool read_value(const fur_token *words, form f, bool integer, void *values, int64_t k)
{
    int64_t index = f.complex ? 2 * k : k;
    if (!read_part(words[0], f, integer, values, index))
        return false;
    if (f.numbers > 1)
        return read_part(words[1], f, integer, values, index + 1);
    if (f.complex && f.single)
        ((float *)values)[index + 1] = 0;
    else if (f.complex)
        ((double *)values)[index + 1] = 0;
    return true;
}

/* Reads a line as entry k. Returns false if it has another form. */
INLINE bool read_entry(const fur_token *words, form f, const fur_mtx_header *header,
                       fur_batch *batch, int64_t k)
{
    int32_t row = 0, col = 0;
    bool plain = true;
    if (f.indices == 1)
        plain = read_index(words[0], (uint64_t)header->rows, &row);
    if (f.indices == 2)
        plain = read_indices(words, header, &row, &col);
    if (f.indices > 0) {
        batch->rows[k] = row;
        batch->cols[k] = col;
        plain &= (row != col) | (header->symmetry < FUR_MTX_SKEW_SYMMETRIC);
    }
    bool integer = header->field == FUR_MTX_INTEGER;
    return plain && (f.numbers == 0 || read_value(words + f.indices, f, integer, batch->values, k));
}

INLINE const char *read_lines(const char *at, const char *end, form f, const fur_job *job,
                              fur_batch *batch)
{
    const fur_mtx_header *header = &job->header;
    word_ends window = {at, 0};
    fur_token words[4] = {{at, at}, {at, at}, {at, at}, {at, at}};
    int64_t k = batch->count;
    while (at < end) {
        const char *behind = cut_line(&window, at, f.indices + f.numbers, words);
        if (!behind || !read_entry(words, f, header, batch, k))
            break;
        at = behind;
        k++;
    }
    batch->count = k;
    return at;
}

/* The forms of most files each get a copy of the loop. */
const char *FUR_FAST(FUR_ISA)(const fur_job *job, const char *at, const char *end, fur_batch *batch)
{
    const form f = {.indices = job->indices,
                    .numbers = job->numbers,
                    .single = fur_value_is_single(job->value_type),
                    .complex = fur_value_is_complex(job->value_type)};
    if (f.indices == 2 && f.numbers == 0)
        return read_lines(at, end, (form){.indices = 2}, job, batch);
    if (f.indices == 2 && f.numbers == 1 && !f.single && !f.complex)
        return read_lines(at, end, (form){.indices = 2, .numbers = 1}, job, batch);
    return read_lines(at, end, f, job, batch);
}
