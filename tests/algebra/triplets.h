/* References for the tests of operations on matrices: lists of entries in any order, made by the
 * definition of each operation. */
#ifndef FURROW_TESTS_TRIPLETS_H
#define FURROW_TESTS_TRIPLETS_H

#include "support.h"

/* Entries (row, col, value); the arrays grow. */
typedef struct triplets {
    int64_t rows;
    int64_t cols;
    fur_value_type value;
    int64_t count;
    int64_t room;
    int32_t *row;
    int32_t *col;
    char *values;
} triplets;

triplets triplets_make(int64_t rows, int64_t cols, fur_value_type value);
void triplets_add(triplets *t, int64_t row, int64_t col, fur_scalar value);
void triplets_release(triplets *t);
/* All entries of a matrix. */
triplets triplets_of(const fur_csr *a);
/* Entry k. */
fur_scalar triplets_at(const triplets *t, int64_t k);

/* The matrix has these entries, to the bit, and nothing else; sorted, with the offsets that its
 * size needs. Both go. */
void triplets_expect(fur_csr *a, triplets *t, const char *what);

/* a b, and a b + c, as docs/numerics.md has them, in a value type. */
fur_scalar times(fur_value_type value, fur_scalar a, fur_scalar b);
fur_scalar times_plus(fur_value_type value, fur_scalar a, fur_scalar b, fur_scalar c);

/* A matrix of a shape whose value type and offsets number 0 .. 7 says, and one of the same size
 * with about half of its entries and some others. */
#define TYPES (FUR_VALUE_COUNT * FUR_OFFSET_COUNT)
fur_csr *matrix_of(fur_context *context, rng *r, const shape *s, int type);
fur_csr *matrix_like(const fur_csr *a, rng *r);

#endif
