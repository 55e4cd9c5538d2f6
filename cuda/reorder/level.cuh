// One level of a pass: the children of a range of vertices in the queue, in order.
//
// The adjacency lists of a level's vertices, one after the other, form its edges. They are
// distributed evenly, whatever the degrees. A level has three steps, and all threads wait for each
// other after each step:
//   claim   an edge claims its target vertex for its parent's position; the least position wins
//   count   the edges that have won are counted: their targets are the children
//   write   the children are written in the order of the edges, which is the order of the queue
#ifndef FURROW_CUDA_REORDER_LEVEL_CUH
#define FURROW_CUDA_REORDER_LEVEL_CUH

#include "cluster.cuh"
#include "reorder.cuh"

#include <cub/block/block_scan.cuh>

namespace groups = cooperative_groups;

#define THREADS 256
// The edges of a unit, the units that a thread processes at a time, and their edges for a block.
#define UNIT THREADS
#define UNITS 2
#define SHARE (UNIT * UNITS)
// The most edges for which a level runs in one block, and in one cluster.
#define BLOCK_EDGES SHARE
#define CLUSTER_EDGES (FUR_CLUSTER * SHARE)

// The adjacency list of a vertex in the queue is at first + shift. `first` counts the edges before
// it in the pass.
struct fur_walk_row {
    int64_t first;
    int64_t shift;
};

// A sum over edges: their children, and the edges of these children.
struct fur_walk_sum {
    int64_t children;
    int64_t edges;
};

// The vertices at begin .. end - 1 of the queue, and their edges first .. last - 1.
struct fur_walk_level {
    int64_t begin;
    int64_t end;
    int64_t first;
    int64_t last;
    int64_t depth;
};

namespace
{

// The arguments of a breadth-first pass.
struct pass {
    const int64_t *offsets;
    const int32_t *columns;
    fur_cuda_queue queue;
    fur_walk_row *rows;
    // Alternating buffers for this level and the next. For each unit: the position of the vertex to
    // which the unit's first edge belongs.
    int32_t *marks[2];
    fur_walk_sum *sums; // of each block
    fur_walk_level *level;
    int64_t limit;  // the bandwidth at which the pass is given up
    int64_t levels; // the number of levels at which the pass is given up
    int *over;      // set if the bandwidth has reached the limit
};

using scan = cub::BlockScan<unsigned long long, THREADS>;

// The rows of a block's edges: where they begin among these edges, and their shifts.
struct shared {
    int64_t shift[SHARE + 1];
    int32_t begin[SHARE + 1];
    scan::TempStorage scan;
    fur_walk_sum sums[FUR_CLUSTER]; // of each block of the cluster
    fur_walk_sum before;
    fur_walk_sum total;
};

// A team of one block. A team type tells how many blocks work on a level, how they wait for each
// other, and how they exchange their sums.
struct one_block {
    __device__ static unsigned rank()
    {
        return 0;
    }
    __device__ static unsigned size()
    {
        return 1;
    }
    __device__ static void wait()
    {
        __syncthreads();
    }
    __device__ static void tell(const pass &, shared *, fur_walk_sum)
    {
    }
    __device__ static fur_walk_sum told(const pass &, const shared *, unsigned)
    {
        return {0, 0};
    }
};

#if __CUDA_ARCH__ >= 900
// The team of the blocks in one cluster, which exchange sums through shared memory.
struct one_cluster {
    __device__ static unsigned rank()
    {
        return fur_cluster_rank();
    }
    __device__ static unsigned size()
    {
        return FUR_CLUSTER;
    }
    __device__ static void wait()
    {
        fur_cluster_wait();
    }
    __device__ static void tell(const pass &, shared *s, fur_walk_sum sum)
    {
        if (threadIdx.x < FUR_CLUSTER)
            *groups::this_cluster().map_shared_rank(&s->sums[rank()], threadIdx.x) = sum;
    }
    __device__ static fur_walk_sum told(const pass &, const shared *s, unsigned block)
    {
        return s->sums[block];
    }
};
#else
using one_cluster = one_block;
#endif

// The team of all blocks in the grid, which exchange sums through device memory.
struct all_blocks {
    __device__ static unsigned rank()
    {
        return blockIdx.x;
    }
    __device__ static unsigned size()
    {
        return gridDim.x;
    }
    __device__ static void wait()
    {
        groups::this_grid().sync();
    }
    __device__ static void tell(const pass &p, shared *, fur_walk_sum sum)
    {
        if (threadIdx.x == 0)
            p.sums[blockIdx.x] = sum;
    }
    __device__ static fur_walk_sum told(const pass &p, const shared *, unsigned block)
    {
        longlong2 sum = __ldcg(reinterpret_cast<const longlong2 *>(&p.sums[block]));
        return {sum.x, sum.y};
    }
};

// The edges that a thread is processing.
struct hand {
    int32_t parent[UNITS]; // position
    int32_t child[UNITS];  // vertex; -1 if there is none or another parent has it
    int64_t list[UNITS];   // where the list of a won child begins
    int32_t degree[UNITS]; // of a won child; 0 if the edge has not won
};

// Loads the rows of the edges in units unit .. unit + units - 1. Returns the position of the first
// row.
__device__ int64_t load_rows(const pass &p, const fur_walk_level &l, int64_t unit, int units,
                             shared *s, int *count)
{
    int64_t edge = l.first + unit * UNIT;
    int64_t next = edge + int64_t(units) * UNIT;
    const int32_t *marks = p.marks[l.depth % 2];
    int64_t begin = unit == 0 ? l.begin : __ldcg(&marks[unit]);
    int64_t end = next >= l.last ? l.end : __ldcg(&marks[unit + units]) + int64_t(1);
    for (int i = threadIdx.x; i < end - begin; i += THREADS) {
        longlong2 row = __ldcg(reinterpret_cast<const longlong2 *>(&p.rows[begin + i]));
        s->begin[i] = static_cast<int32_t>(max(row.x - edge, 0LL));
        s->shift[i] = row.y;
    }
    *count = static_cast<int>(end - begin);
    return begin;
}

// Returns the last row that begins at or before edge `k` of the block.
__device__ int find_row(const shared *s, int count, int k)
{
    int low = 0;
    while (count > 1) {
        int half = count / 2;
        if (s->begin[low + half] <= k)
            low += half;
        count -= half;
    }
    return low;
}

// Loads the edges of `units` units from `unit` on. Each thread takes consecutive edges.
__device__ void take(const pass &p, const fur_walk_level &l, int64_t unit, int units, shared *s,
                     hand *h)
{
    int count;
    __syncthreads();
    int64_t position = load_rows(p, l, unit, units, s, &count);
    __syncthreads();
    int k = static_cast<int>(threadIdx.x) * units;
    int row = find_row(s, count, k);
    int64_t edge = l.first + unit * UNIT + k;
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        h->parent[i] = 0;
        h->child[i] = -1;
        if (i >= units || edge + i >= l.last)
            continue;
        while (row + 1 < count && s->begin[row + 1] <= k + i)
            row++;
        h->parent[i] = static_cast<int32_t>(position + row);
        h->child[i] = __ldg(&p.columns[edge + i + s->shift[row]]);
    }
}

