/* One random solve: the problem as the library sees it, the way to solve it, and the result. */
#ifndef FURROW_TESTS_TRIAL_H
#define FURROW_TESTS_TRIAL_H

#include "exact.h"

#include <furrow/furrow.h>

#include <stdint.h>

#define MAX_POINTS 27
#define MAX_ROWS 4000
#define MAX_DENSE 60 /* rows and columns of systems that are checked as dense matrices */

/* A term of a row. A position has at most one term, except in stencils. */
typedef struct term {
    int32_t row;
    int32_t col;
    double re;
    double im;
} term;

typedef struct trial {
    fur_context *context;
    char kind[64];   /* of the problem, in words */
    char solve[160]; /* how it is solved, in words */
    fur_value_type value;
    int64_t rows;
    int64_t cols;
    int64_t count;
    int most; /* largest number of terms in a row */
    term terms[MAX_ROWS * MAX_POINTS];
    fur_stencil *stencil;
    fur_multigrid *multigrid; /* NULL unless the stencil has one */
    fur_csr *matrix;
    fur_spmv *plan;
    fur_spmv *adjoint_plan;
    fur_operator *a;
    fur_operator *adjoint;
    fur_precond *precond;
    fur_operator *m; /* the preconditioner; NULL: none, or one that auto makes */
    fur_vector *b;
    fur_vector *x;
    double guess[2 * MAX_ROWS]; /* entries as the library stores them */
    bool automatic;             /* solved by fur_solve */
    bool least_squares;         /* solved by a least-squares method */
    double rtol;
    double atol;
    double damp;
    int64_t max_iterations;
    fur_status status;
    fur_solver_report report;
} trial;

/* --- random numbers (draw.c) ------------------------------------------------------------------ */

/* Begins the stream of case `turn` of a seed. */
void draw_start(uint64_t seed, uint64_t turn);
double unit(void); /* in (-1, 1) */
int64_t below(int64_t limit);
double scale(double from, double to); /* 10^from to 10^to */

/* --- entries (trial.c) ------------------------------------------------------------------------ */

bool is_single(fur_value_type value);
bool is_complex(fur_value_type value);
double round_to(fur_value_type value, double a); /* at most the largest finite number */
void set_entry(fur_value_type value, void *array, int64_t i, double re, double im);
double entry_part(fur_value_type value, const void *array, int64_t i, int part);
number entry_number(fur_value_type value, const void *array, int64_t i);
void add_term(trial *t, int64_t row, int64_t col, double re, double im);

/* --- problems --------------------------------------------------------------------------------- */

/* A way to draw square systems. It sets t->rows and adds terms. Terms of one position are
 * summed. */
typedef struct family {
    const char *name;
    void (*draw)(trial *t);
} family;

void draw_family(trial *t, const family *families, int count); /* draw.c */
void draw_stencil(trial *t);                                   /* grids.c */
void draw_large(trial *t);                                     /* grids.c */
void make_matrix(trial *t); /* trial.c: the matrix of the terms, and its operator */
/* Computes y = A x, rounded once. */
void multiply_entries(const trial *t, const double *x, double *y); /* draw.c */
/* Draws b of size `by`. Returns true if b = A x, and stores this x. Otherwise b is arbitrary. */
bool draw_right_side(const trial *t, double by, double *b, double *x); /* draw.c */
void set_vectors(trial *t, const double *b); /* trial.c: b, and x from t->guess */

/* --- suites ----------------------------------------------------------------------------------- */

void draw_random(trial *t);           /* draw.c */
void draw_stiff(trial *t);            /* stiff.c */
void draw_singular(trial *t);         /* singular.c */
void solve_trial(trial *t);           /* solve.c: by any method and options */
void solve_by_default(trial *t);      /* solve.c: fur_solve without options */
void check_trial(trial *t);           /* check.c: ends the process if a claim is false */
void check_stiff(trial *t);           /* stiff.c: also if the system is not solved */
void check_singular_system(trial *t); /* singular.c: also if its outcome is wrong */

void print_trial(const trial *t);
void release_trial(trial *t);

/* Tells the watching process which solve begins. */
void announce(const trial *t);
/* Ends the process, because a claim of the trial is false. Failures are counted by `kind`. */
_Noreturn void fail(const trial *t, const char *kind, real is, real allowed);
/* Ends the process if the call has failed. */
void must(const trial *t, fur_status status);

#endif
