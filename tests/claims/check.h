/* Exact quantities of a trial, and the checks of a report's numbers. */
#ifndef FURROW_TESTS_CHECK_H
#define FURROW_TESTS_CHECK_H

#include "trial.h"

/* Relative error of norms and quotients in double precision. */
#define NORM_SLACK ((real)1e-13)

/* A matrix is numerically singular if its least singular value is below this times n epsilon
 * ||A||_F. The same limit is used for eigenvalues that may not be positive. */
#define SINGULAR_SLACK 16

/* Singular values are computed only for matrices with at most this many columns. */
#define MAX_VALUES 24

/* The residual of one x. */
typedef struct residual {
    real norm;
    real rounding; /* bound of the rounding error of its norm */
    number r[MAX_ROWS];
    real off[MAX_ROWS]; /* the bound for each row */
} residual;

/* Exact quantities of a trial. */
typedef struct truth {
    real b;       /* norm of b */
    real x;       /* norm of x */
    real step;    /* norm of x - guess */
    real a;       /* norm of A */
    real epsilon; /* of the value type */
    real target;
    residual last;
    residual first; /* residual of the initial guess */
} truth;

/* Returns whether auto has solved another system, with scaled rows and columns. */
bool is_scaled(const trial *t);
bool is_dense(const trial *t);
exact matrix_of(const trial *t);

/* Returns whether A(i, j) and the conjugate of A(j, i) differ at most by rounding of this
 * epsilon. */
bool is_hermitian(const exact *a, real epsilon);

/* Checks the numbers of the report except the residual (figures.c). */
void check_figures(const trial *t, const truth *is);

#endif
