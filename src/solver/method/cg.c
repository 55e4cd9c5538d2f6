/* Preconditioned conjugate gradients (Hestenes and Stiefel 1952), in the form of Saad, Iterative
 * Methods for Sparse Linear Systems, 2003, algorithm 9.1.
 *
 * The scalars stay in the device's memory (furrow/author/scalars.h), and guards end the method
 * there. Work that is queued after the end changes neither x nor the scalars. The host may
 * therefore read the scalars at any interval, and the result is the same.
 *
 * The update of x waits for the update of p, so that p is read once for both. M determines how many
 * entries an iteration moves in addition to A p, which reads p and writes q:
 *
 *     p.q                                   p q              2
 *     r -= alpha q; ||r||, r.z              r q r, and d     3, 4 if M is diagonal
 *     z = M r; r.z                          M not diagonal: M, r z
 *     x += alpha p; p = z + beta p          x p z x p, or d  5, 6 if M is diagonal
 *
 * If A is a stencil for which the device has fused passes (fused.h), and M is a constant or
 * missing, q is not stored, and p alternates between two vectors:
 *
 *     x += alpha p; p' = z + beta p; p'.q   x p z x p'       5
 *     r -= alpha q; ||r||, r.z              p r r            3 */
#include "cg.h"

#include "core.h"
#include "fused.h"
#include "persistent.h"
#include "tridiagonal.h"

#include <furrow/author/recording.h>

#include <math.h>

/* Slots. The values of the first two are kept for the first iterations. */
enum { RZ, PQ, RR };

#define KEPT_SLOTS 2
/* The coefficients of this many iterations estimate the spectrum, whose ends converge first. */
#define COEFFICIENTS 512
#define SPECTRUM_TOLERANCE 1e-3
/* The rounding of a product p.q, in epsilon ||p|| ||q||, and the most rounding of eigenvalues. */
#define ROUNDINGS 4
#define MAX_NOISE 1e-2

/* How far two directions may be from conjugate, relative to the terms that should cancel. Rounding
 * causes up to 0.003 in f32. An operator that is not symmetric causes 0.5 to 1 if the method
 * diverges (docs/numerics.md). */
#define CONJUGATE 0.1

/* The iterations of one launch of a persistent kernel. It ends with the method. It is not used if a
 * monitor wants to see iterations. */
#define PERSISTENT_AHEAD 1024

/* The iteration of a pass from which iterations are recorded. */
#define FIRST_RECORDED 8

static fur_cg vectors_of(const fur_pass *s)
{
    const fur_scaling *m = s->preconditioner ? s->preconditioner->scaling : NULL;
    bool applies = s->preconditioner && !m;
    bool fuses = s->fused && !applies && (!m || m->is_constant);
    return (fur_cg){.r = s->r,
                    .p = {s->work[0], s->work[fuses ? 2 : 0]},
                    .q = s->work[1],
                    .z = applies ? s->work[2] : s->r,
                    .d = m && !m->is_constant ? m->d : NULL,
                    .constant = m && m->is_constant ? m->constant : fur_real(1),
                    .applies = applies,
                    .fuses = fuses};
}

/* Sets the guards. The step and the direction require r.z > 0 and p.q > 0. The solve ends when
 * ||r|| reaches the target. */
static fur_status set_guards(const fur_pass *s)
{
    fur_scalars_state state = fur_scalars_initial();
    state.floor[RZ] = 0;
    state.floor[PQ] = 0;
    state.floor[RR] = s->target;
    return fur_scalars_set(s->scalars, &state);
}

/* z = M r; r.z */
static fur_status precondition(const fur_pass *s, const fur_cg *v)
{
    FUR_TRY(fur_operator_apply(s->preconditioner, v->r, v->z));
    return fur_dot_into(v->r, v->z, s->scalars, RZ);
}

/* The direction of an iteration, counted from 1. */
static fur_vector *direction(const fur_cg *v, int64_t iteration)
{
    return v->p[(iteration - 1) % 2];
}

