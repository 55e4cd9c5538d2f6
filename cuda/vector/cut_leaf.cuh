// Leaves of a shared vector's tree that a rank's part may begin or end within. The warp of a rank
// that ends its part in a leaf hands the sums of its lanes on, by a box or a gather, and that of
// the next rank goes on with them: the additions of a lane are those of the whole vector.
#ifndef FURROW_CUDA_CUT_LEAF_CUH
#define FURROW_CUDA_CUT_LEAF_CUH

#include "shares.cuh"

namespace
{

// Where a box takes the lanes of a cut leaf, a word for each part of a lane's sum.
__device__ inline int64_t lanes_place(const fur_shares &s, int channel, unsigned turn)
{
    return 1 + 2 * FUR_MAIL_CHANNELS * s.ranks * fur_box_share(s.most) +
           (turn % 2 * FUR_MAIL_CHANNELS + channel) * int64_t(FUR_MAIL_LANES) +
           threadIdx.x % FUR_WARP;
}

// Where they are in what a gather has brought, and in what it takes.
__device__ inline int64_t gathered_lanes(const fur_shares &s, int channel)
{
    return (channel * s.ranks + s.previous) * int64_t(FUR_MAIL_LANES) + threadIdx.x % FUR_WARP;
}

__device__ inline int64_t handed_lanes(int channel)
{
    return channel * int64_t(FUR_MAIL_LANES) + threadIdx.x % FUR_WARP;
}

// Where a warp begins a leaf, counted from this rank's first: if ranks before have some of it,
// their sums of its lanes.
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

// Where it ends one: true if another rank has more of the leaf, to which the lanes then go.
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

// The entry of this rank's part with which a leaf begins, counted from its first; below 0 if ranks
// before have some of it.
template <class Value> __device__ inline int64_t leaf_start(const fur_shares &s, int64_t leaf)
{
    return leaf * leaf_entries<Value> - s.before;
}

// Whether a part of n entries has all of a leaf.
template <class Value> __device__ inline bool is_whole(const fur_shares &s, int64_t leaf, int64_t n)
{
    int64_t start = leaf_start<Value>(s, leaf);
    return start >= 0 && start + leaf_entries<Value> <= n;
}

// Whether the pieces of a rank's leaves are those of its vectors.
template <class Value> inline bool keeps_pieces(const fur_shares &s)
{
    return s.before % piece_entries<Value> == 0;
}

} // namespace

#endif
