// The graph of a matrix on the device, without the diagonal and duplicates: the pattern of A if it
// is symmetric, otherwise the pattern of A + A^T. Its vertices are numbered by (degree, index), and
// its adjacency lists are sorted.
//
// Bytes an entry of a symmetric pattern: the column three times, a scattered rank, 8 to write the
// edge, and 16 for every 8 binary digits of the number of rows to sort it.
#include "csr.cuh"
#include "arrange.cuh"
#include "cub.cuh"
#include "reorder.cuh"
#include "hash.h"
#include "value.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#define BLOCK 256

namespace
{

// The result of one pass over all entries.
struct survey {
    unsigned long long mixed; // 0 if the pattern is symmetric
    unsigned long long spare; // entries on the diagonal, and duplicates
    unsigned long long bandwidth;
};

// The rows of the pattern of a square matrix.
struct pattern {
    int64_t rows;
    int64_t entries;
    const int64_t *offsets;
    const int32_t *columns;
};

// The workspace for the graph.
struct work {
    survey *found;
    uint32_t *degree; // of each row
    uint32_t *sorted; // degrees in order
    int32_t *rows;    // 0, 1, 2, ...
    int32_t *filled;  // current length of each list
    int32_t *from;    // the vertices of each edge
    int32_t *to;
    int32_t *sorted_to;
    // Edges of the pattern of A + A^T:
    uint64_t *keys;
    uint64_t *found_keys;
    int64_t *key_count;
    int64_t *offsets;
    int32_t *columns;
};

// Applies the finaliser of splitmix64 (Steele, Lea and Flood 2014).
__device__ unsigned long long mix(unsigned long long z)
{
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

// Returns a hash of the pair (i, j).
__device__ unsigned long long mix_pair(int64_t i, int64_t j, unsigned long long seed)
{
    return mix(seed ^
               (static_cast<unsigned long long>(i) << 32 | static_cast<unsigned long long>(j)));
}

// Adds the findings of the threads of a block; thread 0 adds the sum to the total.
__device__ void gather(const survey &mine, survey *total)
{
    __shared__ survey block;
    if (threadIdx.x == 0)
        block = {};
    __syncthreads();
    atomicAdd(&block.mixed, mine.mixed);
    if (mine.spare)
        atomicAdd(&block.spare, mine.spare);
    atomicMax(&block.bandwidth, mine.bandwidth);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    atomicAdd(&total->mixed, block.mixed);
    atomicAdd(&total->spare, block.spare);
    atomicMax(&total->bandwidth, block.bandwidth);
}

// Returns whether an entry is an edge: it is off the diagonal and the first at its position.
template <class Offset>
__device__ bool is_edge(const Offset *offsets, const int32_t *columns, int64_t row, int64_t k)
{
    return columns[k] != row && (k == offsets[row] || columns[k - 1] != columns[k]);
}

// Each entry adds h(i, j) - h(j, i), where h is a pseudo-random function. The sum is 0 if the
// pattern is symmetric, and otherwise only with a probability of 2^-64. spare[row], initially 0,
// counts the row's entries that are not edges.
template <class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    survey_entries(int64_t rows, int64_t entries, const Offset *offsets, const int32_t *columns,
                   unsigned long long seed, uint32_t *spare, survey *total)
{
    survey mine = {};
    fur_for_entries(rows, entries, offsets, [&](int64_t i, int64_t k) {
        int64_t j = columns[k];
        auto distance = static_cast<unsigned long long>(i < j ? j - i : i - j);
        mine.mixed += mix_pair(i, j, seed) - mix_pair(j, i, seed);
        mine.bandwidth = max(mine.bandwidth, distance);
        if (!is_edge(offsets, columns, i, k)) {
            mine.spare++;
            atomicAdd(&spare[i], 1U);
        }
    });
    gather(mine, total);
}

// On entry, degree[row] holds the number of entries that are not edges.
template <class Offset>
__global__ void find_degrees(int64_t rows, const Offset *offsets, uint32_t *degree)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < rows)
        degree[i] = static_cast<uint32_t>(offsets[i + 1] - offsets[i]) - degree[i];
}

