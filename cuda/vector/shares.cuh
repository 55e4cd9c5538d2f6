// Reductions of shared vectors (furrow/author/sharing.h). A rank's leaves are a few complete
// subtrees of the whole vector's tree. Ranks leave the sums of theirs in each other's mailboxes,
// and every rank adds those of all in the order of the tree, which the host has written down as a
// program.
#ifndef FURROW_CUDA_SHARES_CUH
#define FURROW_CUDA_SHARES_CUH

#include "leaves.cuh"
#include "mail.cuh"
#include "shared.h"

// What a kernel knows of the sharing. ranks 0: vectors are whole.
struct fur_shares {
    int rank;
    int ranks;
    int64_t first; // the leaves that end in this rank's part, counted through all ranks
    int64_t last;
    int64_t before; // entries of leaf `first` that ranks before this one have
    int next;       // the rank that has more of leaf `last`, of which this part has some; or -1
    int previous;   // the one that has the entries before this part of leaf `first`
    int64_t most;   // subtrees that a rank has, at most
    int own_start;  // where this rank's begin among those of all, and how many they are
    int own_count;
    int total;
    const int *starts;           // ranks + 1: where those of each begin
    const unsigned char *merges; // after a subtree: how many sums before it are added to its own
    double *own;                 // for each channel: this rank's sums
    int own_skipped;             // those that another launch leaves there before
    double *all;                 // for each channel: what a gather brings; then as much room again
    unsigned *turns;             // exchanges of each channel so far
    fur_mail *boxes[FUR_BOXES_MOST]; // null: no mailboxes, but the following
    void *aside;                     // of a norm 2 that needs another pass
    double *handed;      // for each channel: lanes of a leaf that goes on in rank `next`
    const double *taken; // for each channel: what a gather brings of them
    int handings;        // gathers of lanes that some rank waits for,
    int own_handing;     // and the one after which this rank has those of leaf `first`
};

extern "C" {
// The share part of fur_remote, and what undoes it.
fur_status fur_cuda_share(fur_env *env);
void fur_cuda_drop_shares(fur_env *env);

// Queues the gathers of channels 0 .. channels-1: of `bytes` bytes for each subtree of a rank; and
// of the lanes that ranks hand on.
fur_status fur_cuda_gather_shares(fur_env *env, const fur_shares &s, int channels, size_t bytes);
fur_status fur_cuda_gather_lanes(fur_env *env, const fur_shares &s, int channels);

// For vectors of n entries, and leaves of so many.
fur_status fur_cuda_find_shares(fur_env *env, int64_t n, int64_t leaf_entries, fur_shares *out);
}

namespace
{

// Sums of all ranks' subtrees that have room near the threads.
#define NEAR_SUMS 512
// Groups of 32 blocks in a window that is longer than all of them and a power of two.
#define WINDOW (2 * BLOCK)

template <class Partial> __device__ inline Partial *own_sums(const fur_shares &s, int channel)
{
    return reinterpret_cast<Partial *>(s.own + channel * fur_box_share(s.most)) + s.own_skipped;
}

// What a gather of a channel brings, and as much room after it.
__device__ inline double *gathered(const fur_shares &s, int channel)
{
    return s.all + 2 * channel * s.ranks * fur_box_share(s.most);
}

// What is put aside for the second pass of a norm 2: its scale, a power of two, or 0 if the pass is
// not needed; and the root of the first.
template <class Partial> struct kept {
    double scale;
    double back; // 1 / scale
    Partial root;
};

#define KEPT_BYTES (2 * FUR_SUMS * sizeof(double))

template <class Op>
__host__ __device__ inline kept<typename Op::partial> *aside(const fur_shares &s)
{
    static_assert(sizeof(kept<typename Op::partial>) <= KEPT_BYTES);
    return static_cast<kept<typename Op::partial> *>(s.aside);
}

// The turn of the next exchange, asked for before it is needed.
__device__ inline unsigned next_turn(const fur_shares &s, int channel)
{
    unsigned turn;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(turn) : "l"(s.turns + channel));
    return turn + 1;
}

// Nodes of the tree that a rank has whole: over places begin .. end-1.
struct places {
    int64_t begin;
    int64_t end;

    __device__ bool have(int64_t first, int64_t count) const
    {
        return first >= begin && first + count <= end;
    }
};

// One step up from nodes of `count` places, the left one beginning at `first`: true if their parent
// is whole, which is then combined; otherwise each of the two that is whole is a subtree to be
// sent.
template <class Op, class Partial, class Send>
__device__ inline void join(const places &p, int64_t first, int64_t count, Partial *left,
                            const Partial &right, const Send &send)
{
    if (p.have(first, 2 * count)) {
        *left = Op::combine(*left, right);
        return;
    }
    if (p.have(first, count))
        send(first, *left);
    if (p.have(first + count, count))
        send(first + count, right);
}

