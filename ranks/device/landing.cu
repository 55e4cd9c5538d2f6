// Exchange of memory parcels between GPUs that can access each other's memory. Each rank stores its
// parcels on the receiver's device, and then a word that tells so. When a rank has the words of all
// ranks, it copies its parcels to their places. Every rank sends its word to all in every turn. No
// rank is therefore more than one turn ahead, and two landing places suffice.
#include "kernels.h"
#include "mail.cuh"

#define BLOCK 512

namespace
{

struct passing {
    landing_plan plan;
    int gives;
    int takes;
    fur_parcel give[FUR_PARCELS_MAX];
    fur_parcel take[FUR_PARCELS_MAX];
};
static_assert(sizeof(passing) <= 4000, "an argument of a launch");

__host__ __device__ inline size_t header_words(int ranks)
{
    return 1 + 2 * static_cast<size_t>(ranks);
}

// Returns the place of a turn's parcels in a box.
__device__ inline char *landing_place(const landing_plan &p, int rank, unsigned turn)
{
    return static_cast<char *>(p.box[rank]) +
           (header_words(p.ranks) * sizeof(fur_mail) + turn % 2 * p.room);
}

// Returns the place of a rank's word for a turn in a box.
__device__ inline size_t word_place(const landing_plan &p, int rank, unsigned turn)
{
    return 1 + turn % 2 * static_cast<size_t>(p.ranks) + static_cast<size_t>(rank);
}

// Copies bytes in units. A thread loads several units together.
template <class Unit> __device__ inline void copy(const void *from, void *to, size_t bytes)
{
    constexpr int together = 4;
    auto in = static_cast<const Unit *>(from);
    auto out = static_cast<Unit *>(to);
    int64_t count = static_cast<int64_t>(bytes / sizeof(Unit));
    int64_t threads = int64_t(gridDim.x) * BLOCK;
#pragma unroll 1
    for (int64_t i = int64_t(blockIdx.x) * BLOCK + threadIdx.x; i < count;
         i += together * threads) {
        Unit value[together];
#pragma unroll
        for (int k = 0; k < together; k++)
            if (i + k * threads < count)
                value[k] = __ldcg(in + i + k * threads);
#pragma unroll
        for (int k = 0; k < together; k++)
            if (i + k * threads < count)
                out[i + k * threads] = value[k];
    }
}

// Returns whether the block is the last to arrive here.
__device__ inline bool is_last(unsigned *ticket)
{
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        if (last)
            *ticket = 0;
    }
    __syncthreads();
    return last;
}

// All blocks must be resident, because each waits for others.
template <class Unit>
__global__ void __launch_bounds__(BLOCK) pass(const __grid_constant__ passing p)
{
    const landing_plan &plan = p.plan;
    unsigned turn = *plan.turn + 1;
    auto other = static_cast<int>(threadIdx.x);
    bool speaks = other < plan.ranks && other != plan.rank;
    for (int i = 0; i < p.gives; i++)
        copy<Unit>(p.give[i].data, landing_place(plan, p.give[i].rank, turn) + p.give[i].at,
                   p.give[i].bytes);
    __threadfence_system();
    if (is_last(plan.turn + 1)) {
        __threadfence_system();
        if (speaks)
            fur_mail_post_word(static_cast<fur_mail *>(plan.box[other]) +
                                   word_place(plan, plan.rank, turn),
                               {{}, turn});
    }
    if (speaks) {
        auto box = static_cast<const fur_mail *>(plan.box[plan.rank]);
        fur_mail_await_word(box + word_place(plan, other, turn), box, turn);
    }
    __threadfence_system();
    __syncthreads();
    for (int i = 0; i < p.takes; i++)
        copy<Unit>(landing_place(plan, plan.rank, turn) + p.take[i].at, p.take[i].data,
                   p.take[i].bytes);
    if (is_last(plan.turn + 2) && threadIdx.x == 0)
        *plan.turn = turn;
}

// Returns whether all parcels can be copied in units of this size.
bool suits(const fur_parcel *parcels, int count, size_t unit)
{
    for (int i = 0; i < count; i++)
        if ((reinterpret_cast<size_t>(parcels[i].data) | parcels[i].bytes | parcels[i].at) % unit !=
            0)
            return false;
    return true;
}

size_t largest(const fur_parcel *parcels, int count)
{
    size_t most = 0;
    for (int i = 0; i < count; i++)
        most = parcels[i].bytes > most ? parcels[i].bytes : most;
    return most;
}

} // namespace

int64_t landing_bytes(int ranks, size_t room)
{
    return static_cast<int64_t>(header_words(ranks) * sizeof(fur_mail) + 2 * room);
}

cudaError_t landing_pass(const landing_plan *p, const fur_passing *given, cudaStream_t stream)
{
    passing all = {*p, given->gives, given->takes, {}, {}};
    size_t most = largest(given->give, given->gives);
    size_t taken = largest(given->take, given->takes);
    most = taken > most ? taken : most;
    for (int i = 0; i < given->gives; i++)
        all.give[i] = given->give[i];
    for (int i = 0; i < given->takes; i++)
        all.take[i] = given->take[i];
    size_t wanted = most / (16 * BLOCK) + 1;
    auto blocks =
        static_cast<unsigned>(wanted < size_t(p->most_blocks) ? wanted : size_t(p->most_blocks));
    if (suits(given->give, given->gives, sizeof(uint4)) &&
        suits(given->take, given->takes, sizeof(uint4)))
        pass<uint4><<<blocks, BLOCK, 0, stream>>>(all);
    else
        pass<unsigned><<<blocks, BLOCK, 0, stream>>>(all);
    return cudaGetLastError();
}
