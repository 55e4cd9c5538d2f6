/* Digits and middle as whole numbers of any length (Clinger, "How to read floating point numbers
 * accurately", 1990): d * 10^e and m * 2^p are compared as d * 5^e * 2^(e-p) and m, or with the
 * powers on the other side. No floating-point operation, so no rounding mode shows. */
#include "midpoint.h"

/* No middle between two doubles has more digits than 767: of more, one 1 stands for all that are
 * not zero. */
#define DIGITS 768

/* Digits that a limb takes at once, and their power of ten. */
#define CHUNK 1000000000000000000

/* 5^27, the highest power in a limb. */
#define FIVES 27
#define POWER_OF_FIVE UINT64_C(7450580596923828125)

/* 2^2816 > 10^769 * 2^64, and > 2^54 * 5^1093, the power for the last digit of the smallest middle;
 * as both sides are about the same, neither grows further by the power of two. */
#define LIMBS 44

/* The lowest limb first; without zeros at its end. */
typedef struct whole {
    uint64_t limbs[LIMBS];
    int count;
} whole;

static void multiply_add(whole *number, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < number->count; i++) {
        fur_uint128 product = (fur_uint128)number->limbs[i] * factor + carry;
        number->limbs[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    if (carry > 0)
        number->limbs[number->count++] = carry;
}

static void multiply_by_fives(whole *number, int64_t power)
{
    for (; power >= FIVES; power -= FIVES)
        multiply_add(number, POWER_OF_FIVE, 0);
    for (; power > 0; power--)
        multiply_add(number, 5, 0);
}

static void shift(whole *number, int64_t bits)
{
    int limbs = (int)(bits / 64);
    multiply_add(number, UINT64_C(1) << bits % 64, 0);
    memmove(number->limbs + limbs, number->limbs, (size_t)number->count * sizeof *number->limbs);
    memset(number->limbs, 0, (size_t)limbs * sizeof *number->limbs);
    number->count += limbs;
}

static int compare(const whole *a, const whole *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

/* Digits on their way into a whole number. */
typedef struct digits {
    whole *to;
    uint64_t chunk;
    uint64_t scale; /* 10^ the digits in the chunk */
    int count;
} digits;

static void flush(digits *d)
{
    multiply_add(d->to, d->scale, d->chunk);
    d->chunk = 0;
    d->scale = 1;
}

static void append(digits *d, int digit)
{
    d->chunk = 10 * d->chunk + (uint64_t)digit;
    d->scale *= 10;
    d->count++;
    if (d->scale == CHUNK)
        flush(d);
}

/* The digits of a number that can matter, from the first that is not zero; returns how many. */
static int take_digits(const fur_number *number, whole *out)
{
    digits d = {.to = out, .scale = 1};
    bool rest = false;
    for (const char *at = number->digits; at < number->digits_end; at++) {
        if (*at == '.' || (*at == '0' && d.count == 0))
            continue;
        if (d.count < DIGITS)
            append(&d, *at - '0');
        else
            rest |= *at != '0';
    }
    if (rest)
        append(&d, 1);
    flush(&d);
    return d.count;
}

int fur_midpoint_compare(const fur_number *number, uint64_t bits, fur_binary format)
{
    whole decimal = {.count = 0}, middle = {.count = 0};
    const uint64_t hidden = UINT64_C(1) << format.fraction_bits;
    int biased = (int)(bits >> format.fraction_bits);
    uint64_t significand = (bits & (hidden - 1)) + (biased > 0 ? hidden : 0);
    int64_t binary_exponent = (biased > 0 ? biased : 1) - ((1 << (format.exponent_bits - 1)) - 1) -
                              format.fraction_bits - 1;
    /* That of the significand's last digit, the nineteenth, is the number's. */
    int64_t exponent = number->exponent + 19 - take_digits(number, &decimal);
    multiply_add(&middle, 1, 2 * significand + 1);
    multiply_by_fives(exponent > 0 ? &decimal : &middle, exponent > 0 ? exponent : -exponent);
    int64_t twos = exponent - binary_exponent;
    shift(twos > 0 ? &decimal : &middle, twos > 0 ? twos : -twos);
    return compare(&decimal, &middle);
}
