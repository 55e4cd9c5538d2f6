/* Conjugate gradients for several right-hand sides. Each system has its own scalars, its own end,
 * and the bits of a separate solve. The systems share the products of A and a block of directions.
 *
 * The directions of the active systems are the first columns of this block. When a system ends, the
 * last active system takes its place. */
#include "cg.h"

#include "core.h"

/* Ends the system in place `at`. */
static fur_status retire(fur_pass_block *b, fur_cg_course *courses, int at)
{
    fur_cg_course *last = &courses[--b->active];
    fur_cg_course *own = &courses[at];
    FUR_TRY(fur_cg_settle(own));
    FUR_TRY(fur_cg_take_estimates(own->s));
    if (own == last)
        return FUR_OK;
    fur_vector *p = own->v.p[0];
    fur_vector *q = own->v.q;
    FUR_TRY(fur_vector_copy(last->v.p[0], p));
    FUR_TRY(fur_vector_copy(last->v.q, q));
    *own = *last;
    own->v.p[0] = own->v.p[1] = p;
    own->v.q = q;
    return FUR_OK;
}

/* q = A p for all active systems, and their residuals. */
static fur_status end_iteration(fur_pass_block *b, fur_cg_course *courses)
{
    if (b->active == 0)
        return FUR_OK;
    FUR_TRY(b->multiply(b->user, b->active));
    for (int j = 0; j < b->active; j++) {
        courses[j].s->products++;
        FUR_TRY(fur_cg_reduce(&courses[j]));
    }
    return FUR_OK;
}

static fur_status read_scalars(fur_pass_block *b, fur_cg_course *courses)
{
    for (int j = b->active - 1; j >= 0; j--) {
        bool over = false;
        FUR_TRY(fur_cg_read(&courses[j], &over));
        if (over)
            FUR_TRY(retire(b, courses, j));
    }
    return FUR_OK;
}

static fur_status turn(fur_pass_block *b, fur_cg_course *courses)
{
    for (int j = b->active - 1; j >= 0; j--) {
        bool over = false;
        bool milestone = fur_cg_is_milestone(courses[j].issued);
        FUR_TRY(fur_cg_turn(&courses[j]));
        if (milestone)
            FUR_TRY(fur_cg_check(&courses[j], &over));
        if (over)
            FUR_TRY(retire(b, courses, j));
    }
    return FUR_OK;
}

fur_status fur_cg_run_block(fur_pass_block *b)
{
    fur_cg_course courses[FUR_PASS_BLOCK];
    for (int j = 0; j < b->active; j++) {
        FUR_TRY(fur_cg_open(b->solves[j], &courses[j]));
        FUR_TRY(fur_cg_begin(&courses[j]));
    }
    const fur_pass *any = b->solves[0]; /* the host checks all of them after the same iterations */
    int64_t next_read = fur_pass_next_read(any, 0);
    FUR_TRY(end_iteration(b, courses));
    for (int64_t iteration = 1; b->active > 0; iteration++) {
        if (iteration == next_read) {
            next_read = fur_pass_next_read(any, next_read);
            FUR_TRY(read_scalars(b, courses));
        }
        FUR_TRY(turn(b, courses));
        FUR_TRY(end_iteration(b, courses));
    }
    return FUR_OK;
}