fur_status fur_cg_begin(const fur_cg_course *c)
{
    const fur_pass *s = c->s;
    const fur_cg *v = &c->v;
    fur_vector *p = direction(v, 1);
    if (v->applies)
        FUR_TRY(precondition(s, v));
    if (v->d)
        FUR_TRY(fur_multiply_elementwise(v->d, v->r, p));
    else
        FUR_TRY(fur_vector_copy(v->z, p));
    if (v->constant.re != 1 || v->constant.im != 0)
        FUR_TRY(fur_vector_scale(p, v->constant));
    return v->applies ? FUR_OK : fur_dot_into(v->r, p, s->scalars, RZ);
}

fur_status fur_cg_reduce(fur_cg_course *c)
{
    const fur_pass *s = c->s;
    const fur_cg *v = &c->v;
    fur_coefficient alpha = {fur_real(-1), s->scalars, RZ, PQ};
    c->issued++;
    c->turned = false;
    FUR_TRY(fur_dot_into(direction(v, c->issued), v->q, s->scalars, PQ));
    return v->applies
               ? fur_axpy_norm2_into(alpha, v->q, v->r, s->scalars, RR)
               : fur_axpy_norms_into(alpha, v->q, v->d, v->constant, v->r, s->scalars, RR, RZ);
}

/* As fur_cg_reduce without q, if the turn has computed p.q. */
static fur_status descend(fur_cg_course *c)
{
    fur_coefficient alpha = {fur_real(-1), c->s->scalars, RZ, PQ};
    c->s->products++;
    c->issued++;
    c->turned = false;
    return fur_fused_descend(c->s, alpha, c->v.constant, direction(&c->v, c->issued), RR, RZ);
}

/* x += alpha p; the next p = z + beta p, where beta is the quotient of r.z and the r.z before */
fur_status fur_cg_turn(fur_cg_course *c)
{
    const fur_pass *s = c->s;
    const fur_cg *v = &c->v;
    const fur_vector *p = direction(v, c->issued);
    fur_vector *next = direction(v, c->issued + 1);
    fur_coefficient alpha = {fur_real(1), s->scalars, FUR_PREVIOUS(RZ), PQ};
    fur_coefficient beta = {fur_real(1), s->scalars, RZ, FUR_PREVIOUS(RZ)};
    c->turned = true;
    if (v->applies)
        FUR_TRY(precondition(s, v));
    return v->fuses ? fur_fused_turn(s, alpha, beta, v->constant, p, next, PQ)
                    : fur_axpy_direction(alpha, beta, v->d, v->constant, v->z, next, s->x);
}

/* The outcome of a product, or of the quotient with this denominator, that was not positive or not
 * finite. */
static fur_outcome verdict(const fur_scalars_state *state)
{
    double product = state->value[state->halted].re;
    if (state->halted == PQ)
        return product <= 0 ? FUR_OUTCOME_INDEFINITE : FUR_OUTCOME_BREAKDOWN;
    return isfinite(product) && product < 0 ? FUR_OUTCOME_INDEFINITE_PRECONDITIONER
                                            : FUR_OUTCOME_BREAKDOWN;
}

static bool is_over(const fur_cg_course *c, const fur_scalars_state *state)
{
    fur_pass *s = c->s;
    int64_t completed = c->before + state->stores[RR];
    if (completed > s->iterations && fur_pass_is_over(s, completed, state->value[RR].re))
        return true;
    if (state->halted < 0)
        return false;
    s->outcome = verdict(state);
    return true;
}

fur_status fur_cg_read(const fur_cg_course *c, bool *over)
{
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    FUR_TRY(fur_scalars_get(c->s->scalars, &state));
    *over = is_over(c, &state);
    return FUR_OK;
}

/* As fur_cg_read, but of the state at the previous read. The device meanwhile does the work that
 * was queued since. After the last possible iteration it reads the current state. */
static fur_status read_previous(fur_cg_course *c, bool *over)
{
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    if (c->peeked) {
        FUR_TRY(fur_scalars_seen(c->s->scalars, &state));
        *over = is_over(c, &state);
        c->peeked = false;
    }
    if (*over)
        return FUR_OK;
    if (c->before + c->issued == c->s->max_iterations)
        return fur_cg_read(c, over);
    c->peeked = true;
    return fur_scalars_peek(c->s->scalars);
}

