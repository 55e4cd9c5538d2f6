/* The solve of a caller, in stages: opened, started from the residual of the guess, a first pass,
 * and finished by more passes if it needs them. */
#ifndef FURROW_SOLVER_DRIVE_H
#define FURROW_SOLVER_DRIVE_H

#include "solver.h"

/* What it is about, and what is known of it in the caller's units. */
typedef struct fur_drive {
    fur_solver *solver;
    fur_pass *pass;
    const fur_vector *b;     /* without its part of the nullspace */
    const fur_vector *given; /* the caller's */
    fur_vector *x;
    double b_norm;
    double whole;          /* ||b|| with its part of the nullspace */
    double outside;        /* the norm of that part */
    double goal;           /* for the true residual */
    double residual;       /* the true one */
    double first;          /* that of the guess */
    double guess;          /* the largest modulus in the guess */
    int lift;              /* passes see 2^-lift A; 0: they see A */
    double normal;         /* ||A^H r - damp^2 d||, where d is the change of x; -1: not computed */
    double damped;         /* damp ||d||, which damping adds to the residual */
    double slope;          /* normal / max(residual, damped) */
    double x_norm;         /* of x, if slope or backward_error is known */
    double backward_error; /* as in the report */
    bool from_zero;        /* the guess is 0 */
    bool reduced;          /* passes are of the reduced system */
    double start;          /* when it began */
} fur_drive;

/* A x = b with this guess, whose pass is kept there; x = 0 if b is. */
fur_status fur_drive_open(fur_solver *solver, const fur_vector *b, fur_vector *x, fur_pass *pass,
                          fur_drive *d);

/* Whether the tolerance has room for the part of b outside the range of A. */
bool fur_drive_hides_outside(const fur_drive *d);

/* r = b - A x and its norm. */
fur_status fur_drive_find_residual(fur_drive *d, const fur_vector *x);

/* r = b - r and its norm; r holds A x. */
fur_status fur_drive_take_residual(fur_drive *d, fur_vector *r);

/* The vector whose product with A comes first: the guess; b if the guess is 0. That product then
 * costs the same and tells the scale of A. */
const fur_vector *fur_drive_probe(const fur_drive *d);

/* The residual of the guess and its norm, from r = A v of the probe v. Sets d->lift. */
fur_status fur_drive_take_first(fur_drive *d, fur_vector *r);

/* After the residual of the guess: whether there is nothing to do. FUR_INVALID if it is not finite.
 */
fur_status fur_drive_start(fur_drive *d, const fur_vector *r, bool *over);

/* Says which entry of b, of the guess or of r is not finite. */
fur_status fur_drive_refuse_wild(const fur_drive *d, const fur_vector *r);

/* Whether the first pass must be one of a correction: for least squares, if the residual needs a
 * scale, and if x may get worse. */
bool fur_drive_must_correct(const fur_drive *d);

/* The pass begins from a residual, to improve x or a correction of it, towards a target in the
 * caller's units. */
void fur_drive_aim(fur_drive *d, fur_vector *x, double target);

/* One pass, towards a target in the caller's units: it improves x, or a correction from 0. */
fur_status fur_drive_run_pass(fur_drive *d, fur_vector *x, double target);

/* From the true residual after the first pass to the outcome: r has it, and more passes. */
fur_status fur_drive_finish(fur_drive *d, const fur_vector *r);

/* All after the start. */
fur_status fur_drive_solve(fur_drive *d);

/* ||R r|| / ||R b||, R the scales of the rows of A; NaN if b is 0. r and the spare vector are lost.
 */
fur_status fur_relative_by_rows(const fur_csr_view *a, const fur_vector *b, fur_vector *r,
                                fur_vector *spare, double *relative);

/* Settles the outcome and fills the report, with the bounds that were asked for. NULL: neither. */
fur_status fur_drive_report(fur_drive *d, fur_solver_report *report);

#endif
