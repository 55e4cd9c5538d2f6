/* The parts of a rank's share of a stencil. The inner part covers all its planes, but its results
 * near the bounds are wrong. The edges compute these results again. Each part is a separate stencil
 * on fewer planes, so that it can use any kernel. */
#include "stencil.h"

#include <string.h>

int64_t stencil_plane(const fur_ranks_stencil *s, int64_t position)
{
    int64_t n = s->definition.extent[s->axis];
    if (s->definition.boundary[s->axis] == FUR_BOUNDARY_PERIODIC)
        return (position % n + n) % n;
    return position >= 0 && position < n ? position : -1;
}

plane_range stencil_ghosts(const fur_ranks_stencil *s, int rank, int side)
{
    plane_range own = {s->planes[rank], s->planes[rank + 1] - s->planes[rank]};
    plane_range out = {side == 0 ? own.first - s->radius : own.first + own.count, s->radius};
    int64_t n = s->definition.extent[s->axis];
    if (own.count == 0)
        out.count = 0;
    if (s->definition.boundary[s->axis] == FUR_BOUNDARY_PERIODIC || out.count == 0)
        return out;
    int64_t begin = out.first > 0 ? out.first : 0;
    int64_t end = out.first + out.count < n ? out.first + out.count : n;
    return (plane_range){begin, end > begin ? end - begin : 0};
}

/* Makes a field on some planes. It is 0 where this rank has no values, because results there are
 * not used. */
static fur_status make_field(const fur_ranks_stencil *s, plane_range window, const char *own,
                             fur_vector **out)
{
    fur_ranks *g = s->space.group;
    const int64_t *bounds = s->planes + g->rank;
    size_t bytes = (size_t)s->plane * fur_value_size(s->definition.value_type);
    int64_t begin = window.first > bounds[0] ? window.first : bounds[0];
    int64_t end = window.first + window.count;
    char *values;
    end = end < bounds[1] ? end : bounds[1];
    FUR_TRY(space_pass(&s->space, group_allocate(g, window.count, bytes, &values)));
    memset(values, 0, (size_t)window.count * bytes);
    memcpy(values + (size_t)(begin - window.first) * bytes,
           own + (size_t)(begin - bounds[0]) * bytes, (size_t)(end - begin) * bytes);
    fur_status status = fur_vector_wrap(s->space.context, s->definition.value_type,
                                        window.count * s->plane, values, FUR_OWNERSHIP_COPY, out);
    group_release(g, values);
    return status;
}

static fur_status make_fields(const fur_ranks_stencil *s, plane_range window, fur_vector ***out)
{
    if (!s->fields)
        return FUR_OK;
    FUR_TRY(space_pass(&s->space,
                       group_allocate(s->space.group, s->definition.points, sizeof **out, out)));
    memset(*out, 0, (size_t)s->definition.points * sizeof **out);
    for (int k = 0; k < s->definition.points; k++)
        FUR_TRY(make_field(s, window, s->fields[k], &(*out)[k]));
    return FUR_OK;
}

static void release_fields(const fur_ranks_stencil *s, fur_vector **fields)
{
    for (int k = 0; fields && k < s->definition.points; k++)
        fur_vector_destroy(fields[k]);
    group_release(s->space.group, fields);
}

/* Makes the stencil on some planes. On a periodic axis, their ends are not the ends of the axis. */
static fur_status make_stencil(const fur_ranks_stencil *s, plane_range window, fur_vector ***fields,
                               fur_stencil **out)
{
    fur_stencil_definition d = s->definition;
    FUR_TRY(make_fields(s, window, fields));
    d.fields = (const fur_vector *const *)*fields;
    d.extent[s->axis] = window.count;
    if (d.boundary[s->axis] == FUR_BOUNDARY_PERIODIC)
        d.boundary[s->axis] = FUR_BOUNDARY_DIRICHLET;
    return fur_stencil_create(s->space.context, &d, out);
}

/* Returns the existing planes within `radius` of a result. */
static plane_range window_of(const fur_ranks_stencil *s, plane_range result)
{
    int rank = s->space.group->rank;
    plane_range below = stencil_ghosts(s, rank, 0);
    plane_range above = stencil_ghosts(s, rank, 1);
    int64_t least = below.count > 0 ? below.first : s->planes[rank];
    int64_t most = above.count > 0 ? above.first + above.count : s->planes[rank + 1];
    int64_t begin = result.first - s->radius;
    int64_t end = result.first + result.count + s->radius;
    begin = begin > least ? begin : least;
    end = end < most ? end : most;
    return (plane_range){begin, end - begin};
}

static fur_status make_edge(fur_ranks_stencil *s, plane_range result)
{
    edge *e = &s->edge[s->edges++];
    fur_value_type value = s->definition.value_type;
    e->result = result;
    e->window = window_of(s, result);
    FUR_TRY(make_stencil(s, e->window, &e->fields, &e->stencil));
    FUR_TRY(fur_vector_create(s->space.context, value, e->window.count * s->plane, &e->x));
    return fur_vector_create(s->space.context, value, e->window.count * s->plane, &e->y);
}

fur_status stencil_make_parts(fur_ranks_stencil *s)
{
    int rank = s->space.group->rank;
    plane_range own = {s->planes[rank], s->planes[rank + 1] - s->planes[rank]};
    bool below = stencil_ghosts(s, rank, 0).count > 0;
    bool above = stencil_ghosts(s, rank, 1).count > 0;
    if (own.count == 0)
        return FUR_OK;
    if ((below || above) && own.count <= 2 * s->radius)
        return make_edge(s, own);
    FUR_TRY(make_stencil(s, own, &s->inner_fields, &s->inner));
    if (below)
        FUR_TRY(make_edge(s, (plane_range){own.first, s->radius}));
    return above ? make_edge(s, (plane_range){own.first + own.count - s->radius, s->radius})
                 : FUR_OK;
}

void stencil_release_parts(fur_ranks_stencil *s)
{
    for (int i = 0; i < s->edges; i++) {
        fur_stencil_destroy(s->edge[i].stencil);
        release_fields(s, s->edge[i].fields);
        fur_vector_destroy(s->edge[i].x);
        fur_vector_destroy(s->edge[i].y);
    }
    fur_stencil_destroy(s->inner);
    release_fields(s, s->inner_fields);
}
