// SpMV in blocks of 2 x 2, 3 x 3 or 4 x 4 entries, for matrices with several unknowns a point. One
// column index serves a whole block, and a row reads its part of a block at once. The choice by
// bytes is from Vuduc and Moon, Fast sparse matrix-vector multiplication by exploiting variable
// block structure, 2005; register blocking is from Im and Yelick, 2001.
//
// A thread multiplies one row of a block row. Entries that are missing in a block are masked. The
// segments of docs/numerics.md count only existing entries, so that the result has the bits of the
// reference.
//
// Bytes a row with blocks for m B entries: m (B entry + 6 / B) + offset / B for A, two entries for
// x and y. 2 n flops for n entries.
#include "arrange.cuh"
#include "spmv.cuh"

#define BLOCK 256
#define BUILD_BLOCK 128
#define LEAST 2
#define MAX 4

namespace
{

// B entries that are loaded together, with the widest loads that their alignment allows.
template <int B, class Value>
struct alignas(B == 3                   ? sizeof(Value)
               : B * sizeof(Value) < 16 ? B * sizeof(Value)
                                        : 16) block_line {
    Value entry[B];
};

// Visits a block row of B rows. Calls on_block(block column) for each block, and then on_entry(row
// in the block row, position in CSR) for its entries, row by row in the order of the columns.
template <int B, class Offset, class OnBlock, class OnEntry>
__device__ void walk(int64_t rows, const Offset *offsets, const int32_t *columns, int64_t block_row,
                     OnBlock on_block, OnEntry on_entry)
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

// counts[i] = the blocks of block row i. One thread for each block row. Bytes: the offsets and
// columns, 4 or 8 for the count.
template <int B, class Offset>
__global__ void __launch_bounds__(BUILD_BLOCK)
    count_block_rows(int64_t rows, int64_t block_rows, const Offset *offsets,
                     const int32_t *columns, Offset *counts)
{
    int64_t block_row = blockIdx.x * int64_t(BUILD_BLOCK) + threadIdx.x;
    if (block_row > block_rows)
        return;
    Offset count = 0;
    if (block_row < block_rows)
        walk<B>(
            rows, offsets, columns, block_row, [&](int32_t) { count++; }, [](int, int64_t) {});
    counts[block_row] = count;
}

// A matrix in blocks: the blocks with at least one entry, ordered by block row and block column. A
// block stores B lines of B entries, and a mask of the entries that exist. Missing entries must not
// be multiplied.
template <int B, class Value, class Offset> struct blocked {
    const Offset *offsets; // first block of each block row
    int32_t *columns;      // block column of each block
    uint16_t *masks;
    block_line<B, Value> *lines; // B lines for each block
};

// Copies the entries into their blocks, whose other values are already 0. If `duplicate` is not
// null, *duplicate is set when two entries have the same position. One thread for each block row.
// Bytes: A once, its blocks once.
template <int B, class Value, class Offset>
__global__ void __launch_bounds__(BUILD_BLOCK)
    fill_blocks(int64_t rows, int64_t block_rows, const Offset *offsets, const int32_t *columns,
                const Value *values, blocked<B, Value, Offset> out, int *duplicate)
{
    int64_t block_row = blockIdx.x * int64_t(BUILD_BLOCK) + threadIdx.x;
    if (block_row >= block_rows)
        return;
    int64_t block = int64_t(out.offsets[block_row]) - 1;
    unsigned mask = 0;
    walk<B>(
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

// The plan: A in B x B blocks.
struct state {
    int size; // B
    int64_t block_rows;
    int64_t blocks;
    void *offsets;
    int32_t *columns;
    uint16_t *masks;
    void *lines;
};

// One thread multiplies a row: its line of each block in the block row. Bytes and flops a row:
// above.
template <int B, class Value, class Offset>
__global__ void __launch_bounds__(BLOCK)
    multiply(fur_spmv_operands<Value, Offset> p, blocked<B, Value, Offset> a)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row >= p.rows)
        return;
    int line = static_cast<int>(row % B);
    int64_t end = a.offsets[row / B + 1];
    Value sum = fur_zero<Value>();
    for (int64_t block = a.offsets[row / B]; block < end; block++) {
        block_line<B, Value> entries = a.lines[block * B + line];
        unsigned mask = a.masks[block] >> (line * B);
        Value x[B]; // loaded without testing the mask; x is not used for a missing entry
        int64_t column = int64_t(a.columns[block]) * B;
#pragma unroll
        for (int place = 0; place < B; place++)
            x[place] = p.x[min(column + place, p.cols - 1)];
#pragma unroll
        for (int place = 0; place < B; place++)
            if (mask >> place & 1)
                sum = fur_fma(entries.entry[place], x[place], sum);
    }
    p.finish(sum, &p.y[row]);
}

// Calls f with the block size as a constant.
template <class F> fur_status with_size(int size, F f)
{
    switch (size) {
    case 2:
        return f(std::integral_constant<int, 2>());
    case 3:
        return f(std::integral_constant<int, 3>());
    default:
        return f(std::integral_constant<int, 4>());
    }
}

// Returns the plan's arrays with their types.
template <int B, class Value, class Offset> blocked<B, Value, Offset> arrays(const state *s)
{
    return {static_cast<const Offset *>(s->offsets), s->columns, s->masks,
            static_cast<block_line<B, Value> *>(s->lines)};
}

// Returns the bytes of A in blocks.
int64_t bytes_of(const fur_csr_view *a, const state *s)
{
    int64_t block = s->size * s->size * static_cast<int64_t>(fur_value_size(a->value_type)) +
                    static_cast<int64_t>(sizeof *s->columns + sizeof *s->masks);
    return s->blocks * block +
           (s->block_rows + 1) * static_cast<int64_t>(fur_offset_size(a->offset_type));
}

// s->offsets = the first block of each block row, s->blocks = the number of blocks.
template <int B, class Offset>
fur_status count_blocks(fur_env *env, const fur_csr_view *a, state *s)
{
    Offset *counts = static_cast<Offset *>(s->offsets);
    Offset blocks;
    count_block_rows<B>
        <<<fur_blocks(s->block_rows + 1, BUILD_BLOCK), BUILD_BLOCK, 0, fur_cuda_stream(env)>>>(
            a->rows, s->block_rows, static_cast<const Offset *>(a->offsets), a->columns, counts);
    FUR_TRY(fur_cuda_launched(env, "count of the blocks"));
    FUR_TRY(fur_exclusive_scan(env, counts, s->block_rows + 1));
    FUR_TRY(fur_cuda_copy(env, &blocks, counts + s->block_rows, sizeof blocks));
    s->blocks = blocks;
    return FUR_OK;
}

// Computes the block offsets of A for a block size.
fur_status analyse(fur_env *env, const fur_csr_view *a, int size, state *s)
{
    s->size = size;
    s->block_rows = fur_ceil_div(a->rows, size);
    FUR_TRY(
        fur_cuda_allocate(env, s->block_rows + 1, fur_offset_size(a->offset_type), &s->offsets));
    return with_size(size, [&](auto b) {
        return a->offset_type == FUR_I32 ? count_blocks<b(), int32_t>(env, a, s)
                                         : count_blocks<b(), int64_t>(env, a, s);
    });
}

// Chooses the size with the fewest bytes and leaves it in s.
fur_status choose_size(fur_env *env, const fur_csr_view *a, state *s)
{
    FUR_TRY(analyse(env, a, LEAST, s));
    for (int size = LEAST + 1; size <= MAX; size++) {
        state other = {};
        fur_status status = analyse(env, a, size, &other);
        bool better = status == FUR_OK && bytes_of(a, &other) < bytes_of(a, s);
        fur_cuda_release(env, better ? s->offsets : other.offsets);
        if (better)
            *s = other;
        FUR_TRY(status);
    }
    return FUR_OK;
}

// Refuses blocks that take at least as many bytes as CSR.
fur_status check_size(fur_env *env, const fur_csr_view *a, const state *s)
{
    int64_t blocks = bytes_of(a, s);
    int64_t csr = fur_csr_bytes(a);
    if (blocks < csr)
        return FUR_OK;
    return fur_env_fail(env, FUR_UNSUPPORTED,
                        "in blocks of %d x %d, the best size, it has %lld bytes, but %lld as CSR",
                        s->size, s->size, static_cast<long long>(blocks),
                        static_cast<long long>(csr));
}

// Allocates the blocks and sets their values to 0, for the entries that A does not have.
fur_status allocate(fur_env *env, const fur_csr_view *a, state *s)
{
    int64_t value = static_cast<int64_t>(fur_value_size(a->value_type));
    int64_t block = s->size * s->size * value;
    FUR_TRY(fur_cuda_allocate(env, s->blocks, sizeof *s->columns, &s->columns));
    FUR_TRY(fur_cuda_allocate(env, s->blocks, sizeof *s->masks, &s->masks));
    FUR_TRY(fur_cuda_allocate(env, s->blocks, static_cast<size_t>(block), &s->lines));
    return fur_cuda_clear(env, s->lines, s->blocks * block);
}

// Copies the entries into their blocks.
fur_status fill(fur_env *env, const fur_csr_view *a, const state *s, int *duplicate)
{
    unsigned grid = fur_blocks(s->block_rows, BUILD_BLOCK);
    return with_size(s->size, [&](auto b) {
        return fur_with_types(a, [&](auto value, auto offset) {
            using Value = decltype(value);
            using Offset = decltype(offset);
            fill_blocks<<<grid, BUILD_BLOCK, 0, fur_cuda_stream(env)>>>(
                a->rows, s->block_rows, static_cast<const Offset *>(a->offsets), a->columns,
                static_cast<const Value *>(a->values), arrays<b(), Value, Offset>(s), duplicate);
            return fur_cuda_launched(env, "fill of the blocks");
        });
    });
}

// Fills the blocks, and refuses a matrix with duplicates: a block has room for one entry at a
// position.
fur_status fill_checked(fur_env *env, const fur_csr_view *a, const state *s)
{
    int *duplicate;
    int found = 0;
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *duplicate, &duplicate));
    fur_status status = fur_cuda_clear(env, duplicate, sizeof *duplicate);
    if (status == FUR_OK)
        status = fill(env, a, s, duplicate);
    if (status == FUR_OK)
        status = fur_cuda_copy(env, &found, duplicate, sizeof found);
    fur_cuda_release(env, duplicate);
    if (found)
        return fur_env_fail(env, FUR_UNSUPPORTED, "it has more than one entry at a position");
    return status;
}

