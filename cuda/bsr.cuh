// A matrix in blocks of B x B entries (BSR), built on the device from CSR: the blocks in which
// there is an entry, ordered by block row and block column. A block keeps B lines of B entries and
// a mask of those that exist, as the others must not be multiplied.
#ifndef FURROW_CUDA_BSR_CUH
#define FURROW_CUDA_BSR_CUH

#include "scan.cuh"
#include "value.cuh"

#define FUR_BSR_BLOCK 128

// B entries that are loaded together, as widely as they are aligned.
template <int B, class Value>
struct alignas(B == 3                   ? sizeof(Value)
               : B * sizeof(Value) < 16 ? B * sizeof(Value)
                                        : 16) fur_bsr_line {
    Value entry[B];
};

// Walks through a block row of B rows: on_block(block column), and after each on_entry(row in the
// block row, position in CSR) for what the block has, line by line in the order of the columns.
template <int B, class Offset, class OnBlock, class OnEntry>
__device__ void fur_bsr_walk(int64_t rows, const Offset *offsets, const int32_t *columns,
                             int64_t block_row, OnBlock on_block, OnEntry on_entry)
{
    int64_t at[B];
    int64_t end[B];
    for (int line = 0; line < B; line++) {
        int64_t row = min(block_row * B + line, rows);
        at[line] = offsets[row];
        end[line] = offsets[min(row + 1, rows)];
    }
    for (;;) {
        int32_t next = INT32_MAX;
        for (int line = 0; line < B; line++)
            if (at[line] < end[line])
                next = min(next, columns[at[line]] / B);
        if (next == INT32_MAX)
            return;
        on_block(next);
        for (int line = 0; line < B; line++)
            for (; at[line] < end[line] && columns[at[line]] / B == next; at[line]++)
                on_entry(line, at[line]);
    }
}

// counts[i]: the blocks of block row i. A thread a block row; bytes: the offsets and columns, 4 or
// 8 for the count.
template <int B, class Offset>
__global__ void __launch_bounds__(FUR_BSR_BLOCK)
    fur_bsr_count(int64_t rows, int64_t block_rows, const Offset *offsets, const int32_t *columns,
                  Offset *counts)
{
    int64_t block_row = blockIdx.x * int64_t(FUR_BSR_BLOCK) + threadIdx.x;
    if (block_row > block_rows)
        return;
    Offset count = 0;
    if (block_row < block_rows)
        fur_bsr_walk<B>(
            rows, offsets, columns, block_row, [&](int32_t) { count++; }, [](int, int64_t) {});
    counts[block_row] = count;
}

// The arrays of a matrix in blocks.
template <int B, class Value, class Offset> struct fur_bsr {
    const Offset *offsets; // first block of each block row
    int32_t *columns;      // block column of each block
    uint16_t *masks;
    fur_bsr_line<B, Value> *lines; // B for each block
};

// Copies the entries into their blocks, whose other values are 0 before; *duplicate, unless it is
// null, is set if two are at one position. A thread a block row; bytes: A once, its blocks once.
template <int B, class Value, class Offset>
__global__ void __launch_bounds__(FUR_BSR_BLOCK)
    fur_bsr_fill(int64_t rows, int64_t block_rows, const Offset *offsets, const int32_t *columns,
                 const Value *values, fur_bsr<B, Value, Offset> out, int *duplicate)
{
    int64_t block_row = blockIdx.x * int64_t(FUR_BSR_BLOCK) + threadIdx.x;
    if (block_row >= block_rows)
        return;
    int64_t block = int64_t(out.offsets[block_row]) - 1;
    unsigned mask = 0;
    fur_bsr_walk<B>(
        rows, offsets, columns, block_row,
        [&](int32_t column) {
            out.columns[++block] = column;
            mask = 0;
        },
        [&](int line, int64_t k) {
            int place = columns[k] % B;
            unsigned bit = 1u << (line * B + place);
            if (duplicate && (mask & bit))
                *duplicate = 1;
            mask |= bit;
            out.masks[block] = static_cast<uint16_t>(mask);
            out.lines[block * B + line].entry[place] = values[k];
        });
}

#endif
