/* Dense matrices in quadruple precision. They give results for small systems that count as exact.
 * `real` has 113 bits if the compiler offers them, and otherwise the bits of a long double. Its
 * exponents reach 1e4932, so no product of doubles overflows or underflows. */
#ifndef FURROW_TESTS_EXACT_H
#define FURROW_TESTS_EXACT_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#if LDBL_MANT_DIG < 113 && defined(__SIZEOF_FLOAT128__)
typedef __float128 real;
#    define REAL_EPSILON 0x1p-112L
#else
typedef long double real;
#    define REAL_EPSILON LDBL_EPSILON
#endif

typedef struct number {
    real re;
    real im;
} number;

static inline number add(number a, number b)
{
    return (number){a.re + b.re, a.im + b.im};
}

static inline number subtract(number a, number b)
{
    return (number){a.re - b.re, a.im - b.im};
}

static inline number multiply(number a, number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline number times(real factor, number a)
{
    return (number){factor * a.re, factor * a.im};
}

static inline number conjugate(number a)
{
    return (number){a.re, -a.im};
}

/* Returns |a|^2. */
static inline real square(number a)
{
    return a.re * a.re + a.im * a.im;
}

static inline real larger(real a, real b)
{
    return a > b ? a : b;
}

static inline real magnitude(real a)
{
    return a < 0 ? -a : a;
}

static inline bool is_finite(real a)
{
    return a - a == 0;
}

real square_root(real a);
real modulus(number a);
/* Returns ||v||_2. */
real norm_of(const number *v, int n);

/* A matrix of rows x cols numbers, stored by rows. */
typedef struct exact {
    int rows;
    int cols;
    number *at;
} exact;

/* Returns a matrix of zeros. */
exact exact_make(int rows, int cols);
void exact_release(exact *a);
exact exact_copy(const exact *a);
exact exact_adjoint(const exact *a);
exact exact_product(const exact *a, const exact *b);
real exact_norm(const exact *a); /* Frobenius */

/* Computes the Cholesky factor L, L L^H = (A + A^H) / 2 + shift I. Returns false if this matrix is
 * not positive definite. */
bool exact_cholesky(const exact *a, real shift, exact *l);

/* Replaces B by A^-1 B, by elimination with complete pivoting. Returns false if a pivot is 0. */
bool exact_solve(const exact *a, exact *b);

/* Returns a lower bound of the least singular value of a square A: 1 / ||A^-1||_F, or 0. */
real exact_least(const exact *a);

/* Computes the singular values of A, one for each column, in descending order, by one-sided Jacobi
 * rotations (Hestenes 1958). The columns of A become the columns of U times the values. */
void exact_values(exact *a, real *values);

#endif
