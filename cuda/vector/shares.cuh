// Reductions of shared vectors (furrow/author/sharing.h). A rank's leaves form a few complete
// subtrees of the whole vector's tree. Each rank sends the sums of its subtrees to the mailboxes of
// the other ranks. Every rank then adds the sums of all ranks in the order of the tree. The host
// has prepared this order as a program.
#ifndef FURROW_CUDA_SHARES_CUH
#define FURROW_CUDA_SHARES_CUH

#include "leaves.cuh"
#include "mail.cuh"
#include "shared.h"

// The state of the sharing for a kernel. If `ranks` is 0, vectors are not shared.
struct fur_shares {
    int rank;
    int ranks;
    int64_t first; // leaves first .. last-1 end in this rank's part; numbered over all ranks
    int64_t last;
    int64_t before; // entries of leaf `first` in earlier ranks
    int next; // the rank that continues leaf `last`, if this part has a piece of it; otherwise -1
    int previous;  // the rank with the entries of leaf `first` before this part
    int64_t most;  // most subtrees of a rank
    int own_start; // this rank's first subtree among all subtrees; own_count: their number
    int own_count;
    int total;
    const int *starts;           // ranks + 1: the first subtree of each rank
    const unsigned char *merges; // for each subtree: the number of waiting sums that are then added
    double *own;                 // for each channel: this rank's sums
    int own_skipped;             // number of sums that an earlier launch stores there first
    double *all;     // for each channel: the output of a gather, and workspace of the same size
    unsigned *turns; // number of exchanges in each channel so far
    fur_mail *boxes[FUR_BOXES_MAX]; // null: no mailboxes; then the following members are used
    void *aside;                    // data of a 2-norm that needs another pass
    double *handed;      // for each channel: lanes of a leaf that continues in rank `next`
    const double *taken; // for each channel: the lanes that a gather has brought
    int handings;        // gathers of lanes that some rank waits for
    int own_handing;     // the gather that brings the lanes of leaf `first` for this rank
};

extern "C" {
// The sharing functions of fur_remote: the first sets up the state, the second releases it.
fur_status fur_cuda_share(fur_env *env);
void fur_cuda_drop_shares(fur_env *env);

// Queue the gathers of channels 0 .. channels-1. The first gathers `bytes` bytes for each subtree
// of a rank, the second the lanes of cut leaves.
fur_status fur_cuda_gather_shares(fur_env *env, const fur_shares &s, int channels, size_t bytes);
fur_status fur_cuda_gather_lanes(fur_env *env, const fur_shares &s, int channels);

// Sets *out for vectors of n entries, with leaves of `leaf_entries` entries.
fur_status fur_cuda_find_shares(fur_env *env, int64_t n, int64_t leaf_entries, fur_shares *out);
}

namespace
{

// Subtree sums of all ranks for which shared memory has room.
#define NEAR_SUMS 512
// Size of the ring of sums of 32 blocks: a power of two above the number of sums.
#define WINDOW (2 * BLOCK)

template <class Partial> __device__ inline Partial *own_sums(const fur_shares &s, int channel)
{
    return reinterpret_cast<Partial *>(s.own + channel * fur_box_share(s.most)) + s.own_skipped;
}

// Returns the output of a channel's gather, followed by workspace of the same size.
__device__ inline double *gathered(const fur_shares &s, int channel)
{
    return s.all + 2 * channel * s.ranks * fur_box_share(s.most);
}

// Data for the second pass of a 2-norm. The scale is a power of two, or 0 if the pass is not
// needed. root is the result of the first pass.
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

// Returns the turn of the next exchange, loaded before it is needed.
__device__ inline unsigned next_turn(const fur_shares &s, int channel)
{
    unsigned turn;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(turn) : "l"(s.turns + channel));
    return turn + 1;
}

// The places begin .. end-1 of a rank. A node of the tree is whole if all its places are in this
// range.
struct places {
    int64_t begin;
    int64_t end;

