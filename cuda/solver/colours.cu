// Two colours by disjoint sets, which are joined entry by entry without locks, as in
// ../reorder/components.cu. Each row also stores whether it has the colour of an earlier row of its
// set: these are the literals of src/csr/colours.c. The root of a set is its first row, so that the
// colours do not depend on the order of the threads.
#include "csr.cuh"
#include "arrange.cuh"
#include "solver.cuh"

#define BLOCK 256

namespace
{

// Findings of the device about a pattern.
struct findings {
    unsigned odd; // an odd cycle, or a row that does not have exactly one entry on the diagonal
    unsigned clash;
    unsigned long long red_entries; // entries of red rows
};

// Returns the equivalent literal of the first row of the set. The links on the path are shortened.
// Concurrent writes by other threads are equally valid.
__device__ uint32_t find_literal(uint32_t *link, uint32_t literal)
{
    for (;;) {
        uint32_t next = __ldcg(&link[literal >> 1]) ^ (literal & 1);
        if (next == literal)
            return literal;
        uint32_t beyond = __ldcg(&link[next >> 1]) ^ (next & 1);
        if (beyond != next)
            link[literal >> 1] = beyond ^ (literal & 1);
        literal = beyond;
    }
}

// Gives rows i and j different colours: the larger root becomes a child of the smaller. Returns
// false if both already have the same colour.
__device__ bool join(uint32_t *link, uint32_t i, uint32_t j)
{
    uint32_t one = find_literal(link, 2 * i);
    uint32_t other = find_literal(link, 2 * j + 1);
    while (one >> 1 != other >> 1) {
        uint32_t low = min(one, other);
        uint32_t high = max(one, other);
        uint32_t root = high & ~1u;
        if (atomicCAS(&link[high >> 1], root, low ^ (high & 1)) == root)
            return true;
        one = find_literal(link, high);
        other = find_literal(link, low);
    }
    return one == other;
}

// Makes every row a set. Bytes a row: 4.
__global__ void __launch_bounds__(BLOCK) begin(int64_t n, uint32_t *link)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < n)
        link[i] = 2 * static_cast<uint32_t>(i);
}

// Joins the rows of each entry left of the diagonal; diagonals[i] = the entries on it. Bytes an
// entry: 4, and two scattered roots.
template <class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    join_rows(int64_t n, int64_t entries, const Offset *offsets, const int32_t *columns,
              uint32_t *link, int32_t *diagonals, findings *found)
{
    if (__syncthreads_or(static_cast<int>(__ldcg(&found->odd))))
        return;
    fur_for_entries(n, entries, offsets, [&](int64_t row, int64_t k) {
        int64_t column = columns[k];
        if (column == row)
            atomicAdd(&diagonals[row], 1);
        if (column < row && !join(link, static_cast<uint32_t>(row), static_cast<uint32_t>(column)))
            found->odd = 1;
    });
}

// surplus[first row of a set] = even rows minus odd rows. literals[i] held the number of entries on
// the diagonal, and becomes the literal of the first row that is equivalent to literal 2 i of row
// i. (It is not stored in link, because threads that shorten their paths would overwrite it.) Bytes
// a row: 12, and a root.
__global__ void __launch_bounds__(BLOCK)
    count_sets(int64_t n, uint32_t *link, uint32_t *literals, int32_t *surplus, findings *found)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    bool inside = i < n;
    uint32_t literal = inside ? find_literal(link, 2 * static_cast<uint32_t>(i)) : ~0u;
    unsigned together = __match_any_sync(~0u, literal >> 1);
    unsigned odd = __ballot_sync(~0u, literal & 1) & together;
    if (!inside)
        return;
    if (literals[i] != 1)
        found->odd = 1;
    literals[i] = literal;
    if (threadIdx.x % FUR_WARP == __ffs(together) - 1)
        atomicAdd(&surplus[literal >> 1], __popc(together) - 2 * __popc(odd));
}

