/* Preconditioned conjugate gradients (Hestenes and Stiefel 1952), in the form of Saad, Iterative
 * Methods for Sparse Linear Systems, 2003, algorithm 9.1.
 *
 * Vector transfers an iteration besides A p and M r: dot p.q 2, x update 3, r update with its norm
 * 3, dot r.z 2, p update 3. */
#include "method.h"

#include "env.h"

#include <math.h>

/* The vectors of a solve by their names in the literature. */
typedef struct cg {
    fur_vector *r; /* residual */
    fur_vector *p; /* search direction */
    fur_vector *q; /* A p */
    fur_vector *z; /* M r; r itself without a preconditioner */
} cg;

/* z = M r and rz = r.z; false and the outcome set if M proves indefinite, or r.z not finite or
 * 0, as r is not. */
static fur_status precondition(fur_solve *s, const cg *v, double *rz, bool *sound)
{
    fur_scalar product;
    if (s->preconditioner)
        FUR_TRY(fur_operator_apply(s->preconditioner, v->r, v->z));
    FUR_TRY(fur_dot(v->r, v->z, &product));
    *rz = product.re;
    *sound = isfinite(*rz) && *rz > 0;
    if (!*sound)
        s->outcome = isfinite(*rz) && *rz < 0 ? FUR_INDEFINITE_PRECONDITIONER : FUR_BREAKDOWN;
    return FUR_OK;
}

/* q = A p and the step alpha = rz / p.q; false and the outcome set if A proves indefinite. */
static fur_status find_step(fur_solve *s, const cg *v, double rz, double *alpha, bool *sound)
{
    fur_scalar pq;
    FUR_TRY(fur_operator_apply(s->a, v->p, v->q));
    FUR_TRY(fur_dot(v->p, v->q, &pq));
    *alpha = rz / pq.re;
    *sound = pq.re > 0 && isfinite(*alpha);
    if (!*sound)
        s->outcome = pq.re <= 0 ? FUR_INDEFINITE : FUR_BREAKDOWN;
    return FUR_OK;
}

/* r = b - A x; rr = ||r|| */
static fur_status start(fur_solve *s, const cg *v, double *rr)
{
    FUR_TRY(fur_operator_apply(s->a, s->x, v->r));
    FUR_TRY(fur_axpby(fur_real(1), s->b, fur_real(-1), v->r));
    return fur_norm2(v->r, rr);
}

static fur_status run(fur_solve *s)
{
    cg v = {s->work[0], s->work[1], s->work[2], s->preconditioner ? s->work[3] : s->work[0]};
    bool sound;
    double rr;
    double rz;
    FUR_TRY(start(s, &v, &rr));
    if (fur_solve_is_over(s, 0, rr))
        return FUR_OK;
    FUR_TRY(precondition(s, &v, &rz, &sound));
    if (!sound)
        return FUR_OK;
    FUR_TRY(fur_vector_copy(v.z, v.p));

    for (int64_t iteration = 1;; iteration++) {
        double alpha;
        double rz_before = rz;
        FUR_TRY(find_step(s, &v, rz, &alpha, &sound));
        if (!sound)
            return FUR_OK;
        FUR_TRY(fur_axpby(fur_real(alpha), v.p, fur_real(1), s->x));
        FUR_TRY(fur_axpy_norm2(fur_real(-alpha), v.q, v.r, &rr));
        if (fur_solve_is_over(s, iteration, rr))
            return FUR_OK;
        FUR_TRY(precondition(s, &v, &rz, &sound));
        if (!sound)
            return FUR_OK;
        FUR_TRY(fur_axpby(fur_real(1), v.z, fur_real(rz / rz_before), v.p));
    }
}

extern const fur_method fur_method_cg;
const fur_method fur_method_cg = {.name = "cg", .workspace = 4, .run = run};
