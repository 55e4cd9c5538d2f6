/* Pipelined conjugate gradients: Ghysels and Vanroose, Hiding global synchronization latency in the
 * preconditioned conjugate gradient algorithm, 2014, algorithm 4.
 *
 * The products of an iteration are of vectors that are there before its products with M and A, so
 * that these need not wait for the gather. All images are carried along, which costs digits: what
 * rounding does to a recursion grows with each iteration. So when the residual has fallen far, all
 * of them are replaced by what they stand for, as in Cools, Yetkin, Agullo, Giraud and Vanroose,
 * Analyzing the effect of local rounding error propagation on the maximal attainable accuracy of
 * the pipelined conjugate gradient method, 2018; at the moments of Sleijpen and van der Vorst,
 * Reliable updated residuals in hybrid Bi-CG methods, 1996. The direction p stays, and with it the
 * rate.
 *
 * Vector transfers an iteration besides the products with A and M: dots 2, z 3, s 3, x and p 5, r
 * 3, w 3: 19, 152 bytes a row in f64; with M dots 3, q 3, u 3: 26, 208 bytes. */
#include "single_reduction.h"

#include "env.h"

#define PASSES 19
#define PASSES_WITH_M 26

/* A pass by the names of the literature. Without M u is r, m is w and q is s. */
typedef struct pipelined {
    fur_single base;
    fur_vector *start; /* the residual at the start of the pass, where x = 0 */
    fur_vector *r;
    fur_vector *u; /* M r */
    fur_vector *w; /* A u */
    fur_vector *m; /* M w */
    fur_vector *n; /* A m */
    fur_vector *p;
    fur_vector *s; /* A p */
    fur_vector *q; /* M s */
    fur_vector *z; /* A q */
    double last;   /* alpha of the step of x that has not been made; 0: none */
    double peak;   /* largest ||r|| since the last replacement */
} pipelined;

static bool has_m(const pipelined *m)
{
    return m->u != m->r;
}

/* out = M in, where they are not one. */
static fur_status precondition(const pipelined *m, const fur_vector *in, fur_vector *out)
{
    return has_m(m) ? fur_operator_apply(m->base.solve->preconditioner, in, out) : FUR_OK;
}

/* y = x + beta y; without a direction before, x */
static fur_status extend(const pipelined *m, const fur_vector *x, fur_vector *y)
{
    return fur_axpby(fur_real(1), x, fur_real(m->base.beta), y);
}

/* u = M r, w = A u */
static fur_status take_images(pipelined *m)
{
    FUR_TRY(precondition(m, m->r, m->u));
    return fur_solve_multiply(m->base.solve, m->u, m->w);
}

/* Makes the step of x that is behind. */
static fur_status settle(pipelined *m)
{
    double last = m->last;
    m->last = 0;
    return last == 0 ? FUR_OK : fur_axpby(fur_real(last), m->p, fur_real(1), m->base.solve->x);
}

/* All recursions afresh from x and p, and the products. */
static fur_status replace(pipelined *m)
{
    fur_solve *solve = m->base.solve;
    double before = m->base.gamma_old;
    FUR_TRY(settle(m));
    FUR_TRY(fur_solve_multiply(solve, solve->x, m->r));
    FUR_TRY(fur_axpby(fur_real(1), m->start, fur_real(-1), m->r));
    FUR_TRY(take_images(m));
    FUR_TRY(fur_solve_multiply(solve, m->p, m->s));
    FUR_TRY(precondition(m, m->s, m->q));
    FUR_TRY(fur_solve_multiply(solve, m->q, m->z));
    FUR_TRY(fur_single_reduce(&m->base, m->r, m->u, m->w));
    m->base.gamma_old = before;
    m->peak = m->base.norm;
    return FUR_OK;
}

/* The next direction and its images, and what the step along it makes of r, u and w. */
static fur_status step(pipelined *m, bool *over)
{
    fur_single *b = &m->base;
    fur_scalar back;
    FUR_TRY(precondition(m, m->w, m->m));
    FUR_TRY(fur_solve_multiply(b->solve, m->m, m->n));
    fur_single_take_coefficients(b);
    FUR_TRY(extend(m, m->n, m->z));
    if (has_m(m))
        FUR_TRY(extend(m, m->m, m->q));
    FUR_TRY(extend(m, m->w, m->s));
    FUR_TRY(fur_single_turn(b, m->last, m->u, m->p));
    m->last = 0;
    FUR_TRY(fur_single_check(b, m->p, m->s, over));
    if (*over)
        return FUR_OK;
    m->last = b->alpha;
    back = fur_real(-b->alpha);
    FUR_TRY(fur_axpby(back, m->s, fur_real(1), m->r));
    if (has_m(m))
        FUR_TRY(fur_axpby(back, m->q, fur_real(1), m->u));
    return fur_axpby(back, m->z, fur_real(1), m->w);
}

/* The products of r, u and w; whether the pass is over with this residual. */
static fur_status look(pipelined *m, int64_t before, int64_t iteration, bool *over)
{
    double share = sqrt(sqrt(fur_solve_epsilon(m->base.solve)));
    FUR_TRY(fur_single_reduce(&m->base, m->r, m->u, m->w));
    m->peak = m->base.norm > m->peak ? m->base.norm : m->peak;
    *over = iteration > 0 && fur_single_is_over(&m->base, before, iteration);
    return !*over && m->base.norm <= share * m->peak ? replace(m) : FUR_OK;
}

static fur_status run(fur_solve *s)
{
    bool with = s->preconditioner != NULL;
    pipelined m = {.base = fur_single_begin(s),
                   .start = s->work[0],
                   .r = s->r,
                   .u = with ? s->work[1] : s->r,
                   .w = s->work[2],
                   .m = s->work[with ? 3 : 2],
                   .n = s->work[4],
                   .p = s->work[5],
                   .s = s->work[6],
                   .q = s->work[with ? 7 : 6],
                   .z = s->work[8]};
    int64_t before = s->iterations;
    bool over = false;
    s->bytes = fur_solve_bytes(s, with ? PASSES_WITH_M : PASSES);
    FUR_TRY(fur_vector_copy(m.r, m.start));
    FUR_TRY(take_images(&m));
    for (int64_t iteration = 0; !over; iteration++) {
        FUR_TRY(look(&m, before, iteration, &over));
        if (!over)
            FUR_TRY(step(&m, &over));
    }
    return settle(&m);
}

extern const fur_method fur_method_cg_pipelined;
const fur_method fur_method_cg_pipelined = {
    .info = {"cg_pipelined", "cg whose one reduction an iteration needs no product of it",
             "Ghysels and Vanroose 2014"},
    .kind = FUR_METHOD_SQUARE,
    .behind = true,
    .guarded = true,
    .powers = 2,
    .workspace = 9,
    .run = run,
};
