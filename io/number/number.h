/* Decimal numbers: reading with correct rounding, printing with the fewest digits.
 *
 * Neither depends on the locale, and neither allocates. This file needs the C library only. */
#ifndef FURROW_IO_NUMBER_H
#define FURROW_IO_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fur_number_kind { FUR_NUMBER_FINITE, FUR_NUMBER_INF, FUR_NUMBER_NAN } fur_number_kind;

/* A number as it is written: +-significand * 10^exponent, while the digits fit. */
typedef struct fur_number {
    fur_number_kind kind;
    bool negative;
    bool integer;           /* digits only: no point, no exponent */
    bool exact;             /* significand holds all digits */
    uint64_t significand;   /* the first 19 significant digits */
    int64_t exponent;       /* of the last of those */
    const char *digits;     /* the digits, with a point among them or not */
    const char *digits_end; /* valid as long as the text */
} fur_number;

/* Whether the text is exactly one number: [+-] digits [. digits] [e|E|d|D [+-] digits], where
 * digits may be missing on one side of the point, or inf, infinity, nan in any case of letters. */
bool fur_number_scan(const char *begin, const char *end, fur_number *out);

/* The number rounded once to the nearest; too large gives infinity, too small gives zero. */
double fur_number_f64(const fur_number *number);
float fur_number_f32(const fur_number *number);

/* Bytes that printing may write; the text is at most 24 of them. */
#define FUR_NUMBER_SIZE 32

/* Prints the number with the fewest significant digits that read back to the same bits, of those
 * the nearest (of a NaN only that it is one), without a NUL. Returns the length; bytes behind it,
 * up to FUR_NUMBER_SIZE, may be overwritten. */
size_t fur_number_print_f64(double value, char *out);
size_t fur_number_print_f32(float value, char *out);
size_t fur_number_print_i64(int64_t value, char *out);

#endif
