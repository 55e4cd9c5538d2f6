/* Preconditioned conjugate gradients (Hestenes and Stiefel 1952), in the form of Saad, Iterative
 * Methods for Sparse Linear Systems, 2003, algorithm 9.1.
 *
 * The scalars stay where the device computes (furrow/scalars.h), and guards end the method there:
 * what is issued after that changes neither x nor the scalars. So the host may look at them as
 * rarely as it likes, and finds the same.
 *
 * Vector transfers an iteration besides A p and M r: dot p.q 2, x update 3, r update with its norm
 * 3, dot r.z 2, p update 3. */
#include "solver.h"

#include "env.h"

#include <math.h>

/* Slots. r.z is needed with the one before: iteration k stores it to RZ + k % 2. */
enum { RZ, RZ_ODD, PQ, RR };

/* How far two directions may be from conjugate, as a share of the terms that should cancel.
 * Rounding leaves up to 0.003 in f32, what is not symmetric 0.5 to 1 where it diverges
 * (docs/numerics.md). */
#define CONJUGATE 0.1

/* The vectors of a solve by their names in the literature. */
typedef struct cg {
    fur_vector *r; /* residual */
    fur_vector *p; /* search direction */
    fur_vector *q; /* A p */
    fur_vector *z; /* M r; r itself without a preconditioner */
} cg;

static int rz_slot(int64_t iteration)
{
    return RZ + (int)(iteration % 2);
}

/* The step and the direction need r.z > 0 and p.q > 0; ||r|| at the target ends the solve. */
static fur_status set_guards(const fur_solve *s)
{
    fur_scalars_state state = fur_scalars_initial();
    state.floor[RZ] = 0;
    state.floor[RZ_ODD] = 0;
    state.floor[PQ] = 0;
    state.floor[RR] = s->target;
    return fur_scalars_set(s->scalars, &state);
}

/* z = M r; r.z */
static fur_status precondition(const fur_solve *s, const cg *v, int64_t iteration)
{
    if (s->preconditioner)
        FUR_TRY(fur_operator_apply(s->preconditioner, v->r, v->z));
    return fur_dot_into(v->r, v->z, s->scalars, rz_slot(iteration));
}

/* q = A p; x += alpha p and r -= alpha q with alpha = r.z / p.q */
static fur_status step(fur_solve *s, const cg *v, int64_t iteration)
{
    fur_coefficient alpha = {fur_real(1), s->scalars, rz_slot(iteration - 1), PQ};
    fur_coefficient one = {.factor = fur_real(1)};
    FUR_TRY(fur_solve_multiply(s, v->p, v->q));
    FUR_TRY(fur_dot_into(v->p, v->q, s->scalars, PQ));
    FUR_TRY(fur_axpby_from(alpha, v->p, one, s->x));
    alpha.factor = fur_real(-1);
    return fur_axpy_norm2_into(alpha, v->q, v->r, s->scalars, RR);
}

/* p = z + beta p with beta = r.z over the one before */
static fur_status turn(const fur_solve *s, const cg *v, int64_t iteration)
{
    fur_coefficient one = {.factor = fur_real(1)};
    fur_coefficient beta = {fur_real(1), s->scalars, rz_slot(iteration), rz_slot(iteration - 1)};
    return fur_axpby_from(one, v->z, beta, v->p);
}

/* Why a product was no good, or the quotient with it as denominator. */
static fur_outcome verdict(const fur_scalars_state *state)
{
    double product = state->value[state->halted].re;
    if (state->halted == PQ)
        return product <= 0 ? FUR_OUTCOME_INDEFINITE : FUR_OUTCOME_BREAKDOWN;
    return isfinite(product) && product < 0 ? FUR_OUTCOME_INDEFINITE_PRECONDITIONER
                                            : FUR_OUTCOME_BREAKDOWN;
}

/* Looks at the scalars: at the last iteration that was completed, if there is a new one, and at
 * what kept the next from being. before: iterations of earlier passes. */
static fur_status look(fur_solve *s, int64_t before, bool *over)
{
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    FUR_TRY(fur_scalars_get(s->scalars, &state));
    int64_t completed = before + state.stores[RR];
    *over = completed > s->iterations && fur_solve_is_over(s, completed, state.value[RR].re);
    if (!*over && state.halted >= 0) {
        s->outcome = verdict(&state);
        *over = true;
    }
    return FUR_OK;
}

/* After a turn: whether the method is lost, the residual not below the first and p no longer
 * conjugate to the direction before. p.q = z.q + beta p'.q of that one must be 0, which needs A and
 * M to be symmetric. Only these iterations are looked at, whatever others are, and what is found is
 * the same. */
static fur_status check_course(fur_solve *s, const cg *v, int64_t before, int64_t iteration,
                               double first, bool *over)
{
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    fur_scalar zq;
    FUR_TRY(fur_scalars_get(s->scalars, &state));
    double residual = state.value[RR].re;
    if (state.halted >= 0 || residual < first)
        return FUR_OK;
    FUR_TRY(fur_dot(v->z, v->q, &zq));
    double beta = state.value[rz_slot(iteration)].re / state.value[rz_slot(iteration - 1)].re;
    double term = beta * state.value[PQ].re;
    if (hypot(zq.re + term, zq.im) > CONJUGATE * (hypot(zq.re, zq.im) + term)) {
        *over = true;
        s->outcome = FUR_OUTCOME_ASYMMETRIC;
        s->iterations = before + iteration;
        s->residual = residual;
    }
    return FUR_OK;
}

/* 16, 32, 64, ... */
static bool is_milestone(int64_t iteration)
{
    return iteration >= 16 && (iteration & (iteration - 1)) == 0;
}

static fur_status run(fur_solve *s)
{
    cg v = {s->r, s->work[0], s->work[1], s->preconditioner ? s->work[2] : s->r};
    int64_t before = s->iterations;
    double first = s->residual;
    bool over = false;
    FUR_TRY(set_guards(s));
    FUR_TRY(precondition(s, &v, 0));
    FUR_TRY(fur_vector_copy(v.z, v.p));

    int64_t next_look = fur_solve_next_look(s, before);
    for (int64_t iteration = 1; !over; iteration++) {
        FUR_TRY(step(s, &v, iteration));
        if (before + iteration == next_look) {
            FUR_TRY(look(s, before, &over));
            next_look = fur_solve_next_look(s, next_look);
        }
        if (over)
            break;
        FUR_TRY(precondition(s, &v, iteration));
        FUR_TRY(turn(s, &v, iteration));
        if (is_milestone(iteration))
            FUR_TRY(check_course(s, &v, before, iteration, first, &over));
    }
    return FUR_OK;
}

extern const fur_method fur_method_cg;
const fur_method fur_method_cg = {
    .info = {"cg",
             "preconditioned conjugate gradients, for A symmetric (Hermitian) positive definite",
             "Hestenes and Stiefel 1952"},
    .kind = FUR_METHOD_SQUARE,
    .workspace = 3,
    .run = run,
};
