/* Stencils of all ranks: the agreement on a definition, and the data of each rank. */
#include "stencil.h"

#include <furrow/author/context.h>

#include "bounds.h"
#include "halo_link.h"
#include "take_options.h"

#include <stdlib.h>
#include <string.h>

/* Values on which ranks must agree. */
typedef struct outline {
    int64_t extent[3];
    int64_t boundary[3];
    int64_t value;
    int64_t points;
    int64_t fields;
    uint64_t lists; /* hash of offsets and coefficients */
    int64_t planes; /* number of this rank's planes; -1: balanced */
    int64_t first;
} outline;

static uint64_t hash(uint64_t h, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        h = (h ^ at[i]) * UINT64_C(1099511628211);
    return h;
}

/* Checks a definition as the library without ranks does, on a grid without fields, for its
 * messages. */
static fur_status check_definition(fur_ranks *g, const fur_stencil_definition *d)
{
    fur_scalar none[1] = {fur_real(0)};
    fur_stencil *tried = NULL;
    fur_stencil_definition constant = *d;
    fur_scalar *zeros = none;
    if (d->fields && !d->coefficients && d->points > 0) {
        FUR_TRY(group_allocate(g, d->points, sizeof *zeros, &zeros));
        memset(zeros, 0, (size_t)d->points * sizeof *zeros);
        constant.coefficients = zeros;
        constant.fields = NULL;
    }
    fur_status status = group_pass_on(g, g->home, fur_stencil_create(g->home, &constant, &tried));
    fur_stencil_destroy(tried);
    if (zeros != none)
        group_release(g, zeros);
    return status;
}

static outline outline_of(const fur_ranks_stencil *s, const int64_t *given)
{
    const fur_stencil_definition *d = &s->definition;
    outline o = {.value = d->value_type, .points = d->points, .fields = d->fields != NULL};
    int rank = s->space.group->rank;
    for (int axis = 0; axis < 3; axis++) {
        o.extent[axis] = d->extent[axis];
        o.boundary[axis] = d->boundary[axis];
    }
    o.lists =
        hash(UINT64_C(14695981039346656037), d->offsets, (size_t)d->points * sizeof *d->offsets);
    if (d->coefficients)
        o.lists = hash(o.lists, d->coefficients, (size_t)d->points * sizeof *d->coefficients);
    o.planes = given ? given[rank + 1] - given[rank] : -1;
    o.first = given ? given[rank] : -1;
    return o;
}

/* Takes the bounds of planes, which must agree on all ranks. */
static fur_status take_planes(fur_ranks_stencil *s, const outline *all, bool given)
{
    fur_ranks *g = s->space.group;
    int64_t n = s->definition.extent[s->axis];
    bounds_even(n, g->count, s->planes);
    for (int i = 0; i < g->count; i++) {
        bool same = memcmp(&all[i], &all[0], offsetof(outline, planes)) == 0;
        if (!same || (all[i].planes < 0) == given)
            return group_fail(
                g, FUR_INVALID,
                "ranks 0 and %d gave different stencils; all ranks must give the same", i);
        if (given)
            s->planes[i + 1] = s->planes[i] + all[i].planes;
        if (given && (all[i].first != s->planes[i] || s->planes[i + 1] > n))
            return group_fail(g, FUR_INVALID,
                              "the planes of rank %d do not fit; bounds must increase from 0 to "
                              "%lld and be the same on all ranks",
                              i, (long long)n);
    }
    return s->planes[g->count] == n
               ? FUR_OK
               : group_fail(g, FUR_INVALID,
                            "all ranks together have %lld planes, but the grid has %lld",
                            (long long)s->planes[g->count], (long long)n);
}

static fur_status agree_on_planes(fur_ranks_stencil *s, const int64_t *given)
{
    fur_ranks *g = s->space.group;
    outline own = outline_of(s, given);
    outline *all;
    FUR_TRY(space_join(g));
    FUR_TRY(group_allocate(g, g->count, sizeof *all, &all));
    fur_status status = group_gather(g, &own, sizeof own, all);
    if (status == FUR_OK)
        status = take_planes(s, all, given != NULL);
    group_release(g, all);
    FUR_TRY(status);
    for (int i = 0; i <= g->count; i++)
        s->bounds[i] = s->planes[i] * s->plane;
    return FUR_OK;
}

static int before(const void *a, const void *b)
{
    fur_stencil_offset left = ((const stencil_term *)a)->at;
    fur_stencil_offset right = ((const stencil_term *)b)->at;
    if (left.z != right.z)
        return left.z < right.z ? -1 : 1;
    if (left.y != right.y)
        return left.y < right.y ? -1 : 1;
    return (left.x > right.x) - (left.x < right.x);
}