// The same from places to their group of a warp, of which some are not the rank's.
template <class Op, class Partial, class Send>
__device__ __noinline__ Partial join_lanes(const places &p, int64_t place, Partial sum,
                                           const Send &send)
{
#pragma unroll 1
    for (int count = 1; count < FUR_WARP; count *= 2) {
        Partial right = fur_lane_partial(sum, threadIdx.x % FUR_WARP + count);
        if ((place & (2 * count - 1)) == 0)
            join<Op>(p, place, count, &sum, right, send);
    }
    return sum;
}

// The sums of whole blocks of leaves, at places p, joined to the largest subtrees that the rank
// has. partials: that of place p.begin and those after it. By one block of threads.
template <class Op, class Partial, class Send>
__device__ void join_blocks(const places &p, const Partial *partials, const Send &send)
{
    __shared__ Partial groups[WINDOW];
    constexpr bool is_small = sizeof(Partial) <= 32;
    constexpr int ahead = is_small ? 4 : 1;
    int lane = threadIdx.x % FUR_WARP;
    int64_t first_group = p.begin / FUR_WARP;
    int64_t end_group = (p.end + FUR_WARP - 1) / FUR_WARP;
#pragma unroll ahead
    for (int64_t g = first_group + threadIdx.x / FUR_WARP; g < end_group; g += WARPS) {
        int64_t place = g * FUR_WARP + lane;
        Partial sum = partials[max(min(place, p.end - 1), p.begin) - p.begin];
        if (is_small && p.have(g * FUR_WARP, FUR_WARP))
            sum = fur_tree_of_lanes<Op>(sum, FUR_WARP);
        else
            sum = join_lanes<Op>(p, place, sum, send);
        if (lane == 0)
            groups[g % WINDOW] = sum;
    }
    __syncthreads();
#pragma unroll 1
    for (int level = 0; int64_t(FUR_WARP) << level <= p.end - p.begin; level++) {
        int64_t count = int64_t(1) << level;
        int64_t g = ((first_group >> (level + 1)) + threadIdx.x) << (level + 1);
        if (g < end_group)
            join<Op>(p, g * FUR_WARP, count * FUR_WARP, &groups[g % WINDOW],
                     groups[(g + count) % WINDOW], send);
        __syncthreads();
    }
}

// n / power, where that is a power of two, as a division of 64 bits is a call.
__device__ inline int64_t divided(int64_t n, int64_t power)
{
    return n >> (__ffsll(power) - 1);
}

// Leaves of the largest subtree that begins with a leaf.
__device__ inline int64_t leaves_from(int64_t leaf, int64_t last)
{
    return int64_t(1) << fur_subtree_level(leaf, last, 61);
}

// Leaves of a subtree of a leaf for each warp and more, or else of some smaller ones, up to
// WARPS - 1. Not inlined: it would take registers from what sums leaves.
__device__ __noinline__ int64_t leaves_together(int64_t leaf, int64_t last)
{
    int64_t count = leaf < last ? leaves_from(leaf, last) : 0;
    for (int64_t more = count; more > 0 && count < WARPS; count += more) {
        more = leaf + count < last ? leaves_from(leaf + count, last) : 0;
        if (count + more >= WARPS)
            break;
    }
    return count;
}

// What the warps have summed, to take(leaf, count, sum) for each subtree. By one thread.
template <class Op, class Partial, class Take>
__device__ inline void take_subtrees(int64_t leaf, int64_t count, int64_t last,
                                     const Partial (&sums)[WARPS], const Take &take)
{
    static_assert(WARPS == 4);
    if (count >= WARPS) {
        take(leaf, count,
             Op::combine(Op::combine(sums[0], sums[1]), Op::combine(sums[2], sums[3])));
        return;
    }
    for (int i = 0; i < count;) {
        auto own = static_cast<int>(leaves_from(leaf + i, last));
        take(leaf + i, own, own == 1 ? sums[i] : Op::combine(sums[i], sums[i + 1]));
        i += own;
    }
}

