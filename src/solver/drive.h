/* The stages of a solve: opened, started from the residual of the initial guess, a first pass, and
 * more passes if needed. */
#ifndef FURROW_SOLVER_DRIVE_H
#define FURROW_SOLVER_DRIVE_H

#include "solver.h"

/* The data of a solve, in the caller's units. */
typedef struct fur_drive {
    fur_solver *solver;
    fur_pass *pass;
    const fur_vector *b;     /* without its part in the nullspace */
    const fur_vector *given; /* the caller's b */
    fur_vector *x;
    double b_norm;
    double whole;          /* ||b|| with its part in the nullspace */
    double outside;        /* norm of the part of b in the nullspace */
    double goal;           /* goal for the true residual */
    double residual;       /* true residual */
    double first;          /* residual of the initial guess */
    double guess;          /* largest modulus in the initial guess */
    int lift;              /* passes see 2^-lift A; 0: A */
    double normal;         /* ||A^H r - damp^2 d||, where d is the change of x; -1: not computed */
    double damped;         /* damp ||d||, the damped part of the residual */
    double slope;          /* normal / max(residual, damped) */
    double x_norm;         /* ||x||, if slope or backward_error is known */
    double backward_error; /* as in the report */
    bool from_zero;        /* the initial guess is 0 */
    bool reduced;          /* passes work on the reduced system */
    double start;          /* time at which it began */
} fur_drive;

/* Opens A x = b with this initial guess. `pass` has the state of its passes. If b = 0, x becomes
 * 0. */
fur_status fur_drive_open(fur_solver *solver, const fur_vector *b, fur_vector *x, fur_pass *pass,
                          fur_drive *d);

/* Returns whether the part of b outside the range of A fits within the tolerance. */
bool fur_drive_hides_outside(const fur_drive *d);

/* r = b - A x and its norm. */
fur_status fur_drive_find_residual(fur_drive *d, const fur_vector *x);

/* r = b - r and its norm, where r contains A x. */
fur_status fur_drive_take_residual(fur_drive *d, fur_vector *r);

/* The vector that is first multiplied by A: the initial guess, or b if the guess is 0. This product
 * then costs the same, and shows the scale of A. */
const fur_vector *fur_drive_probe(const fur_drive *d);

/* Computes the residual of the initial guess and its norm from r = A v, where v is the probe. Sets
 * d->lift. */
fur_status fur_drive_take_first(fur_drive *d, fur_vector *r);

/* Called after the residual of the guess: whether there is nothing to do. Returns FUR_INVALID if it
 * is not finite. */
fur_status fur_drive_start(fur_drive *d, const fur_vector *r, bool *over);

/* Fails with a sentence about the nonfinite entry of b, of the guess or of r. */
fur_status fur_drive_refuse_nonfinite(const fur_drive *d, const fur_vector *r);

/* Returns whether the first pass must compute a correction. It must for least squares, if the
 * residual needs a scale, and if x may get worse. */
bool fur_drive_must_correct(const fur_drive *d);

/* Prepares a pass from a residual. The pass improves x, or a correction of x. The target is in the
 * caller's units. */
void fur_drive_aim(fur_drive *d, fur_vector *x, double target);

/* Runs one pass towards a target in the caller's units. It improves x, or a correction that starts
 * from 0. */
fur_status fur_drive_run_pass(fur_drive *d, fur_vector *x, double target);

/* Continues from the true residual after the first pass, which r contains, with more passes to the
 * outcome. */
fur_status fur_drive_finish(fur_drive *d, const fur_vector *r);

/* Does everything after fur_drive_start. */
fur_status fur_drive_solve(fur_drive *d);

/* ||R r|| / ||R b||, where R has the scales of the rows of A. NaN if b is 0. r and the spare vector
 * are overwritten. */
fur_status fur_relative_by_rows(const fur_csr_view *a, const fur_vector *b, fur_vector *r,
                                fur_vector *spare, double *relative);

/* Determines the outcome and fills the report, including the requested bounds. If report is NULL,
 * does neither. */
fur_status fur_drive_report(fur_drive *d, fur_solver_report *report);

#endif
