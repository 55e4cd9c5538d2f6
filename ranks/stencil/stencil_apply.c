/* Products with a stencil of all ranks. Planes are sent to the ranks that need them while inner
 * planes are computed. They arrive in the windows of the edges. On the CPU they are messages. On
 * GPUs they are memory parcels that are exchanged together. */
#include "bounds.h"

#include <furrow/author/clock.h>

#include "devices.h"
#include "stencil.h"

static size_t plane_bytes(const fur_ranks_stencil *s)
{
    return (size_t)s->plane * fur_value_size(s->definition.value_type);
}

/* Returns the address of grid plane `plane`, which this rank has, in its part of a vector. */
static char *own_plane(const fur_ranks_stencil *s, const char *x, int64_t plane)
{
    return (char *)(uintptr_t)x +
           (size_t)(plane - s->planes[s->space.group->rank]) * plane_bytes(s);
}

/* Returns the address of a position in an edge's window. */
static char *window_plane(const fur_ranks_stencil *s, const edge *e, int64_t position)
{
    return (char *)fur_vector_data(e->x) + (size_t)(position - e->window.first) * plane_bytes(s);
}

/* Consecutive planes of one rank. */
typedef struct run {
    int owner;
    int64_t plane;
    int64_t count;
} run;

static run run_at(const fur_ranks_stencil *s, int64_t position, int64_t end)
{
    int64_t plane = stencil_plane(s, position);
    run r = {bounds_find(s->planes, s->space.group->count, plane), plane, end - position};
    if (r.count > s->planes[r.owner + 1] - plane)
        r.count = s->planes[r.owner + 1] - plane;
    return r;
}

/* A list of parcels. On the CPU, each parcel is sent at once as a message. */
typedef struct passing {
    fur_ranks *group;
    bool listed;
    fur_passing pass;
    fur_parcel give[FUR_PARCELS_MAX];
    fur_parcel take[FUR_PARCELS_MAX];
} passing;

static fur_status list(const passing *p, fur_parcel *parcels, int *count, fur_parcel parcel)
{
    if (*count == FUR_PARCELS_MAX)
        return group_fail(
            p->group, FUR_UNSUPPORTED,
            "a stencil on GPUs exchanges planes between at most %d ranks at once; use fewer ranks",
            FUR_PARCELS_MAX / 2);
    parcels[(*count)++] = parcel;
    return FUR_OK;
}

static fur_status give(passing *p, int to, char *data, size_t bytes, size_t at)
{
    return p->listed ? list(p, p->give, &p->pass.gives, (fur_parcel){to, data, bytes, at})
                     : group_send(p->group, to, data, bytes);
}

static fur_status take(passing *p, int from, char *data, size_t bytes, size_t at)
{
    return p->listed ? list(p, p->take, &p->pass.takes, (fur_parcel){from, data, bytes, at})
                     : group_receive(p->group, from, data, bytes);
}

/* Sends a rank the planes of this rank that it needs. */
static fur_status give_planes(const fur_ranks_stencil *s, passing *p, int to, const char *x)
{
    int own = s->space.group->rank;
    size_t place = 0;
    for (int side = 0; side < 2; side++) {
        plane_range need = stencil_ghosts(s, to, side);
        int64_t end = need.first + need.count;
        int64_t at = need.first;
        for (run r; at < end; at += r.count) {
            r = run_at(s, at, end);
            size_t bytes = (size_t)r.count * plane_bytes(s);
            if (r.owner == own)
                FUR_TRY(give(p, to, own_plane(s, x, r.plane), bytes, place));
            place += r.owner == to ? 0 : bytes;
        }
    }
    return FUR_OK;
}