static int32_t distance(fur_stencil_offset o, int axis)
{
    int32_t along = axis == 0 ? o.x : axis == 1 ? o.y : o.z;
    return along < 0 ? -along : along;
}

/* Copies the lists of a checked definition, always with three axes, so that no memory of the caller
 * is used. */
static fur_status copy_lists(fur_ranks_stencil *s, const fur_stencil_definition *d)
{
    fur_ranks *g = s->space.group;
    fur_stencil_offset *offsets = NULL;
    fur_scalar *coefficients = NULL;
    s->definition = *d;
    s->definition.axes = 3;
    s->definition.coefficients = NULL;
    s->definition.offsets = NULL;
    for (int axis = d->axes; axis < 3; axis++) {
        s->definition.extent[axis] = 1;
        s->definition.boundary[axis] = FUR_BOUNDARY_DIRICHLET;
    }
    FUR_TRY(group_allocate(g, d->points, sizeof *s->terms, &s->terms));
    FUR_TRY(group_allocate(g, d->points, sizeof *offsets, &offsets));
    memcpy(offsets, d->offsets, (size_t)d->points * sizeof *offsets);
    s->definition.offsets = offsets;
    for (int k = 0; k < d->points; k++)
        s->terms[k] = (stencil_term){d->offsets[k], k};
    qsort(s->terms, (size_t)d->points, sizeof *s->terms, before);
    if (!d->coefficients)
        return FUR_OK;
    FUR_TRY(group_allocate(g, d->points, sizeof *coefficients, &coefficients));
    memcpy(coefficients, d->coefficients, (size_t)d->points * sizeof *coefficients);
    s->definition.coefficients = coefficients;
    return FUR_OK;
}

/* Chooses the axis to divide: the last axis with more than one point. */
static void find_axis(fur_ranks_stencil *s)
{
    const int64_t *extent = s->definition.extent;
    s->axis = extent[2] > 1 ? 2 : extent[1] > 1 ? 1 : 0;
    s->plane = 1;
    for (int axis = 0; axis < s->axis; axis++)
        s->plane *= extent[axis];
    for (int k = 0; k < s->definition.points; k++) {
        int32_t along = distance(s->terms[k].at, s->axis);
        s->radius = along > s->radius ? along : s->radius;
    }
}

/* Rounds the coefficients as a stencil does. */
static fur_status round_coefficients(fur_ranks_stencil *s)
{
    const fur_stencil_definition *d = &s->definition;
    FUR_TRY(
        group_allocate(s->space.group, d->points, fur_value_size(d->value_type), &s->coefficients));
    for (int k = 0; k < d->points; k++) {
        fur_scalar c = d->coefficients[k];
        switch (d->value_type) {
        case FUR_F32:
            ((float *)s->coefficients)[k] = (float)c.re;
            break;
        case FUR_F64:
            ((double *)s->coefficients)[k] = c.re;
            break;
        case FUR_C64:
            ((float *)s->coefficients)[2 * k] = (float)c.re;
            ((float *)s->coefficients)[2 * k + 1] = (float)c.im;
            break;
        default:
            memcpy((double *)s->coefficients + 2 * (ptrdiff_t)k, (double[]){c.re, c.im},
                   2 * sizeof(double));
        }
    }
    return FUR_OK;
}

/* Copies this rank's part of the fields. */
static fur_status copy_fields(fur_ranks_stencil *s)
{
    fur_ranks *g = s->space.group;
    const fur_stencil_definition *d = &s->definition;
    int64_t own = s->bounds[g->rank + 1] - s->bounds[g->rank];
    size_t size = fur_value_size(d->value_type);
    FUR_TRY(group_allocate(g, d->points, sizeof *s->fields, &s->fields));
    memset(s->fields, 0, (size_t)d->points * sizeof *s->fields);
    for (int k = 0; k < d->points; k++) {
        const fur_vector *field = d->fields[k];
        if (!field || fur_vector_value_type(field) != d->value_type ||
            fur_vector_size(field) != own)
            return group_fail(g, FUR_INVALID,
                              "field %d of rank %d needs %lld entries, one for each of its "
                              "points, of the stencil's value type",
                              k, g->rank, (long long)own);
        FUR_TRY(group_allocate(g, own, size, &s->fields[k]));
        FUR_TRY(
            group_pass_on(g, fur_vector_context(field), fur_vector_download(field, s->fields[k])));
    }
    return FUR_OK;
}

/* Makes the operator and the report. */
static fur_status finish(fur_ranks_stencil *s)
{
    fur_ranks *g = s->space.group;
    int64_t own = s->bounds[g->rank + 1] - s->bounds[g->rank];
    fur_operator_definition definition = {.size = sizeof definition,
                                          .rows = own,
                                          .cols = own,
                                          .value_type = s->definition.value_type,
                                          .user = s,
                                          .apply = stencil_apply,
                                          .diagonal = stencil_diagonal,
                                          .recordable = g->link->queues};
    FUR_TRY(stencil_make_parts(s));
    return fur_operator_create(s->space.context, &definition, &s->operator);
}

