// The data of shared vectors on the device: the plan of every rank's subtrees for each size of a
// leaf, and memory for their sums.
#include "shares.cuh"

#include <cstring>

// Number of leaf sizes: FUR_LEAF_LEAST entries, and twice and four times that.
#define LEAF_SIZES 3

// The state of shared vectors. Arrays are on the device, except the bounds.
struct fur_sharer {
    fur_shared with; // its bounds are in host memory
    int64_t most;
    double *own;
    double *all;
    double *handed;
    double *taken;
    unsigned *turns;
    void *aside;
    int *starts;           // ranks + 1 for each size
    int *host_starts;      // as `starts`, in host memory
    unsigned char *merges; // `length` for each size
    int64_t length;
    int handings[LEAF_SIZES];
    int own_handing[LEAF_SIZES];
};

namespace
{

fur_status check(fur_env *env, const fur_shared *s)
{
    if (!s->with.boxes && !s->with.queue_gather)
        return fur_env_fail(
            env, FUR_UNSUPPORTED,
            "vectors shared between GPUs need boxes or queue_gather of the sharing");
    if (s->with.boxes && s->with.ranks > FUR_BOXES_MAX)
        return fur_env_fail(env, FUR_UNSUPPORTED,
                            "boxes support at most %d ranks, not %d; use queue_gather",
                            FUR_BOXES_MAX, s->with.ranks);
    return FUR_OK;
}

// Returns the nearest rank before `rank` that has entries. Its part ends where the part of `rank`
// begins.
int find_previous(const fur_shared *s, int rank)
{
    int64_t bound = s->bounds[rank];
    do
        rank--;
    while (rank > 0 && s->bounds[rank] == bound);
    return rank;
}

// Without mailboxes: the number of gathers of lanes that a rank's first leaf waits for, or 0 if the
// rank has the whole leaf.
int find_handing(const fur_shared *s, int rank, int64_t leaf_entries)
{
    int64_t bound = s->bounds[rank];
    int handing = 0;
    if (s->with.boxes || bound == s->bounds[rank + 1])
        return 0;
    for (int64_t leaf = bound / leaf_entries; bound > leaf * leaf_entries; handing++) {
        rank = find_previous(s, rank);
        bound = s->bounds[rank];
    }
    return handing;
}

// Sets where each rank's subtrees begin, and the program by which they are added. A sum waits on a
// stack until its sibling of the same level is known. At the end, all waiting sums are added. A
// leaf that waits for a gather of lanes is a separate subtree.
void plan(const fur_shared *s, int64_t leaf_entries, int *starts, unsigned char *merges)
{
    int level[64];
    int depth = 0;
    int count = 0;
    for (int rank = 0; rank < s->with.ranks; rank++) {
        int64_t end = fur_shared_leaf(s, rank + 1, leaf_entries);
        bool apart = find_handing(s, rank, leaf_entries) > 0;
        starts[rank] = count;
        for (int64_t leaf = fur_shared_leaf(s, rank, leaf_entries); leaf < end; count++) {
            int own = apart ? 0 : fur_subtree_level(leaf, end, 61);
            apart = false;
            merges[count] = 0;
            leaf += int64_t(1) << own;
            for (; depth > 0 && level[depth - 1] == own; depth--, own++)
                merges[count]++;
            level[depth++] = own;
        }
    }
    starts[s->with.ranks] = count;
    if (count > 0)
        merges[count - 1] = static_cast<unsigned char>(merges[count - 1] + depth - 1);
}

// Returns the most subtrees of a rank. A part with one leaf less can have more subtrees, by the
// number of levels of the tree.
int64_t find_most(const fur_shared *s)
{
    int64_t most = fur_shared_most(s, FUR_LEAF_LEAST);
    for (int rank = 0; rank < s->with.ranks; rank++)
        if (find_handing(s, rank, FUR_LEAF_LEAST) > 0) {
            int64_t first = fur_shared_leaf(s, rank, FUR_LEAF_LEAST);
            int64_t last = fur_shared_leaf(s, rank + 1, FUR_LEAF_LEAST);
            most = max(most, int64_t(1) + fur_subtree_count(first + 1, last));
        }
    return most;
}

// The gathers of lanes that leaves of a size need: the maximum over all ranks, and the number for
// this rank.
void count_handings(fur_sharer *sharer, int size)
{
    const fur_shared *s = &sharer->with;
    sharer->own_handing[size] = find_handing(s, s->with.rank, FUR_LEAF_LEAST << size);
    for (int rank = 0; rank < s->with.ranks; rank++)
        sharer->handings[size] =
            max(sharer->handings[size], find_handing(s, rank, FUR_LEAF_LEAST << size));
}

fur_status upload_plans(fur_env *env, fur_sharer *sharer, unsigned char *merges)
{
    int *starts = sharer->host_starts;
    const fur_shared *s = &sharer->with;
    int64_t numbers = s->with.ranks + 1;
    for (int i = 0; i < LEAF_SIZES; i++) {
        plan(s, FUR_LEAF_LEAST << i, starts + i * numbers, merges + i * sharer->length);
        count_handings(sharer, i);
    }
    FUR_TRY(fur_cuda_allocate(env, LEAF_SIZES * numbers, sizeof *starts, &sharer->starts));
    FUR_TRY(fur_cuda_allocate(env, LEAF_SIZES * sharer->length, 1, &sharer->merges));
    FUR_TRY(fur_cuda_copy(env, sharer->starts, starts,
                          LEAF_SIZES * numbers * static_cast<int64_t>(sizeof *starts)));
    return fur_cuda_copy(env, sharer->merges, merges, LEAF_SIZES * sharer->length);
}

fur_status make_plans(fur_env *env, fur_sharer *sharer)
{
    unsigned char *merges = nullptr;
    FUR_TRY(fur_env_allocate(env, LEAF_SIZES * (sharer->with.with.ranks + 1),
                             sizeof *sharer->host_starts, &sharer->host_starts));
    fur_status status = fur_env_allocate_zeros(env, LEAF_SIZES * sharer->length, 1, &merges);
    if (status == FUR_OK)
        status = upload_plans(env, sharer, merges);
    fur_env_release(env, merges);
    return status;
}

fur_status make(fur_env *env, fur_sharer *sharer)
{
    int64_t share = fur_box_share(sharer->most);
    int64_t ranks = sharer->with.with.ranks;
    int64_t channels = FUR_MAIL_CHANNELS;
    sharer->length = ranks * sharer->most;
    FUR_TRY(fur_cuda_allocate(env, channels * share, sizeof(double), &sharer->own));
    FUR_TRY(fur_cuda_allocate(env, 2 * channels * ranks * share, sizeof(double), &sharer->all));
    if (!sharer->with.with.boxes) {
        FUR_TRY(fur_cuda_allocate(env, channels * FUR_MAIL_LANES, sizeof(double), &sharer->handed));
        FUR_TRY(fur_cuda_clear(env, sharer->handed, channels * FUR_MAIL_LANES * sizeof(double)));
        FUR_TRY(fur_cuda_allocate(env, channels * ranks * FUR_MAIL_LANES, sizeof(double),
                                  &sharer->taken));
    }
    FUR_TRY(fur_cuda_allocate(env, channels, sizeof *sharer->turns, &sharer->turns));
    FUR_TRY(fur_cuda_allocate(env, 1, KEPT_BYTES, &sharer->aside));
    FUR_TRY(fur_cuda_clear(env, sharer->own, channels * share * sizeof(double)));
    FUR_TRY(fur_cuda_clear(env, sharer->turns, channels * sizeof *sharer->turns));
    return make_plans(env, sharer);
}

} // namespace

