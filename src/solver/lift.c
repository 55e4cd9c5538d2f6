/* A and M times powers of two.
 *
 * A product with a power of two does not round. A method that sees 2^-k A and 2^k M therefore has
 * the same bits as with A and M, except for the scale of its numbers. A vector is multiplied by
 * half of the power before the product, and by the other half after it. Entries are then equally
 * far from overflow and from underflow. */
#include "lift.h"

#include "core.h"
#include "env.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Norms of A between 2^-range and 2^range need no scale. Residuals in FUR_PASS_RANGE leave space
 * for p.A p, for residuals that have grown by 1 / epsilon, and for residuals that have fallen by
 * epsilon. */
#define RANGE 200
#define SINGLE_RANGE 50

/* A norm above these limits has not lost entries to underflow. */
#define TINY 0x1p-960
#define SINGLE_TINY 0x1p-100

/* Powers of two up to these exponents have a reciprocal in the value type. */
#define MAX 1020
#define SINGLE_MAX 124

/* An operator, and its scaled replacement for a method. */
typedef struct side {
    const fur_operator *inner; /* may be NULL */
    fur_operator *outer;       /* 2^-exponent times inner */
    int exponent;
    fur_vector *spare; /* the scaled argument; if the operator is a scaling, the scaled d */
    fur_scaling scaling;
} side;

struct fur_lift {
    fur_context *context;
    side a;
    side m;
};

static bool is_single(const fur_drive *d)
{
    return fur_value_is_single(fur_vector_value_type(d->b));
}

/* Clamps an exponent and makes it even, because methods take roots of products with M. */
static int clamped(const fur_drive *d, int exponent)
{
    int most = is_single(d) ? SINGLE_MAX : MAX;
    return (exponent < -most ? -most : exponent > most ? most : exponent) / 2 * 2;
}

/* The last work vector. A method that fills vectors for all its solves fills the first ones. */
static fur_vector *spare_of(const fur_solver *s)
{
    return s->work[s->method->workspace + s->method->vectors_a_restart * s->options.restart - 1];
}

/* Finds *size = ||T u|| and the exponent of ||T u|| / ||u||. u is v times a power of two, so that
 * its norm is near 1. `norm` is the norm of v. If v = 0, both are 0. If T u is 0 or not a number,
 * the exponent is 0. */
static fur_status find_exponent(fur_drive *d, const fur_operator *t, const fur_vector *v,
                                double norm, double *size, int *exponent)
{
    fur_vector *u = d->solver->correction;
    fur_vector *image = spare_of(d->solver);
    double length;
    *size = 0;
    *exponent = 0;
    if (norm == 0)
        return FUR_OK;
    FUR_TRY(fur_vector_copy(v, u));
    FUR_TRY(fur_vector_scale(u, fur_real(scalbn(1, clamped(d, -ilogb(norm))))));
    FUR_TRY(fur_operator_apply(t, u, image));
    FUR_TRY(fur_norm2(u, &length));
    FUR_TRY(fur_norm2(image, size));
    if (*size == HUGE_VAL)
        *exponent = clamped(d, INT_MAX);
    else if (*size > 0)
        *exponent = clamped(d, ilogb(*size) - ilogb(length));
    return FUR_OK;
}

fur_status fur_lift_measure(fur_drive *d, const fur_vector *v, const fur_vector *image,
                            bool *finite)
{
    int range = is_single(d) ? SINGLE_RANGE : RANGE;
    double norm = v == d->b ? d->b_norm : d->guess;
    double size;
    int exponent = 0;
    FUR_TRY(v == d->b ? fur_norm2(image, &size) : fur_norm_max(image, &size));
    bool known = norm > 0 && norm < HUGE_VAL;
    if (known && size > (is_single(d) ? SINGLE_TINY : TINY) && size < HUGE_VAL) {
        exponent = clamped(d, ilogb(size) - ilogb(norm));
    } else if (known) {
        d->pass->products++;
        FUR_TRY(find_exponent(d, d->solver->a, v, norm, &size, &exponent));
    }
    *finite = size < HUGE_VAL;
    d->lift = abs(exponent) > range ? exponent : 0;
    return FUR_OK;
}

