// The halo between GPUs that can access each other's memory. Every rank stores entries of x in the
// inboxes of other ranks. The words of an inbox tell their reader that they have arrived. The rank
// then takes the words in its own inbox.
//
// Tried on two H100: entries in chunks of 1024, with a fence and a flag word each, took 16.9 us for
// a face of 512^2 instead of 12.8. Programmatic dependent launch, prefetches and twice as many
// blocks gained nothing in an iteration.
#include "entries.cuh"
#include "kernels.h"
#include "mail.cuh"

#include <string.h>

namespace
{

// The words of INBOX_GROUP entries.
template <class Value>
constexpr int words_of = INBOX_GROUP * sizeof(Value) / sizeof(fur_mail::bits);

template <class Value> struct entries {
    Value value[INBOX_GROUP];
};

// Returns the words of a list in a turn: `words_of` for each of its groups. Words with the same
// number in neighbouring groups are contiguous, so that the threads of a warp access whole lines.
__device__ inline fur_mail *turn_words(const inbox_list &list, unsigned turn)
{
    return static_cast<fur_mail *>(list.words) + turn % 2 * list.length;
}

// Sends groups of entries.
template <class Value>
__device__ inline void push(const inbox_plan &p, const int32_t *give, const Value *x, unsigned turn)
{
    int t = 0;
    for (int i = thread_number(); i < p.give_groups; i += thread_count()) {
        while (i >= p.with[t].give.end)
            t++;
        const inbox_list &to = p.with[t].give;
        int group = i - to.begin;
        int entry = to.first + group * INBOX_GROUP;
        int left = to.count - group * INBOX_GROUP;
        int32_t number[INBOX_GROUP];
        entries<Value> e;
#pragma unroll
        for (int k = 0; k < INBOX_GROUP; k++)
            number[k] = k < left ? give[entry + k] : 0;
#pragma unroll
        for (int k = 0; k < INBOX_GROUP; k++)
            e.value[k] = k < left ? x[number[k]] : Value{};
        fur_mail *words = turn_words(to, turn) + group;
        fur_mail word = {{}, turn};
#pragma unroll
        for (int w = 0; w < words_of<Value>; w++) {
            memcpy(word.bits, reinterpret_cast<const char *>(&e) + w * sizeof word.bits,
                   sizeof word.bits);
            fur_mail_post_word(words + int64_t(w) * (to.end - to.begin), word);
        }
    }
}

// Takes the columns of other ranks. A thread loads its words together, and waits for the words that
// have not arrived yet.
template <class Value> __device__ inline void pull(const inbox_plan &p, Value *outer, unsigned turn)
{
    int t = 0;
    for (int i = thread_number(); i < p.take_groups; i += thread_count()) {
        while (i >= p.with[t].take.end)
            t++;
        const inbox_list &from = p.with[t].take;
        int group = i - from.begin;
        int column = from.first + group * INBOX_GROUP;
        int left = from.count - group * INBOX_GROUP;
        const fur_mail *words = turn_words(from, turn) + group;
        fur_mail word[words_of<Value>];
        entries<Value> e;
#pragma unroll
        for (int w = 0; w < words_of<Value>; w++)
            word[w] = fur_mail_read(words + int64_t(w) * (from.end - from.begin));
#pragma unroll
        for (int w = 0; w < words_of<Value>; w++) {
            if (word[w].turn != turn)
                word[w] = fur_mail_await_word(words + int64_t(w) * (from.end - from.begin),
                                              static_cast<const fur_mail *>(p.box), turn);
            memcpy(reinterpret_cast<char *>(&e) + w * sizeof word[w].bits, word[w].bits,
                   sizeof word[w].bits);
        }
#pragma unroll
        for (int k = 0; k < INBOX_GROUP; k++)
            if (k < left)
                outer[column + k] = e.value[k];
    }
}

// Ends the turn of an inbox, in the last block of a launch.
__device__ inline void end_turn(unsigned *turn)
{
    __syncthreads();
    if (threadIdx.x > 0 || atomicAdd(turn + 1, 1u) != gridDim.x - 1)
        return;
    turn[1] = 0;
    *turn += 1;
}

// Every block sends before it waits. All blocks are resident, on every device.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    exchange(const __grid_constant__ inbox_plan p, const __grid_constant__ device_lists l,
             const Value *x, Value *outer)
{
    unsigned turn = *p.turn + 1;
    push(p, l.give, x, turn);
    for (int i = thread_number(); i < l.own_count; i += thread_count())
        outer[l.own_at + i] = x[l.own[i]];
    pull(p, outer, turn);
    end_turn(p.turn);
}

} // namespace

int32_t inbox_groups(int64_t count)
{
    return count > 0 ? static_cast<int32_t>((count + INBOX_GROUP - 1) / INBOX_GROUP) : 1;
}

int64_t inbox_words(int64_t count, size_t value_size)
{
    return inbox_groups(count) * INBOX_GROUP * static_cast<int64_t>(value_size) /
           static_cast<int64_t>(sizeof(fur_mail::bits));
}

cudaError_t inbox_exchange(const device_lists *l, const inbox_plan *p, const void *x, void *outer,
                           cudaStream_t stream)
{
    int32_t most = p->give_groups > p->take_groups ? p->give_groups : p->take_groups;
    if (p->count == 0)
        return cudaSuccess;
    return with_size(l->value_size, [&](auto value) {
        using Value = decltype(value);
        exchange<<<blocks_for(most, p->most_blocks), BLOCK, 0, stream>>>(
            *p, *l, static_cast<const Value *>(x), static_cast<Value *>(outer));
    });
}