// Inverts `index`, and stores each vertex's degree as a length, followed by a 0. Bytes a vertex:
// 20, 4 of them scattered.
__global__ void set_ranks(int64_t n, const int32_t *index, const uint32_t *degree, int32_t *rank,
                          int64_t *lengths)
{
    int64_t v = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (v < n)
        rank[index[v]] = static_cast<int32_t>(v);
    if (v <= n)
        lengths[v] = v < n ? degree[v] : 0;
}

// Lists the edges in the order of the vertices that they come from.
template <class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    list_edges(int64_t rows, int64_t entries, const Offset *offsets, const int32_t *columns,
               const int32_t *rank, const int64_t *starts, int32_t *filled, int32_t *from,
               int32_t *to)
{
    fur_for_entries(rows, entries, offsets, [&](int64_t i, int64_t k) {
        if (!is_edge(offsets, columns, i, k))
            return;
        int32_t v = rank[i];
        int64_t place = starts[v] + atomicAdd(&filled[v], 1);
        from[place] = v;
        to[place] = rank[columns[k]];
    });
}

// Stores entry (i, j) as the keys of (i, j) and (j, i). A diagonal entry gets the largest key,
// which no edge has.
template <class Offset>
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    list_both_ways(int64_t rows, int64_t entries, const Offset *offsets, const int32_t *columns,
                   int bits, uint64_t *keys)
{
    fur_for_entries(rows, entries, offsets, [&](int64_t i, int64_t k) {
        auto row = static_cast<uint64_t>(i);
        auto column = static_cast<uint64_t>(columns[k]);
        uint64_t none = (uint64_t(1) << 2 * bits) - 1;
        keys[2 * k] = row == column ? none : row << bits | column;
        keys[2 * k + 1] = row == column ? none : column << bits | row;
    });
}

// Extracts the columns of sorted keys. Bytes an entry: 12.
__global__ void split_keys(int64_t entries, const uint64_t *keys, int bits, int32_t *columns)
{
    int64_t k = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (k < entries)
        columns[k] = static_cast<int32_t>(keys[k] & ((uint64_t(1) << bits) - 1));
}

// Finds the first sorted key that is at least row << bits.
__global__ void find_rows(int64_t rows, int64_t entries, const uint64_t *keys, int bits,
                          int64_t *offsets)
{
    int64_t row = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (row > rows)
        return;
    int64_t low = 0;
    int64_t high = entries;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (keys[middle] >> bits < static_cast<uint64_t>(row))
            low = middle + 1;
        else
            high = middle;
    }
    offsets[row] = low;
}

// One pass that finds the bandwidth, the entries that are not edges, in total and for each row, and
// whether the pattern is symmetric.
template <class Offset>
fur_status take_look(fur_env *env, int64_t rows, int64_t entries, const Offset *offsets,
                     const int32_t *columns, uint32_t *spare, survey *found, survey *out)
{
    FUR_TRY(fur_cuda_clear(env, spare, rows * static_cast<int64_t>(sizeof *spare)));
    FUR_TRY(fur_cuda_clear(env, found, sizeof *found));
    if (entries > 0)
        survey_entries<<<fur_entries_blocks(entries), FUR_ENTRIES_BLOCK, 0, fur_cuda_stream(env)>>>(
            rows, entries, offsets, columns, fur_seed(), spare, found);
    FUR_TRY(fur_cuda_launched(env, "survey entries"));
    return fur_cuda_copy(env, out, found, sizeof *out);
}

// Sorts the vertices: sets index, rank, and the offsets of their lists.
fur_status rank_rows(fur_env *env, work *w, fur_cuda_graph *g)
{
    int64_t n = g->vertices;
    cudaStream_t stream = fur_cuda_stream(env);
    fur_count_up<<<fur_blocks(n, FUR_ENTRIES_BLOCK), FUR_ENTRIES_BLOCK, 0, stream>>>(n, w->rows);
    FUR_TRY(fur_cuda_launched(env, "count up"));
    FUR_TRY(fur_sort_pairs(env, w->degree, w->sorted, w->rows, g->index, n, fur_bits(n)));
    set_ranks<<<fur_blocks(n + 1, BLOCK), BLOCK, 0, stream>>>(n, g->index, w->sorted, g->rank,
                                                              g->offsets);
    FUR_TRY(fur_cuda_launched(env, "ranks"));
    return fur_exclusive_scan(env, g->offsets, n + 1);
}