/* y = 2^-exponent T x */
static fur_status apply(void *user, const fur_vector *x, fur_vector *y)
{
    const side *t = user;
    int before = -t->exponent / 2;
    int after = -t->exponent - before;
    if (t->outer->scaling)
        return fur_multiply_elementwise(t->spare, x, y);
    FUR_TRY(fur_axpby(fur_real(scalbn(1, before)), x, fur_real(0), t->spare));
    FUR_TRY(fur_operator_apply(t->inner, t->spare, y));
    return fur_vector_scale(y, fur_real(scalbn(1, after)));
}

static fur_status make_side(fur_context *context, const fur_operator *inner, side *out)
{
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = fur_operator_rows(inner),
                                          .cols = fur_operator_cols(inner),
                                          .value_type = fur_operator_value_type(inner),
                                          .user = out,
                                          .apply = apply};
    out->inner = inner;
    FUR_TRY(fur_vector_create(context, definition.value_type, definition.rows, &out->spare));
    return fur_operator_create(context, &definition, &out->outer);
}

static fur_status make(const fur_solver *s, fur_lift **out)
{
    fur_lift *lift;
    FUR_TRY(fur_env_allocate_zeros(&s->context->env, 1, sizeof *lift, &lift));
    lift->context = s->context;
    fur_status status = make_side(s->context, s->a, &lift->a);
    if (status == FUR_OK && s->options.preconditioner)
        status = make_side(s->context, s->options.preconditioner, &lift->m);
    if (status == FUR_OK)
        *out = lift;
    else
        fur_lift_release(lift);
    return status;
}

/* A method may read the numbers of a scaling instead of applying it. */
static fur_status scale_numbers(side *t)
{
    const fur_scaling *inner = t->inner->scaling;
    double factor = scalbn(1, -t->exponent);
    t->outer->scaling = inner ? &t->scaling : NULL;
    if (!inner)
        return FUR_OK;
    t->scaling =
        (fur_scaling){t->spare, inner->is_constant,
                      fur_complex(factor * inner->constant.re, factor * inner->constant.im), NULL};
    return fur_axpby(fur_real(factor), inner->d, fur_real(0), t->spare);
}

fur_status fur_lift_open(fur_drive *d, const fur_vector *r)
{
    fur_solver *s = d->solver;
    double size;
    if (!s->lift)
        FUR_TRY(make(s, &s->lift));
    side *m = &s->lift->m;
    if (!m->inner)
        return FUR_OK;
    FUR_TRY(find_exponent(d, m->inner, r, d->residual, &size, &m->exponent));
    return scale_numbers(m);
}

fur_status fur_lift_run(const fur_drive *d)
{
    fur_lift *lift = d->solver->lift;
    fur_pass *s = d->pass;
    const fur_pass plain = *s;
    lift->a.exponent = d->lift;
    int exponent = lift->a.exponent + (s->preconditioner ? lift->m.exponent : 0);
    s->a = lift->a.outer;
    s->preconditioner = lift->m.outer;
    s->recording = NULL;
    s->persistent = NULL;
    s->fused = NULL;
    s->norm = scalbn(s->norm, -exponent);
    fur_status status = d->solver->method->run(s);
    s->norm = scalbn(s->norm, exponent);
    s->a = plain.a;
    s->preconditioner = plain.preconditioner;
    s->recording = plain.recording;
    s->persistent = plain.persistent;
    s->fused = plain.fused;
    return status;
}

static void release_side(side *t)
{
    fur_operator_destroy(t->outer);
    fur_vector_destroy(t->spare);
}

void fur_lift_release(fur_lift *lift)
{
    if (!lift)
        return;
    release_side(&lift->m);
    release_side(&lift->a);
    fur_env_release(&lift->context->env, lift);
}