/* Copies between vectors of the context. */
static fur_status copy(const fur_ranks_stencil *s, char *to, const char *from, int64_t planes)
{
    fur_value_type value = s->definition.value_type;
    int64_t count = planes * s->plane;
    fur_vector *in = NULL;
    fur_vector *out = NULL;
    void *source = (void *)(uintptr_t)from;
    fur_status status =
        fur_vector_wrap(s->space.context, value, count, source, FUR_OWNERSHIP_BORROW, &in);
    if (status == FUR_OK)
        status = fur_vector_wrap(s->space.context, value, count, to, FUR_OWNERSHIP_BORROW, &out);
    if (status == FUR_OK)
        status = fur_vector_copy(in, out);
    fur_vector_destroy(in);
    fur_vector_destroy(out);
    return group_pass_on(s->space.group, s->space.context, status);
}

/* Receives the planes next to this rank's. On a periodic axis, the rank may have some of them
 * itself. */
static fur_status take_planes(const fur_ranks_stencil *s, passing *p, const char *x)
{
    int own = s->space.group->rank;
    size_t place = 0;
    for (int side = 0; side < 2 && s->edges > 0; side++) {
        const edge *e = side == 0 ? &s->edge[0] : &s->edge[s->edges - 1];
        plane_range need = stencil_ghosts(s, own, side);
        int64_t end = need.first + need.count;
        int64_t at = need.first;
        for (run r; at < end; at += r.count) {
            r = run_at(s, at, end);
            size_t bytes = (size_t)r.count * plane_bytes(s);
            char *to = window_plane(s, e, at);
            if (r.owner == own) {
                FUR_TRY(copy(s, to, own_plane(s, x, r.plane), r.count));
            } else {
                FUR_TRY(take(p, r.owner, to, bytes, place));
                place += bytes;
            }
        }
    }
    return FUR_OK;
}

static fur_status begin(fur_ranks_stencil *s, passing *p, const char *x)
{
    fur_ranks *g = s->space.group;
    for (int to = 0; to < g->count; to++)
        if (to != g->rank)
            FUR_TRY(give_planes(s, p, to, x));
    if (!p->listed)
        return FUR_OK;
    FUR_TRY(take_planes(s, p, x));
    p->pass.give = p->give;
    p->pass.take = p->take;
    p->pass.most = 2 * (size_t)s->radius * plane_bytes(s);
    return g->count > 1 ? devices_pass(&s->space, &p->pass) : FUR_OK;
}

static fur_status end(fur_ranks_stencil *s, passing *p, const char *x)
{
    double start = fur_seconds();
    if (p->listed)
        return s->space.group->count > 1 ? devices_meet(&s->space) : FUR_OK;
    fur_status status = take_planes(s, p, x);
    s->report.seconds_halo += fur_seconds() - start;
    return status;
}

/* Copies this rank's planes into the edge's window, and computes the edge's results. */
static fur_status apply_edge(const fur_ranks_stencil *s, const edge *e, const char *x, char *y)
{
    const int64_t *own = s->planes + s->space.group->rank;
    int64_t first = e->window.first > own[0] ? e->window.first : own[0];
    int64_t after = e->window.first + e->window.count;
    after = after < own[1] ? after : own[1];
    FUR_TRY(copy(s, window_plane(s, e, first), own_plane(s, x, first), after - first));
    FUR_TRY(group_pass_on(s->space.group, s->space.context,
                          fur_stencil_apply(e->stencil, fur_real(1), e->x, fur_real(0), e->y)));
    const char *from = fur_vector_const_data(e->y);
    return copy(s, own_plane(s, y, e->result.first),
                from + (size_t)(e->result.first - e->window.first) * plane_bytes(s),
                e->result.count);
}

fur_status stencil_apply(void *user, const fur_vector *x, fur_vector *y)
{
    fur_ranks_stencil *s = user;
    const char *in = fur_vector_const_data(x);
    passing p = {.group = s->space.group, .listed = s->space.seat != NULL};
    FUR_TRY(space_pass(&s->space, begin(s, &p, in)));
    if (s->inner)
        FUR_TRY(fur_stencil_apply(s->inner, fur_real(1), x, fur_real(0), y));
    FUR_TRY(space_pass(&s->space, end(s, &p, in)));
    for (int i = 0; i < s->edges; i++)
        FUR_TRY(space_pass(&s->space, apply_edge(s, &s->edge[i], in, (char *)fur_vector_data(y))));
    return FUR_OK;
}
