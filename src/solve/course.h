/* One call of fur_solve: its arguments, the objects that it has made, and the best x so far. */
#ifndef FURROW_CHOOSE_COURSE_H
#define FURROW_CHOOSE_COURSE_H

#include "balance.h"
#include "solver.h"

/* An attempt that is over. */
typedef struct fur_attempt {
    fur_choice choice;
    fur_outcome outcome;
} fur_attempt;

#define FUR_MAX_ATTEMPTS 16

/* The caller's system A x = b. The course solves this system, or R A C y = R b with x = C y. */
typedef struct fur_plain_system {
    const fur_csr *a;
    const fur_csr *ordered; /* a in the order of the product */
    const fur_product *product;
    const fur_vector *b;
    fur_vector *x; /* NULL: the course works on the caller's system */
} fur_plain_system;

typedef struct fur_course {
    fur_context *context;
    const fur_csr *a;
    const fur_vector *b;
    fur_vector *x;
    fur_solve_options options;
    fur_solver_options solver; /* the caller's */
    fur_csr_traits traits;
    fur_product *own; /* if the caller has none */
    const fur_product *product;
    fur_spmv *plan; /* of the adjoint */
    fur_operator *adjoint;
    fur_vector *guess; /* the first x */
    double first;      /* the residual of the guess, relative to b */
    fur_vector *best;  /* x of the attempt that best_report is of */
    fur_solver_report best_report;
    fur_solver_report sum; /* iterations, products and seconds of all attempts */
    fur_precond *grid;     /* of a matrix with smooth coefficients, until it is tried */
    fur_precond *made;     /* of the attempt in progress; NULL: none */
    char refusal[160];     /* why that could not be made */
    int attempts;
    fur_attempt attempt[FUR_MAX_ATTEMPTS];
    fur_vectors *null_space; /* found in A; NULL: none */
    bool singular;           /* A has null vectors, known for A^H or not */
    /* For a scaled system; otherwise NULL. */
    fur_balance balance;
    double unit; /* ||b||, or 1 */
    double goal; /* for ||b - A x|| / unit */
    fur_plain_system plain;
    fur_csr *scaled_a;
    fur_product *scaled_product;
    fur_vector *scaled_b;
    fur_vector *scaled_x;
    fur_vector *plain_x; /* C y */
    fur_vector *plain_r; /* b - A x */
} fur_course;

/* Finds the constant null vectors of A's connected components: c->null_space. */
fur_status fur_course_find_null_space(fur_course *c);

/* Replaces the system by the scaled system if the options and the scales of A's rows and columns
 * ask for it. */
fur_status fur_course_scale(fur_course *c);

/* Returns to the caller's system, and scales x, the guess and the best x back. */
fur_status fur_course_unscale(fur_course *c);

/* Calls fur_solver_solve for the scaled system. The report has the residuals of both systems. Its
 * outcome is a success only if both residuals meet their tolerances. */
fur_status fur_course_solve_scaled(fur_course *c, fur_solver *solver, fur_solver_report *report);

/* Returns the residual that decides which x is better. */
double fur_course_measure(const fur_solver_report *report);

/* Destroys the objects that scaling has made. */
void fur_course_release_scaled(fur_course *c);

#endif
