// Kernels of the halo between GPUs: entries of x are packed, sent, received and put in place.
//
// A value of 4, 8 or 16 bytes is moved as it is, whatever its type.
#include "kernels.h"
#include "mail.cuh"

#define BLOCK 256

namespace
{

// The largest grid: each thread then has several entries.
#define MOST_BLOCKS 1024

unsigned blocks_for(int64_t threads, int64_t most)
{
    int64_t blocks = (threads + BLOCK - 1) / BLOCK;
    return static_cast<unsigned>(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

__device__ inline int64_t thread_number()
{
    return int64_t(blockIdx.x) * BLOCK + threadIdx.x;
}

__device__ inline int64_t thread_count()
{
    return int64_t(gridDim.x) * BLOCK;
}

// to_i = from_at[i]
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    gather(int64_t count, const int32_t *at, const Value *from, Value *to)
{
    for (int64_t i = thread_number(); i < count; i += thread_count())
        to[i] = from[at[i]];
}

// to_at[i] = from_i
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    scatter(int64_t count, const int32_t *at, const Value *from, Value *to)
{
    for (int64_t i = thread_number(); i < count; i += thread_count())
        to[at[i]] = from[i];
}

// The words of 8 bytes that a value is.
template <class Value> constexpr int words_of = sizeof(Value) == 16 ? 2 : 1;

template <class Value> __device__ inline unsigned long long word_of(Value value, int half)
{
    if constexpr (sizeof(Value) == 16)
        return half ? value.high : value.low;
    else
        return value;
}

// Sends words to the targets, which are those of `give` one after the other.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    push(const __grid_constant__ inbox_plan p, int64_t count, const int32_t *give, const Value *x)
{
    constexpr int words = words_of<Value>;
    unsigned turn = *p.turn + 1;
    int t = 0;
    for (int64_t i = thread_number(); i < count * words; i += thread_count()) {
        int64_t entry = i / words;
        while (entry >= p.target[t].first + p.target[t].count)
            t++;
        const inbox_target &to = p.target[t];
        fur_mail_post_bits(static_cast<fur_mail *>(to.box) + 1 + turn % 2 * to.length + to.at + i -
                               to.first * words,
                           word_of(x[give[entry]], i % words), turn);
    }
    if (thread_number() < p.count && p.target[threadIdx.x].count == 0) {
        const inbox_target &to = p.target[threadIdx.x];
        fur_mail_post_bits(static_cast<fur_mail *>(to.box) + 1 + turn % 2 * to.length + to.at, 0,
                           turn);
    }
}

template <class Value>
__device__ inline Value receive(const fur_mail *box, int64_t word, unsigned turn)
{
    if constexpr (sizeof(Value) == 16)
        return {fur_mail_await_bits(box, word, turn), fur_mail_await_bits(box, word + 1, turn)};
    else
        return static_cast<Value>(fur_mail_await_bits(box, word, turn));
}

// Ends the turn of an inbox, by the last block of a launch.
__device__ inline void end_turn(unsigned *turn)
{
    __syncthreads();
    if (threadIdx.x > 0 || atomicAdd(turn + 1, 1u) != gridDim.x - 1)
        return;
    turn[1] = 0;
    *turn += 1;
}

template <class Value>
__global__ void __launch_bounds__(BLOCK)
    pull(const __grid_constant__ inbox_plan p, const __grid_constant__ device_lists l,
         const Value *x, Value *outer)
{
    constexpr int words = words_of<Value>;
    auto box = static_cast<const fur_mail *>(p.box);
    unsigned turn = *p.turn + 1;
    int64_t first = 1 + turn % 2 * p.length;
    for (int64_t i = thread_number(); i < l.columns; i += thread_count()) {
        bool owned = i >= l.own_at && i < l.own_at + l.own_count;
        outer[i] = owned ? x[l.own[i - l.own_at]] : receive<Value>(box, first + i * words, turn);
    }
    if (thread_number() < p.mute_count)
        fur_mail_await_bits(box, first + l.columns * words + p.mute[threadIdx.x], turn);
    end_turn(p.turn);
}

// Calls f with a value of that size.
template <class F> cudaError_t with_size(size_t size, F f)
{
    if (size == 4)
        f(uint32_t());
    else if (size == 8)
        f(static_cast<unsigned long long>(0));
    else
        f(fur_mail());
    return cudaGetLastError();
}

} // namespace

cudaError_t device_pack(const device_lists *l, const void *x, void *packed, cudaStream_t stream)
{
    if (l->give_count == 0)
        return cudaSuccess;
    return with_size(l->value_size, [&](auto value) {
        using Value = decltype(value);
        gather<<<blocks_for(l->give_count, MOST_BLOCKS), BLOCK, 0, stream>>>(
            l->give_count, l->give, static_cast<const Value *>(x), static_cast<Value *>(packed));
    });
}

cudaError_t device_keep(const device_lists *l, const void *x, void *outer, cudaStream_t stream)
{
    if (l->own_count == 0)
        return cudaSuccess;
    return with_size(l->value_size, [&](auto value) {
        using Value = decltype(value);
        gather<<<blocks_for(l->own_count, MOST_BLOCKS), BLOCK, 0, stream>>>(
            l->own_count, l->own, static_cast<const Value *>(x),
            static_cast<Value *>(outer) + l->own_at);
    });
}

cudaError_t device_spread(const device_lists *l, const void *sums, void *y, cudaStream_t stream)
{
    if (l->boundary_rows == 0)
        return cudaSuccess;
    return with_size(l->value_size, [&](auto value) {
        using Value = decltype(value);
        scatter<<<blocks_for(l->boundary_rows, MOST_BLOCKS), BLOCK, 0, stream>>>(
            l->boundary_rows, l->boundary, static_cast<const Value *>(sums),
            static_cast<Value *>(y));
    });
}

int64_t inbox_length(const device_lists *l, int ranks)
{
    return l->columns * (l->value_size == 16 ? 2 : 1) + ranks;
}

cudaError_t inbox_push(const device_lists *l, const inbox_plan *p, const void *x,
                       cudaStream_t stream)
{
    if (p->count == 0)
        return cudaSuccess;
    return with_size(l->value_size, [&](auto value) {
        using Value = decltype(value);
        push<<<blocks_for(l->give_count * words_of<Value>, MOST_BLOCKS), BLOCK, 0, stream>>>(
            *p, l->give_count, l->give, static_cast<const Value *>(x));
    });
}

cudaError_t inbox_pull(const device_lists *l, const inbox_plan *p, const void *x, void *outer,
                       cudaStream_t stream)
{
    if (p->count == 0)
        return cudaSuccess;
    return with_size(l->value_size, [&](auto value) {
        using Value = decltype(value);
        pull<<<blocks_for(l->columns, p->most_blocks), BLOCK, 0, stream>>>(
            *p, *l, static_cast<const Value *>(x), static_cast<Value *>(outer));
    });
}
