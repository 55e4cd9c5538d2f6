// The order of Cuthill and McKee (1969) and its reverse, on the device. Each component is ordered
// by a breadth-first pass from a start vertex. The search for a pseudo-peripheral vertex (George
// and Liu 1979) tries several starts, and the order with the least bandwidth is kept. The rules are
// those of the CPU (docs/reordering.md).
//
// One pass searches all components at once and leaves their vertices in one queue. Sorted by
// component (division), the queue consists of one part for each component. Reductions over a part
// give the bandwidth of the pass and the next start of its component. Components whose search has
// ended are not in the next pass.
#include "csr.cuh"
#include "arrange.cuh"
#include "reorder.cuh"

#include <climits>

#define BLOCK 256
// A graph of fewer than FEW_EDGES edges, counted from both ends, is also tried from EXTRA_STARTS
// other starts.
#define FEW_EDGES (1 << 20)
#define EXTRA_STARTS 2

namespace
{

// The state of the search for each component. Components of one vertex have only a size.
struct search {
    int32_t *size;
    int32_t *levels;    // the largest number of levels in a pass so far
    int32_t *bandwidth; // the least bandwidth so far
    int32_t *better;    // whether the last pass lowered it
    // For the last pass: its bandwidth, the least vertex of its last level, which is the next
    // start, and where the component begins and ends in the sorted queue.
    int32_t *trial;
    int32_t *candidate;
    int32_t *begin;
    int32_t *end;
};

// Elements with their components as keys, before and after a stable sort by key.
struct division {
    int32_t *key;
    int32_t *element;
    int32_t *sorted_key;
    int32_t *sorted;
};

// The data of a search.
struct work {
    fur_cuda_graph graph;
    fur_cuda_components components;
    fur_cuda_walk walk;
    search s;
    division d;
    int32_t *local; // local[position in the queue] = place within the component
    // place[vertex] within its component in the best pass; finally its place among all
    int32_t *place;
    int32_t *active; // the components of this pass
    int32_t *next;   // the components of the next pass
    int32_t *roots;  // the start vertices of the next pass
    int32_t *counts; // see the enumeration below
    int32_t *starts; // starts[component] = its first place
    int32_t *vertex; // vertex[place] in the best order, before other starts are tried
};

// The indices of `counts`. ACTIVE: number of components in the next pass. LIMIT: if there is only
// one component, the bandwidth at which its pass may be given up. KEPT: number of components that
// keep the input's order. BANDWIDTH: bandwidth of the result.
enum { ACTIVE, LIMIT, KEPT, BANDWIDTH, COUNTS };

// least[component] = min(least[component], value) for each lane of a warp. Lanes of the same
// component first find their least value, so that they need only one atomic operation. Lanes
// without a component have -1. All lanes must call it.
__device__ void lower(int32_t *least, int32_t component, int32_t value)
{
    unsigned peers = __match_any_sync(~0U, component);
    int32_t bottom = __reduce_min_sync(peers, value);
    bool first = threadIdx.x % FUR_WARP == __ffs(peers) - 1U;
    if (first && component >= 0 && bottom < __ldcg(&least[component]))
        atomicMin(&least[component], bottom);
}

// As above, for the maximum.
__device__ void raise(int32_t *most, int32_t component, int32_t value)
{
    unsigned peers = __match_any_sync(~0U, component);
    int32_t top = __reduce_max_sync(peers, value);
    bool first = threadIdx.x % FUR_WARP == __ffs(peers) - 1U;
    if (first && component >= 0 && top > __ldcg(&most[component]))
        atomicMax(&most[component], top);
}

// size[c] = the number of vertices in component c. A warp adds its vertices of a component at once:
// usually all 32 are in one component. Bytes a vertex: 4.
__global__ void find_sizes(int64_t n, const int32_t *component, int32_t *size)
{
    int64_t v = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    int32_t c = v < n ? component[v] : -1;
    unsigned peers = __match_any_sync(~0U, c);
    if (threadIdx.x % FUR_WARP == __ffs(peers) - 1U && c >= 0)
        atomicAdd(&size[c], __popc(peers));
}

// Sets the state before the first pass. Components of more than one vertex are active, and their
// least vertices are the first roots. Bytes a component: 32.
__global__ void begin_search(int64_t isolated, int64_t count, const int32_t *least, search s,
                             int32_t *active, int32_t *roots)
{
    int64_t c = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (c >= count)
        return;
    s.levels[c] = 0;
    s.bandwidth[c] = INT_MAX;
    s.trial[c] = 0;
    s.candidate[c] = INT_MAX;
    if (c < isolated)
        return;
    active[c - isolated] = static_cast<int32_t>(c);
    roots[c - isolated] = least[c];
}

// Sets elements i = 0, 1, 2, ... with the component of vertex[i] as key. Bytes an element: 12, and
// 4 scattered.
__global__ void set_keys(int64_t count, const int32_t *vertex, const int32_t *component, division d)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i >= count)
        return;
    d.key[i] = component[vertex[i]];
    d.element[i] = static_cast<int32_t>(i);
}

