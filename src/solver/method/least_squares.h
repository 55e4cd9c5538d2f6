/* What the methods of least squares share: when they are done, rotations, and the bidiagonalisation
 * of A that lsqr and lsmr stand on. */
#ifndef FURROW_METHOD_LEAST_SQUARES_H
#define FURROW_METHOD_LEAST_SQUARES_H

#include "solver.h"

/* fur_pass_is_over, or ||A^H r - damp^2 x|| is at most solve->gradient ||A|| times `whole`, the
 * residual sqrt(||r||^2 + damp^2 ||x||^2) with its damped part. share: the former over ||A||. */
bool fur_least_squares_is_over(fur_pass *solve, int64_t iteration, double residual, double whole,
                               double share);

/* ||r|| where ||r||^2 + damp^2 ||x||^2 is known; `plain` without damping. NaN stays, as a breakdown
 * to be noticed. */
double fur_least_squares_undamped(const fur_pass *solve, double plain, double square,
                                  double x_norm);

/* What the start of a pass tells, with a gradient g of length `slope` for a residual of length 1,
 * ||M g|| and p, which points along M M g: x may be a least-squares solution, M singular, or not
 * Hermitian, as g.M M g = ||M g||^2 is not so. If the pass is over, sets its outcome. */
fur_status fur_least_squares_check_start(fur_pass *solve, double slope, double length,
                                         const fur_vector *g, const fur_vector *p, bool *over);

/* The upper bidiagonal matrix whose squares are what CG on the normal equations knows of A M: of
 * its first rows the singular values lie between those of A M. */
typedef struct fur_triangle {
    double *zeros;
    double *entries; /* row by row: on the diagonal, then beside it */
    int64_t rows;
    double epsilon;
    double most;  /* the largest entry */
    bool is_over; /* takes no more rows */
} fur_triangle;

/* Doubles of scratch that it takes; rows beyond a limit are not kept. */
int64_t fur_triangle_scratch(int restart);

fur_triangle fur_triangle_of(const fur_pass *solve);
void fur_triangle_add(fur_triangle *r, double diagonal, double beside);

/* Raises solve->condition by it. */
void fur_triangle_take_condition(const fur_triangle *r, fur_pass *solve);

/* Bytes of as many transfers of vectors with rows and with cols entries. */
double fur_least_squares_bytes(const fur_pass *solve, int rows_transfers, int cols_transfers);

/* The rotation that makes (a, b) to (length, 0): c = a / length, s = b / length. Without overflow;
 * (1, 0) where both are 0. */
typedef struct fur_rotation {
    double c;
    double s;
    double length;
} fur_rotation;

fur_rotation fur_rotation_of(double a, double b);

/* Bidiagonalisation of A M (Golub and Kahan 1965, as Paige and Saunders 1982 write it), M
 * Hermitian, from u = r / ||r||: with unit vectors u_k and v_k
 *     beta u_(k+1) = A M v_k - alpha u_k, alpha v_(k+1) = M A^H u_(k+1) - beta v_k.
 * Instead of v the process carries t with v = M t, and p = M v, the direction of x. */
typedef struct fur_bidiagonal {
    fur_vector *u; /* and the spare ones, with which they change places */
    fur_vector *u_spare;
    fur_vector *t;
    fur_vector *t_spare;
    fur_vector *p; /* t itself without a preconditioner */
    double alpha;
    double beta;
    double t_norm; /* ||t||: the gradient of A is this times that of A M */
    /* A power of two that brings ||A M|| near 1. Methods compute with alpha, beta and damp times
     * this, so that their squares have room, and x advances by what they find times this. */
    double unit;
} fur_bidiagonal;

/* Vectors of cols entries that it takes from the front of the workspace; the first is the spare
 * one. It needs one of rows entries, too. */
#define FUR_BIDIAGONAL_WORK 3

/* The first step, from s->r; *over if the pass ends there, with its outcome set. */
fur_status fur_bidiagonal_start(fur_pass *solve, fur_bidiagonal *v, bool *over);

/* A step: two products. Raises solve->norm. */
fur_status fur_bidiagonal_step(fur_pass *solve, fur_bidiagonal *v);

#endif