static void report(fur_ranks_stencil *s)
{
    const fur_ranks *g = s->space.group;
    int64_t rows = s->bounds[g->count];
    int64_t most = 0;
    int64_t edges = 0;
    fur_ranks_report *r = &s->report;
    *r = (fur_ranks_report){.size = sizeof *r,
                            .rows = rows,
                            .cols = rows,
                            .entries = rows * s->definition.points,
                            .value_type = s->definition.value_type};
    for (int i = 0; i < g->count; i++) {
        int64_t own = s->bounds[i + 1] - s->bounds[i];
        int64_t ghosts = (stencil_ghosts(s, i, 0).count + stencil_ghosts(s, i, 1).count) * s->plane;
        most = own > most ? own : most;
        r->halo_bytes += g->count > 1 ? ghosts * (int64_t)fur_value_size(r->value_type) : 0;
        if (i == g->rank)
            r->ghosts = ghosts;
    }
    for (int i = 0; i < s->edges; i++)
        edges += s->edge[i].result.count * s->plane;
    r->boundary_rows = edges;
    r->own_entries = (s->bounds[g->rank + 1] - s->bounds[g->rank]) * s->definition.points;
    r->imbalance = (double)most * g->count / (double)rows;
}

static fur_status create(fur_ranks_stencil *s, const fur_stencil_definition *definition,
                         const int64_t *given)
{
    fur_ranks *g = s->space.group;
    fur_stencil_definition own;
    const fur_stencil_definition *d = &own;
    if (!definition)
        return group_fail(g, FUR_INVALID, "rank %d gave NULL for the stencil", g->rank);
    RANKS_TAKE_OPTIONS(g, fur_stencil_definition, &own, definition);
    FUR_TRY(check_definition(g, d));
    FUR_TRY(copy_lists(s, d));
    find_axis(s);
    FUR_TRY(group_allocate(g, g->count + 1, sizeof *s->planes, &s->planes));
    FUR_TRY(group_allocate(g, g->count + 1, sizeof *s->bounds, &s->bounds));
    s->planes[0] = 0;
    FUR_TRY(agree_on_planes(s, given));
    FUR_TRY(d->fields ? copy_fields(s) : round_coefficients(s));
    s->definition.fields = NULL; /* the stencil uses its copies */
    FUR_TRY(space_open(g, s->bounds, &s->space));
    FUR_TRY(group_pass_on(g, s->space.context, finish(s)));
    report(s);
    return FUR_OK;
}

fur_status fur_ranks_stencil_create(fur_ranks *group, const fur_stencil_definition *definition,
                                    const int64_t *planes, fur_ranks_stencil **out)
{
    fur_ranks_stencil *s = NULL;
    if (!group || !out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    fur_status status = group_allocate(group, 1, sizeof *s, &s);
    if (status == FUR_OK) {
        memset(s, 0, sizeof *s);
        s->space.group = group;
        status = create(s, definition, planes);
    }
    status = fur_ranks_agree(group, status);
    if (status == FUR_OK)
        *out = s;
    else
        fur_ranks_stencil_destroy(s);
    return status;
}

void fur_ranks_stencil_destroy(fur_ranks_stencil *stencil)
{
    if (!stencil)
        return;
    fur_ranks *g = stencil->space.group;
    fur_operator_destroy(stencil->operator);
    stencil_release_parts(stencil);
    space_close(&stencil->space);
    for (int k = 0; stencil->fields && k < stencil->definition.points; k++)
        group_release(g, stencil->fields[k]);
    group_release(g, stencil->fields);
    group_release(g, stencil->coefficients);
    group_release(g, (void *)(uintptr_t)stencil->definition.coefficients);
    group_release(g, (void *)(uintptr_t)stencil->definition.offsets);
    group_release(g, stencil->terms);
    group_release(g, stencil->planes);
    group_release(g, stencil->bounds);
    group_release(g, stencil);
}

fur_context *fur_ranks_stencil_context(const fur_ranks_stencil *stencil)
{
    return stencil ? stencil->space.context : NULL;
}

const fur_operator *fur_ranks_stencil_operator(const fur_ranks_stencil *stencil)
{
    return stencil ? stencil->operator: NULL;
}

const int64_t *fur_ranks_stencil_bounds(const fur_ranks_stencil *stencil)
{
    return stencil ? stencil->bounds : NULL;
}

const fur_ranks_report *fur_ranks_stencil_describe(const fur_ranks_stencil *stencil)
{
    static const fur_ranks_report none = {.size = sizeof none};
    return stencil ? &stencil->report : &none;
}
