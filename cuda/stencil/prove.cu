// Tests whether a matrix is a stencil's, row by row and bit by bit.
//
// A warp has 32 rows. A group of its lanes takes one row after the other. A group has as many lanes
// as the stencil has terms, rounded up to a power of two. For more than 32 terms it takes several
// rounds. Each lane has a term, and a vote counts the terms before it whose neighbours are inside
// the grid. This count is the position in the row of the term's entry, which must be in the column
// of the neighbour. Rows inside the grid and at the boundaries are compared in the same way.
// Neighbouring lanes read neighbouring entries, and no row waits for another row.
//
// Bytes a row: an offset and its entries, 1/4 for the result. With fields, an entry for each term
// is written, and the values of rows that agree with the stencil are read.
#include "arrange.cuh"
#include "lanes.cuh"
#include "stencil.cuh"

#include <cstring>

#define BLOCK 256
// Rows of a group whose entries are loaded together; half as many for 16-byte entries.
#define BATCH 4

namespace
{

// The matrix, the grid, and the terms on the device.
template <class Value, class Offset> struct proof {
    const Offset *offsets;
    const int32_t *columns;
    const Value *values;
    const fur_stencil_term<Value> *terms;
    int64_t last; // the last entry
    uint32_t rows;
    uint32_t extent[3];
    int points;
    int group; // lanes that process a row together: a power of two, at least BATCH
    bool fields;
};

// The rows of a warp from `first` on, one for each lane: the positions of their entries, and their
// grid points. Rows after the last one are empty.
template <class Offset> struct warp_rows {
    uint32_t first;
    Offset begin;
    Offset end;
    uint32_t x;
    uint32_t y;
    uint32_t z;

    template <class Value>
    __device__ warp_rows(const proof<Value, Offset> &p, uint32_t first_row, uint32_t lane)
        : first(first_row), begin(p.offsets[min(first_row + lane, p.rows)]),
          end(p.offsets[min(first_row + lane + 1, p.rows)])
    {
        uint32_t line = (first + lane) / p.extent[0];
        x = (first + lane) % p.extent[0];
        y = line % p.extent[1];
        z = line / p.extent[1];
    }

    // Returns whether the neighbour of row i is inside the grid. Coordinates are below 2^31 and
    // offsets are small, so that a negative sum wraps to more than any extent. All lanes must call
    // it.
    __device__ bool has(int i, fur_stencil_offset o, const uint32_t extent[3]) const
    {
        return __shfl_sync(FUR_ALL_LANES, x, i) + static_cast<uint32_t>(o.x) < extent[0] &
               __shfl_sync(FUR_ALL_LANES, y, i) + static_cast<uint32_t>(o.y) < extent[1] &
               __shfl_sync(FUR_ALL_LANES, z, i) + static_cast<uint32_t>(o.z) < extent[2];
    }
};

// Calls f(i, term, inside, entry, end) in all lanes for row `first + i` of the warp and one of its
// terms. `inside` tells whether the term's neighbour is inside the grid. `entry` is the position of
// its entry, which must be less than `end`, the end of the row. Batch rows are processed without a
// branch between them. Long: there are more terms than lanes. All lanes must call it. Bit i of a
// lane's result is set if row i has a wrong number of entries.
template <bool Long, int Batch, class Value, class Offset, class F>
__device__ unsigned for_terms(const proof<Value, Offset> &p, const warp_rows<Offset> &w, F f)
{
    int lane = threadIdx.x % FUR_WARP;
    int member = lane % p.group;
    int step = FUR_WARP / p.group;
    unsigned members = ~0u >> (FUR_WARP - p.group);
    unsigned before = (1u << member) - 1;
    fur_stencil_term<Value> t = p.terms[min(member, p.points - 1)];
    unsigned wrong = 0;
    for (int turn = 0; turn < p.group; turn += Batch) {
#pragma unroll
        for (int part = 0; part < Batch; part++) {
            int i = (turn + part) * step + lane / p.group;
            int64_t entry = __shfl_sync(FUR_ALL_LANES, w.begin, i);
            int64_t end = __shfl_sync(FUR_ALL_LANES, w.end, i);
            int k = member;
            do {
                if (Long)
                    t = p.terms[min(k, p.points - 1)];
                bool inside = w.has(i, t.offset, p.extent) & (k < p.points);
                unsigned terms = __ballot_sync(FUR_ALL_LANES, inside) >> (lane - member) & members;
                f(i, t, inside, entry + __popc(terms & before), end);
                entry += __popc(terms);
                k += p.group;
            } while (Long && k - member < p.points);
            wrong |= static_cast<unsigned>(entry != end) << i;
        }
    }
    return wrong;
}

// Compares bits: 0 and -0 differ, and a NaN equals itself.
template <class Value> __device__ bool same_bits(Value a, Value b)
{
    uint32_t words[2][sizeof(Value) / sizeof(uint32_t)];
    uint32_t other = 0;
    memcpy(words[0], &a, sizeof a);
    memcpy(words[1], &b, sizeof b);
    for (size_t i = 0; i < sizeof(Value) / sizeof(uint32_t); i++)
        other |= words[0][i] ^ words[1][i];
    return other == 0;
}

// Returns a bit for each row that differs. Positions past the end load the last entry. Without a
// condition, the loads of several rows are issued before the first is waited for.
template <bool Long, class Value, class Offset>
__device__ unsigned compare(const proof<Value, Offset> &p, const warp_rows<Offset> &w)
{
    constexpr int batch = Long ? 1 : sizeof(Value) > 8 ? BATCH / 2 : BATCH;
    unsigned differing = 0;
    unsigned wrong = for_terms<Long, batch>(
        p, w,
        [&](int i, const fur_stencil_term<Value> &t, bool inside, int64_t entry, int64_t end) {
            int64_t at = min(entry, p.last);
            int64_t column = fur_stream(p.columns + at);
            Value value = p.fields ? t.constant : fur_stream(p.values + at);
            bool same =
                (entry < end) & (column == w.first + i + t.step) & same_bits(value, t.constant);
            differing |= static_cast<unsigned>(inside & !same) << i;
        });
    return __reduce_or_sync(FUR_ALL_LANES, differing | wrong);
}

// Copies the values of rows that agree into the fields.
template <bool Long, class Value, class Offset>
__device__ void keep_values(const proof<Value, Offset> &p, const warp_rows<Offset> &w,
                            unsigned same)
{
    for_terms<Long, 1>(
        p, w, [&](int i, const fur_stencil_term<Value> &t, bool inside, int64_t entry, int64_t) {
            if (inside && (same >> i & 1))
                const_cast<Value *>(t.field)[w.first + i] = p.values[entry];
        });
}

// Bit i of differing[w] is set if row 32 w + i differs. counts[w] = the number of such rows; a 0
// follows the last count.
template <bool Long, class Value, class Offset>
__global__ void __launch_bounds__(BLOCK, 4)
    compare_rows(proof<Value, Offset> p, uint32_t *differing, uint32_t *counts)
{
    uint32_t thread = blockIdx.x * uint32_t(BLOCK) + threadIdx.x;
    uint32_t lane = thread % FUR_WARP;
    uint32_t word = thread / FUR_WARP;
    uint32_t first = thread - lane;
    if (first >= p.rows)
        return;
    warp_rows<Offset> w(p, first, lane);
    unsigned rows = p.rows - first < FUR_WARP ? (1u << (p.rows - first)) - 1 : ~0u;
    unsigned found = compare<Long>(p, w) & rows;
    if (p.fields)
        keep_values<Long>(p, w, rows & ~found);
    if (lane > 0)
        return;
    differing[word] = found;
    counts[word] = __popc(found);
    if (p.rows - first <= FUR_WARP)
        counts[word + 1] = 0;
}

// Lists the numbers of the rows whose bits are set, in order. Bytes: 4 for a row that differs, and
// 1/4 for every row.
__global__ void __launch_bounds__(BLOCK)
    list_rows(int64_t words, const uint32_t *differing, const uint32_t *places, int32_t *numbers)
{
    int64_t word = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (word >= words)
        return;
    int32_t *to = numbers + places[word];
    for (uint32_t bits = differing[word]; bits != 0; bits &= bits - 1)
        *to++ = static_cast<int32_t>(word * FUR_WARP + __ffs(static_cast<int>(bits)) - 1);
}

// Lanes that read a row together: a power of two that covers all points, but at most a warp.
int group_for(int points)
{
    int group = BATCH;
    while (group < points && group < FUR_WARP)
        group *= 2;
    return group;
}

// Returns the arguments of the proof in their types.
template <class Value, class Offset>
proof<Value, Offset> proof_of(const fur_csr_view *a, const fur_stencil_view *s, const void *terms)
{
    return {static_cast<const Offset *>(a->offsets),
            a->columns,
            static_cast<const Value *>(a->values),
            static_cast<const fur_stencil_term<Value> *>(terms),
            a->entries - 1,
            static_cast<uint32_t>(a->rows),
            {static_cast<uint32_t>(s->extent[0]), static_cast<uint32_t>(s->extent[1]),
             static_cast<uint32_t>(s->extent[2])},
            s->points,
            group_for(s->points),
            s->fields != nullptr};
}

// The rows that differ, in words of 32 rows.
struct verdict {
    int64_t words;
    uint32_t *differing; // a bit for each row
    // the place of each word's first row in the list of differing rows, and their number
    uint32_t *places;
};

// Sets the verdict and the fields of the stencil.
fur_status compare_all(fur_env *env, const fur_csr_view *a, const fur_stencil_view *s,
                       const verdict &v)
{
    void *terms;
    FUR_TRY(fur_cuda_stencil_terms(env, s, &terms));
    fur_status status = fur_with_types(a, [&](auto value, auto offset) {
        using Value = decltype(value);
        using Offset = decltype(offset);
        auto launch = s->points > FUR_WARP ? compare_rows<true, Value, Offset>
                                           : compare_rows<false, Value, Offset>;
        launch<<<fur_blocks(a->rows, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
            proof_of<Value, Offset>(a, s, terms), v.differing, v.places);
        return fur_cuda_launched(env, "compare rows with a stencil's");
    });
    fur_cuda_release(env, terms);
    FUR_TRY(status);
    return fur_exclusive_scan(env, v.places, v.words + 1);
}

// *numbers = the rows that differ, in ascending order.
fur_status list_differing(fur_env *env, const verdict &v, int64_t count, int32_t **numbers)
{
    int32_t *list;
    FUR_TRY(fur_cuda_allocate(env, count, sizeof *list, &list));
    list_rows<<<fur_blocks(v.words, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(v.words, v.differing,
                                                                              v.places, list);
    fur_status status = fur_cuda_launched(env, "list differing rows");
    if (status == FUR_OK)
        *numbers = list;
    else
        fur_cuda_release(env, list);
    return status;
}

// Sets the verdict. Then lists the rows that differ, if there are at most `most`.
fur_status prove(fur_env *env, const fur_csr_view *a, const fur_stencil_view *s, int64_t most,
                 const verdict &v, int32_t **numbers, int64_t *count)
{
    uint32_t differing;
    int32_t *list = nullptr;
    FUR_TRY(compare_all(env, a, s, v));
    FUR_TRY(fur_cuda_copy(env, &differing, v.places + v.words, sizeof differing));
    if (differing > 0 && differing <= most)
        FUR_TRY(list_differing(env, v, differing, &list));
    *numbers = list;
    *count = differing;
    return FUR_OK;
}

} // namespace

// Compares every row of A with the stencil. *numbers = the *count rows that differ. Waits.
fur_status fur_cuda_stencil_prove(fur_env *env, const fur_csr_view *a, const fur_stencil_view *s,
                                  int64_t most, int32_t **numbers, int64_t *count)
{
    int64_t words = fur_ceil_div(a->rows, FUR_WARP);
    uint32_t *memory;
    FUR_TRY(fur_cuda_allocate(env, 2 * words + 1, sizeof *memory, &memory));
    fur_status status = prove(env, a, s, most, {words, memory, memory + words}, numbers, count);
    fur_cuda_release(env, memory);
    return status;
}