// Finds where the elements of each component begin and end after the sort. Bytes an element: 4.
__global__ void find_ends(int64_t count, const int32_t *key, search s)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i >= count)
        return;
    if (i == 0 || key[i - 1] != key[i])
        s.begin[key[i]] = static_cast<int32_t>(i);
    if (i == count - 1 || key[i + 1] != key[i])
        s.end[key[i]] = static_cast<int32_t>(i + 1);
}

// The place of each element within its component. Bytes an element: 12, and 4 scattered.
__global__ void set_local(int64_t count, division d, search s, int32_t *local)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < count)
        local[d.sorted[i]] = static_cast<int32_t>(i) - s.begin[d.sorted_key[i]];
}

// Finds the bandwidth of the pass and the least vertex of the last level for each component. The
// bandwidth is the largest distance of a vertex from its parent. The parent is the first of the
// vertex's neighbours in the queue, so that no earlier neighbour is farther away.
__global__ void judge(fur_cuda_queue q, division d, const int32_t *local, search s)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    int32_t component = -1;
    int32_t distance = 0;
    int32_t last = INT_MAX;
    if (i < q.vertices) {
        int32_t position = d.sorted[i];
        int32_t vertex = q.vertex[position];
        int32_t parent = q.parent[vertex];
        component = d.sorted_key[i];
        if (parent >= 0)
            distance = local[position] - local[parent];
        if (q.depth[position] == q.depth[d.sorted[s.end[component] - 1]])
            last = vertex;
    }
    raise(s.trial, component, distance);
    lower(s.candidate, component, last);
}

// Puts a component into the next pass with this root. If it is the only component there, the pass
// may be given up at bandwidth `limit`.
__device__ void go_on(int32_t component, int32_t root, int32_t limit, int32_t *next, int32_t *roots,
                      int32_t *counts)
{
    int32_t i = atomicAdd(&counts[ACTIVE], 1);
    next[i] = component;
    roots[i] = root;
    counts[LIMIT] = limit;
}

// Stores the bandwidth of the pass if it is less, and decides for each active component whether its
// search continues. It continues from the least vertex of the last level as long as each pass has
// more levels than the passes before and a lower bandwidth.
__global__ void decide(int64_t count, const int32_t *active, bool searching, fur_cuda_queue q,
                       division d, search s, int32_t *next, int32_t *roots, int32_t *counts)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i >= count)
        return;
    int32_t c = active[i];
    int32_t levels = q.depth[d.sorted[s.end[c] - 1]] + 1;
    s.better[c] = s.trial[c] < s.bandwidth[c];
    if (s.better[c])
        s.bandwidth[c] = s.trial[c];
    if (searching && levels > s.levels[c] && s.better[c]) {
        s.levels[c] = levels;
        go_on(c, s.candidate[c], s.bandwidth[c], next, roots, counts);
    }
    s.trial[c] = 0;
    s.candidate[c] = INT_MAX;
}