// Claims the children for their parents. A child of an earlier parent is dropped.
__device__ void claim(const pass &p, hand *h)
{
    int32_t parent[UNITS];
#pragma unroll
    for (int i = 0; i < UNITS; i++)
        parent[i] = h->child[i] >= 0 ? __ldcg(&p.queue.parent[h->child[i]]) : -1;
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        if (parent[i] < h->parent[i])
            h->child[i] = -1;
        else if (parent[i] > h->parent[i])
            atomicMin(&p.queue.parent[h->child[i]], h->parent[i]);
    }
}

// Finds the edges that have won. Returns their number and the number of edges of their children.
__device__ fur_walk_sum find_winners(const pass &p, hand *h)
{
    fur_walk_sum sum = {0, 0};
    bool won[UNITS];
    int64_t next[UNITS];
#pragma unroll
    for (int i = 0; i < UNITS; i++)
        won[i] = h->child[i] >= 0 && __ldcg(&p.queue.parent[h->child[i]]) == h->parent[i];
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        h->list[i] = won[i] ? __ldg(&p.offsets[h->child[i]]) : 0;
        next[i] = won[i] ? __ldg(&p.offsets[h->child[i] + 1]) : 0;
    }
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        h->degree[i] = static_cast<int32_t>(next[i] - h->list[i]);
        sum.children += won[i];
        sum.edges += h->degree[i];
    }
    return sum;
}

// Packs a block's children and their edges into one number. There are at most SHARE children, with
// less than 2^31 edges each.
#define CHILD (1ULL << 48)

// Returns the sum over the previous threads of the block. *total = the sum over all its threads.
__device__ fur_walk_sum sum_before(fur_walk_sum mine, shared *s, fur_walk_sum *total)
{
    unsigned long long before;
    unsigned long long all;
    scan(s->scan).ExclusiveSum(mine.children * CHILD + mine.edges, before, all);
    *total = {static_cast<int64_t>(all / CHILD), static_cast<int64_t>(all % CHILD)};
    return {static_cast<int64_t>(before / CHILD), static_cast<int64_t>(before % CHILD)};
}

