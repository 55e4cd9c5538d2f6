/* The operations of a cycle on a level, by calls of the library. */
#include "parts.h"

#include <furrow/author/recognised.h>

fur_status fur_amg_multiply(const fur_amg_product *a, double alpha, const fur_vector *x, bool add,
                            fur_vector *y)
{
    if (a->part)
        return fur_amg_multiply_part(a->part, alpha, x, add, y);
    return a->stencil ? fur_recognised_apply(a->stencil, fur_real(alpha), x, fur_real(add), y)
                      : fur_spmv_apply(a->plan, fur_real(alpha), x, fur_real(add), y);
}

static fur_status multiply(const fur_amg_rung *g, const fur_amg_product *a, double alpha,
                           const fur_vector *x, bool add, fur_vector *y)
{
    (void)g;
    return fur_amg_multiply(a, alpha, x, add, y);
}

static fur_status scale(const fur_amg_rung *g)
{
    return fur_multiply_elementwise(g->scaling, g->r, g->p);
}

static fur_coefficient factor(double number)
{
    return (fur_coefficient){.factor = fur_real(number), .denominator = -1, .numerator = -1};
}

static fur_status turn(const fur_amg_rung *g, double alpha, double beta, fur_vector *x)
{
    return fur_axpy_direction(factor(alpha), factor(beta), g->scaling, fur_real(1), g->r, g->p, x);
}

static fur_status add(const fur_amg_rung *g, double alpha, const fur_vector *x, fur_vector *y)
{
    (void)g;
    return fur_axpby(fur_real(alpha), x, fur_real(1), y);
}

static fur_status copy(const fur_amg_rung *g, const fur_vector *x, fur_vector *y)
{
    (void)g;
    return fur_vector_copy(x, y);
}

static fur_status clear(const fur_amg_rung *g, fur_vector *x)
{
    (void)g;
    return fur_vector_fill(x, fur_real(0));
}

static fur_status solve(const fur_amg_rung *g, const fur_amg_dense *dense, fur_vector *x)
{
    return fur_amg_apply_dense(dense, g->r, x);
}

const fur_amg_verbs fur_amg_doing = {
    .multiply = multiply,
    .scale = scale,
    .turn = turn,
    .add = add,
    .copy = copy,
    .clear = clear,
    .solve = solve,
};
