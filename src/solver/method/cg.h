/* The steps of conjugate gradients (cg.c), of which an iteration for one system or for several at
 * once (cg_block.c) is made. */
#ifndef FURROW_METHOD_CG_H
#define FURROW_METHOD_CG_H

#include "solver.h"

/* The vectors of a solve by their names in the literature. */
typedef struct fur_cg {
    fur_vector *r;       /* residual */
    fur_vector *p[2];    /* search direction; of fused passes those of every second iteration */
    fur_vector *q;       /* A p */
    fur_vector *z;       /* M r; r itself where M is diagonal or missing */
    const fur_vector *d; /* of a diagonal M; NULL: of a constant */
    fur_scalar constant;
    bool applies; /* M is another operator: z is stored */
    bool fuses;   /* iterations are the passes of fused.h */
} fur_cg;

/* One pass: where it began, and what of it is under way. */
typedef struct fur_cg_course {
    fur_pass *s;
    fur_cg v;
    int64_t before;   /* iterations of earlier passes */
    double first;     /* ||r|| at the start */
    int64_t issued;   /* iterations whose residual is computed or queued */
    bool turned;      /* the last one's update of x and p is, too */
    bool records;     /* iterations are recorded and replayed, if that works */
    int64_t recorded; /* after so many of them some are; 0: none */
    bool peeked;      /* the host has still to see what it looked at last */
} fur_cg_course;

/* Whether the host looks at the course after that iteration: 16, 32, 64, ... */
static inline bool fur_cg_is_milestone(int64_t iteration)
{
    return iteration >= 16 && (iteration & (iteration - 1)) == 0;
}

/* A pass of the solve from its start. */
fur_status fur_cg_open(fur_pass *s, fur_cg_course *c);

/* The first direction: p = z; r.z */
fur_status fur_cg_begin(const fur_cg_course *c);

/* r -= alpha q with alpha = r.z / p.q, where q = A p; ||r||, r.z: an iteration more */
fur_status fur_cg_reduce(fur_cg_course *c);

/* x += alpha p and the next p, with z = M r where it is stored: the next iteration begins. */
fur_status fur_cg_turn(fur_cg_course *c);

/* Looks at the scalars: at the last iteration that was completed, if there is a new one, and at
 * what kept the next from being. */
fur_status fur_cg_look(const fur_cg_course *c, bool *over);

/* After a turn: whether the method is lost. */
fur_status fur_cg_check(const fur_cg_course *c, bool *over);

/* The last update of x, where it is missing, when the pass is over. */
fur_status fur_cg_settle(const fur_cg_course *c);

/* What the coefficients of the pass tell of the spectrum. */
fur_status fur_cg_take_estimates(fur_pass *s);

/* Passes of several systems at once (fur_method.run_block). */
fur_status fur_cg_run_block(fur_pass_block *block);

#endif
