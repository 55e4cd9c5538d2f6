/* Multigrid on shared vectors: how levels are divided among the ranks. */
#include "slabs.h"

#include "shared.h"

/* The most points of a level that is whole on every rank: 64 x 64 x 64. */
#define WHOLE_MAX INT64_C(262144)

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int rank_of(const fur_multigrid *mg)
{
    return mg->slabs->with->rank;
}

bool fur_slabs_can_pass(const fur_context *context)
{
    return !fur_is_remote(context) || context->env.shared->with.queue_pass;
}

int64_t fur_slab_own(const fur_multigrid *mg, int level)
{
    const fur_slab *s = &mg->slabs->slab[level];
    return s->count > 0 ? (s->bounds[rank_of(mg)] - s->first) * s->plane : 0;
}

int64_t fur_slab_points(const fur_multigrid *mg, int level)
{
    const fur_slab *s = &mg->slabs->slab[level];
    return (s->bounds[rank_of(mg) + 1] - s->bounds[rank_of(mg)]) * s->plane;
}

/* The first level that is whole on every rank: at the latest the last level, or a level with a
 * single plane. A single plane on a periodic axis would have other colours. */
static int find_whole(const fur_multigrid *mg, int64_t most)
{
    int level = 0;
    while (level + 1 < mg->levels && fur_grid_points(&mg->level[level].grid) > most &&
           mg->level[level].grid.axis[2].points > 1)
        level++;
    return level;
}

/* Sets the finest level's planes. If this level is whole, each point counts as a plane, so that any
 * bounds are possible. */
static fur_status set_finest(fur_multigrid *mg, fur_slab *s)
{
    const fur_sharing *with = mg->slabs->with;
    const fur_grid *g = &mg->level[0].grid;
    s->plane = mg->slabs->whole > 0 ? g->axis[0].points * g->axis[1].points : 1;
    s->planes = fur_grid_points(g) / s->plane;
    s->periodic = mg->slabs->whole > 0 && g->axis[2].periodic;
    FUR_TRY(fur_env_allocate(&mg->context->env, with->ranks + 1, sizeof *s->bounds, &s->bounds));
    for (int rank = 0; rank <= with->ranks; rank++) {
        s->bounds[rank] = with->bounds[rank] / s->plane;
        if (with->bounds[rank] % s->plane != 0)
            return fur_context_fail(
                mg->context, FUR_INVALID,
                "rank %d begins at point %lld, inside a plane of %lld points; multigrid on shared "
                "vectors needs complete planes on each rank",
                rank, (long long)with->bounds[rank], (long long)s->plane);
    }
    return s->bounds[with->ranks] == s->planes
               ? FUR_OK
               : fur_context_fail(
                     mg->context, FUR_INVALID,
                     "the shared vectors have %lld entries, but the grid has %lld points",
                     (long long)with->bounds[with->ranks], (long long)fur_grid_points(g));
}

static int64_t places_bytes(const fur_grid_axis *a)
{
    return a->points * FUR_GRID_PLACES * (int64_t)sizeof *a->places;
}

/* Sets the planes of a coarser level. A coarse plane belongs to the rank that has it on the finer
 * level. */
static fur_status set_coarser(fur_multigrid *mg, int level)
{
    const fur_grid *fine = &mg->level[level - 1].grid;
    const fur_grid *g = &mg->level[level].grid;
    const fur_slab *above = &mg->slabs->slab[level - 1];
    int64_t *places;
    fur_slab *s = &mg->slabs->slab[level];
    int ranks = mg->slabs->with->ranks;
    s->plane = g->axis[0].points * g->axis[1].points;
    s->planes = g->axis[2].points;
    s->periodic = g->axis[2].periodic;
    FUR_TRY(fur_env_allocate(&mg->context->env, ranks + 1, sizeof *s->bounds, &s->bounds));
    FUR_TRY(fur_memory_to_host(mg->context, fine->axis[2].places, places_bytes(&fine->axis[2]),
                               &places));
    const int64_t *right = places + FUR_GRID_RIGHT * fine->axis[2].points;
    for (int rank = 0; rank <= ranks; rank++)
        s->bounds[rank] =
            above->bounds[rank] < above->planes ? right[above->bounds[rank]] : s->planes;
    fur_memory_drop(mg->context, fine->axis[2].places, places);
    return FUR_OK;
}

