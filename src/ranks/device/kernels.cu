// Kernels of the halo between GPUs: entries of x are packed, sent, received and put in place.
//
// A value of 4, 8 or 16 bytes is moved as it is, whatever its type.
#include "kernels.h"
#include "mail.cuh"
#include "spmv.cuh"

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

// A row a thread, of which there are few.
template <class Value, class Offset>
__global__ void __launch_bounds__(BLOCK)
    multiply(int64_t rows, const Offset *offsets, const int32_t *columns, const Value *values,
             const Value *x, const int32_t *number, Value *y)
{
    for (int64_t i = thread_number(); i < rows; i += thread_count())
        y[number[i]] = fur_row_sum(values, columns, x, offsets[i], offsets[i + 1]);
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

// Words that a thread has on their way together.
#define AHEAD 4

// Sends words to the targets, which are those of `give` one after the other.
template <class Value>
__device__ inline void push(const inbox_plan &p, const device_lists &l, const Value *x,
                            unsigned turn)
{
    constexpr int words = words_of<Value>;
    int t = 0;
#pragma unroll 1
    for (int64_t first = thread_number(); first < l.give_count; first += AHEAD * thread_count()) {
        Value value[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (first + k * thread_count() < l.give_count)
                value[k] = x[l.give[first + k * thread_count()]];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            int64_t entry = first + k * thread_count();
            if (entry >= l.give_count)
                break;
            while (entry >= p.target[t].first + p.target[t].count)
                t++;
            const inbox_target &to = p.target[t];
            fur_mail *box = static_cast<fur_mail *>(to.box) + 1 + turn % 2 * to.length + to.at +
                            (entry - to.first) * words;
#pragma unroll
            for (int half = 0; half < words; half++)
                fur_mail_post_bits(box + half, word_of(value[k], half), turn);
        }
    }
    if (thread_number() < p.count && p.target[threadIdx.x].count == 0) {
        const inbox_target &to = p.target[threadIdx.x];
        fur_mail_post_bits(static_cast<fur_mail *>(to.box) + 1 + turn % 2 * to.length + to.at, 0,
                           turn);
    }
}

// The value of a word, or of two, that were read early, or are waited for.
template <class Value>
__device__ inline Value take(const fur_mail *box, int64_t word, unsigned turn,
                             const fur_mail *early, Value)
{
    unsigned long long bits[words_of<Value>];
#pragma unroll
    for (int half = 0; half < words_of<Value>; half++)
        if (!fur_mail_open(early[half], turn, &bits[half]))
            bits[half] = fur_mail_await_bits(box, word + half, turn);
    if constexpr (sizeof(Value) == 16)
        return {bits[0], bits[1]};
    else
        return static_cast<Value>(bits[0]);
}

// The columns of other ranks, which are those around the own ones. Words that are asked for
// together come together; one that was not there is waited for.
template <class Value>
__device__ inline void pull(const inbox_plan &p, const device_lists &l, Value *outer, unsigned turn)
{
    constexpr int words = words_of<Value>;
    auto box = static_cast<const fur_mail *>(p.box);
    int64_t base = 1 + turn % 2 * p.length;
    int64_t count = l.columns - l.own_count;
#pragma unroll 1
    for (int64_t first = thread_number(); first < count; first += AHEAD * thread_count()) {
        fur_mail early[AHEAD * words];
        int64_t column[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            int64_t i = min(first + k * thread_count(), count - 1);
            column[k] = i < l.own_at ? i : i + l.own_count;
#pragma unroll
            for (int half = 0; half < words; half++)
                early[k * words + half] = fur_mail_read(box + base + column[k] * words + half);
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (first + k * thread_count() < count)
                outer[column[k]] =
                    take(box, base + column[k] * words, turn, &early[k * words], Value());
    }
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

// Every block sends before it waits; all of them are resident, on every device.
template <class Value>
__global__ void __launch_bounds__(BLOCK)
    exchange(const __grid_constant__ inbox_plan p, const __grid_constant__ device_lists l,
             const Value *x, Value *outer)
{
    constexpr int words = words_of<Value>;
    auto box = static_cast<const fur_mail *>(p.box);
    unsigned turn = *p.turn + 1;
    int64_t base = 1 + turn % 2 * p.length;
    push(p, l, x, turn);
    for (int64_t i = thread_number(); i < l.own_count; i += thread_count())
        outer[l.own_at + i] = x[l.own[i]];
    pull(p, l, outer, turn);
    if (thread_number() < p.mute_count)
        fur_mail_await_bits(box, base + l.columns * words + p.mute[threadIdx.x], turn);
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

template <class Value>
cudaError_t multiply_rows(const device_lists *l, const fur_csr_view *a, const void *outer, void *y,
                          cudaStream_t stream)
{
    unsigned blocks = blocks_for(l->boundary_rows, MOST_BLOCKS);
    auto values = static_cast<const Value *>(a->values);
    auto x = static_cast<const Value *>(outer);
    auto out = static_cast<Value *>(y);
    if (a->offset_type == FUR_I32)
        multiply<<<blocks, BLOCK, 0, stream>>>(l->boundary_rows,
                                               static_cast<const int32_t *>(a->offsets), a->columns,
                                               values, x, l->boundary, out);
    else
        multiply<<<blocks, BLOCK, 0, stream>>>(l->boundary_rows,
                                               static_cast<const int64_t *>(a->offsets), a->columns,
                                               values, x, l->boundary, out);
    return cudaGetLastError();
}

cudaError_t device_rows(const device_lists *l, const fur_csr_view *a, const void *outer, void *y,
                        cudaStream_t stream)
{
    static constexpr decltype(&multiply_rows<float>) by_type[FUR_VALUE_COUNT] = {
        multiply_rows<float>, multiply_rows<double>, multiply_rows<fur_c64>,
        multiply_rows<fur_c128>};
    return l->boundary_rows == 0 ? cudaSuccess : by_type[a->value_type](l, a, outer, y, stream);
}

int64_t inbox_length(const device_lists *l, int ranks)
{
    return l->columns * (l->value_size == 16 ? 2 : 1) + ranks;
}

cudaError_t inbox_exchange(const device_lists *l, const inbox_plan *p, const void *x, void *outer,
                           cudaStream_t stream)
{
    int64_t most = l->give_count > l->columns ? l->give_count : l->columns;
    if (p->count == 0)
        return cudaSuccess;
    return with_size(l->value_size, [&](auto value) {
        using Value = decltype(value);
        exchange<<<blocks_for(most, p->most_blocks), BLOCK, 0, stream>>>(
            *p, *l, static_cast<const Value *>(x), static_cast<Value *>(outer));
    });
}
