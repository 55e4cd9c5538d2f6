/* The values of steps. A step has eight values, one for each lane. A lane that takes no part
 * repeats the value of the first lane that takes part. Values are stored as they are. If no bit is
 * lost, they are stored in a narrower form:
 *
 *   STEPS_WIDE    the values
 *   STEPS_SINGLE  f64 and c128 in single precision
 *   STEPS_NUMBER  a byte a step: its number among at most 256 different steps
 *
 * A diagonal of a stencil, or a matrix of ones, has few different steps. Most matrices with few
 * different values in a regular order also have few. Bits are compared, not values: a zero keeps
 * its sign and NaN its payload.
 *
 * The memory is always large enough for STEPS_WIDE. Pages that are never written to cost nothing.
 * Other values of A may therefore take another form without a new allocation. */
#ifndef FURROW_CPU_STEPS_H
#define FURROW_CPU_STEPS_H

#include "atomic.h"
#include "kernel.h"
#include "lanes.h"
#include "team.h"
#include "value_type.h"

#include <stdatomic.h>

typedef enum steps_form { STEPS_WIDE, STEPS_SINGLE, STEPS_NUMBER } steps_form;

/* The most different steps, and the steps that are converted at a time. */
#define STEPS_DIFFERENT 256
#define STEPS_PIECE 128
/* The most bytes of a value. */
#define STEPS_VALUE_BYTES 16

/* A table of different steps. It is a hash table with linear probing. Any thread may take a place,
 * and each place is taken once. */
typedef struct steps_table {
    char *values; /* of STEPS_DIFFERENT steps */
    /* STEPS_FREE, or STEPS_TAKEN and then STEPS_THERE for each place */
    _Atomic unsigned char *present;
} steps_table;

typedef struct step_values {
    steps_form form;
    size_t size; /* of a value */
    void *kept;
    steps_table table; /* NULL pointers if the form is not STEPS_NUMBER */
} step_values;

/* The forms that fit the steps tried so far. A trial has its own table. */
typedef struct steps_trial {
    bool single;
    bool number;
    _Atomic unsigned char present[STEPS_DIFFERENT];
    _Alignas(64) char values[STEPS_DIFFERENT * LANES * STEPS_VALUE_BYTES];
} steps_trial;

enum { STEPS_FREE, STEPS_TAKEN, STEPS_THERE };

/* Interleaves `count` elements of each of the eight lanes. The builtin stays a move of constant
 * size; memcpy, if hardened, would become a call. */
INLINE void steps_spread_all(const char *next[LANES], int count, char *restrict to, size_t size)
{
    for (size_t i = 0; i < LANES; i++) {
        const char *from = next[i];
        for (size_t k = 0; k < (size_t)count; k++)
            __builtin_memcpy(to + (k * LANES + i) * size, from + k * size, size);
        next[i] = from + (size_t)count * size;
    }
}

/* Copies the next element of each lane in the mask, which is not 0. */
INLINE void steps_spread_some(const char *next[LANES], unsigned mask, char *restrict to,
                              size_t size)
{
    const char *other = next[__builtin_ctz(mask)];
    for (size_t i = 0; i < LANES; i++) {
        bool active = mask >> i & 1;
        __builtin_memcpy(to + i * size, active ? next[i] : other, size);
        next[i] += active ? size : 0;
    }
}

/* Interleaves the elements of steps with these masks, and moves `next` past them. */
INLINE void steps_spread_size(const char *next[LANES], const uint8_t *mask, int count, char *to,
                              size_t size)
{
    for (int k = 0; k < count;) {
        int first = k;
        while (k < count && mask[k] == ALL_LANES)
            k++;
        steps_spread_all(next, k - first, to + (size_t)first * LANES * size, size);
        for (; k < count && mask[k] != ALL_LANES; k++)
            steps_spread_some(next, mask[k], to + (size_t)k * LANES * size, size);
    }
}

/* As above, with the size as a constant. */
static inline void steps_spread(const char *next[LANES], const uint8_t *mask, int count, void *to,
                                size_t size)
{
    switch (size) {
    case 4:
        steps_spread_size(next, mask, count, to, 4);
        break;
    case 8:
        steps_spread_size(next, mask, count, to, 8);
        break;
    default:
        steps_spread_size(next, mask, count, to, 16);
    }
}

/* Rounds to single precision. Returns whether all bits survive. */
static inline bool steps_to_single(const double *from, int64_t count, float *to)
{
    uint64_t lost = 0;
    for (int64_t i = 0; i < count; i++) {
        to[i] = (float)from[i];
        double back = (double)to[i];
        uint64_t before;
        uint64_t after;
        memcpy(&before, &from[i], sizeof before);
        memcpy(&after, &back, sizeof after);
        lost |= before ^ after;
    }
    return lost == 0;
}

static inline uint64_t steps_word(const char *step, size_t i)
{
    uint64_t word;
    memcpy(&word, step + i * sizeof word, sizeof word);
    return word;
}