// link[i] = 1 for a red row, and otherwise 0; a 0 follows. Bytes a row: 8, and its set's surplus.
__global__ void __launch_bounds__(BLOCK)
    choose_red(int64_t n, const uint32_t *literals, const int32_t *surplus, uint32_t *link)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i > n)
        return;
    uint32_t literal = i < n ? literals[i] : 0;
    link[i] = i < n && (literal & 1) == (surplus[literal >> 1] > 0);
}

// Sets the order from the number of red rows before each row. Bytes a row: 12, and two offsets.
template <class Offset>
__global__ void __launch_bounds__(BLOCK)
    set_order(int64_t n, const Offset *offsets, const uint32_t *before, int32_t *order,
              int32_t *position, findings *found)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    unsigned long long length = 0;
    if (i < n) {
        bool red = before[i + 1] != before[i];
        int64_t place = red ? before[i] : before[n] + i - before[i];
        order[place] = static_cast<int32_t>(i);
        position[i] = static_cast<int32_t>(place);
        length = red ? offsets[i + 1] - offsets[i] - 1 : 0;
    }
    for (int step = FUR_WARP / 2; step > 0; step /= 2)
        length += __shfl_down_sync(~0u, length, step);
    if (threadIdx.x % FUR_WARP == 0 && length > 0)
        atomicAdd(&found->red_entries, length);
}

fur_status read(fur_env *env, const findings *found, findings *out)
{
    return fur_cuda_copy(env, out, found, sizeof *out);
}

// Finds the sets of rows, and the surplus of even over odd rows in each set. *ok = false if two
// colours are impossible.
template <class Offset>
fur_status find_sets(fur_env *env, const fur_csr_view *a, const Offset *offsets, uint32_t *link,
                     const fur_colours *c, findings *found, bool *ok)
{
    int64_t n = a->rows;
    findings seen;
    unsigned blocks = fur_blocks(n, BLOCK);
    int32_t *diagonals = c->order;
    int32_t *surplus = c->position;
    FUR_TRY(fur_cuda_clear(env, found, sizeof *found));
    FUR_TRY(fur_cuda_clear(env, diagonals, n * int64_t(sizeof *diagonals)));
    FUR_TRY(fur_cuda_clear(env, surplus, n * int64_t(sizeof *surplus)));
    cudaStream_t stream = fur_cuda_stream(env);
    begin<<<blocks, BLOCK, 0, stream>>>(n, link);
    FUR_TRY(fur_cuda_launched(env, "rows alone"));
    join_rows<<<fur_entries_blocks(a->entries), FUR_ENTRIES_BLOCK, 0, stream>>>(
        n, a->entries, offsets, a->columns, link, diagonals, found);
    FUR_TRY(fur_cuda_launched(env, "join rows"));
    FUR_TRY(read(env, found, &seen));
    *ok = !seen.odd;
    if (seen.odd)
        return FUR_OK;
    count_sets<<<blocks, BLOCK, 0, stream>>>(n, link, reinterpret_cast<uint32_t *>(diagonals),
                                             surplus, found);
    return fur_cuda_launched(env, "count sets");
}

// Orders the rows, whose sets are known.
template <class Offset>
fur_status order_rows(fur_env *env, const fur_csr_view *a, const Offset *offsets, uint32_t *link,
                      fur_colours *c, findings *found)
{
    int64_t n = a->rows;
    findings seen;
    uint32_t red;
    choose_red<<<fur_blocks(n + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        n, reinterpret_cast<const uint32_t *>(c->order), c->position, link);
    FUR_TRY(fur_cuda_launched(env, "choose red"));
    FUR_TRY(fur_exclusive_scan(env, link, n + 1));
    set_order<<<fur_blocks(n, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(n, offsets, link, c->order,
                                                                        c->position, found);
    FUR_TRY(fur_cuda_launched(env, "set order"));
    FUR_TRY(fur_cuda_copy(env, &red, &link[n], sizeof red));
    FUR_TRY(read(env, found, &seen));
    bool balanced = 2 * seen.red_entries == static_cast<unsigned long long>(a->entries - n);
    c->red = !seen.odd && balanced ? red : 0;
    return FUR_OK;
}

// Stores the lengths of the rows of a block, followed by a 0. Bytes a row: 8, and two scattered
// offsets.
template <class Offset>
__global__ void __launch_bounds__(BLOCK)
    set_lengths(int64_t rows, const Offset *offsets, const int32_t *order, int less,
                int32_t *lengths)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i <= rows)
        lengths[i] =
            i < rows ? static_cast<int32_t>(offsets[order[i] + 1] - offsets[order[i]]) - less : 0;
}

