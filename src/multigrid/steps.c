/* The order of the steps in a cycle. */
#include "multigrid.h"

/* Steps under construction. If `list` is NULL, they are only counted. */
typedef struct steps {
    int64_t count;
    fur_grid_step *list;
} steps;

static void add(steps *s, fur_grid_work work, int level)
{
    if (s->list)
        s->list[s->count] = (fur_grid_step){.work = work, .level = level};
    s->count++;
}

static void add_relax(steps *s, int level, fur_colour first, int sweeps)
{
    if (sweeps == 0)
        return;
    if (s->list)
        s->list[s->count] = (fur_grid_step){FUR_GRID_RELAX, level, first, sweeps};
    s->count++;
}

/* The coarsest level has double sweeps, so that it is symmetric. */
static void solve_coarsest(steps *s, const fur_multigrid *mg)
{
    for (int i = 0; i < mg->bottom; i++) {
        add_relax(s, mg->levels - 1, FUR_RED, 1);
        add_relax(s, mg->levels - 1, FUR_BLACK, 1);
    }
}

/* Descends from a level to the coarsest level, and solves there. */
static void descend(steps *s, const fur_multigrid *mg, int from)
{
    for (int l = from; l < mg->levels - 1; l++) {
        add_relax(s, l, FUR_RED, mg->pre_sweeps);
        add(s, FUR_GRID_RESTRICT, l);
        add(s, FUR_GRID_CLEAR, l + 1);
    }
    solve_coarsest(s, mg);
}

/* Ascends from the coarsest level to another level. */
static void ascend(steps *s, const fur_multigrid *mg, int to, fur_colour first)
{
    for (int l = mg->levels - 2; l >= to; l--) {
        add(s, FUR_GRID_CORRECT, l);
        add_relax(s, l, first, mg->post_sweeps);
    }
}

static void run_through(steps *s, const fur_multigrid *mg, fur_colour first)
{
    descend(s, mg, 0);
    for (int top = mg->levels - 2; mg->cycle == FUR_CYCLE_F && top > 0; top--) {
        ascend(s, mg, top, first);
        descend(s, mg, top);
    }
    ascend(s, mg, 0, first);
}

fur_status fur_multigrid_list_steps(fur_multigrid *mg)
{
    fur_env *env = &mg->context->env;
    steps counted = {.count = 0};
    run_through(&counted, mg, FUR_RED);
    mg->step_count = counted.count;
    for (int first = FUR_RED; first <= FUR_BLACK; first++) {
        steps s = {.count = 0};
        FUR_TRY(fur_env_allocate(env, counted.count, sizeof *s.list, &s.list));
        mg->steps[first] = s.list;
        run_through(&s, mg, (fur_colour)first);
    }
    return FUR_OK;
}
