/* The inner loop over a file, compiled once per instruction set. A piece of text is first cut into
 * words: then where a word ends does not depend on reading the word before, and the processor reads
 * several at once. Digits are taken eight at a time, as the bytes of a number (Lamport, "Multiple
 * byte processing with full-word instructions", 1975), and three multiplications add them up. */
#include "simple.h"

#include "decimal.h"
#include "number.h"
#include "pieces.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Digits of a significand that always fit 64 bits. */
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

/* Eight characters, the first one lowest, less '0' each: a digit becomes its value. */
INLINE uint64_t load_digits(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word ^ FUR_EACH_BYTE('0');
}

/* The last `count` <= 8 characters before `end`, with zeros for those before them. */
INLINE uint64_t load_last(const char *end, int64_t count)
{
    return count > 0 ? load_digits(end - 8) >> (64 - 8 * count) << (64 - 8 * count) : 0;
}

/* A bit for each byte that is no digit, and perhaps for some behind it. */
INLINE uint64_t find_others(uint64_t digits)
{
    return ((digits + FUR_EACH_BYTE(0x76)) | digits) & FUR_EACH_BYTE(0x80);
}

/* How many of the eight are digits before the first that is not. */
INLINE int count_digits(uint64_t digits)
{
    uint64_t others = find_others(digits);
    return others ? __builtin_ctzll(others) / 8 : 8;
}

/* The number that eight digits make. */
INLINE uint64_t join_eight(uint64_t digits)
{
    digits = digits * 10 + (digits >> 8);
    digits = (digits & UINT64_C(0x00ff00ff00ff00ff)) * 100 +
             ((digits >> 16) & UINT64_C(0x00ff00ff00ff00ff));
    return (digits & 0xffff) * 10000 + ((digits >> 32) & 0xffff);
}

/* The number that the first `count` < 8 digits make; 0 of none. */
INLINE uint64_t join(uint64_t digits, int count)
{
    return join_eight(digits << 1 << (63 - 8 * count));
}

/* An index from 1 to limit that takes the whole word, as *out from 0. */
INLINE bool read_index(fur_token word, uint64_t limit, int32_t *out)
{
    int64_t length = word.end - word.begin;
    uint64_t digits = load_last(word.end, length < 8 ? length : 8);
    uint64_t others = find_others(digits), index = join_eight(digits);
    if (__builtin_expect(length > 8, 0)) {
        uint64_t first = load_last(word.end - 8, length - 8 < 8 ? length - 8 : 8);
        others |= find_others(first) | (uint64_t)(length > 16);
        index += 100000000 * join_eight(first);
    }
    *out = (int32_t)(index - 1);
    return others == 0 && index - 1 < limit;
}

typedef struct decimal {
    uint64_t significand;
    int64_t exponent;
    bool negative;
    bool integer;
} decimal;

/* Digits behind others that have made `significand`; counts them. */
static const char *read_digits(const char *at, uint64_t *significand, int *counted)
{
    uint64_t digits = load_digits(at);
    int count = count_digits(digits);
    while (count == 8) {
        *significand = 100000000 * *significand + join_eight(digits);
        *counted += 8;
        at += 8;
        digits = load_digits(at);
        count = count_digits(digits);
    }
    *significand = powers_of_ten[count] * *significand + join(digits, count);
    *counted += count;
    return at + count;
}

/* The exponent behind its letter; NULL if it has none of one to three digits. */
static const char *read_exponent(const char *at, int64_t *exponent)
{
    bool negative = *at == '-';
    at += negative || *at == '+';
    uint64_t digits = load_digits(at);
    int count = count_digits(digits);
    int64_t value = (int64_t)join(digits, count & 3);
    *exponent += negative ? -value : value;
    return count >= 1 && count <= 3 ? at + count : NULL;
}

/* A number of at most 19 significant digits. Returns its end, NULL if the text is something else.
 */
static const char *read_any(const char *at, decimal *out)
{
    int whole = 0, fraction = 0;
    at = read_digits(at, &out->significand, &whole);
    int significant = out->significand == 0 ? 0 : whole;
    if (*at == '.') {
        at = read_digits(at + 1, &out->significand, &fraction);
        out->integer = false;
        out->exponent = -fraction;
    }
    if (whole + fraction == 0 || significant + fraction > SAFE_DIGITS)
        return NULL;
    if ((*at | 0x21) == 'e') { /* or d, as Fortran writes */
        out->integer = false;
        return read_exponent(at + 1, &out->exponent);
    }
    return at;
}

/* Digits only, at most eight. */
INLINE bool read_whole(fur_token word, decimal *out)
{
    uint64_t digits = load_last(word.end, word.end - word.begin);
    out->significand = join_eight(digits);
    return find_others(digits) == 0;
}

