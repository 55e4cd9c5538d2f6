/* One stage of a classical step: the coarse rows of a matrix, and P. */
#include "classical_data.h"

fur_status fur_amg_take_stage(const fur_csr *a, double theta, fur_amg_classical *c, fur_csr **out)
{
    fur_env *env = &a->context->env;
    FUR_TRY(fur_amg_find_dependences(env, &a->view, theta, &c->strong));
    FUR_TRY(fur_amg_split(env, c));
    FUR_TRY(fur_amg_plan_interpolation(env, &a->view, c));
    return fur_amg_interpolate(a, c, out);
}

void fur_amg_release_stage(fur_env *env, fur_amg_classical *c)
{
    fur_env_release(env, c->weight);
    fur_env_release(env, c->column);
    fur_env_release(env, c->place);
    fur_env_release(env, c->coarse);
    fur_env_release(env, c->strong.column);
    fur_env_release(env, c->strong.count);
    fur_env_release(env, c->strong.begin);
}

int64_t fur_amg_stage_bytes(const fur_amg_classical *c)
{
    const fur_amg_graph *g = &c->strong;
    return g->nodes * (int64_t)(sizeof *g->begin + sizeof *g->count + sizeof *c->coarse) +
           g->begin[g->nodes] * (int64_t)sizeof *g->column +
           c->lanes * (g->nodes * (int64_t)sizeof *c->place +
                       c->longest * (int64_t)(sizeof *c->column + sizeof *c->weight));
}
