/* Decimal numbers: reading with correct rounding, and printing with the fewest digits.
 *
 * Neither depends on the locale, and neither allocates. This file needs only the C library. */
#ifndef FURROW_IO_NUMBER_H
#define FURROW_IO_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fur_number_kind { FUR_NUMBER_FINITE, FUR_NUMBER_INF, FUR_NUMBER_NAN } fur_number_kind;

/* A number as written: +-significand * 10^exponent, if all digits fit. */
typedef struct fur_number {
    fur_number_kind kind;
    bool negative;
    bool integer;           /* digits only: no point, no exponent */
    bool exact;             /* significand holds all digits */
    uint64_t significand;   /* the first 19 significant digits */
    int64_t exponent;       /* of the last digit in significand */
    const char *digits;     /* the digits, possibly with a point */
    const char *digits_end; /* valid as long as the text */
} fur_number;

/* Returns whether the text is exactly one number: [+-] digits [. digits] [e|E|d|D [+-] digits].
 * Digits may be missing on one side of the point. inf, infinity and nan are also accepted, in upper
 * or lower case. */
bool fur_number_scan(const char *begin, const char *end, fur_number *out);

/* Returns the number, rounded once to the nearest. A number that is too large gives infinity, and
 * one that is too small gives zero. */
double fur_number_f64(const fur_number *number);
float fur_number_f32(const fur_number *number);

/* Bytes that printing may write. The text has at most 24 bytes. */
#define FUR_NUMBER_SIZE 32

/* Prints the number, without a NUL, with the fewest significant digits that read back to the same
 * bits. If several such texts exist, prints the nearest number. The bits of a NaN are not printed.
 * Returns the length. The bytes after it, up to FUR_NUMBER_SIZE, may be overwritten. */
size_t fur_number_print_f64(double value, char *out);
size_t fur_number_print_f32(float value, char *out);
size_t fur_number_print_i64(int64_t value, char *out);

#endif
