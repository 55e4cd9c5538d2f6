// Connected components by a forest of disjoint sets, in which every root is the least vertex of its
// tree. Trees are joined edge by edge without locks (after Jayanti and Tarjan, A randomized
// concurrent algorithm for disjoint set union, 2016). The order of roots is by vertex number
// instead of random.
//
// An edge is processed at its end of lower rank, which has the lower degree. Therefore no vertex
// has more than sqrt(2 edges) of them.
#include "arrange.cuh"
#include "reorder.cuh"

#define BLOCK 256
// Threads that share the edges of a vertex.
#define LANES 8

namespace
{

// Returns the root of v's tree. Every other vertex on the path is moved up to its grandparent.
// Concurrent moves by other threads only shorten the path.
__device__ int32_t find_root(int32_t *up, int32_t v)
{
    int32_t parent = __ldcg(&up[v]);
    while (parent != v) {
        int32_t above = __ldcg(&up[parent]);
        if (above != parent)
            up[v] = above;
        v = parent;
        parent = above;
    }
    return v;
}

// Joins the trees of a and b: the larger root becomes a child of the smaller.
__device__ void unite(int32_t *up, int32_t a, int32_t b)
{
    a = find_root(up, a);
    b = find_root(up, b);
    while (a != b) {
        int32_t low = min(a, b);
        int32_t high = max(a, b);
        if (atomicCAS(&up[high], high, low) == high)
            return;
        a = find_root(up, high);
        b = find_root(up, low);
    }
}

// Makes every vertex a child of its least neighbour, if that is smaller.
__global__ void plant(int64_t n, const int64_t *offsets, const int32_t *columns, int32_t *up)
{
    int64_t v = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (v >= n)
        return;
    auto self = static_cast<int32_t>(v);
    up[v] = offsets[v] < offsets[v + 1] ? min(self, columns[offsets[v]]) : self;
}

// Joins the trees at the ends of each edge (v, column) with column > v, with LANES lanes for each
// vertex. Bytes an edge: 4, and two scattered roots.
__global__ void __launch_bounds__(BLOCK)
    hook(int64_t n, const int64_t *offsets, const int32_t *columns, int32_t *up)
{
    int64_t thread = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    int64_t v = thread / LANES;
    if (v >= n)
        return;
    for (int64_t k = offsets[v + 1] - 1 - thread % LANES; k >= offsets[v] && columns[k] > v;
         k -= LANES)
        unite(up, static_cast<int32_t>(v), columns[k]);
}

// root[v] = the root of v, in a separate array, because other threads still change the forest.
// number[v] = 1 if v is a root, and otherwise 0. A prefix sum then numbers the roots.
__global__ void find_roots(int64_t n, int32_t *up, int32_t *root, int32_t *number)
{
    int64_t v = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (v < n)
        root[v] = find_root(up, static_cast<int32_t>(v));
    if (v <= n)
        number[v] = v < n && root[v] == v;
}

// Replaces of[v], the root of v, by the number of its component: the number of roots before it.
// counts: the number of components, and the number of isolated vertices, which come before all
// others.
__global__ void set_components(int64_t n, const int64_t *offsets, const int32_t *number,
                               int32_t *of, int32_t *least, int32_t *counts)
{
    int64_t v = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (v == n) {
        counts[0] = number[n];
        if (offsets[n] == 0)
            counts[1] = static_cast<int32_t>(n);
    }
    if (v >= n)
        return;
    bool root = of[v] == v;
    of[v] = number[of[v]];
    if (root)
        least[of[v]] = static_cast<int32_t>(v);
    if (offsets[v] == 0 && offsets[v + 1] > 0)
        counts[1] = static_cast<int32_t>(v);
}

// The workspace: each vertex's parent in the forest (a root is its own parent), the number of roots
// before each vertex, and two counts.
struct work {
    int32_t *up;
    int32_t *number;
    int32_t *counts;
};

// Builds the forest, then numbers the components in the order of their least vertices.
fur_status find(fur_env *env, const fur_cuda_graph *g, const work *w, fur_cuda_components *c)
{
    int64_t n = g->vertices;
    int32_t counts[2];
    unsigned blocks = fur_blocks(n + 1, BLOCK);
    cudaStream_t stream = fur_cuda_stream(env);
    plant<<<blocks, BLOCK, 0, stream>>>(n, g->offsets, g->columns, w->up);
    FUR_TRY(fur_cuda_launched(env, "plant"));
    hook<<<fur_blocks(n * LANES, BLOCK), BLOCK, 0, stream>>>(n, g->offsets, g->columns, w->up);
    FUR_TRY(fur_cuda_launched(env, "hook"));
    find_roots<<<blocks, BLOCK, 0, stream>>>(n, w->up, c->of, w->number);
    FUR_TRY(fur_cuda_launched(env, "find roots"));
    FUR_TRY(fur_exclusive_scan(env, w->number, n + 1));
    set_components<<<blocks, BLOCK, 0, stream>>>(n, g->offsets, w->number, c->of, c->least,
                                                 w->counts);
    FUR_TRY(fur_cuda_launched(env, "set components"));
    FUR_TRY(fur_cuda_copy(env, counts, w->counts, sizeof counts));
    c->count = counts[0];
    c->isolated = counts[1];
    return FUR_OK;
}

// Allocates the arrays and finds the components.
fur_status make(fur_env *env, const fur_cuda_graph *g, work *w, fur_cuda_components *c)
{
    int64_t n = g->vertices;
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *w->up, &w->up));
    FUR_TRY(fur_cuda_allocate(env, n + 1, sizeof *w->number, &w->number));
    FUR_TRY(fur_cuda_allocate(env, 2, sizeof *w->counts, &w->counts));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *c->of, &c->of));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *c->least, &c->least));
    return find(env, g, w, c);
}

} // namespace

// Finds the connected components of a graph.
fur_status fur_cuda_components_find(fur_env *env, const fur_cuda_graph *graph,
                                    fur_cuda_components *out)
{
    fur_cuda_components c = {};
    work w = {};
    fur_status status = make(env, graph, &w, &c);
    fur_cuda_release(env, w.counts);
    fur_cuda_release(env, w.number);
    fur_cuda_release(env, w.up);
    if (status == FUR_OK)
        *out = c;
    else
        fur_cuda_components_release(env, &c);
    return status;
}

void fur_cuda_components_release(fur_env *env, fur_cuda_components *c)
{
    fur_cuda_release(env, c->least);
    fur_cuda_release(env, c->of);
}
