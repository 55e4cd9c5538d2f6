// Leaves of a shared vector's tree that a rank's part may begin or end within. The warp of a rank
// that ends its part in a leaf hands the sums of its lanes on, and that of the next rank goes on
// with them: the additions of a lane are those of the whole vector.
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

// Where a warp begins a leaf, counted from this rank's first: if ranks before have some of it,
// their sums of its lanes.
template <class Partial, int Entries>
__device__ __noinline__ void take_lanes(const fur_shares &s, int channel, int64_t leaf,
                                        Partial (&lane)[Entries])
{
    constexpr int parts = sizeof(Partial) / sizeof(double);
    static_assert(FUR_WARP * Entries * parts <= FUR_MAIL_LANES);
    if (leaf > 0 || s.before == 0)
        return;
    unsigned turn = next_turn(s, channel);
    int64_t place = lanes_place(s, channel, turn);
#pragma unroll
    for (int i = 0; i < Entries; i++)
#pragma unroll
        for (int k = 0; k < parts; k++)
            lane[i].part[k] =
                fur_mail_await(s.boxes[s.rank], place + (i * parts + k) * FUR_WARP, turn);
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
    fur_mail *to = s.boxes[s.next] + lanes_place(s, channel, turn);
#pragma unroll
    for (int i = 0; i < Entries; i++)
#pragma unroll
        for (int k = 0; k < parts; k++)
            fur_mail_post(to + (i * parts + k) * FUR_WARP, lane[i].part[k], turn);
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