// The vertices in the best orders of the components, one component after the other. Bytes a vertex:
// 16, 4 of them scattered.
__global__ void set_vertices(int64_t n, int64_t isolated, const int32_t *component,
                             const int32_t *starts, const int32_t *place, int32_t *vertex)
{
    int64_t v = isolated + blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (v < n)
        vertex[starts[component[v]] + place[v]] = static_cast<int32_t>(v);
}

// The roots of extra pass `start`. The best order of each component is divided into EXTRA_STARTS
// equal parts, counted from its end. The root is the middle vertex of part `start`.
__global__ void set_extra_roots(int64_t isolated, int64_t count, int64_t start,
                                const int32_t *starts, const int32_t *vertex, search s,
                                int32_t *next, int32_t *roots, int32_t *counts)
{
    int64_t c = isolated + blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (c >= count)
        return;
    int64_t size = s.size[c];
    int64_t place = size - 1 - (2 * start + 1) * size / (2 * EXTRA_STARTS);
    go_on(static_cast<int32_t>(c), vertex[starts[c] + place], s.bandwidth[c], next, roots, counts);
}

// Stores the places of the pass in components where it is the best so far. Bytes a vertex: 16, and
// 4 scattered.
__global__ void keep_better(fur_cuda_queue q, division d, const int32_t *local, search s,
                            int32_t *place)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i < q.vertices && s.better[d.sorted_key[i]])
        place[q.vertex[d.sorted[i]]] = local[d.sorted[i]];
}

// From here on, better[c] is set if component c keeps the input's order, because no pass had a
// lower bandwidth than the input.
__global__ void find_kept(int64_t isolated, int64_t count, int32_t input_bandwidth, search s,
                          int32_t *kept)
{
    int64_t c = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (c >= count)
        return;
    s.better[c] = c >= isolated && s.bandwidth[c] >= input_bandwidth;
    if (s.better[c])
        atomicAdd(kept, 1);
}

// Orders the components that keep the input's order by rows. If the whole order is reversed at the
// end, they are ordered backwards here.
__global__ void keep_order(int64_t n, bool reversed, division d, const int32_t *starts, search s,
                           const int32_t *rank, int32_t *place)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i >= n)
        return;
    int32_t c = d.sorted_key[i];
    int32_t local = static_cast<int32_t>(i) - starts[c];
    if (s.better[c])
        place[rank[d.sorted[i]]] = reversed ? s.size[c] - 1 - local : local;
}

// Turns place[v] within its component into the place in the whole matrix. order and position are
// the permutation of rows and its inverse. Bytes a vertex: 20, 8 of them scattered.
__global__ void set_order(int64_t n, int64_t isolated, bool reversed, const int32_t *component,
                          const int32_t *starts, const int32_t *index, int32_t *place,
                          int32_t *order, int32_t *position)
{
    int64_t v = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (v >= n)
        return;
    auto p = static_cast<int32_t>(v);
    if (v >= isolated)
        p = starts[component[v]] + place[v];
    place[v] = p;
    p = reversed ? static_cast<int32_t>(n - 1 - p) : p;
    order[p] = index[v];
    position[index[v]] = p;
}