// Sorts the edges stably by the vertices that they lead to. Their origins are then in order, and
// form the adjacency lists, because every edge occurs in both directions.
template <class Offset>
fur_status list_neighbours(fur_env *env, int64_t entries, const Offset *offsets,
                           const int32_t *columns, work *w, fur_cuda_graph *g)
{
    int64_t n = g->vertices;
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_TRY(fur_cuda_allocate(env, g->edges, sizeof *w->from, &w->from));
    FUR_TRY(fur_cuda_allocate(env, g->edges, sizeof *w->to, &w->to));
    FUR_TRY(fur_cuda_allocate(env, g->edges, sizeof *w->sorted_to, &w->sorted_to));
    FUR_TRY(fur_cuda_allocate(env, g->edges, sizeof *g->columns, &g->columns));
    FUR_TRY(fur_cuda_clear(env, w->filled, n * static_cast<int64_t>(sizeof *w->filled)));
    if (g->edges == 0)
        return FUR_OK;
    list_edges<<<fur_entries_blocks(entries), FUR_ENTRIES_BLOCK, 0, stream>>>(
        n, entries, offsets, columns, g->rank, g->offsets, w->filled, w->from, w->to);
    FUR_TRY(fur_cuda_launched(env, "list edges"));
    return fur_sort_pairs(env, w->to, w->sorted_to, w->from, g->columns, g->edges, fur_bits(n - 1));
}

// Sorts both directions of all entries and drops duplicates. *out = the number of remaining edges
// in w->keys.
fur_status sort_keys(fur_env *env, int64_t count, int bits, work *w, int64_t *out)
{
    cudaStream_t stream = fur_cuda_stream(env);
    uint64_t last;
    FUR_TRY(fur_with_storage(env, "cub::DeviceRadixSort::SortKeys", [&](void *s, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(s, bytes, w->keys, w->found_keys, count, 0, 2 * bits,
                                              stream);
    }));
    FUR_TRY(fur_with_storage(env, "cub::DeviceSelect::Unique", [&](void *s, size_t &bytes) {
        return cub::DeviceSelect::Unique(s, bytes, w->found_keys, w->keys, w->key_count, count,
                                         stream);
    }));
    FUR_TRY(fur_cuda_copy(env, out, w->key_count, sizeof *out));
    FUR_TRY(fur_cuda_copy(env, &last, w->keys + *out - 1, sizeof last));
    *out -= last == (uint64_t(1) << 2 * bits) - 1;
    return FUR_OK;
}

// Sets the pattern of A + A^T without the diagonal.
template <class Offset>
fur_status unite(fur_env *env, int64_t rows, int64_t entries, const Offset *offsets,
                 const int32_t *columns, work *w, pattern *out)
{
    cudaStream_t stream = fur_cuda_stream(env);
    int bits = fur_bits(rows - 1);
    int64_t found;
    FUR_TRY(fur_cuda_allocate(env, 2 * entries, sizeof *w->keys, &w->keys));
    FUR_TRY(fur_cuda_allocate(env, 2 * entries, sizeof *w->found_keys, &w->found_keys));
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *w->key_count, &w->key_count));
    FUR_TRY(fur_cuda_allocate(env, rows + 1, sizeof *w->offsets, &w->offsets));
    list_both_ways<<<fur_entries_blocks(entries), FUR_ENTRIES_BLOCK, 0, stream>>>(
        rows, entries, offsets, columns, bits, w->keys);
    FUR_TRY(fur_cuda_launched(env, "list both ways"));
    FUR_TRY(sort_keys(env, 2 * entries, bits, w, &found));
    FUR_TRY(fur_cuda_allocate(env, found, sizeof *w->columns, &w->columns));
    split_keys<<<fur_blocks(found, BLOCK), BLOCK, 0, stream>>>(found, w->keys, bits, w->columns);
    FUR_TRY(fur_cuda_launched(env, "split keys"));
    find_rows<<<fur_blocks(rows + 1, BLOCK), BLOCK, 0, stream>>>(rows, found, w->keys, bits,
                                                                 w->offsets);
    FUR_TRY(fur_cuda_launched(env, "find rows"));
    *out = {rows, found, w->offsets, w->columns};
    return FUR_OK;
}