fur_status fur_cuda_share(fur_env *env)
{
    fur_sharer *sharer;
    FUR_TRY(check(env, env->shared));
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *sharer, &sharer));
    env->device->sharer = sharer;
    sharer->with = *env->shared;
    sharer->most = find_most(&sharer->with);
    return make(env, sharer);
}

void fur_cuda_drop_shares(fur_env *env)
{
    fur_sharer *sharer = env->device->sharer;
    if (!sharer)
        return;
    fur_cuda_release(env, sharer->own);
    fur_cuda_release(env, sharer->all);
    fur_cuda_release(env, sharer->handed);
    fur_cuda_release(env, sharer->taken);
    fur_cuda_release(env, sharer->turns);
    fur_cuda_release(env, sharer->aside);
    fur_cuda_release(env, sharer->starts);
    fur_cuda_release(env, sharer->merges);
    fur_env_release(env, sharer->host_starts);
    fur_env_release(env, sharer);
    env->device->sharer = nullptr;
}

// Returns the next rank with entries of a leaf that does not end in this rank's part, or -1 if
// there is none.
static int find_next(const fur_shared *s, int64_t leaf_entries)
{
    int rank = s->with.rank;
    int64_t bound = s->bounds[rank + 1];
    if (s->bounds[rank] == bound || bound % leaf_entries == 0 || bound == s->bounds[s->with.ranks])
        return -1;
    while (s->bounds[rank + 1] == bound)
        rank++;
    return rank;
}

