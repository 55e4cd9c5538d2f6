/* Planes of levels that pass between ranks. */
#include "slabs.h"

static size_t plane_bytes(const fur_multigrid *mg, const fur_slab *s)
{
    return (size_t)s->plane * fur_value_size(mg->level[0].grid.value_type);
}

void fur_slab_reach(const fur_multigrid *mg, const fur_slab *s, int rank, int64_t width,
                    int64_t *first, int64_t *count)
{
    const int64_t *finest = mg->slabs->slab[0].bounds;
    int64_t begin = s->bounds[rank] - width;
    int64_t end = s->bounds[rank + 1] + width;
    if (!s->periodic) {
        begin = begin > 0 ? begin : 0;
        end = end < s->planes ? end : s->planes;
    }
    *first = begin;
    *count = finest[rank] < finest[rank + 1] ? end - begin : 0;
}

/* Consecutive planes that one rank has. */
typedef struct run {
    int owner;
    int64_t plane;
    int64_t count;
} run;

static run run_at(const fur_multigrid *mg, const fur_slab *s, int64_t position, int64_t end)
{
    run r = {0, fur_slab_plane(s, position), end - position};
    int last = mg->slabs->with->ranks;
    while (last - r.owner > 1) {
        int middle = (r.owner + last) / 2;
        if (s->bounds[middle] <= r.plane)
            r.owner = middle;
        else
            last = middle;
    }
    if (r.count > s->bounds[r.owner + 1] - r.plane)
        r.count = s->bounds[r.owner + 1] - r.plane;
    return r;
}

/* The positions of a rank's rim on one side: 0: below. */
static void rim_of(const fur_multigrid *mg, const fur_slab *s, int rank, int64_t width, int side,
                   int64_t *begin, int64_t *end)
{
    int64_t first;
    int64_t count;
    fur_slab_reach(mg, s, rank, width, &first, &count);
    *begin = side == 0 ? first : s->bounds[rank + 1];
    *end = side == 0 ? s->bounds[rank] : first + count;
    if (count == 0)
        *end = *begin;
}

/* Where a position is in this rank's array. */
static char *place(const fur_multigrid *mg, const fur_slab *s, void *array, int64_t position)
{
    return (char *)array + (size_t)(position - s->first) * plane_bytes(mg, s);
}

static fur_status send(const fur_multigrid *mg, const fur_slab *s, int to, int64_t width,
                       void *array)
{
    const fur_sharing *with = mg->slabs->with;
    for (int side = 0; side < 2; side++) {
        int64_t at;
        int64_t end;
        rim_of(mg, s, to, width, side, &at, &end);
        for (run r; at < end; at += r.count) {
            r = run_at(mg, s, at, end);
            if (r.owner == with->rank)
                FUR_TRY(with->send(with->user, to, place(mg, s, array, r.plane),
                                   (size_t)r.count * plane_bytes(mg, s)));
        }
    }
    return FUR_OK;
}

static fur_status receive(const fur_multigrid *mg, const fur_slab *s, int64_t width, void *array)
{
    const fur_sharing *with = mg->slabs->with;
    for (int side = 0; side < 2; side++) {
        int64_t at;
        int64_t end;
        rim_of(mg, s, with->rank, width, side, &at, &end);
        for (run r; at < end; at += r.count) {
            r = run_at(mg, s, at, end);
            size_t bytes = (size_t)r.count * plane_bytes(mg, s);
            if (r.owner == with->rank) /* the axis goes round to this rank's own planes */
                memcpy(place(mg, s, array, at), place(mg, s, array, r.plane), bytes);
            else
                FUR_TRY(with->receive(with->user, r.owner, place(mg, s, array, at), bytes));
        }
    }
    return FUR_OK;
}

fur_status fur_slabs_exchange(const fur_multigrid *mg, int level, int64_t width, void *array)
{
    const fur_slab *s = &mg->slabs->slab[level];
    const fur_sharing *with = mg->slabs->with;
    for (int to = 0; to < with->ranks; to++)
        if (to != with->rank)
            FUR_TRY(send(mg, s, to, width, array));
    return receive(mg, s, width, array);
}

/* The most bytes that a rank has of the level. */
static size_t share_bytes(const fur_multigrid *mg, const fur_slab *s)
{
    int64_t most = 0;
    for (int rank = 0; rank < mg->slabs->with->ranks; rank++)
        if (s->bounds[rank + 1] - s->bounds[rank] > most)
            most = s->bounds[rank + 1] - s->bounds[rank];
    return (size_t)most * plane_bytes(mg, s);
}

fur_status fur_slabs_gather(const fur_multigrid *mg, void *array)
{
    fur_slabs *slabs = mg->slabs;
    const fur_sharing *with = slabs->with;
    const fur_slab *s = &slabs->slab[slabs->whole];
    size_t share = share_bytes(mg, s);
    const int64_t *bounds = s->bounds;
    memcpy(slabs->mine, place(mg, s, array, bounds[with->rank]),
           (size_t)(bounds[with->rank + 1] - bounds[with->rank]) * plane_bytes(mg, s));
    FUR_TRY(with->gather(with->user, slabs->mine, share, slabs->all));
    for (int rank = 0; rank < with->ranks; rank++)
        memcpy(place(mg, s, array, bounds[rank]), slabs->all + (size_t)rank * share,
               (size_t)(bounds[rank + 1] - bounds[rank]) * plane_bytes(mg, s));
    return FUR_OK;
}

void fur_slabs_roll(const fur_multigrid *mg, const fur_slab *to, const void *whole, void *out)
{
    size_t bytes = plane_bytes(mg, to);
    for (int64_t i = 0; i < to->count; i++)
        memcpy((char *)out + (size_t)i * bytes,
               (const char *)whole + (size_t)fur_slab_plane(to, to->first + i) * bytes, bytes);
}
