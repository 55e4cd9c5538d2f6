/* Passes planes of levels between ranks. On the CPU they are messages. On a GPU they are parcels of
 * memory, which are first listed and then passed together. */
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

/* Consecutive planes of one rank. */
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

/* The positions of a rank's halo on one side (0: below). */
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

/* The address of a position in this rank's array. */
static char *place(const fur_multigrid *mg, const fur_slab *s, void *array, int64_t position)
{
    return (char *)array + (size_t)(position - s->first) * plane_bytes(mg, s);
}

static fur_status list(const fur_multigrid *mg, fur_parcel *parcels, int *count, fur_parcel parcel)
{
    if (*count == FUR_PARCELS_MAX)
        return fur_context_fail(mg->context, FUR_UNSUPPORTED,
                                "multigrid on GPUs exchanges planes between at most %d ranks at "
                                "once; use fewer ranks, or increase options.gather_points",
                                FUR_PARCELS_MAX / 2);
    parcels[(*count)++] = parcel;
    return FUR_OK;
}

/* at: the offset in the receiver's memory */
static fur_status give(const fur_multigrid *mg, int to, void *data, size_t bytes, size_t at)
{
    fur_slabs *slabs = mg->slabs;
    if (!fur_is_remote(mg->context))
        return slabs->with->send(slabs->with->user, to, data, bytes);
    return list(mg, slabs->give, &slabs->pass.gives, (fur_parcel){to, data, bytes, at});
}

static fur_status take(const fur_multigrid *mg, int from, void *data, size_t bytes, size_t at)
{
    fur_slabs *slabs = mg->slabs;
    if (!fur_is_remote(mg->context))
        return slabs->with->receive(slabs->with->user, from, data, bytes);
    return list(mg, slabs->take, &slabs->pass.takes, (fur_parcel){from, data, bytes, at});
}

/* Passes the listed parcels. most: the most bytes that a rank takes. */
static fur_status pass(const fur_multigrid *mg, size_t most)
{
    fur_slabs *slabs = mg->slabs;
    if (!fur_is_remote(mg->context))
        return FUR_OK;
    slabs->pass.give = slabs->give;
    slabs->pass.take = slabs->take;
    slabs->pass.most = most;
    fur_status status = slabs->with->queue_pass(slabs->with->user, &slabs->pass);
    slabs->pass.gives = 0;
    slabs->pass.takes = 0;
    return status;
}

/* Sends a rank the planes of its halo that this rank has. */
static fur_status give_rim(const fur_multigrid *mg, const fur_slab *s, int to, int64_t width,
                           void *array)
{
    int own = mg->slabs->with->rank;
    size_t place_there = 0;
    for (int side = 0; side < 2; side++) {
        int64_t at;
        int64_t end;
        rim_of(mg, s, to, width, side, &at, &end);
        for (run r; at < end; at += r.count) {
            r = run_at(mg, s, at, end);
            size_t bytes = (size_t)r.count * plane_bytes(mg, s);
            if (r.owner == own)
                FUR_TRY(give(mg, to, place(mg, s, array, r.plane), bytes, place_there));
            place_there += r.owner == to ? 0 : bytes;
        }
    }
    return FUR_OK;
}

static fur_status take_rim(const fur_multigrid *mg, const fur_slab *s, int64_t width, void *array)
{
    int own = mg->slabs->with->rank;
    size_t place_here = 0;
    for (int side = 0; side < 2; side++) {
        int64_t at;
        int64_t end;
        rim_of(mg, s, own, width, side, &at, &end);
        for (run r; at < end; at += r.count) {
            r = run_at(mg, s, at, end);
            size_t bytes = (size_t)r.count * plane_bytes(mg, s);
            if (r.owner == own) { /* the periodic axis leads to this rank's own planes */
                FUR_TRY(fur_memory_copy(mg->context, place(mg, s, array, at),
                                        place(mg, s, array, r.plane), (int64_t)bytes));
            } else {
                FUR_TRY(take(mg, r.owner, place(mg, s, array, at), bytes, place_here));
                place_here += bytes;
            }
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
            FUR_TRY(give_rim(mg, s, to, width, array));
    FUR_TRY(take_rim(mg, s, width, array));
    return pass(mg, 2 * (size_t)width * plane_bytes(mg, s));
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

/* The bytes of a rank in a whole array, and their beginning. */
static size_t share_of(const fur_multigrid *mg, const fur_slab *s, int rank, size_t *begin)
{
    *begin = (size_t)s->bounds[rank] * plane_bytes(mg, s);
    return (size_t)(s->bounds[rank + 1] - s->bounds[rank]) * plane_bytes(mg, s);
}

static fur_status gather_messages(const fur_multigrid *mg, const fur_slab *s, char *array)
{
    const fur_sharing *with = mg->slabs->with;
    size_t room = share_bytes(mg, s);
    size_t begin;
    size_t bytes = share_of(mg, s, with->rank, &begin);
    memcpy(mg->slabs->mine, array + begin, bytes);
    FUR_TRY(with->gather(with->user, mg->slabs->mine, room, mg->slabs->all));
    for (int rank = 0; rank < with->ranks; rank++) {
        bytes = share_of(mg, s, rank, &begin);
        memcpy(array + begin, mg->slabs->all + (size_t)rank * room, bytes);
    }
    return FUR_OK;
}

/* Every rank takes the bytes of the others, and puts them in their places. */
static fur_status gather_parcels(const fur_multigrid *mg, const fur_slab *s, char *array)
{
    const fur_sharing *with = mg->slabs->with;
    size_t mine;
    size_t own = share_of(mg, s, with->rank, &mine);
    for (int rank = 0; rank < with->ranks; rank++) {
        size_t begin;
        size_t bytes = share_of(mg, s, rank, &begin);
        if (rank != with->rank && own > 0)
            FUR_TRY(give(mg, rank, array + mine, own, mine));
        if (rank != with->rank && bytes > 0)
            FUR_TRY(take(mg, rank, array + begin, bytes, begin));
    }
    return pass(mg, (size_t)s->planes * plane_bytes(mg, s));
}

fur_status fur_slabs_gather(const fur_multigrid *mg, void *array)
{
    const fur_slab *s = &mg->slabs->slab[mg->slabs->whole];
    return fur_is_remote(mg->context) ? gather_parcels(mg, s, array)
                                      : gather_messages(mg, s, array);
}

fur_status fur_slabs_roll(const fur_multigrid *mg, const fur_slab *to, const void *whole, void *out)
{
    size_t bytes = plane_bytes(mg, to);
    for (int64_t i = 0, count; i < to->count; i += count) {
        int64_t plane = fur_slab_plane(to, to->first + i);
        count = to->count - i < to->planes - plane ? to->count - i : to->planes - plane;
        FUR_TRY(fur_memory_copy(mg->context, (char *)out + (size_t)i * bytes,
                                (const char *)whole + (size_t)plane * bytes,
                                count * (int64_t)bytes));
    }
    return FUR_OK;
}