// One block: the sums of the subtrees that leaves first .. last-1 are. hands_on: the last warp
// first sums the leaf of which the next rank has more, as that waits for its lanes.
template <class Op, class Leaf, class Take>
__device__ inline void sum_subtrees(const Leaf &sum_leaf, const fur_shares &s, int64_t first,
                                    int64_t last, bool hands_on, const Take &take)
{
    __shared__ typename Op::partial sums[WARPS];
    auto leaf_of = [&](int64_t leaf) { return sum_leaf(leaf - s.first); };
    int warp = static_cast<int>(threadIdx.x / FUR_WARP);
    for (int64_t leaf = first; leaf < last || hands_on;) {
        int64_t count = leaves_together(leaf, last);
        if (hands_on && count >= WARPS)
            count = 0;
        int64_t share = max(count / WARPS, int64_t(1));
        int64_t begin = leaf + warp * share;
        int64_t end = min(begin + share, leaf + count);
        if (hands_on && warp == WARPS - 1) {
            begin = s.last;
            end = s.last + 1;
        }
        auto sum = sum_leaves<Op>(leaf_of, begin, end);
        if (threadIdx.x % FUR_WARP == 0)
            sums[warp] = sum;
        __syncthreads();
        if (threadIdx.x == 0)
            take_subtrees<Op>(leaf, count, last, sums, take);
        __syncthreads();
        leaf += count;
        hands_on = false;
    }
}

// A block's leaves, as the subtrees that they are: one, the block's own, in all but the first and
// the last block, which a bound may cut.
template <class Op, class Leaf>
__device__ void sum_part(const Leaf &sum_leaf, const fur_shares &s,
                         const arrivals<typename Op::partial> &a, typename Op::partial *own,
                         unsigned block)
{
    int64_t place = divided(s.first, a.leaves_a_block) + block;
    int64_t end = min((place + 1) * a.leaves_a_block, s.last);
    auto take = [&](int64_t leaf, int64_t count, const auto &sum) {
        if (count == a.leaves_a_block)
            a.partials[block] = sum;
        else
            own[fur_subtree_count(s.first, leaf)] = sum;
    };
    sum_subtrees<Op>(sum_leaf, s, max(place * a.leaves_a_block, s.first), end,
                     block == 0 && s.next >= 0, take);
}

// Whether a thread moves the sum of the subtree with its number, which the first or the last block
// has left as a bound cuts it; leaves first .. last-1 are those of whole blocks.
__device__ inline bool moves_cut(const fur_shares &s, int64_t first, int64_t last)
{
    auto i = static_cast<int>(threadIdx.x);
    return i < s.own_count && (first >= last || i < fur_subtree_count(s.first, first) ||
                               i >= fur_subtree_count(s.first, last));
}

// Where the sums of all ranks come together: near the threads if there is room.
template <class Partial> __device__ inline Partial *all_sums(const fur_shares &s, int channel)
{
    __shared__ alignas(64) double near[NEAR_SUMS];
    double *far = gathered(s, channel) + s.ranks * fur_box_share(s.most);
    bool fits = s.total * sizeof(Partial) <= sizeof near;
    return reinterpret_cast<Partial *>(fits ? near : far);
}

// A grid: the sums of this rank's subtrees to `to`, which is own_sums or near the threads. True for
// the threads of the last block.
template <class Op, class Leaf>
__device__ bool sum_shares(const Leaf &sum_leaf, const fur_shares &s, int channel,
                           const arrivals<typename Op::partial> &a, unsigned block, unsigned blocks,
                           typename Op::partial *to)
{
    using Partial = typename Op::partial;
    Partial *own = own_sums<Partial>(s, channel);
    int64_t size = a.leaves_a_block;
    bool last = false;
    sum_part<Op>(sum_leaf, s, a, own, block);
    if (threadIdx.x == 0)
        last = fur_last_to_arrive(a.ticket, blocks);
    if (!__syncthreads_or(last))
        return false;
    static_assert(2 * 61 <= BLOCK, "a thread for each subtree of a rank");
    places whole = {divided(s.first + size - 1, size), divided(s.last, size)};
    bool moves = to != own && moves_cut(s, whole.begin * size, whole.end * size);
    Partial cut = moves ? own[threadIdx.x] : Partial{}; // on its way while the others are joined
    join_blocks<Op>(whole, a.partials + (whole.begin - divided(s.first, size)),
                    [&](int64_t place, const Partial &sum) {
                        to[fur_subtree_count(s.first, place * size)] = sum;
                    });
    if (moves)
        to[threadIdx.x] = cut;
    return true;
}

// Where a box takes the words of a rank in a turn.
__device__ inline int64_t box_place(const fur_shares &s, int channel, unsigned turn, int rank)
{
    return 1 + ((turn % 2 * FUR_MAIL_CHANNELS + channel) * s.ranks + rank) * fur_box_share(s.most);
}