/* Does the last update of x if it is still missing. alpha = r.z / p.q of the last residual. Its r.z
 * is not the last one if the next one was stored. */
fur_status fur_cg_settle(const fur_cg_course *c)
{
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    FUR_TRY(fur_scalars_get(c->s->scalars, &state));
    bool reached = state.halted < 0 ? c->turned : state.halted == PQ;
    if (state.stores[RR] == 0 || reached)
        return FUR_OK;
    fur_scalar rz = state.stores[RZ] > state.stores[RR] ? state.previous[RZ] : state.value[RZ];
    return fur_axpby(fur_real(rz.re / state.value[PQ].re), direction(&c->v, state.stores[RR]),
                     fur_real(1), c->s->x);
}

/* Called after a turn: tests whether the method is lost. Then the residual is not below the first
 * one, and p is no longer conjugate to the direction that q belongs to. The product p.q = z.q +
 * beta p'.q must be 0. This requires A and M to be symmetric. Only these iterations are tested, at
 * any interval of reads, so that the result is the same. */
fur_status fur_cg_check(const fur_cg_course *c, bool *over)
{
    fur_pass *s = c->s;
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    fur_scalar pq;
    FUR_TRY(fur_scalars_get(s->scalars, &state));
    double residual = state.value[RR].re;
    bool ahead = state.stores[PQ] > c->issued; /* if fused, the turn has stored the next p.q */
    if ((state.halted >= 0 && !ahead) || residual < c->first)
        return FUR_OK;
    FUR_TRY(fur_dot(direction(&c->v, c->issued + 1), c->v.q, &pq));
    double before = ahead ? state.previous[PQ].re : state.value[PQ].re;
    double term = state.value[RZ].re / state.previous[RZ].re * before;
    if (hypot(pq.re, pq.im) > CONJUGATE * (hypot(pq.re - term, pq.im) + term)) {
        *over = true;
        s->outcome = FUR_OUTCOME_ASYMMETRIC;
        s->iterations = c->before + c->issued;
        s->residual = residual;
    }
    return FUR_OK;
}

/* Keeps the coefficients. There is one r.z more than iterations: the first belongs to the start. */
static fur_status keep_coefficients(const fur_solver *s)
{
    int64_t most = s->options.max_iterations;
    return fur_scalars_keep(s->scalars, KEPT_SLOTS,
                            (most < COEFFICIENTS ? most : COEFFICIENTS) + 1);
}

/* The tridiagonal matrix of Lanczos' method for the coefficients of k iterations (Saad 2003,
 * section 6.7.3). Its eigenvalues lie in the spectrum of M A, and the ends converge first. */
static void set_tridiagonal(int64_t k, const double *rz, const double *pq, double *diagonal,
                            double *beside)
{
    for (int64_t i = 0; i < k; i++) {
        double alpha = rz[i] / pq[i];
        diagonal[i] = 1 / alpha;
        if (i > 0)
            diagonal[i] += rz[i] / rz[i - 1] * (pq[i - 1] / rz[i - 1]);
        if (i + 1 < k)
            beside[i] = sqrt(rz[i + 1] / rz[i]) / alpha;
    }
}

/* Counts the first of k iterations whose coefficients are reliable in spite of rounding. *noise:
 * the most rounding of their eigenvalues, relative to the largest.
 *
 * The error of p.q is about epsilon ||A|| ||p||^2. The quotient ||p_i||^2 / ||r_i||^2 is the sum of
 * ||r_i||^2 / ||r_j||^2 for j <= i. This changes 1 / alpha_i = p.q / r.z by epsilon ||A|| times
 * this sum. */
static int64_t count_certain(int64_t k, const double *rz, double epsilon, double *noise)
{
    double sum = 1;
    *noise = ROUNDINGS * epsilon;
    for (int64_t i = 1; i < k; i++) {
        sum = 1 + sum * (rz[i] / rz[i - 1]);
        if (!(ROUNDINGS * epsilon * sum < MAX_NOISE))
            return i;
        *noise = fmax(*noise, ROUNDINGS * epsilon * sum);
    }
    return k;
}

