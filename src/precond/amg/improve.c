/* Relaxes vectors of the near-nullspace that A does not nearly map to 0, by sweeps of the smoother
 * for A x = 0 (Brezina, Falgout, MacLachlan, Manteuffel, McCormick and Ruge 2005). Constants need
 * this if finite elements have functions of several kinds. */
#include "hierarchy.h"

#include <furrow/vector.h>

/* Vectors of at most this part of the largest energy are not relaxed. */
#define ENERGY 0.05
#define ROUNDS 8

/* *energy = x^H A x / x^H D x. The level's r and p are overwritten. */
static fur_status measure(const fur_amg_rung *g, const fur_vector *diagonal, double *energy)
{
    fur_scalar product;
    fur_scalar square;
    FUR_TRY(fur_amg_multiply(&g->times_a, 1, g->x, false, g->r));
    FUR_TRY(fur_multiply_elementwise(diagonal, g->x, g->p));
    FUR_TRY(fur_dot(g->x, g->r, &product));
    FUR_TRY(fur_dot(g->x, g->p, &square));
    *energy = product.re / square.re;
    return FUR_OK;
}

/* Relaxes the level's x if needed. *better: this reduced its energy. */
static fur_status improve(const fur_amg_rung *g, const fur_vector *diagonal, bool *better)
{
    double before;
    double after;
    *better = false;
    FUR_TRY(measure(g, diagonal, &before));
    if (!(before > ENERGY * g->level.largest))
        return FUR_OK;
    for (int round = 0; round < ROUNDS; round++)
        FUR_TRY(fur_amg_relax(g, g->x));
    FUR_TRY(measure(g, diagonal, &after));
    *better = after < before;
    return FUR_OK;
}

/* Improves column j of the block, through the level's x. */
static fur_status improve_column(const fur_amg_rung *g, const fur_vector *diagonal,
                                 fur_vectors *near, int64_t j)
{
    fur_status status = FUR_OK;
    fur_vectors *column = NULL;
    fur_vectors *x = NULL;
    bool better;
    FUR_TRY_DONE(fur_vectors_columns(near, j, 1, &column));
    FUR_TRY_DONE(fur_vectors_from_vector(g->x, &x));
    FUR_TRY_DONE(fur_vectors_copy(column, x));
    FUR_TRY_DONE(improve(g, diagonal, &better));
    if (better)
        FUR_TRY_DONE(fur_vectors_copy(x, column));
done:
    fur_vectors_destroy(x);
    fur_vectors_destroy(column);
    return status;
}

fur_status fur_amg_improve(const fur_amg *amg, void *near)
{
    const fur_amg_rung *g = &amg->rung[0];
    const fur_csr *a = g->level.a;
    fur_vectors_view view = {.size = sizeof view,
                             .rows = a->view.rows,
                             .cols = amg->modes,
                             .value_type = amg->value,
                             .layout = FUR_LAYOUT_ROWS,
                             .data = near};
    fur_status status = FUR_OK;
    fur_vectors *block = NULL;
    fur_vector *diagonal = NULL;
    FUR_TRY_DONE(fur_vectors_wrap(amg->context, &view, FUR_OWNERSHIP_BORROW, &block));
    FUR_TRY_DONE(fur_csr_diagonal(a, &diagonal));
    for (int64_t j = 0; j < amg->modes; j++)
        FUR_TRY_DONE(improve_column(g, diagonal, block, j));
done:
    fur_vector_destroy(diagonal);
    fur_vectors_destroy(block);
    return status;
}