/* Sets coefficients and interpolation, also for the planes of the halo. */
static void cut_points(const fur_grid_axis *whole, size_t size, const fur_slab *s,
                       const fur_slab *coarse, char *weights, int64_t *places)
{
    static const fur_grid_weight kinds[] = {FUR_GRID_LOWER, FUR_GRID_UPPER, FUR_GRID_DIAGONAL,
                                            FUR_GRID_FROM_LEFT, FUR_GRID_FROM_RIGHT};
    for (int64_t p = 0; p < s->count; p++) {
        int64_t plane = fur_slab_plane(s, s->first + p);
        int64_t turns = (s->first + p - plane) / s->planes;
        int64_t right = whole->places[FUR_GRID_RIGHT * whole->points + plane] +
                        turns * coarse->planes - coarse->first;
        for (int i = 0; i < 5; i++)
            if (!(kinds[i] == FUR_GRID_LOWER && p == 0) &&
                !(kinds[i] == FUR_GRID_UPPER && p == s->count - 1))
                memcpy(weights + (size_t)((int64_t)kinds[i] * s->count + p) * size,
                       (const char *)whole->weights +
                           (size_t)((int64_t)kinds[i] * whole->points + plane) * size,
                       size);
        places[FUR_GRID_RIGHT * s->count + p] = right < 0               ? 0
                                                : right > coarse->count ? coarse->count
                                                                        : right;
    }
}

/* Sets full weighting for this rank's own coarse planes. */
static void cut_restriction(const fur_grid_axis *whole, size_t size, const fur_slab *s,
                            const int64_t *coarse, char *weights, int64_t *places)
{
    for (int64_t c = coarse[0]; c < coarse[1]; c++) {
        for (int kind = FUR_GRID_BEFORE; kind <= FUR_GRID_AFTER; kind++)
            memcpy(weights + (size_t)(kind * s->count + c - coarse[0]) * size,
                   (const char *)whole->weights + (size_t)(kind * whole->points + c) * size, size);
        places[FUR_GRID_CENTRE * s->count + c - coarse[0]] =
            whole->places[FUR_GRID_CENTRE * whole->points + c] - s->first;
    }
}

/* Makes an axis of this rank's planes from the whole axis, whose tables are on the host. */
static fur_status make_axis(fur_multigrid *mg, int level, const fur_grid_axis *whole,
                            fur_grid_axis *out)
{
    fur_env *env = &mg->context->env;
    fur_slabs *slabs = mg->slabs;
    const fur_slab *s = &slabs->slab[level];
    const fur_slab *coarse = level + 1 == slabs->whole ? &slabs->near : &slabs->slab[level + 1];
    size_t size = fur_value_size(mg->level[level].grid.value_type);
    char *weights = NULL;
    int64_t *places = NULL;
    fur_status status;
    *out = (fur_grid_axis){.points = s->count, .coarse = coarse->count};
    FUR_TRY_DONE(fur_env_allocate_zeros(env, s->count * FUR_GRID_WEIGHTS, size, &weights));
    FUR_TRY_DONE(fur_env_allocate_zeros(env, s->count * FUR_GRID_PLACES, sizeof *places, &places));
    cut_points(whole, size, s, coarse, weights, places);
    if (s->count > 0)
        cut_restriction(whole, size, s, slabs->slab[level + 1].bounds + rank_of(mg), weights,
                        places);
    FUR_TRY_DONE(fur_multigrid_upload(mg->context, weights, s->count * FUR_GRID_WEIGHTS, size,
                                      &out->weights));
    FUR_TRY_DONE(fur_multigrid_upload(mg->context, places, s->count * FUR_GRID_PLACES,
                                      sizeof *places, &out->places));
done:
    fur_env_release(env, places);
    fur_env_release(env, weights);
    return status;
}

static void release_axis(fur_multigrid *mg, const fur_grid_axis *a)
{
    fur_memory_release(mg->context, (void *)(uintptr_t)a->weights);
    fur_memory_release(mg->context, (void *)(uintptr_t)a->places);
}

/* Replaces the last axis of a level by the axis of this rank's arrays. */
static fur_status cut_axis(fur_multigrid *mg, int level)
{
    fur_grid *g = &mg->level[level].grid;
    fur_grid_axis *whole = &g->axis[2];
    fur_grid_axis near = *whole;
    fur_grid_axis cut = {0};
    int64_t bytes = whole->points * FUR_GRID_WEIGHTS * (int64_t)fur_value_size(g->value_type);
    FUR_TRY(fur_memory_to_host(mg->context, whole->weights, bytes, &near.weights));
    fur_status status =
        fur_memory_to_host(mg->context, whole->places, places_bytes(whole), &near.places);
    if (status == FUR_OK) {
        status = make_axis(mg, level, &near, &cut);
        fur_memory_drop(mg->context, whole->places, (void *)(uintptr_t)near.places);
    }
    fur_memory_drop(mg->context, whole->weights, (void *)(uintptr_t)near.weights);
    if (status != FUR_OK) {
        release_axis(mg, &cut);
        return status;
    }
    release_axis(mg, whole);
    *whole = cut;
    return FUR_OK;
}

