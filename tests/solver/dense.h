/* Small systems as dense arrays: made at random or by hand, handed to the library as a matrix, and
 * solved in long double for comparison. */
#ifndef FURROW_TESTS_DENSE_H
#define FURROW_TESTS_DENSE_H

#include "support.h"

#include <complex.h>

/* A x = b of n rows; entries are numbers of the value type. */
typedef struct dense {
    fur_value_type value;
    int64_t n;
    fur_scalar *a; /* by rows */
    fur_scalar *b;
} dense;

/* Zeros. */
dense dense_make(fur_value_type value, int64_t n);
void dense_release(dense *d);
/* a(row, col) = entry, rounded to the value type. */
void dense_set(dense *d, int64_t row, int64_t col, fur_scalar entry);
/* A random right-hand side. */
void dense_draw_b(dense *d, rng *r);

/* Random rows of some entries. The diagonal entry is larger than the sum of the others by at least
 * 1, so no row of the inverse has a sum of moduli above 1. `hermitian`: the matrix is Hermitian.
 * `positive`: all diagonal entries are positive; otherwise they have both signs. */
dense dense_dominant(rng *r, fur_value_type value, int64_t n, bool hermitian, bool positive);

/* The library's view of a system: vectors x (zeros) and b. */
typedef struct dense_problem {
    fur_context *context;
    fur_csr *matrix;
    fur_spmv *plan;
    fur_spmv *adjoint_plan;
    fur_operator *a;
    fur_operator *adjoint; /* A^H */
    fur_vector *b;
    fur_vector *x;
} dense_problem;

dense_problem dense_open(const dense *d, fur_context *context);
void dense_close(dense_problem *p);

/* x with A x = b, by elimination with pivots; to be freed. */
long double complex *dense_solution(const dense *d);
/* ||b - A x|| for the entries x of the library. */
long double dense_residual(const dense *d, const void *x);
/* Bound of the error of ||b - A x|| computed in the value type. */
long double dense_rounding(const dense *d, const void *x);
long double dense_b_norm(const dense *d);

#endif