// Makes the graph of a symmetric pattern.
template <class Offset>
fur_status finish(fur_env *env, int64_t entries, const Offset *offsets, const int32_t *columns,
                  const survey &found, work *w, fur_cuda_graph *g)
{
    g->edges = entries - static_cast<int64_t>(found.spare);
    find_degrees<<<fur_blocks(g->vertices, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        g->vertices, offsets, w->degree);
    FUR_TRY(fur_cuda_launched(env, "degrees"));
    FUR_TRY(rank_rows(env, w, g));
    return list_neighbours(env, entries, offsets, columns, w, g);
}

// Makes the graph of A's pattern or, if that is not symmetric, of the pattern of A + A^T.
template <class Offset>
fur_status make(fur_env *env, const fur_csr_view *a, const Offset *offsets, work *w,
                fur_cuda_graph *g)
{
    int64_t n = a->rows;
    survey found;
    pattern both;
    FUR_TRY(take_look(env, n, a->entries, offsets, a->columns, w->degree, w->found, &found));
    g->bandwidth = static_cast<int64_t>(found.bandwidth);
    if (found.mixed == 0)
        return finish(env, a->entries, offsets, a->columns, found, w, g);
    FUR_TRY(unite(env, n, a->entries, offsets, a->columns, w, &both));
    FUR_TRY(
        take_look(env, n, both.entries, both.offsets, both.columns, w->degree, w->found, &found));
    return finish(env, both.entries, both.offsets, both.columns, found, w, g);
}

fur_status allocate(fur_env *env, int64_t n, work *w, fur_cuda_graph *g)
{
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *w->found, &w->found));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *w->degree, &w->degree));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *w->sorted, &w->sorted));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *w->rows, &w->rows));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *w->filled, &w->filled));
    FUR_TRY(fur_cuda_allocate(env, n + 1, sizeof *g->offsets, &g->offsets));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *g->index, &g->index));
    return fur_cuda_allocate(env, n, sizeof *g->rank, &g->rank);
}

void release(fur_env *env, const work *w)
{
    void *const arrays[] = {w->found,     w->degree,  w->sorted,    w->rows, w->filled,
                            w->from,      w->to,      w->sorted_to, w->keys, w->found_keys,
                            w->key_count, w->offsets, w->columns};
    for (void *array : arrays)
        fur_cuda_release(env, array);
}

} // namespace

// Makes the undirected graph of a square matrix, without loops. Vertices are numbered by ascending
// degree, and the neighbours of each vertex are in this order.
fur_status fur_cuda_graph_create(fur_env *env, const fur_csr_view *a, fur_cuda_graph *out)
{
    work w = {};
    fur_cuda_graph g = {};
    g.vertices = a->rows;
    fur_status status = allocate(env, a->rows, &w, &g);
    if (status == FUR_OK)
        status = fur_with_offset(a, [&](auto offsets) { return make(env, a, offsets, &w, &g); });
    release(env, &w);
    if (status == FUR_OK)
        *out = g;
    else
        fur_cuda_graph_release(env, &g);
    return status;
}

void fur_cuda_graph_release(fur_env *env, fur_cuda_graph *g)
{
    fur_cuda_release(env, g->offsets);
    fur_cuda_release(env, g->columns);
    fur_cuda_release(env, g->index);
    fur_cuda_release(env, g->rank);
}

fur_status fur_cuda_pattern_is_symmetric(fur_env *env, const fur_csr_view *a, bool *symmetric)
{
    uint32_t *spare = nullptr;
    survey *found = nullptr;
    survey seen = {};
    fur_status status = fur_cuda_allocate(env, a->rows, sizeof *spare, &spare);
    if (status == FUR_OK)
        status = fur_cuda_allocate(env, 1, sizeof *found, &found);
    if (status == FUR_OK)
        status = fur_with_offset(a, [&](auto offsets) {
            return take_look(env, a->rows, a->entries, offsets, a->columns, spare, found, &seen);
        });
    fur_cuda_release(env, found);
    fur_cuda_release(env, spare);
    *symmetric = seen.mixed == 0;
    return status;
}