// New values go to the positions of the old ones.
fur_status refresh(fur_env *env, const fur_csr_view *a, void *memory)
{
    return fill(env, a, static_cast<const state *>(memory), nullptr);
}

// Chooses B, refuses A if its blocks take at least as many bytes as CSR, and fills the blocks.
fur_status build(fur_env *env, const fur_csr_view *a, state *s)
{
    FUR_TRY(choose_size(env, a, s));
    FUR_TRY(check_size(env, a, s));
    FUR_TRY(allocate(env, a, s));
    return fill_checked(env, a, s);
}

void release(fur_env *env, void *memory)
{
    state *s = static_cast<state *>(memory);
    fur_cuda_release(env, s->offsets);
    fur_cuda_release(env, s->columns);
    fur_cuda_release(env, s->masks);
    fur_cuda_release(env, s->lines);
    fur_env_release(env, s);
}

fur_status plan(fur_env *env, const fur_csr_view *a, const fur_spmv_profile *profile, void **out)
{
    if (profile->rows.row_max > FUR_ROW_SEGMENT)
        return fur_env_fail(env, FUR_UNSUPPORTED, "a row has more than %d entries",
                            FUR_ROW_SEGMENT);
    return fur_make_state<state>(env, release, out, [&](state *s) { return build(env, a, s); });
}

fur_status apply(const fur_spmv_call *call)
{
    const state *s = static_cast<const state *>(call->state);
    return with_size(s->size, [&](auto b) {
        return fur_with_types(call->a, [&](auto value, auto offset) {
            using Value = decltype(value);
            using Offset = decltype(offset);
            multiply<<<fur_blocks(call->a->rows, BLOCK), BLOCK, 0, fur_cuda_stream(call->env)>>>(
                fur_spmv_operands<Value, Offset>(call), arrays<b(), Value, Offset>(s));
            return fur_cuda_launched(call->env, "spmv bsr");
        });
    });
}

int64_t matrix_bytes(const fur_csr_view *a, const void *memory)
{
    return bytes_of(a, static_cast<const state *>(memory));
}

} // namespace

extern "C" const fur_spmv_kernel fur_cuda_spmv_bsr = {
    {"bsr", "history: blocks of 2 x 2, 3 x 3 or 4 x 4 entries with one index each",
     "Im and Yelick 2001", true, 0},
    nullptr, // cost: known only after the analysis
    nullptr, // work
    plan,
    refresh,
    apply,
    release,
    matrix_bytes,
};