    __device__ bool have(int64_t first, int64_t count) const
    {
        return first >= begin && first + count <= end;
    }
};

// Moves up one level from two nodes of `count` places each; the left one begins at `first`. If the
// parent is whole, *left becomes the combined sum. Otherwise, each of the two nodes that is whole
// is sent as a subtree.
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

// As above, from single places to the groups of a warp. Some of the places may belong to other
// ranks.
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

// Joins the sums of whole blocks of leaves at places p to the largest subtrees that the rank has.
// partials[0] belongs to place p.begin. Called by one block of threads.
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

// n / power for a power of two. A 64-bit division would be a function call.
__device__ inline int64_t divided(int64_t n, int64_t power)
{
    return n >> (__ffsll(power) - 1);
}

// Returns the number of leaves of the largest subtree that begins with `leaf`.
__device__ inline int64_t leaves_from(int64_t leaf, int64_t last)
{
    return int64_t(1) << fur_subtree_level(leaf, last, 61);
}

// Returns the number of leaves of the next subtree or subtrees that the warps add together: one
// subtree with at least one leaf for each warp, or several smaller ones with up to WARPS - 1 leaves
// in all. Not inlined, because it would take registers from the additions.
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

// Passes the sums of the warps to take(leaf, count, sum) for each subtree. Called by one thread.
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

// Computes the sums of the subtrees of leaves first .. last-1 in one block. hands_on: the last warp
// first adds the leaf that the next rank continues, because that rank waits for its lanes.
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

// Adds the leaves of a block by subtrees. A block is one subtree, except the first and the last
// block, which the bounds of the rank may cut.
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

// Returns whether the calling thread moves the sum of the subtree with its number. These subtrees
// belong to the first or the last block, because a bound cuts it. Leaves first .. last-1 belong to
// whole blocks.
__device__ inline bool moves_cut(const fur_shares &s, int64_t first, int64_t last)
{
    auto i = static_cast<int>(threadIdx.x);
    return i < s.own_count && (first >= last || i < fur_subtree_count(s.first, first) ||
                               i >= fur_subtree_count(s.first, last));
}

// Returns the memory for the sums of all ranks: shared memory if they fit.
template <class Partial> __device__ inline Partial *all_sums(const fur_shares &s, int channel)
{
    __shared__ alignas(64) double near[NEAR_SUMS];
    double *far = gathered(s, channel) + s.ranks * fur_box_share(s.most);
    bool fits = s.total * sizeof(Partial) <= sizeof near;
    return reinterpret_cast<Partial *>(fits ? near : far);
}

// Computes the sums of this rank's subtrees by a whole launch, and stores them in `to`, which is
// own_sums or shared memory. Returns true in the threads of the last block.
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
    Partial cut = moves ? own[threadIdx.x] : Partial{}; // loads while the others are joined
    join_blocks<Op>(whole, a.partials + (whole.begin - divided(s.first, size)),
                    [&](int64_t place, const Partial &sum) {
                        to[fur_subtree_count(s.first, place * size)] = sum;
                    });
    if (moves)
        to[threadIdx.x] = cut;
    return true;
}

// Returns the place in a mailbox of the words of a rank in a turn.
__device__ inline int64_t box_place(const fur_shares &s, int channel, unsigned turn, int rank)
{
    return 1 + ((turn % 2 * FUR_MAIL_CHANNELS + channel) * s.ranks + rank) * fur_box_share(s.most);
}

// Sends the `count` sums of this rank's subtrees to all others, by one block. A rank without leaves
// also sends a word, so that no rank is more than one turn ahead.
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

// Waits for the sums of the other ranks and stores them at their places in `all`.
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

// Copies the sums of all ranks from the output of a gather, where each rank has room for `most`.
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

// Returns the root of the whole tree, for all threads of a block. A stack holds the sums that wait
// for their right siblings; it overwrites the sums in `all`.
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
            next = all[min(i + 1, s.total - 1)]; // loaded early
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

