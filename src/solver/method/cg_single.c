/* Conjugate gradients with one gather an iteration: Chronopoulos and Gear, s-step iterative methods
 * for symmetric linear systems, 1989.
 *
 * A p follows from a recurrence, s = A u + beta s. All dot products of an iteration therefore
 * involve only r, u = M r and w = A u. With gamma = r.u and delta = u.w the step is gamma / (delta
 * - beta gamma / alpha'), beta = gamma / gamma', where primes denote the iteration before. The
 * method takes one more product with A and M than cg, for the last residual.
 *
 * Vector transfers an iteration in addition to the products: dots 2, s 3, x and p 5, r 3: 13, 104
 * bytes a row in f64; with M dots 3: 112 bytes. */
#include "course.h"
#include "solver.h"

#include "core.h"
#include "env.h"

#define PASSES 13
#define PASSES_WITH_M 14

/* A pass, with the names of the literature. */
typedef struct single {
    fur_pass *pass;
    fur_course course;
    fur_vector *r;
    const fur_vector *u; /* M r, or r if M is NULL */
    fur_vector *spare;   /* for u */
    fur_vector *w;       /* A u */
    fur_vector *p;
    fur_vector *s; /* A p */
    double norm;   /* ||r|| */
    double gamma;
    double gamma_old; /* 0: no direction yet */
    double delta;
    double product; /* p.A p */
    double alpha;
    double beta;
} single;

/* r.u, u.w and ||r|| in one gather */
static fur_status reduce(single *m)
{
    const fur_vector *left[] = {m->r, m->w, m->r};
    const fur_vector *right[] = {m->r, m->u, m->u};
    bool plain = m->u == m->r;
    fur_scalar products[3];
    m->gamma_old = m->gamma;
    FUR_TRY(fur_dot_pairs(plain ? 2 : 3, left, right, products));
    m->gamma = products[plain ? 0 : 2].re;
    m->delta = products[1].re;
    return fur_norm_from(m->r, products[0], &m->norm);
}

/* u = M r, w = A u and their products */
static fur_status read_scalars(single *m)
{
    FUR_TRY(fur_pass_preconditioned(m->pass, m->r, m->spare, &m->u));
    FUR_TRY(fur_pass_multiply(m->pass, m->u, m->w));
    return reduce(m);
}

/* The next beta, and alpha from the recurrence for p.A p. */
static void take_coefficients(single *m)
{
    m->beta = m->gamma_old > 0 ? m->gamma / m->gamma_old : 0;
    m->product = m->gamma_old > 0 ? m->delta - m->beta * m->gamma / m->alpha : m->delta;
    m->alpha = m->gamma / m->product;
}

/* A number of the host as a coefficient. */
static fur_coefficient coefficient(double factor)
{
    return (fur_coefficient){.factor = fur_real(factor)};
}

/* x += last p if there was a step; the next p = u + beta p */
static fur_status turn(const single *m, double last)
{
    if (m->gamma_old > 0)
        return fur_axpy_direction(coefficient(last), coefficient(m->beta), NULL, fur_real(1), m->u,
                                  m->p, m->pass->x);
    return fur_vector_copy(m->u, m->p);
}

/* Tests whether the method ends, and sets its outcome. If the recurrence gives p.A p <= 0, because
 * of rounding or of A, alpha comes from the dot product itself. */
static fur_status check(single *m, bool *over)
{
    fur_scalar product = fur_real(m->product);
    if (m->product <= 0)
        FUR_TRY(fur_dot(m->p, m->s, &product));
    m->alpha = m->gamma / product.re;
    *over = true;
    if (m->gamma < 0 && fabs(m->gamma) < HUGE_VAL)
        m->pass->outcome = FUR_OUTCOME_INDEFINITE_PRECONDITIONER;
    else if (product.re <= 0)
        m->pass->outcome = FUR_OUTCOME_INDEFINITE;
    else if (!(m->gamma > 0) || !(fabs(m->alpha) < HUGE_VAL) || !(product.re < HUGE_VAL))
        m->pass->outcome = FUR_OUTCOME_BREAKDOWN;
    else
        *over = false;
    return FUR_OK;
}

/* The next p and s, and the residual r after the step along them. */
static fur_status step(single *m, bool *over)
{
    double last = m->alpha;
    take_coefficients(m);
    FUR_TRY(turn(m, last));
    FUR_TRY(fur_axpby(fur_real(1), m->w, fur_real(m->beta), m->s));
    FUR_TRY(check(m, over));
    return *over ? FUR_OK : fur_axpby(fur_real(-m->alpha), m->s, fur_real(1), m->r);
}

static fur_status run(fur_pass *s)
{
    single m = {.pass = s,
                .course = fur_course_begin(s),
                .r = s->r,
                .spare = s->work[0],
                .w = s->work[1],
                .p = s->work[2],
                .s = s->work[3]};
    int64_t before = s->iterations;
    bool over = false;
    s->bytes = fur_pass_bytes(s, s->preconditioner ? PASSES_WITH_M : PASSES);
    FUR_TRY(read_scalars(&m));
    for (int64_t iteration = 1; !over; iteration++) {
        FUR_TRY(step(&m, &over));
        if (over)
            return FUR_OK;
        FUR_TRY(read_scalars(&m));
        over = fur_pass_is_over(s, before + iteration, m.norm) ||
               fur_course_is_lost(&m.course, s, iteration);
    }
    return fur_axpby(fur_real(m.alpha), m.p, fur_real(1), s->x);
}

extern const fur_method fur_method_cg_single;
const fur_method fur_method_cg_single = {
    .info = {"cg_single",
             "cg with one reduction in each iteration, for ranks that wait for each other",
             "Chronopoulos and Gear 1989"},
    .kind = FUR_METHOD_SQUARE,
    .behind = true,
    .workspace = 4,
    .run = run,
};