/* Estimates from the coefficients of this pass: the largest eigenvalue of M A, and a lower bound of
 * its quotient with the smallest. */
fur_status fur_cg_take_estimates(fur_pass *s)
{
    fur_scalars_state state = FUR_DEFAULT(fur_scalars_state);
    double *rz = s->scratch;
    double *pq = rz + COEFFICIENTS;
    double *diagonal = pq + COEFFICIENTS;
    double *beside = diagonal + COEFFICIENTS;
    double smallest;
    double largest;
    double noise;
    FUR_TRY(fur_scalars_get(s->scalars, &state));
    int64_t k = state.stores[RR] < COEFFICIENTS ? state.stores[RR] : COEFFICIENTS;
    if (k == 0)
        return FUR_OK;
    FUR_TRY(fur_scalars_kept(s->scalars, RZ, k, rz));
    FUR_TRY(fur_scalars_kept(s->scalars, PQ, k, pq));
    k = count_certain(k, rz, fur_pass_epsilon(s), &noise);
    set_tridiagonal(k, rz, pq, diagonal, beside);
    fur_tridiagonal_extremes(k, diagonal, beside, SPECTRUM_TOLERANCE, &smallest, &largest);
    double condition = fur_condition_below(smallest, largest, fur_pass_epsilon(s));
    if (smallest > 0 && condition > s->condition) {
        s->condition = condition;
        s->norm = largest * (1 - noise);
    }
    return FUR_OK;
}

static int64_t scratch(int restart)
{
    (void)restart;
    return 4 * COEFFICIENTS;
}

/* Vector entries that an iteration moves for each row, as listed above, without A, the product's p
 * and q, and an M that is not diagonal. */
static int transfers(const fur_cg *v)
{
    return v->fuses ? 6 : 2 + (v->d ? 4 : 3) + (v->d ? 6 : 5) + (v->applies ? 2 : 0);
}

/* Computes the product and the residual of an iteration. */
static fur_status end_next(fur_cg_course *c)
{
    if (c->v.fuses)
        return descend(c);
    FUR_TRY(fur_pass_multiply(c->s, direction(&c->v, c->issued + 1), c->v.q));
    return fur_cg_reduce(c);
}

static fur_status advance(fur_cg_course *c)
{
    FUR_TRY(fur_cg_turn(c));
    return end_next(c);
}

/* As advance, with a check of the course between the two. */
static fur_status advance_with_care(fur_cg_course *c, bool *over)
{
    if (c->v.fuses)
        FUR_TRY(fur_operator_apply(c->s->a, direction(&c->v, c->issued), c->v.q));
    FUR_TRY(fur_cg_turn(c));
    FUR_TRY(fur_cg_check(c, over));
    return *over ? FUR_OK : end_next(c);
}

/* The number of iterations in a recording: it begins and ends with p in the same vector. */
static int64_t stride(const fur_cg_course *c)
{
    return c->v.fuses ? 2 : 1;
}

/* Records a few iterations. If recording fails, iterations run call by call. */
static void record(fur_cg_course *c)
{
    int64_t products = c->s->products;
    int64_t issued = c->issued;
    fur_status status = fur_recording_begin(c->s->recording);
    if (status == FUR_OK) {
        for (int64_t i = 0; i < stride(c) && status == FUR_OK; i++)
            status = advance(c);
        fur_status ended = fur_recording_end(c->s->recording);
        status = status == FUR_OK ? ended : status;
    }
    c->s->products = products;
    c->issued = issued;
    c->recorded = status == FUR_OK ? issued : 0;
    c->records = c->recorded > 0;
}

/* Counts iterations that are not queued one by one. */
static void count_ahead(fur_cg_course *c, fur_execution execution, int64_t count)
{
    c->s->execution = execution;
    c->s->products += count;
    c->issued += count;
}

