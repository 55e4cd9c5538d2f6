/* Proofs of a method's diagnosis of A and M.
 *
 * Recurrences tell a method that A or M is not symmetric or not positive definite. Rounding can
 * mislead them. A vector v proves that A is not positive definite if v.Av <= 0, computed from the
 * product. Vectors u and v prove that T is not symmetric if u.Tv is not the conjugate of v.Tu. Both
 * must exceed rounding. */
#include "proof.h"

#include "null_space.h"

#include "core.h"
#include "hashed.h"
#include "unit.h"
#include "value_type.h"

#include <math.h>

/* The rounding of v.Tv, in epsilon ||T|| ||v||^2, with an estimate of ||T||. */
#define ROUNDING 16
/* The rounding of u.Tv for random vectors, in epsilon ||u|| ||Tv||. */
#define ASYMMETRY 64

/* A vector has a length from 1 to 2. If it is shorter than this without its null vectors, it is
 * rounding. */
#define LEAST_LENGTH 1e-2

/* The operator T in question, and vectors of the solver that are no longer needed. */
typedef struct proof {
    fur_drive *d;
    const fur_operator *t;
    fur_vector *u;
    fur_vector *image;
    double epsilon;
} proof;

static fur_status apply(const proof *p, const fur_vector *v)
{
    p->d->pass->products += p->t == p->d->solver->a;
    return fur_operator_apply(p->t, v, p->image);
}

/* About ||T||_F: sqrt(n) ||T u|| / ||u|| for a random vector u. */
static fur_status estimate_norm(const proof *p, double *norm)
{
    double length;
    double image;
    FUR_TRY(fur_vector_fill_hashed(p->u, 1));
    FUR_TRY(apply(p, p->u));
    FUR_TRY(fur_norm2(p->u, &length));
    FUR_TRY(fur_norm2(p->image, &image));
    int64_t rows = fur_shared_size(p->d->solver->domain, fur_vector_size(p->u));
    *norm = sqrt((double)rows) * (image / length);
    return FUR_OK;
}

/* *least = v.Tv / ||v||^2 if that is less. Null vectors are removed from v first: M's results
 * contain none of them, so that with them v.Mv would prove nothing. */
static fur_status take_quotient(const proof *p, const fur_vector *v, double *least)
{
    fur_scalar product;
    double removed;
    double length;
    FUR_TRY(fur_norm2(v, &length));
    if (!(length > 0 && length < HUGE_VAL))
        return FUR_OK;
    FUR_TRY(fur_vector_copy(v, p->u));
    double scale = fur_unit_scale(fur_value_is_single(fur_vector_value_type(v)), length);
    FUR_TRY(fur_vector_scale(p->u, fur_real(scale)));
    if (p->d->solver->null_space)
        FUR_TRY(fur_null_space_remove(p->d->solver->null_space, p->u, &removed));
    FUR_TRY(fur_norm2(p->u, &length));
    if (!(length > LEAST_LENGTH))
        return FUR_OK;
    FUR_TRY(apply(p, p->u));
    FUR_TRY(fur_dot(p->u, p->image, &product));
    double quotient = product.re / (length * length);
    *least = quotient < *least ? quotient : *least;
    return FUR_OK;
}

/* Returns whether a vector of the method proves that T is not positive definite. */
static fur_status prove_indefinite(const proof *p, bool *found)
{
    const fur_solver *s = p->d->solver;
    double least = HUGE_VAL;
    double norm;
    FUR_TRY(take_quotient(p, s->r, &least));
    for (int i = 0; i < s->method->workspace; i++)
        FUR_TRY(take_quotient(p, s->work[i], &least));
    FUR_TRY(estimate_norm(p, &norm));
    *found = least <= -ROUNDING * p->epsilon * norm;
    return FUR_OK;
}

/* The product u.Tv for hashed vectors: its value, and the scale of its rounding. */
static fur_status take_product(const proof *p, const fur_vector *u, const fur_vector *v,
                               fur_scalar *product, double *scale)
{
    double length;
    double image;
    FUR_TRY(apply(p, v));
    FUR_TRY(fur_dot(u, p->image, product));
    FUR_TRY(fur_norm2(u, &length));
    FUR_TRY(fur_norm2(p->image, &image));
    *scale = length * image;
    return FUR_OK;
}

/* Returns whether u.Tv differs from the conjugate of v.Tu for random vectors. */
static fur_status prove_asymmetric(const proof *p, bool *found)
{
    fur_vector *v = p->d->solver->work[1];
    fur_scalar product[2];
    double scale[2];
    FUR_TRY(fur_vector_fill_hashed(p->u, 1));
    FUR_TRY(fur_vector_fill_hashed(v, UINT64_C(1) << 40));
    FUR_TRY(take_product(p, v, p->u, &product[0], &scale[0]));
    FUR_TRY(take_product(p, p->u, v, &product[1], &scale[1]));
    double difference = hypot(product[0].re - product[1].re, product[0].im + product[1].im);
    *found = difference > ASYMMETRY * p->epsilon * (scale[0] + scale[1]);
    return FUR_OK;
}

/* Returns whether A or M is not symmetric. */
static fur_status prove_any_asymmetric(proof *p, bool *found)
{
    const fur_solver *s = p->d->solver;
    *found = false;
    p->image = s->work[0];
    p->t = s->a;
    if (s->method->kind == FUR_METHOD_SQUARE)
        FUR_TRY(prove_asymmetric(p, found));
    p->t = s->options.preconditioner;
    return *found || !p->t ? FUR_OK : prove_asymmetric(p, found);
}

/* Sets the outcome that remains if the diagnosis is not proved: asymmetric if that can be proved,
 * else `otherwise`. */
static fur_status doubt(proof *p, fur_outcome otherwise)
{
    bool asymmetric;
    FUR_TRY(prove_any_asymmetric(p, &asymmetric));
    p->d->pass->outcome = asymmetric ? FUR_OUTCOME_ASYMMETRIC : otherwise;
    return FUR_OK;
}

fur_status fur_prove_diagnosis(fur_drive *d)
{
    const fur_solver *s = d->solver;
    fur_outcome outcome = d->pass->outcome;
    bool proved;
    proof p = {.d = d,
               .t = s->a,
               .u = s->correction,
               .image = s->r,
               .epsilon = fur_value_epsilon(fur_vector_value_type(d->b))};
    if (d->reduced)
        return FUR_OK;
    if (outcome == FUR_OUTCOME_ASYMMETRIC)
        return doubt(&p, FUR_OUTCOME_DIVERGED);
    /* cg has computed the products from A itself. With null vectors, products with M prove
     * nothing. */
    if (s->method->descends && (outcome != FUR_OUTCOME_INDEFINITE_PRECONDITIONER || !s->null_space))
        return FUR_OK;
    if (outcome == FUR_OUTCOME_INDEFINITE_PRECONDITIONER) {
        p.t = s->options.preconditioner;
        FUR_TRY(prove_indefinite(&p, &proved));
        d->pass->outcome = proved ? outcome : FUR_OUTCOME_BREAKDOWN;
    } else if (outcome == FUR_OUTCOME_INDEFINITE) {
        FUR_TRY(prove_indefinite(&p, &proved));
        FUR_TRY(doubt(&p, proved || d->pass->proved ? outcome : FUR_OUTCOME_BREAKDOWN));
    }
    return FUR_OK;
}
