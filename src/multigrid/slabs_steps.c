/* The planes that a step on shared vectors needs, and the planes that are right after it. */
#include "slabs.h"

fur_status fur_slabs_enter(fur_multigrid *mg, const fur_vector *b, const fur_vector *x)
{
    fur_slabs *slabs = mg->slabs;
    fur_grid_level *l = &mg->level[0];
    size_t size = fur_value_size(l->grid.value_type);
    size_t at = (size_t)fur_slab_own(mg, 0) * size;
    int64_t bytes = fur_slab_points(mg, 0) * (int64_t)size;
    slabs->slab[0].x_right = 0;
    slabs->slab[0].b_right = 0;
    if (bytes > 0) {
        FUR_TRY(fur_memory_copy(mg->context, (char *)(uintptr_t)l->b + at, b->data, bytes));
        FUR_TRY(fur_memory_copy(mg->context, (char *)l->x + at, x->data, bytes));
    }
    if (slabs->whole > 0)
        return FUR_OK;
    FUR_TRY(fur_slabs_gather(mg, (void *)(uintptr_t)l->b));
    return fur_slabs_gather(mg, l->x);
}

fur_status fur_slabs_leave(const fur_multigrid *mg, fur_vector *x)
{
    size_t size = fur_value_size(mg->level[0].grid.value_type);
    if (x->size == 0)
        return FUR_OK;
    return fur_memory_copy(mg->context, x->data,
                           (char *)mg->level[0].x + (size_t)fur_slab_own(mg, 0) * size,
                           x->size * (int64_t)size);
}

/* Fetches planes of x, and of b if needed, unless enough planes are right. */
static fur_status need(fur_multigrid *mg, int level, int64_t x_planes, int64_t b_planes,
                       int64_t fetched)
{
    fur_slab *s = &mg->slabs->slab[level];
    if (s->x_right < x_planes) {
        FUR_TRY(fur_slabs_exchange(mg, level, fetched, mg->level[level].x));
        s->x_right = fetched;
    }
    if (s->b_right < b_planes) {
        FUR_TRY(
            fur_slabs_exchange(mg, level, mg->slabs->width, (void *)(uintptr_t)mg->level[level].b));
        s->b_right = mg->slabs->width;
    }
    return FUR_OK;
}

fur_status fur_slabs_before_residual(fur_multigrid *mg)
{
    return mg->slabs->whole > 0 ? need(mg, 0, 1, 0, mg->slabs->width) : FUR_OK;
}

static fur_status before_correction(fur_multigrid *mg, int level, fur_slab_step *out)
{
    fur_slabs *slabs = mg->slabs;
    if (level + 1 < slabs->whole)
        return need(mg, level + 1, FUR_CORRECTION_REACH, 0, FUR_CORRECTION_REACH);
    out->coarse_x = slabs->near_x;
    return fur_slabs_roll(mg, &slabs->near, mg->level[level + 1].x, slabs->near_x);
}

/* Only the rank's own planes of the coarser level get a residual. */
static void aim_restriction(const fur_multigrid *mg, int level, fur_slab_step *out)
{
    size_t size = fur_value_size(out->grid.value_type);
    const int64_t *own = mg->slabs->slab[level + 1].bounds + mg->slabs->with->rank;
    out->nothing = out->nothing || own[0] == own[1];
    if (out->nothing)
        return;
    out->grid.axis[2].coarse = own[1] - own[0];
    out->coarse_b = (char *)out->coarse_b + (size_t)fur_slab_own(mg, level + 1) * size;
}

fur_status fur_slabs_before(fur_multigrid *mg, const fur_grid_step *step, fur_slab_step *out)
{
    fur_slabs *slabs = mg->slabs;
    const fur_slab *s = &slabs->slab[step->level];
    if (step->level >= slabs->whole)
        return FUR_OK;
    out->nothing = s->count == 0;
    switch (step->work) {
    case FUR_GRID_RELAX:
        if ((s->first & 1) != 0)
            out->first = step->first == FUR_RED ? FUR_BLACK : FUR_RED;
        return need(mg, step->level, INT64_C(2) * step->sweeps, INT64_C(2) * step->sweeps,
                    slabs->width);
    case FUR_GRID_RESTRICT:
        aim_restriction(mg, step->level, out);
        return need(mg, step->level, FUR_RESTRICTION_REACH, FUR_RESTRICTION_REACH - 1,
                    FUR_RESTRICTION_REACH);
    case FUR_GRID_CORRECT:
        return before_correction(mg, step->level, out);
    default:
        return FUR_OK;
    }
}

fur_status fur_slabs_after(fur_multigrid *mg, const fur_grid_step *step)
{
    fur_slabs *slabs = mg->slabs;
    fur_slab *s = &slabs->slab[step->level];
    if (step->level >= slabs->whole)
        return FUR_OK;
    switch (step->work) {
    case FUR_GRID_RELAX:
        s->x_right -= INT64_C(2) * step->sweeps;
        return FUR_OK;
    case FUR_GRID_RESTRICT:
        s[1].b_right = 0;
        return step->level + 1 == slabs->whole
                   ? fur_slabs_gather(mg, (void *)(uintptr_t)mg->level[slabs->whole].b)
                   : FUR_OK;
    case FUR_GRID_CORRECT:
        s->x_right = 0;
        return FUR_OK;
    default:
        s->x_right = slabs->width;
        return FUR_OK;
    }
}
