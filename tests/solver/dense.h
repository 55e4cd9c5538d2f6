/* Small systems as dense arrays, random or set by hand. They are converted to matrices of the
 * library and solved in long double for comparison. */
#ifndef FURROW_TESTS_DENSE_H
#define FURROW_TESTS_DENSE_H

#include "support.h"

#include <complex.h>

/* A system A x = b of n rows. Its entries are numbers of the value type. */
typedef struct dense {
    fur_value_type value;
    int64_t n;
    fur_scalar *a; /* by rows */
    fur_scalar *b;
} dense;

/* Returns a system of zeros. */
dense dense_make(fur_value_type value, int64_t n);
void dense_release(dense *d);
/* Sets a(row, col) to the entry, rounded to the value type. */
void dense_set(dense *d, int64_t row, int64_t col, fur_scalar entry);
/* Sets a random right-hand side. */
void dense_draw_b(dense *d, rng *r);

/* Returns a matrix with some random entries in each row. The diagonal entry is larger than the sum
 * of the other entries by at least 1, so no row of the inverse has a sum of moduli above 1.
 * `hermitian`: the matrix is Hermitian. `positive`: all diagonal entries are positive; otherwise
 * they have both signs. */
dense dense_dominant(rng *r, fur_value_type value, int64_t n, bool hermitian, bool positive);

/* The objects of the library for a system, with x = 0. */
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

/* Returns the solution of A x = b by elimination with pivots; the caller frees it. */
long double complex *dense_solution(const dense *d);
/* Returns ||b - A x|| for an x in the value type. */
long double dense_residual(const dense *d, const void *x);
/* Returns a bound of the error of ||b - A x|| computed in the value type. */
long double dense_rounding(const dense *d, const void *x);
long double dense_b_norm(const dense *d);

#endif