/* One digit, a point and up to 18 digits, as most programs write numbers. */
INLINE bool read_fraction(fur_token word, decimal *out)
{
    int64_t count = word.end - word.begin - 2;
    int64_t middle = count > 8 ? count - 8 : 0, first = count > 16 ? count - 16 : 0;
    uint64_t whole = (uint64_t)(*word.begin - '0');
    uint64_t low = load_last(word.end, count < 8 ? count : 8);
    uint64_t mid = load_last(word.end - 8, middle < 8 ? middle : 8);
    uint64_t high = load_last(word.end - 16, first);
    out->significand = whole * powers_of_ten[count] + join_eight(low) +
                       100000000 * join_eight(mid) + 10000000000000000 * join_eight(high);
    out->exponent = -count;
    out->integer = false;
    return whole <= 9 && (find_others(low) | find_others(mid) | find_others(high)) == 0;
}

/* A number that takes the whole word, of at most 19 significant digits. */
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

/* What a line of the file at hand looks like; constant in each copy of the loop. */
typedef struct form {
    int indices;
    int numbers;
    bool single;
    bool complex;
} form;

/* Writes a part of a value; false if the number left its type's range, or is to be told about. */
INLINE bool store_part(form f, bool integer, const decimal *number, void *values, int64_t index)
{
    double value;
    if (f.single) {
        float rounded = fur_decimal_f32(number->significand, number->exponent);
        value = (double)rounded;
        ((float *)values)[index] = number->negative ? -rounded : rounded;
    } else {
        value = fur_decimal_f64(number->significand, number->exponent);
        ((double *)values)[index] = number->negative ? -value : value;
    }
    if (integer)
        return number->integer && number->significand <= UINT64_C(1) << (f.single ? 24 : 53);
    return value <= DBL_MAX && (value > 0 || number->significand == 0);
}

/* The same for a number of any length. */
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

/* Reads words `words` of a line as value k. */
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

/* Reads a line as entry k; false if it is not simple. */
INLINE bool read_entry(const fur_token *words, form f, const fur_mtx_header *header,
                       fur_batch *batch, int64_t k)
{
    int32_t row = 0, col = 0;
    bool simple = true;
    if (f.indices > 0)
        simple = read_index(words[0], (uint64_t)header->rows, &row);
    if (f.indices > 1)
        simple &= read_index(words[1], (uint64_t)header->cols, &col);
    if (f.indices > 0) {
        batch->rows[k] = row;
        batch->cols[k] = col;
        simple &= row != col || header->symmetry < FUR_MTX_SKEW_SYMMETRIC;
    }
    bool integer = header->field == FUR_MTX_INTEGER;
    return simple &&
           (f.numbers == 0 || read_value(words + f.indices, f, integer, batch->values, k));
}

/* Reads the lines of a piece, up to one that is not simple. Returns where the next line begins. */
INLINE const char *read_piece(const char *at, const fur_piece *piece, form f,
                              const fur_mtx_header *header, fur_batch *batch)
{
    int words = f.indices + f.numbers;
    int64_t k = batch->count;
    for (int next = 0; next + words <= piece->words; next += words) {
        fur_token word[4];
        const char *behind = fur_piece_line(piece, next, words, at, word);
        if (!behind || !read_entry(word, f, header, batch, k))
            break;
        at = behind;
        k++;
    }
    batch->count = k;
    return at;
}

INLINE const char *read_lines(const char *at, const char *end, form f, const fur_reading *reading,
                              fur_batch *batch)
{
    fur_piece piece;
    size_t size = FUR_PIECE_LEAST;
    while (at < end) {
        fur_piece_cut(&piece, at, end, size);
        const char *behind = read_piece(at, &piece, f, &reading->banner.header, batch);
        if (behind == at)
            break;
        at = behind;
        size = size < FUR_PIECE_MOST ? 2 * size : size;
    }
    return at;
}

/* The forms that most files have get a copy of the loop of their own. */
const char *FUR_SIMPLE(FUR_ISA)(const fur_reading *reading, const char *at, const char *end,
                                fur_batch *batch)
{
    const form f = {.indices = reading->indices,
                    .numbers = reading->numbers,
                    .single = fur_reading_is_single(reading),
                    .complex = fur_reading_is_complex(reading)};
    if (f.indices == 2 && f.numbers == 0)
        return read_lines(at, end, (form){.indices = 2}, reading, batch);
    if (f.indices == 2 && f.numbers == 1 && !f.single && !f.complex)
        return read_lines(at, end, (form){.indices = 2, .numbers = 1}, reading, batch);
    return read_lines(at, end, f, reading, batch);
}
