// Leaves of a shared vector's tree that are cut by the bounds of ranks. If a rank's part ends
// within a leaf, its warp passes the sums of its lanes to the next rank, by a mailbox or a gather.
// The warp of the next rank continues with these sums. Therefore the additions of a lane are those
// of the whole vector.
#ifndef FURROW_CUDA_CUT_LEAF_CUH
#define FURROW_CUDA_CUT_LEAF_CUH

#include "shares.cuh"

namespace
{

// Returns the place in a mailbox of the lanes of a cut leaf, with a word for each part of a lane's
// sum.
__device__ inline int64_t lanes_place(const fur_shares &s, int channel, unsigned turn)
{
    return 1 + 2 * FUR_MAIL_CHANNELS * s.ranks * fur_box_share(s.most) +
           (turn % 2 * FUR_MAIL_CHANNELS + channel) * int64_t(FUR_MAIL_LANES) +
           threadIdx.x % FUR_WARP;
}

// Returns the place of the lanes in the output of a gather. handed_lanes is their place in its
// input.
__device__ inline int64_t gathered_lanes(const fur_shares &s, int channel)
{
    return (channel * s.ranks + s.previous) * int64_t(FUR_MAIL_LANES) + threadIdx.x % FUR_WARP;
}

__device__ inline int64_t handed_lanes(int channel)
{
    return channel * int64_t(FUR_MAIL_LANES) + threadIdx.x % FUR_WARP;
}

// Called when a warp begins a leaf, counted from this rank's first leaf. If earlier ranks have a
// part of it, loads their lane sums.
template <class Partial, int Entries>
__device__ __noinline__ void take_lanes(const fur_shares &s, int channel, int64_t leaf,
                                        Partial (&lane)[Entries])
{
    constexpr int parts = sizeof(Partial) / sizeof(double);
    static_assert(FUR_WARP * Entries * parts <= FUR_MAIL_LANES);
    if (leaf > 0 || s.before <= 0)
        return;
    unsigned turn = next_turn(s, channel);
    const fur_mail *box = s.boxes[s.rank];
    int64_t place = box ? lanes_place(s, channel, turn) : gathered_lanes(s, channel);
#pragma unroll
    for (int i = 0; i < Entries; i++)
#pragma unroll
        for (int k = 0; k < parts; k++) {
            int64_t at = place + (i * parts + k) * FUR_WARP;
            lane[i].part[k] = box ? fur_mail_await(box, at, turn) : s.taken[at];
        }
}

// Called when a warp ends a leaf. If another rank has a later part of it, passes the lanes on and
// returns true.
template <class Partial, int Entries>
__device__ __noinline__ bool hand_on_lanes(const fur_shares &s, int channel, int64_t leaf,
                                           const Partial (&lane)[Entries])
{
    constexpr int parts = sizeof(Partial) / sizeof(double);
    if (s.ranks == 0 || s.next < 0 || leaf < s.last - s.first)
        return false;
    unsigned turn = next_turn(s, channel);
    fur_mail *box = s.boxes[s.next];
    int64_t place = box ? lanes_place(s, channel, turn) : handed_lanes(channel);
#pragma unroll
    for (int i = 0; i < Entries; i++)
#pragma unroll
        for (int k = 0; k < parts; k++) {
            int64_t at = place + (i * parts + k) * FUR_WARP;
            if (box)
                fur_mail_post(box + at, lane[i].part[k], turn);
            else
                s.handed[at] = lane[i].part[k];
        }
    return true;
}

// Returns the index in this rank's part of the first entry of a leaf. Negative if earlier ranks
// have a part of the leaf.
template <class Value> __device__ inline int64_t leaf_start(const fur_shares &s, int64_t leaf)
{
    return leaf * leaf_entries<Value> - s.before;
}

// Returns whether a part of n entries contains a whole leaf.
template <class Value> __device__ inline bool is_whole(const fur_shares &s, int64_t leaf, int64_t n)
{
    int64_t start = leaf_start<Value>(s, leaf);
    return start >= 0 && start + leaf_entries<Value> <= n;
}

// Returns whether the leaves of a rank begin at the pieces of its vectors.
template <class Value> inline bool keeps_pieces(const fur_shares &s)
{
    return s.before % piece_entries<Value> == 0;
}

} // namespace

#endif
