/* Products with a stencil of all ranks: planes go to the ranks that need them while inner planes
 * are computed. */
#include "bounds.h"
#include "seconds.h"
#include "stencil.h"

#include <string.h>

static size_t plane_bytes(const fur_ranks_stencil *s)
{
    return (size_t)s->plane * fur_value_size(s->definition.value_type);
}

/* Plane `plane` of the grid, which this rank has, in its part of a vector. */
static const char *own_plane(const fur_ranks_stencil *s, const char *x, int64_t plane)
{
    return x + (size_t)(plane - s->planes[s->space.group->rank]) * plane_bytes(s);
}

/* Sends the planes of this rank that another one needs. */
static fur_status send_planes(const fur_ranks_stencil *s, int to, const char *x)
{
    fur_ranks *g = s->space.group;
    for (int side = 0; side < 2; side++) {
        plane_range need = stencil_ghosts(s, to, side);
        for (int64_t i = 0; i < need.count; i++) {
            int64_t plane = stencil_plane(s, need.first + i);
            if (bounds_find(s->planes, g->count, plane) == g->rank)
                RANKS_TRY(group_send(g, to, own_plane(s, x, plane), plane_bytes(s)));
        }
    }
    return FUR_OK;
}

static fur_status begin(const fur_ranks_stencil *s, const char *x)
{
    const fur_ranks *g = s->space.group;
    for (int to = 0; to < g->count; to++)
        if (to != g->rank)
            RANKS_TRY(send_planes(s, to, x));
    return FUR_OK;
}

/* The planes beside this rank's, of which it may have some itself where an axis goes round. */
static fur_status end(fur_ranks_stencil *s, const char *x)
{
    fur_ranks *g = s->space.group;
    char *to = s->ghosts;
    double start = seconds_now();
    for (int side = 0; side < 2; side++) {
        plane_range need = stencil_ghosts(s, g->rank, side);
        for (int64_t i = 0; i < need.count; i++, to += plane_bytes(s)) {
            int64_t plane = stencil_plane(s, need.first + i);
            int from = bounds_find(s->planes, g->count, plane);
            if (from == g->rank)
                memcpy(to, own_plane(s, x, plane), plane_bytes(s));
            else
                RANKS_TRY(group_receive(g, from, to, plane_bytes(s)));
        }
    }
    s->report.seconds_halo += seconds_now() - start;
    return FUR_OK;
}

/* What an edge reads: planes of this rank, and beside them. */
static void fill_window(const fur_ranks_stencil *s, const edge *e, const char *x)
{
    const fur_ranks *g = s->space.group;
    plane_range below = stencil_ghosts(s, g->rank, 0);
    plane_range own = {s->planes[g->rank], s->planes[g->rank + 1] - s->planes[g->rank]};
    char *to = fur_vector_data(e->x);
    for (int64_t i = 0; i < e->window.count; i++) {
        int64_t at = e->window.first + i;
        const char *from = s->ghosts;
        if (at < own.first)
            from += (size_t)(at - below.first) * plane_bytes(s);
        else if (at < own.first + own.count)
            from = x + (size_t)(at - own.first) * plane_bytes(s);
        else
            from += (size_t)(below.count + at - own.first - own.count) * plane_bytes(s);
        memcpy(to + (size_t)i * plane_bytes(s), from, plane_bytes(s));
    }
}

static fur_status apply_edge(const fur_ranks_stencil *s, const edge *e, const char *x, char *y)
{
    int64_t own = s->planes[s->space.group->rank];
    fill_window(s, e, x);
    RANKS_TRY(fur_stencil_apply(e->stencil, fur_real(1), e->x, fur_real(0), e->y));
    const char *from = fur_vector_const_data(e->y);
    memcpy(y + (size_t)(e->result.first - own) * plane_bytes(s),
           from + (size_t)(e->result.first - e->window.first) * plane_bytes(s),
           (size_t)e->result.count * plane_bytes(s));
    return FUR_OK;
}

fur_status stencil_apply(void *user, const fur_vector *x, fur_vector *y)
{
    fur_ranks_stencil *s = user;
    const char *in = fur_vector_const_data(x);
    RANKS_TRY(space_pass(&s->space, begin(s, in)));
    if (s->inner)
        RANKS_TRY(fur_stencil_apply(s->inner, fur_real(1), x, fur_real(0), y));
    RANKS_TRY(space_pass(&s->space, end(s, in)));
    for (int i = 0; i < s->edges; i++)
        RANKS_TRY(apply_edge(s, &s->edge[i], in, fur_vector_data(y)));
    return FUR_OK;
}