// Writes the entries of a block. In red rows the diagonal is first; in black rows it is omitted.
// Bytes an entry: 12, or 16 for F, and a scattered position.
template <class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    fill(int64_t rows, int64_t entries, const Offset *offsets, const int32_t *columns,
         const int32_t *order, const int32_t *position, int32_t red, bool black,
         const int32_t *starts, int32_t *out_columns, int32_t *from, int32_t *out_row,
         findings *found)
{
    fur_for_entries(rows, entries, starts, [&](int64_t i, int64_t k) {
        int32_t row = order[i];
        int64_t diagonal = fur_find_column(columns, offsets[row], offsets[row + 1], row);
        int64_t at = offsets[row] + (k - starts[i]) - !black;
        if (!black && k == starts[i])
            at = diagonal;
        else if (at >= diagonal)
            at++;
        int32_t column = position[columns[at]];
        if (at != diagonal && (column >= red) == black)
            found->clash = 1;
        out_columns[k] = column;
        from[k] = static_cast<int32_t>(at);
        if (black)
            out_row[k] = row;
    });
}

template <class Offset>
fur_status make_block(fur_env *env, const fur_csr_view *a, const Offset *offsets,
                      const fur_colours *c, const fur_colour_blocks *out, int black,
                      findings *found)
{
    int64_t rows = black ? a->rows - c->red : c->red;
    int64_t entries = (a->entries - a->rows) / 2 + (black ? 0 : c->red);
    const int32_t *order = c->order + (black ? c->red : 0);
    set_lengths<<<fur_blocks(rows + 1, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        rows, offsets, order, black, out->offsets[black]);
    FUR_TRY(fur_cuda_launched(env, "lengths of rows of one colour"));
    FUR_TRY(fur_exclusive_scan(env, out->offsets[black], rows + 1));
    if (entries == 0)
        return FUR_OK;
    fill<<<fur_entries_blocks(entries), FUR_ENTRIES_BLOCK, 0, fur_cuda_stream(env)>>>(
        rows, entries, offsets, a->columns, order, c->position, static_cast<int32_t>(c->red),
        black != 0, out->offsets[black], out->columns[black], out->from[black], out->row, found);
    return fur_cuda_launched(env, "rows of one colour");
}

} // namespace

fur_status fur_cuda_colours_find(fur_env *env, const fur_csr_view *a, fur_colours *c)
{
    uint32_t *link = nullptr;
    findings *found = nullptr;
    bool ok = false;
    c->red = 0;
    if (a->rows == 0)
        return FUR_OK;
    FUR_TRY(fur_cuda_allocate(env, a->rows + 1, sizeof *link, &link));
    fur_status status = fur_cuda_allocate(env, 1, sizeof *found, &found);
    if (status == FUR_OK)
        status = fur_with_offset(a, [&](auto offsets) {
            FUR_TRY(find_sets(env, a, offsets, link, c, found, &ok));
            return ok ? order_rows(env, a, offsets, link, c, found) : FUR_OK;
        });
    fur_cuda_release(env, found);
    fur_cuda_release(env, link);
    return status;
}

fur_status fur_cuda_colours_split(fur_env *env, const fur_csr_view *a, const fur_colours *c,
                                  const fur_colour_blocks *out, bool *clean)
{
    findings *found = nullptr;
    findings seen;
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *found, &found));
    fur_status status = fur_cuda_clear(env, found, sizeof *found);
    for (int black = 0; status == FUR_OK && black < 2; black++)
        status = fur_with_offset(
            a, [&](auto offsets) { return make_block(env, a, offsets, c, out, black, found); });
    if (status == FUR_OK)
        status = read(env, found, &seen);
    fur_cuda_release(env, found);
    if (status == FUR_OK)
        *clean = !seen.clash;
    return status;
}
