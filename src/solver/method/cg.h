/* The steps of conjugate gradients (cg.c). They form an iteration for one system, or for several
 * systems at once (cg_block.c). */
#ifndef FURROW_METHOD_CG_H
#define FURROW_METHOD_CG_H

#include "solver.h"

/* The vectors of a solve, with their names in the literature. */
typedef struct fur_cg {
    fur_vector *r;       /* residual */
    fur_vector *p[2];    /* search direction; fused passes alternate between both */
    fur_vector *q;       /* A p */
    fur_vector *z;       /* M r; r itself if M is diagonal or missing */
    const fur_vector *d; /* diagonal of M; NULL: M is constant */
    fur_scalar constant;
    bool applies; /* M is another operator: z is stored */
    bool fuses;   /* iterations consist of the passes of fused.h */
} fur_cg;

/* The state of one pass. */
typedef struct fur_cg_course {
    fur_pass *s;
    fur_cg v;
    int64_t before;   /* iterations of earlier passes */
    double first;     /* ||r|| at the start */
    int64_t issued;   /* iterations whose residual is computed or queued */
    bool turned;      /* the last iteration's update of x and p is queued too */
    bool records;     /* iterations are recorded and replayed, if possible */
    int64_t recorded; /* iteration after which they were recorded; 0: not yet */
    bool peeked;      /* the host has not read the last peek yet */
} fur_cg_course;

/* Returns whether the host checks the course after this iteration: 16, 32, 64, ... */
static inline bool fur_cg_is_milestone(int64_t iteration)
{
    return iteration >= 16 && (iteration & (iteration - 1)) == 0;
}

/* Opens a pass of the solve. */
fur_status fur_cg_open(fur_pass *s, fur_cg_course *c);

/* The first direction: p = z; r.z */
fur_status fur_cg_begin(const fur_cg_course *c);

/* r -= alpha q with alpha = r.z / p.q and q = A p; ||r||, r.z: completes an iteration */
fur_status fur_cg_reduce(fur_cg_course *c);

/* x += alpha p and the next p, with z = M r if z is stored: begins the next iteration. */
fur_status fur_cg_turn(fur_cg_course *c);

/* Reads the scalars: the last completed iteration, if it is new, and the reason why the next one
 * did not run. */
fur_status fur_cg_read(const fur_cg_course *c, bool *over);

/* After a turn: tests whether the method is lost. */
fur_status fur_cg_check(const fur_cg_course *c, bool *over);

/* Does the last update of x, if it is missing, at the end of a pass. */
fur_status fur_cg_settle(const fur_cg_course *c);

/* Takes the estimates of the spectrum from the coefficients of the pass. */
fur_status fur_cg_take_estimates(fur_pass *s);

/* Runs passes of several systems at once (fur_method.run_block). */
fur_status fur_cg_run_block(fur_pass_block *block);

#endif