// Sums of this rank's subtrees, `count` of them, to all others. By one block. A rank without leaves
// sends a word too, so that none is ahead by more than a turn.
__device__ inline void post_sums(const fur_shares &s, int channel, unsigned turn, const double *own,
                                 int count)
{
#pragma unroll 1
    for (int rank = 0; rank < s.ranks; rank++)
#pragma unroll 1
        for (int i = threadIdx.x; rank != s.rank && i < max(count, 1); i += BLOCK)
            fur_mail_post(s.boxes[rank] + box_place(s, channel, turn, s.rank) + i,
                          count ? own[i] : 0, turn);
}

// Those of the others to their places in `all`.
template <int Parts>
__device__ void await_sums(const fur_shares &s, int channel, unsigned turn, double *all)
{
#pragma unroll 1
    for (int rank = 0; rank < s.ranks; rank++) {
        int first = s.starts[rank] * Parts;
        int theirs = s.starts[rank + 1] * Parts - first;
#pragma unroll 1
        for (int i = threadIdx.x; rank != s.rank && i < max(theirs, 1); i += BLOCK) {
            double sum =
                fur_mail_await(s.boxes[s.rank], box_place(s, channel, turn, rank) + i, turn);
            if (theirs)
                all[first + i] = sum;
        }
    }
}

// The sums of all ranks where a gather has left them, each rank's with room for `most`.
template <int Parts> __device__ void collect(const fur_shares &s, int channel, double *all)
{
    const double *from = gathered(s, channel);
#pragma unroll 1
    for (int rank = 0; rank < s.ranks; rank++) {
        int first = s.starts[rank] * Parts;
        for (int i = threadIdx.x; i < s.starts[rank + 1] * Parts - first; i += BLOCK)
            all[first + i] = from[rank * s.most * Parts + i];
    }
}

// The root of the whole tree, for all threads of a block, in place of the sums: a stack of those
// that wait for their right neighbours.
template <class Op, class Partial>
__device__ Partial add_subtrees(const fur_shares &s, const unsigned char *merges, Partial *all)
{
    int depth = 0;
    __syncthreads();
    if (threadIdx.x == 0 && s.total > 0) {
        Partial next = all[0];
        int more = merges[0];
#pragma unroll 1
        for (int i = 0; i < s.total; i++) {
            Partial sum = next;
            int left = more;
            next = all[min(i + 1, s.total - 1)]; // asked for early
            more = merges[min(i + 1, s.total - 1)];
#pragma unroll 4
            for (; left > 0; left--)
                sum = Op::combine(all[--depth], sum);
            all[depth++] = sum;
        }
    }
    __syncthreads();
    Partial root = s.total > 0 ? all[0] : Partial{};
    __syncthreads();
    return root;
}

// The program of add_subtrees, near the threads as far as there is room.
__device__ inline const unsigned char *take_merges(const fur_shares &s)
{
    __shared__ unsigned char near[NEAR_SUMS];
    if (s.total > NEAR_SUMS)
        return s.merges;
    for (int i = threadIdx.x; i < s.total; i += BLOCK)
        near[i] = s.merges[i];
    return near;
}

// The root over all ranks, for all threads of a block, given this rank's sums in `all`.
template <class Op>
__device__ __forceinline__ typename Op::partial
exchange_sums(const fur_shares &s, int channel, unsigned turn, typename Op::partial *all)
{
    constexpr int parts = sizeof(typename Op::partial) / sizeof(double);
    __syncthreads();
    post_sums(s, channel, turn, reinterpret_cast<double *>(all + s.own_start), s.own_count * parts);
    const unsigned char *merges = take_merges(s); // while the words are on their way
    await_sums<parts>(s, channel, turn, reinterpret_cast<double *>(all));
    if (threadIdx.x == 0)
        s.turns[channel] = turn;
    return add_subtrees<Op>(s, merges, all);
}

// The same where another launch has left this rank's in own_sums.
template <class Op>
__device__ __forceinline__ typename Op::partial exchange_own(const fur_shares &s, int channel)
{
    auto all = all_sums<typename Op::partial>(s, channel);
    for (int i = threadIdx.x; i < s.own_count; i += BLOCK)
        all[s.own_start + i] = own_sums<typename Op::partial>(s, channel)[i];
    return exchange_sums<Op>(s, channel, next_turn(s, channel), all);
}

// The same where a gather has brought the sums of all.
template <class Op>
__device__ __forceinline__ typename Op::partial gathered_sums(const fur_shares &s, int channel)
{
    using Partial = typename Op::partial;
    Partial *all = all_sums<Partial>(s, channel);
    const unsigned char *merges = take_merges(s);
    collect<sizeof(Partial) / sizeof(double)>(s, channel, reinterpret_cast<double *>(all));
    return add_subtrees<Op>(s, merges, all);
}