/* Returns whether the next iterations equal the recording, and all of them are wanted. */
static bool is_recorded(const fur_cg_course *c, int64_t end)
{
    return c->recorded && (c->issued - c->recorded) % stride(c) == 0 &&
           c->issued + stride(c) <= end;
}

static fur_status replay(fur_cg_course *c, int64_t times)
{
    count_ahead(c, FUR_EXECUTION_RECORDED, times * stride(c));
    return fur_recording_replay(c->s->recording, times);
}

/* Queues `count` iterations. The first few of a pass run call by call, because many passes are
 * short. */
static fur_status advance_by(fur_cg_course *c, int64_t count)
{
    if (c->s->persistent) {
        count_ahead(c, FUR_EXECUTION_PERSISTENT, count);
        return fur_persistent_advance(c->s->persistent, c->s,
                                      (fur_diagonal){fur_vector_const_data(c->v.d), c->v.constant},
                                      c->v.p[0], c->v.q, (fur_cg_slots){RZ, PQ, RR}, count);
    }
    if (c->records && !c->recorded && c->issued >= FIRST_RECORDED)
        record(c);
    int64_t end = c->issued + count;
    while (c->issued < end)
        if (is_recorded(c, end))
            FUR_TRY(replay(c, (end - c->issued) / stride(c)));
        else
            FUR_TRY(advance(c));
    return FUR_OK;
}

/* Queues iterations up to the next one after which the host checks. */
static fur_status advance_to(fur_cg_course *c, int64_t end)
{
    int64_t milestone = 16;
    while (milestone <= c->issued)
        milestone *= 2;
    return advance_by(c, (end < milestone ? end : milestone) - c->issued);
}

static fur_status iterate(fur_cg_course *c)
{
    fur_pass *s = c->s;
    bool over = false;
    int64_t next_read = fur_pass_next_read(s, c->before);
    FUR_TRY(fur_cg_begin(c));
    FUR_TRY(fur_pass_multiply(s, direction(&c->v, 1), c->v.q));
    FUR_TRY(fur_cg_reduce(c));
    for (;;) {
        if (c->before + c->issued == next_read) {
            FUR_TRY(s->reads_late ? read_previous(c, &over) : fur_cg_read(c, &over));
            next_read = fur_pass_next_read(s, next_read);
        }
        if (!over && fur_cg_is_milestone(c->issued))
            FUR_TRY(advance_with_care(c, &over));
        else if (!over)
            FUR_TRY(advance_to(c, next_read - c->before));
        if (over)
            return fur_cg_settle(c);
    }
}

/* Returns the iterations between two reads of the scalars, or 0 if reads are not needed to end. */
static int64_t read_interval(const fur_pass *s)
{
    return s->persistent && !s->options->monitor ? PERSISTENT_AHEAD : 0;
}

fur_status fur_cg_open(fur_pass *s, fur_cg_course *c)
{
    *c = (fur_cg_course){.s = s,
                         .v = vectors_of(s),
                         .before = s->iterations,
                         .first = s->residual,
                         .records = s->recording != NULL};
    s->read_interval = read_interval(s);
    if (s->persistent)
        FUR_TRY(fur_persistent_refresh(s->persistent));
    s->bytes = fur_pass_bytes(s, transfers(&c->v));
    return set_guards(s);
}

static fur_status run(fur_pass *s)
{
    fur_cg_course c;
    FUR_TRY(fur_cg_open(s, &c));
    s->reads_late = c.records && !s->persistent && !s->check_every && !s->options->monitor;
    FUR_TRY(iterate(&c));
    return fur_cg_take_estimates(s);
}

extern const fur_method fur_method_cg;
const fur_method fur_method_cg = {
    .info = {"cg",
             "preconditioned conjugate gradients, for A symmetric (Hermitian) positive definite",
             "Hestenes and Stiefel 1952"},
    .kind = FUR_METHOD_SQUARE,
    .behind = true,
    .workspace = 3,
    .scratch = scratch,
    .prepare = keep_coefficients,
    .runs_ahead = true,
    .reduces = true,
    .descends = true,
    .run = run,
    .run_block = fur_cg_run_block,
};