/* Sets the part of each level that this rank's arrays have. */
static fur_status cut_levels(fur_multigrid *mg)
{
    fur_slabs *slabs = mg->slabs;
    fur_slab *whole = &slabs->slab[slabs->whole];
    FUR_TRY(set_finest(mg, &slabs->slab[0]));
    for (int level = 1; level <= slabs->whole; level++)
        FUR_TRY(set_coarser(mg, level));
    for (int level = 0; level < slabs->whole; level++)
        fur_slab_reach(mg, &slabs->slab[level], rank_of(mg), slabs->width,
                       &slabs->slab[level].first, &slabs->slab[level].count);
    slabs->near = *whole;
    fur_slab_reach(mg, whole, rank_of(mg), FUR_CORRECTION_REACH, &slabs->near.first,
                   &slabs->near.count);
    whole->first = 0;
    whole->count = whole->planes;
    for (int level = 0; level < slabs->whole; level++)
        FUR_TRY(cut_axis(mg, level));
    return FUR_OK;
}

/* Allocates an array of zeros. */
static fur_status make_array(fur_multigrid *mg, int64_t count, void *out)
{
    fur_value_type value = mg->level[0].grid.value_type;
    void *array;
    FUR_TRY(fur_memory_allocate(mg->context, count, fur_value_size(value), &array));
    memcpy(out, &array, sizeof array);
    return count > 0 ? mg->context->backend->elementwise->fill[value](&mg->context->env, count,
                                                                      fur_real(0), array)
                     : FUR_OK;
}

/* Allocates memory for the messages of a gather. */
static fur_status make_messages(fur_multigrid *mg, size_t size)
{
    fur_env *env = &mg->context->env;
    fur_slabs *slabs = mg->slabs;
    const fur_slab *whole = &slabs->slab[slabs->whole];
    int64_t share = 0;
    if (fur_is_remote(mg->context))
        return FUR_OK;
    for (int rank = 0; rank < slabs->with->ranks; rank++)
        share = larger(share, (whole->bounds[rank + 1] - whole->bounds[rank]) * whole->plane);
    FUR_TRY(fur_env_allocate(env, share, size, &slabs->mine));
    return fur_env_allocate(env, share * slabs->with->ranks, size, &slabs->all);
}

static fur_status allocate(fur_multigrid *mg)
{
    fur_slabs *slabs = mg->slabs;
    size_t size = fur_value_size(mg->level[0].grid.value_type);
    for (int level = 0; level < mg->levels; level++) {
        fur_grid_level *l = &mg->level[level];
        FUR_TRY(make_array(mg, fur_grid_points(&l->grid), &l->b));
        FUR_TRY(make_array(mg, fur_grid_points(&l->grid), &l->x));
    }
    FUR_TRY(make_messages(mg, size));
    FUR_TRY(make_array(mg, slabs->near.count * slabs->near.plane, &slabs->near_x));
    FUR_TRY(make_array(mg, fur_grid_points(&mg->level[0].grid), &slabs->spare));
    char *own = slabs->spare;
    if (own)
        own += (size_t)fur_slab_own(mg, 0) * size;
    return fur_vector_wrap(mg->context, mg->level[0].grid.value_type, fur_slab_points(mg, 0), own,
                           FUR_OWNERSHIP_BORROW, &mg->residual);
}

fur_status fur_slabs_create(fur_multigrid *mg, int64_t most)
{
    FUR_TRY(fur_env_allocate_zeros(&mg->context->env, 1, sizeof *mg->slabs, &mg->slabs));
    fur_slabs *slabs = mg->slabs;
    slabs->with = &mg->context->env.shared->with;
    slabs->width = 2 * larger(mg->pre_sweeps, mg->post_sweeps) + FUR_RESTRICTION_REACH;
    slabs->whole = find_whole(mg, most ? most : WHOLE_MAX);
    FUR_TRY(cut_levels(mg));
    return allocate(mg);
}

void fur_slabs_destroy(fur_multigrid *mg)
{
    fur_env *env = &mg->context->env;
    fur_slabs *slabs = mg->slabs;
    if (!slabs)
        return;
    for (int level = 0; level <= slabs->whole; level++)
        fur_env_release(env, slabs->slab[level].bounds);
    fur_memory_release(mg->context, slabs->near_x);
    fur_memory_release(mg->context, slabs->spare);
    fur_env_release(env, slabs->mine);
    fur_env_release(env, slabs->all);
    fur_env_release(env, slabs);
    mg->slabs = NULL;
}

bool fur_slabs_cut(const fur_multigrid *mg, fur_stencil_definition *d)
{
    int axis = d->extent[2] > 1 ? 2 : 1;
    if (!mg->slabs || mg->slabs->whole == 0)
        return true;
    d->extent[axis] = mg->slabs->slab[0].count;
    if (d->boundary[axis] == FUR_BOUNDARY_PERIODIC)
        d->boundary[axis] = FUR_BOUNDARY_DIRICHLET;
    return d->extent[axis] > 0;
}