// Returns the program of add_subtrees, copied to shared memory if it fits.
__device__ inline const unsigned char *take_merges(const fur_shares &s)
{
    __shared__ unsigned char near[NEAR_SUMS];
    if (s.total > NEAR_SUMS)
        return s.merges;
    for (int i = threadIdx.x; i < s.total; i += BLOCK)
        near[i] = s.merges[i];
    return near;
}

// Returns the root over all ranks, for all threads of a block. `all` contains this rank's sums.
template <class Op>
__device__ __forceinline__ typename Op::partial
exchange_sums(const fur_shares &s, int channel, unsigned turn, typename Op::partial *all)
{
    constexpr int parts = sizeof(typename Op::partial) / sizeof(double);
    __syncthreads();
    post_sums(s, channel, turn, reinterpret_cast<double *>(all + s.own_start), s.own_count * parts);
    const unsigned char *merges = take_merges(s); // while the words are in transit
    await_sums<parts>(s, channel, turn, reinterpret_cast<double *>(all));
    if (threadIdx.x == 0)
        s.turns[channel] = turn;
    return add_subtrees<Op>(s, merges, all);
}

// As above, if another launch has stored this rank's sums in own_sums.
template <class Op>
__device__ __forceinline__ typename Op::partial exchange_own(const fur_shares &s, int channel)
{
    auto all = all_sums<typename Op::partial>(s, channel);
    for (int i = threadIdx.x; i < s.own_count; i += BLOCK)
        all[s.own_start + i] = own_sums<typename Op::partial>(s, channel)[i];
    return exchange_sums<Op>(s, channel, next_turn(s, channel), all);
}

// As above, if a gather has brought the sums of all ranks.
template <class Op>
__device__ __forceinline__ typename Op::partial gathered_sums(const fur_shares &s, int channel)
{
    using Partial = typename Op::partial;
    Partial *all = all_sums<Partial>(s, channel);
    const unsigned char *merges = take_merges(s);
    collect<sizeof(Partial) / sizeof(double)>(s, channel, reinterpret_cast<double *>(all));
    return add_subtrees<Op>(s, merges, all);
}

// Reduces a whole vector by a launch. Returns true in the threads of one block, which has the root.
// If there are no mailboxes, it returns false in all threads. The caller must then call gather and
// gathered_sums.
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

// Returns the root over the vectors of all ranks, by one block on each rank.
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

// Returns whether a gather by the host must bring the sums of all ranks.
inline bool needs_gather(const fur_shares &s)
{
    return s.ranks > 0 && !s.boxes[s.rank];
}

// Without mailboxes: selects only the leaf that earlier ranks have begun.
inline fur_shares begun_leaf(fur_shares s)
{
    s.next = s.first < s.last ? -1 : s.next;
    s.last = min(s.first + 1, s.last);
    return s;
}

// Selects all leaves except the one that earlier ranks have begun.
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

// Runs the launches that store the sums of subtrees, launch(shares) for each, and the gathers
// between and after them, with `bytes` bytes for a sum in each channel. With mailboxes there is one
// launch. Without them, a rank that begins within a leaf needs another launch after its lanes have
// arrived.
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

// The blocks of a launch and the memory of its reduction.
template <class Partial> struct grid {
    unsigned blocks;
    arrivals<Partial> memory;
};

// Returns the number of blocks of `leaves_a_block` leaves, numbered over all ranks. The bounds of a
// rank may cut its first and last block.
inline unsigned blocks_of(int64_t leaves, const fur_shares &s, int64_t leaves_a_block)
{
    int64_t count = s.ranks > 0 ? fur_ceil_div(s.last, leaves_a_block) - s.first / leaves_a_block
                                : fur_ceil_div(leaves, leaves_a_block);
    return count > 0 ? static_cast<unsigned>(count) : 1;
}

// groups: the number of groups of vectors, each of which has its own blocks.
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
