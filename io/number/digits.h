/* Operations on eight decimal digits at once: the bytes of a word hold the values 0 .. 9, with the
 * first digit in the lowest byte (Lemire, "Fast number parsing", 2021, after Johnny Lee; Khuong,
 * "How to print integers really fast", 2017). */
#ifndef FURROW_IO_DIGITS_H
#define FURROW_IO_DIGITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FUR_EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

/* Reverses the bytes on a machine that stores the highest byte first. */
static inline uint64_t fur_low_first(uint64_t word)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap64(word);
}

/* Loads the next eight characters. A character that is not a digit becomes a value above 9. */
static inline uint64_t fur_load_digits(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return fur_low_first(word) ^ FUR_EACH_BYTE('0');
}

static inline void fur_store_digits(uint64_t digits, char *out)
{
    uint64_t word = fur_low_first(digits | FUR_EACH_BYTE('0'));
    memcpy(out, &word, sizeof word);
}

/* Returns the number of digits before the first character that is not a digit. */
static inline int fur_count_digits(uint64_t digits)
{
    uint64_t others = ((digits + FUR_EACH_BYTE(0x76)) | digits) & FUR_EACH_BYTE(0x80);
    return others ? __builtin_ctzll(others) / 8 : 8;
}

/* Returns the number with these eight digits. Neighbouring digits are combined into four numbers
 * below 100. These are multiplied by their powers of ten and added. */
static inline uint64_t fur_join_digits(uint64_t digits)
{
    uint64_t pairs = 10 * digits + (digits >> 8);
    const uint64_t one_pair = UINT64_C(0x000000ff000000ff);
    /* Pairs 0 and 2 are multiplied by 10^6 and 10^2, and pairs 1 and 3 by 10^4 and 1. The sums are
     * in the upper halves. */
    uint64_t even = (pairs & one_pair) * (100 + (UINT64_C(1000000) << 32));
    uint64_t odd = ((pairs >> 16) & one_pair) * (1 + (UINT64_C(10000) << 32));
    return (even + odd) >> 32;
}

/* Splits a number below 10^8 into eight digits. A part is divided by n, with quotient q and
 * remainder r, into q + (r << b). This equals (part << b) - q * ((n << b) - 1). 10486 / 2^20 and
 * 103 / 2^10 exceed 1/100 and 1/10 by so little that they give the quotients of all numbers below
 * 10^4 and below 100. */
static inline uint64_t fur_split_digits(uint32_t number)
{
    uint64_t first = number / 10000;
    uint64_t fours = ((uint64_t)number << 32) - first * ((UINT64_C(10000) << 32) - 1);
    uint64_t hundreds = ((10486 * fours) >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t pairs = (fours << 16) - hundreds * ((100 << 16) - 1);
    uint64_t tens = ((103 * pairs) >> 10) & UINT64_C(0x000f000f000f000f);
    return (pairs << 8) - tens * ((10 << 8) - 1);
}

#endif