fur_status fur_cuda_find_shares(fur_env *env, int64_t n, int64_t leaf_entries, fur_shares *out)
{
    const fur_sharer *sharer = env->device->sharer;
    fur_shares s = {};
    *out = s;
    if (!sharer)
        return FUR_OK;
    const fur_shared *with = &sharer->with;
    FUR_TRY(fur_shared_check(env, with, n));
    int size = 0;
    while (FUR_LEAF_LEAST << size < leaf_entries)
        size++;
    s.rank = with->with.rank;
    s.ranks = with->with.ranks;
    s.first = fur_shared_leaf(with, s.rank, leaf_entries);
    s.last = fur_shared_leaf(with, s.rank + 1, leaf_entries);
    s.before = n > 0 ? with->bounds[s.rank] - s.first * leaf_entries : 0;
    s.next = find_next(with, leaf_entries);
    s.previous = s.rank > 0 ? find_previous(with, s.rank) : 0;
    s.most = sharer->most;
    const int *starts = sharer->host_starts + size * (s.ranks + 1);
    s.own_start = starts[s.rank];
    s.own_count = starts[s.rank + 1] - starts[s.rank];
    s.total = starts[s.ranks];
    s.starts = sharer->starts + size * (s.ranks + 1);
    s.merges = sharer->merges + size * sharer->length;
    s.own = sharer->own;
    s.all = sharer->all;
    s.turns = sharer->turns;
    s.aside = sharer->aside;
    s.handed = sharer->handed;
    s.taken = sharer->taken;
    s.own_handing = sharer->own_handing[size];
    s.handings = sharer->handings[size];
    for (int i = 0; with->with.boxes && i < s.ranks; i++)
        s.boxes[i] = static_cast<fur_mail *>(with->with.boxes[i]);
    *out = s;
    return FUR_OK;
}

fur_status fur_cuda_gather_shares(fur_env *env, const fur_shares &s, int channels, size_t bytes)
{
    const fur_sharing *with = &env->device->sharer->with.with;
    int64_t share = fur_box_share(s.most);
    for (int i = 0; i < channels; i++)
        FUR_TRY(with->queue_gather(with->user, s.own + i * share,
                                   static_cast<size_t>(s.most) * bytes,
                                   s.all + 2 * i * s.ranks * share));
    return FUR_OK;
}

fur_status fur_cuda_gather_lanes(fur_env *env, const fur_shares &s, int channels)
{
    const fur_sharing *with = &env->device->sharer->with.with;
    double *taken = env->device->sharer->taken;
    for (int i = 0; i < channels; i++)
        FUR_TRY(with->queue_gather(with->user, s.handed + i * FUR_MAIL_LANES,
                                   FUR_MAIL_LANES * sizeof(double),
                                   taken + i * s.ranks * FUR_MAIL_LANES));
    return FUR_OK;
}
