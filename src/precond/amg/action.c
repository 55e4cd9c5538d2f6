/* What the steps of a cycle do: done by the library, or noted where a level's steps are recorded.
 */
#include "parts.h"

#include <furrow/author/recognised.h>

/* A row's values belong to `a`, which is NULL where the action has no matrix. */
static fur_status note(const fur_amg_rung *g, fur_amg_verb verb, const fur_csr *a,
                       fur_amg_action action)
{
    action.verb = verb;
    if (a) {
        action.rows = a->view.rows;
        action.wide = a->view.offset_type == FUR_I64;
        action.offsets = a->view.offsets;
        action.columns = a->view.columns;
        action.values = a->view.values;
    }
    return fur_amg_program_append(g->program, &action);
}

static fur_coefficient factor(double number)
{
    return (fur_coefficient){.factor = fur_real(number), .denominator = -1, .numerator = -1};
}

fur_status fur_amg_multiply(const fur_amg_rung *g, const fur_amg_product *a, double alpha,
                            const fur_vector *x, bool add, fur_vector *y)
{
    if (g->program)
        return note(g, FUR_AMG_MULTIPLY, a->matrix,
                    (fur_amg_action){.alpha = alpha, .x = x->data, .beta = add, .y = y->data});
    if (a->part)
        return fur_amg_multiply_part(a->part, alpha, x, add, y);
    return a->stencil ? fur_recognised_apply(a->stencil, fur_real(alpha), x, fur_real(add), y)
                      : fur_spmv_apply(a->plan, fur_real(alpha), x, fur_real(add), y);
}

fur_status fur_amg_scale(const fur_amg_rung *g)
{
    if (g->program)
        return note(
            g, FUR_AMG_SCALE, NULL,
            (fur_amg_action){
                .rows = g->p->size, .scaling = g->scaling->data, .x = g->r->data, .y = g->p->data});
    return fur_multiply_elementwise(g->scaling, g->r, g->p);
}

fur_status fur_amg_turn(const fur_amg_rung *g, double alpha, double beta, fur_vector *x)
{
    if (g->program)
        return note(g, FUR_AMG_TURN, NULL,
                    (fur_amg_action){.rows = x->size,
                                     .alpha = alpha,
                                     .beta = beta,
                                     .scaling = g->scaling->data,
                                     .x = g->r->data,
                                     .y = x->data,
                                     .p = g->p->data});
    return fur_axpy_direction(factor(alpha), factor(beta), g->scaling, fur_real(1), g->r, g->p, x);
}

fur_status fur_amg_add(const fur_amg_rung *g, double alpha, const fur_vector *x, fur_vector *y)
{
    if (g->program)
        return note(g, FUR_AMG_ADD, NULL,
                    (fur_amg_action){.rows = y->size, .alpha = alpha, .x = x->data, .y = y->data});
    return fur_axpby(fur_real(alpha), x, fur_real(1), y);
}

fur_status fur_amg_copy(const fur_amg_rung *g, const fur_vector *x, fur_vector *y)
{
    if (g->program)
        return note(g, FUR_AMG_COPY, NULL,
                    (fur_amg_action){.rows = y->size, .x = x->data, .y = y->data});
    return fur_vector_copy(x, y);
}

fur_status fur_amg_clear(const fur_amg_rung *g, fur_vector *x)
{
    if (g->program)
        return note(g, FUR_AMG_CLEAR, NULL, (fur_amg_action){.rows = x->size, .y = x->data});
    return fur_vector_fill(x, fur_real(0));
}

fur_status fur_amg_solve_dense(const fur_amg_rung *g, const fur_amg_dense *dense, fur_vector *x)
{
    if (g->program)
        return note(
            g, FUR_AMG_SOLVE, NULL,
            (fur_amg_action){
                .rows = dense->order, .values = dense->inverse, .x = g->r->data, .y = x->data});
    return fur_amg_apply_dense(dense, g->r, x);
}
