/* CG on the normal equations A^H A x = A^H b, with a recurrence for the residual itself (Hestenes
 * and Stiefel 1952, section 10; also called CGLS). It is stable, unlike CG with the product A^H A.
 * With a Hermitian preconditioner it solves for A M; damping still applies to x.
 *
 * If squares with A or M would overflow or underflow, products with them are scaled by a power of
 * two. The step of x is scaled back.
 *
 * Vector transfers an iteration in addition to the products: ||A p|| 1, r update 3 of rows entries;
 * ||p|| 1, x update 3, ||g|| 1, p update 3 of cols entries. Damping adds g's update 3, M the norm
 * of M g 1. */
#include "least_squares.h"

#include "env.h"
#include "unit.h"
#include "value_type.h"

#include <math.h>
#include <stdlib.h>

/* Products beyond these powers of two are scaled. */
#define FAR 200
#define FAR_SINGLE 20

typedef struct cgnr {
    fur_vector *q;   /* A p */
    fur_vector *g;   /* the gradient A^H r - damp^2 x */
    fur_vector *mg;  /* M g, or g itself if M is NULL */
    fur_vector *p;   /* direction of x */
    double residual; /* ||r|| */
    double x_norm;
    double gradient; /* ||g|| */
    double length;   /* ||M g||, the residual norm in CG */
    double step;     /* alpha^(1/2), the inverse of a diagonal entry of the triangle */
    double unit;     /* products with A and A^H are scaled by this */
    double m_unit;   /* products with M are scaled by this */
    fur_triangle triangle;
} cgnr;

static double square(double x)
{
    return x * x;
}

/* Multiplies v by a power of two, which is mostly 1. */
static fur_status scale(fur_vector *v, double unit)
{
    return unit == 1 ? FUR_OK : fur_vector_scale(v, fur_real(unit));
}

/* The scale for products of this size; 1 if their squares do not overflow or underflow. */
static double unit_of(const fur_pass *s, double size)
{
    bool single = fur_value_is_single(fur_vector_value_type(s->r));
    double unit = fur_unit_scale(single, size);
    int far = single ? FAR_SINGLE : FAR;
    return abs(ilogb(unit)) > far ? unit : 1;
}

static fur_status precondition(fur_pass *s, const cgnr *v, const fur_vector *r, fur_vector *z)
{
    FUR_TRY(fur_pass_precondition(s, r, z));
    return scale(z, v->m_unit);
}

/* g and its norm, from r and x */
static fur_status take_gradient(fur_pass *s, cgnr *v)
{
    double damp = s->options->damp;
    FUR_TRY(fur_pass_multiply_adjoint(s, s->r, v->g));
    FUR_TRY(scale(v->g, v->unit));
    if (damp > 0)
        FUR_TRY(fur_axpby(fur_real(-(damp * v->unit) * damp), s->x, fur_real(1), v->g));
    return fur_norm2(v->g, &v->gradient);
}

/* M g and its norm */
static fur_status take_length(fur_pass *s, cgnr *v)
{
    v->length = v->gradient;
    if (!s->preconditioner)
        return FUR_OK;
    FUR_TRY(precondition(s, v, v->g, v->mg));
    return fur_norm2(v->mg, &v->length);
}

/* Computes the first gradient and direction, p = M M g. */
static fur_status start(fur_pass *s, cgnr *v, bool *over)
{
    if (s->options->damp > 0)
        s->target = -1; /* a damped pass ends by the gradient only */
    FUR_TRY(take_gradient(s, v));
    double slope = v->gradient / s->residual;
    v->unit = unit_of(s, slope);
    FUR_TRY(scale(v->g, v->unit));
    v->gradient *= v->unit;
    FUR_TRY(take_length(s, v));
    v->m_unit = unit_of(s, v->length / v->gradient);
    if (s->preconditioner)
        FUR_TRY(scale(v->mg, v->m_unit));
    v->length *= v->m_unit;
    if (s->preconditioner)
        FUR_TRY(precondition(s, v, v->mg, v->p));
    else
        FUR_TRY(fur_vector_copy(v->g, v->p));
    return fur_least_squares_check_start(s, slope, v->length, v->g, v->p, over);
}

/* x += alpha p, r -= alpha A p */
static fur_status step(fur_pass *s, cgnr *v)
{
    double q_norm;
    double p_norm;
    FUR_TRY(fur_pass_multiply(s, v->p, v->q));
    FUR_TRY(scale(v->q, v->unit));
    FUR_TRY(fur_norm2(v->q, &q_norm));
    FUR_TRY(fur_norm2(v->p, &p_norm));
    s->norm = fmax(s->norm, q_norm / p_norm / v->unit);
    v->step = v->length / fur_rotation_of(q_norm, s->options->damp * v->unit * p_norm).length;
    double alpha = square(v->step);
    v->residual = NAN;
    if (!(alpha < HUGE_VAL) || !(alpha * v->unit < HUGE_VAL)) /* x is unchanged */
        return FUR_OK;
    FUR_TRY(fur_axpy_norm2(fur_real(alpha * v->unit), v->p, s->x, &v->x_norm));
    return fur_axpy_norm2(fur_real(-alpha), v->q, s->r, &v->residual);
}

/* p = M M g + beta p; g is no longer needed. */
static fur_status turn(fur_pass *s, const cgnr *v, double beta)
{
    if (s->preconditioner)
        FUR_TRY(precondition(s, v, v->mg, v->g));
    return fur_axpby(fur_real(1), v->g, fur_real(beta), v->p);
}

static fur_status run(fur_pass *s)
{
    cgnr v = {.q = s->range[0],
              .g = s->work[0],
              .p = s->work[1],
              .unit = 1,
              .m_unit = 1,
              .triangle = fur_triangle_of(s)};
    v.mg = s->preconditioner ? s->work[2] : v.g;
    int64_t iteration = s->iterations;
    bool over;
    FUR_TRY(start(s, &v, &over));
    while (!over) {
        double before = v.length;
        FUR_TRY(step(s, &v));
        FUR_TRY(take_gradient(s, &v));
        FUR_TRY(take_length(s, &v));
        double share = v.gradient / (s->norm * v.unit);
        double whole = fur_rotation_of(v.residual, s->options->damp * v.x_norm).length;
        over = fur_least_squares_is_over(s, ++iteration, v.residual, whole, share);
        double ratio = v.length / before;
        fur_triangle_add(&v.triangle, 1 / v.step, ratio / v.step);
        if (!over)
            FUR_TRY(turn(s, &v, square(ratio)));
    }
    fur_triangle_take_condition(&v.triangle, s);
    int cols = 8 + (s->options->damp > 0 ? 3 : 0) + (s->preconditioner ? 1 : 0);
    s->bytes = fur_least_squares_bytes(s, 4, cols);
    return FUR_OK;
}

extern const fur_method fur_method_cgnr;
const fur_method fur_method_cgnr = {
    .info = {"cgnr",
             "conjugate gradients on the normal equations, with damping and a preconditioner; "
             "needs A^H",
             "Hestenes and Stiefel 1952"},
    .kind = FUR_METHOD_LEAST_SQUARES,
    .damps_preconditioned = true,
    .workspace = 3,
    .range_workspace = 1,
    .scratch = fur_triangle_scratch,
    .run = run,
};