// Sets the marks of those units of the next level that begin within its edges first .. last - 1.
__device__ void mark(int32_t *marks, int64_t first, int64_t last, int64_t position)
{
    for (int64_t unit = (first + UNIT - 1) / UNIT; unit * UNIT < last; unit++)
        marks[unit] = static_cast<int32_t>(position);
}

// Appends the children. `before` counts the children and edges that come before the thread's own.
__device__ void append(const pass &p, const fur_walk_level &l, const hand &h, fur_walk_sum before)
{
    int32_t *marks = p.marks[(l.depth + 1) % 2];
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        if (h.degree[i] == 0)
            continue;
        int64_t position = l.end + before.children;
        int64_t first = l.last + before.edges;
        p.queue.vertex[position] = h.child[i];
        p.queue.depth[position] = static_cast<int32_t>(l.depth + 1);
        p.rows[position] = {first, h.list[i] - first};
        mark(marks, before.edges, before.edges + h.degree[i], position);
        if (position - h.parent[i] >= p.limit)
            *p.over = 1;
        before.children++;
        before.edges += h.degree[i];
    }
}

// Adds both counts.
__device__ fur_walk_sum operator+(fur_walk_sum a, fur_walk_sum b)
{
    return {a.children + b.children, a.edges + b.edges};
}

// Returns the sum over a warp, in lane 0.
__device__ fur_walk_sum sum_of_warp(fur_walk_sum sum)
{
    for (int half = FUR_WARP / 2; half > 0; half /= 2)
        sum = sum + fur_walk_sum{__shfl_down_sync(~0U, sum.children, half),
                                 __shfl_down_sync(~0U, sum.edges, half)};
    return sum;
}

// Exchanges sums between all blocks of a team. Returns the total. *earlier = the sum over the
// previous blocks.
template <class Team>
__device__ fur_walk_sum share_sums(const pass &p, fur_walk_sum mine, shared *s,
                                   fur_walk_sum *earlier)
{
    fur_walk_sum before = {0, 0};
    fur_walk_sum total = {0, 0};
    Team::tell(p, s, mine);
    Team::wait();
    if (threadIdx.x < FUR_WARP) {
        for (unsigned block = threadIdx.x; block < Team::size(); block += FUR_WARP) {
            fur_walk_sum sum = Team::told(p, s, block);
            total = total + sum;
            before = block < Team::rank() ? before + sum : before;
        }
        before = sum_of_warp(before);
        total = sum_of_warp(total);
    }
    if (threadIdx.x == 0) {
        s->before = before;
        s->total = total;
    }
    __syncthreads();
    *earlier = s->before;
    return s->total;
}

// Runs one level by a team. The loaded edges are kept between the steps if one load covers them.
template <class Team>
__device__ fur_walk_level run_level(const pass &p, fur_walk_level l, shared *s)
{
    hand h;
    fur_walk_sum found;
    int64_t units = (l.last - l.first + UNIT - 1) / UNIT;
    int64_t begin = units * Team::rank() / Team::size();
    int64_t end = units * (Team::rank() + 1) / Team::size();
    bool at_once = end - begin <= UNITS;
    int over = __ldcg(p.over); // set by an earlier level, so that all threads see the same value
    auto count_of = [&](int64_t unit) { return static_cast<int>(min(end - unit, int64_t(UNITS))); };

    for (int64_t unit = begin; unit < end; unit += UNITS) {
        take(p, l, unit, count_of(unit), s, &h);
        claim(p, &h);
    }
    Team::wait();
    fur_walk_sum sum = {0, 0};
    fur_walk_sum before = {0, 0};
    for (int64_t unit = begin; unit < end; unit += UNITS) {
        if (!at_once)
            take(p, l, unit, count_of(unit), s, &h);
        before = sum_before(find_winners(p, &h), s, &found);
        sum = sum + found;
    }
    fur_walk_sum earlier = {0, 0};
    if (Team::size() > 1)
        sum = share_sums<Team>(p, sum, s, &earlier);
    for (int64_t unit = begin; unit < end; unit += UNITS) {
        if (!at_once) {
            take(p, l, unit, count_of(unit), s, &h);
            before = sum_before(find_winners(p, &h), s, &found);
        }
        append(p, l, h, earlier + before);
        earlier = earlier + found;
    }
    Team::wait();
    if (over)
        sum = {0, 0};
    return {l.end, l.end + sum.children, l.last, l.last + sum.edges, l.depth + 1};
}

} // namespace

#endif