// *bandwidth = max(*bandwidth, the largest difference of places over all edges). Bytes an edge: 4,
// and 4 scattered.
__global__ void __launch_bounds__(FUR_ENTRIES_BLOCK)
    measure(fur_cuda_graph g, const int32_t *place, int32_t *bandwidth)
{
    __shared__ int32_t most;
    int32_t mine = 0;
    if (threadIdx.x == 0)
        most = 0;
    fur_for_entries(g.vertices, g.edges, g.offsets, [&](int64_t v, int64_t k) {
        mine = max(mine, place[v] - place[g.columns[k]]);
    });
    __syncthreads();
    mine = __reduce_max_sync(~0U, mine);
    if (threadIdx.x % FUR_WARP == 0)
        atomicMax(&most, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax(bandwidth, most);
}

// Sorts the elements 0 .. count - 1 stably by the component of vertex[i].
fur_status divide(fur_env *env, const work *w, int64_t count, const int32_t *vertex)
{
    const division &d = w->d;
    cudaStream_t stream = fur_cuda_stream(env);
    set_keys<<<fur_blocks(count, BLOCK), BLOCK, 0, stream>>>(count, vertex, w->components.of, d);
    FUR_TRY(fur_cuda_launched(env, "set keys"));
    return fur_sort_pairs(env, d.key, d.sorted_key, d.element, d.sorted, count,
                          fur_bits(w->components.count - 1));
}

// *count = the number of components in the next pass, *limit = the bandwidth at which it may be
// given up. Makes these components active.
fur_status fetch_counts(fur_env *env, work *w, int64_t *count, int64_t *limit)
{
    int32_t counts[2];
    FUR_TRY(fur_cuda_copy(env, counts, w->counts, sizeof counts));
    *count = counts[ACTIVE];
    *limit = *count == 1 ? counts[LIMIT] : INT_MAX;
    int32_t *active = w->active;
    w->active = w->next;
    w->next = active;
    return FUR_OK;
}

// Evaluates a pass for its `count` components, and decides which of them are in the next pass.
fur_status judge_pass(fur_env *env, const work *w, bool searching, int64_t count)
{
    const fur_cuda_queue &q = w->walk.queue;
    unsigned blocks = fur_blocks(q.vertices, BLOCK);
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_TRY(divide(env, w, q.vertices, q.vertex));
    find_ends<<<blocks, BLOCK, 0, stream>>>(q.vertices, w->d.sorted_key, w->s);
    FUR_TRY(fur_cuda_launched(env, "find ends"));
    set_local<<<blocks, BLOCK, 0, stream>>>(q.vertices, w->d, w->s, w->local);
    FUR_TRY(fur_cuda_launched(env, "set local places"));
    judge<<<blocks, BLOCK, 0, stream>>>(q, w->d, w->local, w->s);
    FUR_TRY(fur_cuda_launched(env, "judge"));
    FUR_TRY(fur_cuda_clear(env, w->counts, COUNTS * sizeof *w->counts));
    decide<<<fur_blocks(count, BLOCK), BLOCK, 0, stream>>>(count, w->active, searching, q, w->d,
                                                           w->s, w->next, w->roots, w->counts);
    FUR_TRY(fur_cuda_launched(env, "decide"));
    keep_better<<<blocks, BLOCK, 0, stream>>>(q, w->d, w->local, w->s, w->place);
    return fur_cuda_launched(env, "keep better");
}

// Finds the size of each component, and where it begins in the order.
fur_status measure_components(fur_env *env, const work *w)
{
    const fur_cuda_components &c = w->components;
    int64_t n = w->graph.vertices;
    cudaStream_t stream = fur_cuda_stream(env);
    FUR_TRY(fur_cuda_clear(env, w->s.size, c.count * int64_t(sizeof *w->s.size)));
    find_sizes<<<fur_blocks(n, BLOCK), BLOCK, 0, stream>>>(n, c.of, w->s.size);
    FUR_TRY(fur_cuda_launched(env, "sizes of components"));
    FUR_TRY(fur_cuda_copy(env, w->starts, w->s.size, c.count * int64_t(sizeof *w->starts)));
    return fur_exclusive_scan(env, w->starts, c.count);
}

// Searches for a pseudo-peripheral vertex in all components. The first roots are their least
// vertices.
fur_status find_periphery(fur_env *env, work *w)
{
    const fur_cuda_components &c = w->components;
    int64_t count = c.count - c.isolated;
    int64_t limit = INT_MAX;
    begin_search<<<fur_blocks(c.count, BLOCK), BLOCK, 0, fur_cuda_stream(env)>>>(
        c.isolated, c.count, c.least, w->s, w->active, w->roots);
    FUR_TRY(fur_cuda_launched(env, "begin search"));
    while (count > 0) {
        FUR_TRY(fur_cuda_walk_pass(env, &w->graph, w->roots, count, limit, &w->walk));
        if (w->walk.queue.left)
            return FUR_OK;
        FUR_TRY(judge_pass(env, w, true, count));
        FUR_TRY(fetch_counts(env, w, &count, &limit));
    }
    return FUR_OK;
}

// If the graph has few edges, tries other starts: the middles of equal parts of the best orders so
// far.
fur_status try_others(fur_env *env, work *w)
{
    const fur_cuda_components &c = w->components;
    int64_t n = w->graph.vertices;
    int64_t connected = c.count - c.isolated;
    int64_t count;
    int64_t limit;
    cudaStream_t stream = fur_cuda_stream(env);
    if (connected == 0 || w->graph.edges >= FEW_EDGES)
        return FUR_OK;
    set_vertices<<<fur_blocks(n, BLOCK), BLOCK, 0, stream>>>(n, c.isolated, c.of, w->starts,
                                                             w->place, w->vertex);
    FUR_TRY(fur_cuda_launched(env, "set vertices"));
    for (int64_t start = 0; start < EXTRA_STARTS; start++) {
        FUR_TRY(fur_cuda_clear(env, w->counts, COUNTS * sizeof *w->counts));
        set_extra_roots<<<fur_blocks(connected, BLOCK), BLOCK, 0, stream>>>(
            c.isolated, c.count, start, w->starts, w->vertex, w->s, w->next, w->roots, w->counts);
        FUR_TRY(fur_cuda_launched(env, "set extra roots"));
        FUR_TRY(fetch_counts(env, w, &count, &limit));
        FUR_TRY(fur_cuda_walk_pass(env, &w->graph, w->roots, count, limit, &w->walk));
        if (w->walk.queue.left)
            return FUR_OK;
        FUR_TRY(judge_pass(env, w, false, count));
    }
    return FUR_OK;
}

// Restores the input's order in components that no pass has improved. *kept = their number.
fur_status keep(fur_env *env, const work *w, bool reversed, int32_t *kept)
{
    const fur_cuda_components &c = w->components;
    int64_t n = w->graph.vertices;
    cudaStream_t stream = fur_cuda_stream(env);
    find_kept<<<fur_blocks(c.count, BLOCK), BLOCK, 0, stream>>>(
        c.isolated, c.count, static_cast<int32_t>(w->graph.bandwidth), w->s, w->counts + KEPT);
    FUR_TRY(fur_cuda_launched(env, "find kept"));
    FUR_TRY(fur_cuda_copy(env, kept, w->counts + KEPT, sizeof *kept));
    if (*kept == 0)
        return FUR_OK;
    FUR_TRY(divide(env, w, n, w->graph.rank));
    keep_order<<<fur_blocks(n, BLOCK), BLOCK, 0, stream>>>(n, reversed, w->d, w->starts, w->s,
                                                           w->graph.rank, w->place);
    return fur_cuda_launched(env, "keep order");
}

// Combines the orders of the components into one permutation, with its inverse and the report.
fur_status put_together(fur_env *env, const work *w, bool reversed, bool allow_worse,
                        int32_t *order, int32_t *position, fur_reorder_report *report)
{
    const fur_cuda_graph &g = w->graph;
    cudaStream_t stream = fur_cuda_stream(env);
    int32_t kept = 0;
    int32_t bandwidth;
    FUR_TRY(fur_cuda_clear(env, w->counts, COUNTS * sizeof *w->counts));
    if (!allow_worse)
        FUR_TRY(keep(env, w, reversed, &kept));
    set_order<<<fur_blocks(g.vertices, BLOCK), BLOCK, 0, stream>>>(
        g.vertices, w->components.isolated, reversed, w->components.of, w->starts, g.index,
        w->place, order, position);
    FUR_TRY(fur_cuda_launched(env, "set order"));
    if (g.edges > 0)
        measure<<<fur_entries_blocks(g.edges), FUR_ENTRIES_BLOCK, 0, stream>>>(
            g, w->place, w->counts + BANDWIDTH);
    FUR_TRY(fur_cuda_launched(env, "measure"));
    FUR_TRY(fur_cuda_copy(env, &bandwidth, w->counts + BANDWIDTH, sizeof bandwidth));
    *report = {sizeof *report, w->components.count, kept, g.bandwidth, bandwidth, 0};
    return FUR_OK;
}

fur_status allocate(fur_env *env, work *w)
{
    int64_t n = w->graph.vertices;
    int64_t count = w->components.count;
    int32_t **const vertices[] = {&w->d.key, &w->d.element, &w->d.sorted_key, &w->d.sorted,
                                  &w->local, &w->place,     &w->vertex};
    int32_t **const components[] = {&w->s.size,      &w->s.levels, &w->s.bandwidth, &w->s.better,
                                    &w->s.trial,     &w->s.begin,  &w->s.end,       &w->active,
                                    &w->s.candidate, &w->roots,    &w->starts,      &w->next};
    for (int32_t **array : vertices)
        FUR_TRY(fur_cuda_allocate(env, n, sizeof **array, array));
    for (int32_t **array : components)
        FUR_TRY(fur_cuda_allocate(env, count, sizeof **array, array));
    return fur_cuda_allocate(env, COUNTS, sizeof *w->counts, &w->counts);
}

// Runs all steps: graph, components, search, result. *found = false if a pass has too many levels
// for the device.
fur_status run(fur_env *env, const fur_csr_view *a, bool reversed, bool allow_worse, int32_t *order,
               int32_t *position, fur_reorder_report *report, bool *found, work *w)
{
    FUR_TRY(fur_cuda_graph_create(env, a, &w->graph));
    FUR_TRY(fur_cuda_components_find(env, &w->graph, &w->components));
    FUR_TRY(fur_cuda_walk_open(env, &w->graph, &w->walk));
    FUR_TRY(allocate(env, w));
    FUR_TRY(measure_components(env, w));
    FUR_TRY(find_periphery(env, w));
    if (!w->walk.queue.left)
        FUR_TRY(try_others(env, w));
    *found = !w->walk.queue.left;
    if (!*found)
        return FUR_OK;
    return put_together(env, w, reversed, allow_worse, order, position, report);
}

void release(fur_env *env, work *w)
{
    void *const arrays[] = {w->d.key,   w->d.element, w->d.sorted_key, w->d.sorted,    w->local,
                            w->place,   w->s.size,    w->s.levels,     w->s.bandwidth, w->s.better,
                            w->s.trial, w->s.begin,   w->s.end,        w->s.candidate, w->active,
                            w->roots,   w->starts,    w->counts,       w->next,        w->vertex};
    for (void *array : arrays)
        fur_cuda_release(env, array);
    fur_cuda_walk_close(env, &w->walk);
    fur_cuda_components_release(env, &w->components);
    fur_cuda_graph_release(env, &w->graph);
}

} // namespace

// fur_reorder for "rcm" and "cm", as described at fur_order_service.
fur_status fur_cuda_cuthill_mckee(fur_env *env, const fur_csr_view *a, bool reversed,
                                  bool allow_worse, int32_t *order, int32_t *position,
                                  fur_reorder_report *report, bool *found)
{
    work w = {};
    *report = {};
    *found = true;
    if (a->rows == 0)
        return FUR_OK;
    fur_status status = run(env, a, reversed, allow_worse, order, position, report, found, &w);
    release(env, &w);
    return status;
}
