/* Conjugate gradients with one gather an iteration: Chronopoulos and Gear, s-step iterative methods
 * for symmetric linear systems, 1989.
 *
 * A p is carried along, s = A u + beta s, so that all products of an iteration are of r, u = M r
 * and w = A u. It takes one product with A and M more than cg: that of the last residual.
 *
 * Vector transfers an iteration besides the products: dots 2, s 3, x and p 5, r 3: 13, 104 bytes a
 * row in f64; with M dots 3: 112 bytes. */
#include "single_reduction.h"

#include "env.h"

#define PASSES 13
#define PASSES_WITH_M 14

/* A pass by the names of the literature. */
typedef struct single {
    fur_single base;
    fur_vector *r;
    const fur_vector *u; /* M r */
    fur_vector *spare;   /* for u */
    fur_vector *w;       /* A u */
    fur_vector *p;
    fur_vector *s; /* A p */
} single;

/* u = M r, w = A u and their products */
static fur_status look(single *m)
{
    fur_solve *solve = m->base.solve;
    FUR_TRY(fur_solve_preconditioned(solve, m->r, m->spare, &m->u));
    FUR_TRY(fur_solve_multiply(solve, m->u, m->w));
    return fur_single_reduce(&m->base, m->r, m->u, m->w);
}

/* The next p and s, and r after the step along them. */
static fur_status step(single *m, bool *over)
{
    double last = m->base.alpha;
    fur_single_take_coefficients(&m->base);
    FUR_TRY(fur_single_turn(&m->base, last, m->u, m->p));
    FUR_TRY(fur_axpby(fur_real(1), m->w, fur_real(m->base.beta), m->s));
    FUR_TRY(fur_single_check(&m->base, m->p, m->s, over));
    return *over ? FUR_OK : fur_axpby(fur_real(-m->base.alpha), m->s, fur_real(1), m->r);
}

static fur_status run(fur_solve *s)
{
    single m = {.base = fur_single_begin(s),
                .r = s->r,
                .spare = s->work[0],
                .w = s->work[1],
                .p = s->work[2],
                .s = s->work[3]};
    int64_t before = s->iterations;
    bool over = false;
    s->bytes = fur_solve_bytes(s, s->preconditioner ? PASSES_WITH_M : PASSES);
    FUR_TRY(look(&m));
    for (int64_t iteration = 1; !over; iteration++) {
        FUR_TRY(step(&m, &over));
        if (over)
            return FUR_OK;
        FUR_TRY(look(&m));
        over = fur_single_is_over(&m.base, before, iteration);
    }
    return fur_axpby(fur_real(m.base.alpha), m.p, fur_real(1), s->x);
}

extern const fur_method fur_method_cg_single;
const fur_method fur_method_cg_single = {
    .info = {"cg_single", "cg with one reduction an iteration, where these wait for other ranks",
             "Chronopoulos and Gear 1989"},
    .kind = FUR_METHOD_SQUARE,
    .behind = true,
    .workspace = 4,
    .run = run,
};