// A grid over the whole vector: the root, for the threads of the block for which it is true. Where
// there are no mailboxes it is so for none: a gather and gathered_sums follow.
template <class Op, class Leaf>
__device__ bool sum_vector(const Leaf &sum_leaf, int64_t leaves, const fur_shares &s, int channel,
                           const arrivals<typename Op::partial> &a, typename Op::partial *root,
                           unsigned block = blockIdx.x, unsigned blocks = gridDim.x)
{
    if (s.ranks == 0)
        return sum_grid<Op>(sum_leaf, leaves, a, root, block, blocks);
    unsigned turn = next_turn(s, channel);
    auto all = all_sums<typename Op::partial>(s, channel);
    auto own = own_sums<typename Op::partial>(s, channel);
    bool posts = s.boxes[s.rank];
    if (!sum_shares<Op>(sum_leaf, s, channel, a, block, blocks, posts ? all + s.own_start : own) ||
        !posts)
        return false;
    *root = exchange_sums<Op>(s, channel, turn, all);
    return true;
}

// The root over all ranks' vectors, by one block on each.
template <class Op, class Leaf>
__device__ typename Op::partial sum_shares_alone(const Leaf &sum_leaf, const fur_shares &s)
{
    auto all = all_sums<typename Op::partial>(s, 0);
    unsigned turn = next_turn(s, 0);
    int place = s.own_start;
    sum_subtrees<Op>(sum_leaf, s, s.first, s.last, s.next >= 0,
                     [&](int64_t, int64_t, const auto &sum) { all[place++] = sum; });
    return exchange_sums<Op>(s, 0, turn, all);
}

// Whether the host's gather must bring the sums of all ranks.
inline bool needs_gather(const fur_shares &s)
{
    return s.ranks > 0 && !s.boxes[s.rank];
}

// Without boxes: the leaf that ranks before this one have begun, as if it were all.
inline fur_shares begun_leaf(fur_shares s)
{
    s.next = s.first < s.last ? -1 : s.next;
    s.last = min(s.first + 1, s.last);
    return s;
}

// And all but that one.
inline fur_shares other_leaves(fur_shares s, int64_t leaf_entries)
{
    if (s.own_handing == 0)
        return s;
    s.next = s.first < s.last ? s.next : -1;
    s.own_skipped = s.first < s.last;
    s.first = min(s.first + 1, s.last);
    s.before -= leaf_entries;
    return s;
}

// The launches that leave the sums of subtrees, launch(shares) each, and the gathers between and
// after them, of channels with `bytes` bytes a sum: with boxes one launch, else one more on a rank
// that begins within a leaf, once its lanes have come.
template <class Launch>
fur_status launch_parts(fur_env *env, const fur_shares &s, int64_t leaf_entries, int channels,
                        size_t bytes, const Launch &launch)
{
    if (!needs_gather(s)) {
        launch(s);
        return FUR_OK;
    }
    launch(other_leaves(s, leaf_entries));
    for (int i = 1; i <= s.handings; i++) {
        FUR_TRY(fur_cuda_gather_lanes(env, s, channels));
        if (i == s.own_handing)
            launch(begun_leaf(s));
    }
    return fur_cuda_gather_shares(env, s, channels, bytes);
}

// A grid and the memory of its reduction.
template <class Partial> struct grid {
    unsigned blocks;
    arrivals<Partial> memory;
};

// Blocks of so many leaves, counted through all ranks, of which a rank's first and last may be cut.
inline unsigned blocks_of(int64_t leaves, const fur_shares &s, int64_t leaves_a_block)
{
    int64_t count = s.ranks > 0 ? fur_ceil_div(s.last, leaves_a_block) - s.first / leaves_a_block
                                : fur_ceil_div(leaves, leaves_a_block);
    return count > 0 ? static_cast<unsigned>(count) : 1;
}

// groups: of vectors, with blocks of their own.
template <class Op>
grid<typename Op::partial> grid_of(const fur_device *device, int64_t leaves, const fur_shares &s,
                                   int64_t groups = 1)
{
    int64_t size = leaves_a_block_for(device, leaves, groups);
    while (blocks_of(leaves, s, size) * groups > FUR_REDUCTION_BLOCKS)
        size *= 2;
    return {blocks_of(leaves, s, size),
            {size, reinterpret_cast<typename Op::partial *>(device->partials), device->tickets}};
}

} // namespace

#endif
