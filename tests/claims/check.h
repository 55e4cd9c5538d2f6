/* The truth about a trial, and the checks of a report's figures. */
#ifndef FURROW_TESTS_CHECK_H
#define FURROW_TESTS_CHECK_H

#include "trial.h"

/* Norms themselves, in double, and quotients err by less than this. */
#define NORM_SLACK ((real)1e-13)

/* A matrix is numerically singular if its least singular value is below this times n epsilon
 * ||A||_F; the same of an eigenvalue that is not positive. */
#define SINGULAR_SLACK 16

/* Singular values are computed of matrices with at most this many columns. */
#define MAX_VALUES 24

/* As above, for the residual of one x. */
typedef struct residual {
    real norm;
    real rounding; /* what computing it may be off by */
    number r[MAX_ROWS];
    real off[MAX_ROWS]; /* that by rows */
} residual;

/* The truth about a trial. */
typedef struct truth {
    real b;       /* norms */
    real x;       /* of x */
    real step;    /* of x - guess */
    real a;       /* of A */
    real epsilon; /* of the value type */
    real target;
    residual last;
    residual first; /* of the guess */
} truth;

/* Returns whether auto has solved another system, with scaled rows and columns. */
bool is_scaled(const trial *t);
bool is_dense(const trial *t);
exact matrix_of(const trial *t);

/* Returns whether A(i, j) and the conjugate of A(j, i) differ by rounding of this epsilon at most.
 */
bool is_hermitian(const exact *a, real epsilon);

/* The figures of the report, but for the residual (figures.c). */
void check_figures(const trial *t, const truth *is);

#endif
