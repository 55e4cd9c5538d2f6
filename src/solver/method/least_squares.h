/* Code that the methods of least squares share: when they end, rotations, and the bidiagonalisation
 * of A on which lsqr and lsmr are based. */
#ifndef FURROW_METHOD_LEAST_SQUARES_H
#define FURROW_METHOD_LEAST_SQUARES_H

#include "solver.h"

/* Returns whether fur_pass_is_over, or ||A^H r - damp^2 x|| is at most pass->gradient ||A||
 * `whole`. whole: the residual with its damped part, sqrt(||r||^2 + damp^2 ||x||^2). share: the
 * left side over ||A||. */
bool fur_least_squares_is_over(fur_pass *pass, int64_t iteration, double residual, double whole,
                               double share);

/* ||r|| from ||r||^2 + damp^2 ||x||^2. If damp is 0, the result is `plain`. NaN is returned as NaN,
 * so that the breakdown is noticed. */
double fur_least_squares_undamped(const fur_pass *pass, double plain, double square, double x_norm);

/* Tests the start of a pass. x may be a least-squares solution, or M may be singular. If g.M M g
 * differs from ||M g||^2, M is not Hermitian. If the pass is over, sets its outcome.
 *
 * g: the gradient, with norm `slope` for a residual of norm 1. length: ||M g||. p: points along M M
 * g. */
fur_status fur_least_squares_check_start(fur_pass *pass, double slope, double length,
                                         const fur_vector *g, const fur_vector *p, bool *over);

/* The upper bidiagonal matrix that CG on the normal equations finds for A M. The singular values of
 * its first rows lie between the singular values of A M. */
typedef struct fur_triangle {
    double *zeros;
    double *entries; /* row by row: on the diagonal, then beside it */
    int64_t rows;
    double epsilon;
    double most;  /* the largest entry */
    bool is_over; /* accepts no more rows */
} fur_triangle;

/* The number of doubles of scratch that it needs. Rows beyond a limit are not stored. */
int64_t fur_triangle_scratch(int restart);

fur_triangle fur_triangle_of(const fur_pass *pass);
void fur_triangle_add(fur_triangle *r, double diagonal, double beside);

/* Raises pass->condition to the triangle's condition. */
void fur_triangle_take_condition(const fur_triangle *r, fur_pass *pass);

/* Bytes of these numbers of transfers of vectors with rows entries and with cols entries. */
double fur_least_squares_bytes(const fur_pass *pass, int rows_transfers, int cols_transfers);

/* The rotation that maps (a, b) to (length, 0): c = a / length, s = b / length. It does not
 * overflow. If both are 0, it is (1, 0). */
typedef struct fur_rotation {
    double c;
    double s;
    double length;
} fur_rotation;

fur_rotation fur_rotation_of(double a, double b);

/* Bidiagonalisation of A M (Golub and Kahan 1965, in the notation of Paige and Saunders 1982), with
 * Hermitian M, starting from u = r / ||r||. With unit vectors u_k and v_k:
 *     beta u_(k+1) = A M v_k - alpha u_k, alpha v_(k+1) = M A^H u_(k+1) - beta v_k.
 * The process stores t with v = M t instead of v, and p = M v, the direction of x. */
typedef struct fur_bidiagonal {
    fur_vector *u; /* u, t and their spare vectors are swapped */
    fur_vector *u_spare;
    fur_vector *t;
    fur_vector *t_spare;
    fur_vector *p; /* t itself if M is NULL */
    double alpha;
    double beta;
    double t_norm; /* ||t||: the gradient of A is this times the gradient of A M */
    /* A power of two that scales ||A M|| to near 1. Methods compute with alpha, beta and damp times
     * this, so that their squares do not overflow or underflow. x advances by their step times
     * this. */
    double unit;
} fur_bidiagonal;

/* Vectors of cols entries that it takes from the front of the workspace. The first one is the spare
 * vector. It also needs one vector of rows entries. */
#define FUR_BIDIAGONAL_WORK 3

/* The first step, from s->r. If the pass ends there, *over is true and its outcome is set. */
fur_status fur_bidiagonal_start(fur_pass *pass, fur_bidiagonal *v, bool *over);

/* A step, with two products. Raises pass->norm. */
fur_status fur_bidiagonal_step(fur_pass *pass, fur_bidiagonal *v);

#endif
