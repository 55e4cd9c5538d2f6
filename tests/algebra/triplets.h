/* Expected results for the tests of operations on matrices. They are lists of entries in any order,
 * made by the definition of each operation. */
#ifndef FURROW_TESTS_TRIPLETS_H
#define FURROW_TESTS_TRIPLETS_H

#include "support.h"

/* Entries (row, col, value) in arrays that grow. */
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
/* Returns all entries of a matrix. */
triplets triplets_of(const fur_csr *a);
/* Returns entry k. */
fur_scalar triplets_at(const triplets *t, int64_t k);

/* Checks that the matrix has exactly these entries, bit for bit and sorted, and that its offsets
 * are no wider than its size needs. Destroys both. */
void triplets_expect(fur_csr *a, triplets *t, const char *what);

/* Return a b and a b + c in a value type, with the roundings of docs/numerics.md. */
fur_scalar times(fur_value_type value, fur_scalar a, fur_scalar b);
fur_scalar times_plus(fur_value_type value, fur_scalar a, fur_scalar b, fur_scalar c);

/* matrix_of() makes a matrix of a shape. `type` is from 0 to 7 and chooses the value type and the
 * offset type. matrix_like() makes one of the same size with about half of the entries and some
 * others. */
#define TYPES (FUR_VALUE_COUNT * FUR_OFFSET_COUNT)
fur_csr *matrix_of(fur_context *context, rng *r, const shape *s, int type);
fur_csr *matrix_like(const fur_csr *a, rng *r);

#endif