static inline bool steps_equal(const char *a, const char *b, size_t bytes)
{
    uint64_t apart = 0;
    for (size_t i = 0; i < bytes / sizeof apart; i++)
        apart |= steps_word(a, i) ^ steps_word(b, i);
    return apart == 0;
}

static inline unsigned steps_hash(const char *step, size_t bytes)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes / sizeof sum; i++)
        sum += steps_word(step, i) * (2 * i + 1);
    sum ^= sum >> 29;
    return (unsigned)(sum * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

/* Returns whether the step is at this place of the table. A free place takes the step. */
static inline bool steps_at_place(const steps_table *t, unsigned place, const char *step,
                                  size_t bytes)
{
    _Atomic unsigned char *present = &t->present[place];
    unsigned char seen = STEPS_FREE;
    if (atomic_load_explicit(present, memory_order_acquire) == STEPS_FREE &&
        atomic_compare_exchange_strong(present, &seen, STEPS_TAKEN)) {
        memcpy(t->values + place * bytes, step, bytes);
        atomic_store_explicit(present, STEPS_THERE, memory_order_release);
        return true;
    }
    while (atomic_load_explicit(present, memory_order_acquire) != STEPS_THERE)
        ; /* another thread is copying its step */
    return steps_equal(t->values + place * bytes, step, bytes);
}

/* The step's place in the table, or -1 if the table is full. */
static inline int steps_find(const steps_table *t, const char *step, size_t bytes)
{
    unsigned place = steps_hash(step, bytes);
    for (int n = 0; n < STEPS_DIFFERENT; n++, place = (place + 1) % STEPS_DIFFERENT)
        if (steps_at_place(t, place, step, bytes))
            return (int)place;
    return -1;
}

/* Finds the numbers of steps. Returns whether all have one. Many steps equal the step before. */
INLINE bool steps_to_numbers(const steps_table *t, const char *from, int count, uint8_t *to,
                             size_t bytes)
{
    int place = -1;
    for (int k = 0; k < count; k++, from += bytes) {
        if (place < 0 || !steps_equal(t->values + (size_t)place * bytes, from, bytes))
            place = steps_find(t, from, bytes);
        if (place < 0)
            return false;
        to[k] = (uint8_t)place;
    }
    return true;
}

static inline bool steps_number(const steps_table *t, const char *from, int count, uint8_t *to,
                                size_t size)
{
    switch (size) {
    case 4:
        return steps_to_numbers(t, from, count, to, 4 * (size_t)LANES);
    case 8:
        return steps_to_numbers(t, from, count, to, 8 * (size_t)LANES);
    default:
        return steps_to_numbers(t, from, count, to, 16 * (size_t)LANES);
    }
}

/* The last steps that were set in which all lanes have the same elements, contiguous in memory. In
 * a stencil the following steps often have the same elements. */
typedef struct steps_before {
    const char *row; /* elements of one lane */
    int count;
    int64_t at;
} steps_before;

static inline bool steps_alike(const char *const next[LANES], const uint8_t *mask, int count,
                               size_t size)
{
    const size_t row = (size_t)count * size;
    for (int i = 1; i < LANES; i++)
        if (next[i] != next[0] + (size_t)i * row)
            return false;
    for (int k = 0; k < count; k++)
        if (mask[k] != ALL_LANES)
            return false;
    return memcmp(next[0], next[1], (LANES - 1) * row) == 0;
}

/* Stores steps as numbers. Returns false if the table is full. */
static bool steps_set_numbers(const step_values *s, int64_t at, const char *next[LANES],
                              const uint8_t *mask, int count, steps_before *before)
{
    _Alignas(64) char piece[STEPS_PIECE * LANES * STEPS_VALUE_BYTES];
    uint8_t *number = (uint8_t *)s->kept + at;
    bool alike = steps_alike(next, mask, count, s->size);
    if (alike && before->count == count &&
        memcmp(before->row, next[0], (size_t)count * s->size) == 0) {
        memcpy(number, (uint8_t *)s->kept + before->at, (size_t)count);
        for (int i = 0; i < LANES; i++)
            next[i] += (size_t)count * s->size;
        return true;
    }
    if (alike)
        *before = (steps_before){next[0], count, at};
    steps_spread(next, mask, count, piece, s->size);
    return steps_number(&s->table, piece, count, number, s->size);
}

/* Stores steps in single precision. Returns false if that loses a bit. */
static bool steps_set_singles(const step_values *s, int64_t at, const char *next[LANES],
                              const uint8_t *mask, int count)
{
    _Alignas(64) double piece[STEPS_PIECE * LANES * STEPS_VALUE_BYTES / sizeof(double)];
    const int64_t parts = LANES * (int64_t)(s->size / sizeof(double));
    steps_spread(next, mask, count, piece, s->size);
    return steps_to_single(piece, count * parts, (float *)s->kept + at * parts);
}

static bool steps_set_piece(const step_values *s, int64_t at, const char *next[LANES],
                            const uint8_t *mask, int count, steps_before *before)
{
    switch (s->form) {
    case STEPS_NUMBER:
        return steps_set_numbers(s, at, next, mask, count, before);
    case STEPS_SINGLE:
        return steps_set_singles(s, at, next, mask, count);
    default:
        steps_spread(next, mask, count, (char *)s->kept + (size_t)at * LANES * s->size, s->size);
        return true;
    }
}

/* Sets the values of the steps from `at` on, whose elements begin at `next`. Returns false if they
 * do not fit the form. */
static bool steps_set(const step_values *s, int64_t at, const char *next[LANES],
                      const uint8_t *mask, int count, steps_before *before)
{
    bool fits = true;
    for (int k = 0; fits && k < count; k += STEPS_PIECE)
        fits = steps_set_piece(s, at + k, next, mask + k,
                               count - k < STEPS_PIECE ? count - k : STEPS_PIECE, before);
    return fits;
}

/* Begins a trial with all forms of this type. */
static void steps_try_first(steps_trial *t, fur_value_type type)
{
    t->single = !fur_value_is_single(type);
    t->number = true;
    memset((void *)t->present, STEPS_FREE, sizeof t->present);
}

/* Rules out the forms that do not fit the first of these steps. If no form remains, returns at
 * once. */
static void steps_try(steps_trial *t, const char *next[LANES], const uint8_t *mask, int count,
                      size_t size)
{
    _Alignas(64) char piece[STEPS_PIECE * LANES * STEPS_VALUE_BYTES];
    float singles[STEPS_PIECE * LANES * 2];
    uint8_t numbers[STEPS_PIECE];
    const steps_table table = {t->values, t->present};
    int n = count < STEPS_PIECE ? count : STEPS_PIECE;
    if (!t->single && !t->number)
        return;
    steps_spread(next, mask, n, piece, size);
    t->single = t->single && steps_to_single((const double *)(const void *)piece,
                                             n * (int64_t)(LANES * size / sizeof(double)), singles);
    t->number = t->number && steps_number(&table, piece, n, numbers, size);
}

/* The narrowest remaining form for `count` steps. If all steps fit the table, they need no
 * numbers. */
static inline steps_form steps_tried(const steps_trial *t, double count)
{
    if (t->number && count > STEPS_DIFFERENT)
        return STEPS_NUMBER;
    return t->single ? STEPS_SINGLE : STEPS_WIDE;
}

/* Allocates memory for `count` steps of this type in this form or a wider one. */
static fur_status steps_allocate(fur_env *env, fur_value_type type, int64_t count, steps_form form,
                                 step_values *s)
{
    s->size = fur_value_size(type);
    /* One more element: arithmetic on a NULL address is undefined. */
    FUR_TRY(fur_env_allocate(env, count + 1, LANES * s->size, &s->kept));
    if (form != STEPS_NUMBER)
        return FUR_OK;
    FUR_TRY(fur_env_allocate(env, STEPS_DIFFERENT, LANES * s->size, &s->table.values));
    return fur_env_allocate(env, STEPS_DIFFERENT, sizeof *s->table.present, &s->table.present);
}

static void steps_release(fur_env *env, step_values *s)
{
    fur_env_release(env, (void *)s->table.present);
    fur_env_release(env, s->table.values);
    fur_env_release(env, s->kept);
}

/* Prepares to set steps in this form, or in the next wider form that has memory. */
static void steps_open(step_values *s, steps_form form, fur_value_type type)
{
    if (form == STEPS_NUMBER && !s->table.values)
        form = STEPS_SINGLE;
    if (form == STEPS_SINGLE && fur_value_is_single(type))
        form = STEPS_WIDE;
    s->form = form;
    if (form == STEPS_NUMBER)
        memset((void *)s->table.present, STEPS_FREE, STEPS_DIFFERENT);
}

/* Sets all steps with a loop that counts the misfits in *misfits. If they do not fit this form, a
 * wider form is used. */
static void steps_set_all(const fur_env *env, step_values *s, fur_value_type type, steps_form form,
                          fur_shared *misfits, int64_t worth, int64_t count, fur_body *body,
                          void *job)
{
    do {
        *misfits = 0;
        steps_open(s, form, type);
        fur_parallel(env, worth, count, body, job);
        form = s->form == STEPS_NUMBER ? STEPS_SINGLE : STEPS_WIDE;
    } while (*misfits > 0);
}

/* Bytes of a step. */
static inline int64_t steps_bytes(steps_form form, size_t size)
{
    switch (form) {
    case STEPS_NUMBER:
        return 1;
    case STEPS_SINGLE:
        return LANES * (int64_t)size / 2;
    default:
        return LANES * (int64_t)size;
    }
}

#endif
