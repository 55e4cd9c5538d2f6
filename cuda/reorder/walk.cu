// Passes of Cuthill and McKee (1969): breadth-first searches from one or several roots. The
// children of each vertex are appended in the order of its list. A child belongs to the parent that
// is first in the queue.
//
// One pass is one launch. Levels of few edges run in one block, larger levels in one cluster of
// blocks, and the others in all blocks. A barrier of fewer blocks is faster. Each level depends on
// the level before, so that the time of a pass is mostly the number of its levels times the time of
// the barriers. (Measured on an H100: about 4 us for a level of up to a thousand vertices, 9 us for
// several thousand.)
#include "arrange.cuh"
#include "level.cuh"

#include <climits>

#define BLOCK 256 // of the kernels before and after a pass
// A pass of more than FEW_LEVELS levels, plus one for every LEVEL_VERTICES vertices, is left to the
// host, which is faster.
#define FEW_LEVELS 256
#define LEVEL_VERTICES 64

namespace
{

// Reads the level that block 0 has stored.
__device__ fur_walk_level load_level(const pass &p)
{
    return {__ldcg(&p.level->begin), __ldcg(&p.level->end), __ldcg(&p.level->first),
            __ldcg(&p.level->last), __ldcg(&p.level->depth)};
}

// Block 0 stores the level for all blocks.
__device__ void store_level(const pass &p, const fur_walk_level &l)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *p.level = l;
}

// Returns whether a level is left and the pass does not have too many levels for the device.
__device__ bool goes_on(const pass &p, const fur_walk_level &l)
{
    return l.begin < l.end && l.depth < p.levels;
}

// Returns whether a level is left to do, and it has at most `edges` edges.
__device__ bool is_within(const pass &p, const fur_walk_level &l, int64_t edges)
{
    return goes_on(p, l) && l.last - l.first <= edges;
}

// Runs the levels that the first block can do alone.
__device__ fur_walk_level run_alone(const pass &p, fur_walk_level l, shared *s)
{
    if (blockIdx.x == 0) {
        while (is_within(p, l, BLOCK_EDGES))
            l = run_level<one_block>(p, l, s);
        store_level(p, l);
    }
    one_cluster::wait();
    return load_level(p);
}

// Runs the levels that the first cluster can do alone.
__device__ void run_in_cluster(const pass &p, fur_walk_level l, shared *s)
{
    while (is_within(p, l, CLUSTER_EDGES))
        l = is_within(p, l, BLOCK_EDGES) ? run_alone(p, l, s) : run_level<one_cluster>(p, l, s);
    store_level(p, l);
}

// Runs the levels of a pass in order: few edges in one block or cluster, more in all blocks. Bytes
// an edge: 4, and a scattered mark.
__global__ void __launch_bounds__(THREADS, 1) run(pass p)
{
    extern __shared__ __align__(16) unsigned char memory[];
    auto s = reinterpret_cast<shared *>(memory);
    fur_walk_level l = load_level(p);
    while (goes_on(p, l)) {
        if (is_within(p, l, CLUSTER_EDGES)) {
            if (blockIdx.x < FUR_CLUSTER)
                run_in_cluster(p, l, s);
            all_blocks::wait();
            l = load_level(p);
        } else {
            l = run_level<all_blocks>(p, l, s);
        }
    }
    all_blocks::wait();
    store_level(p, l);
}

// Marks all vertices as not reached. Bytes a vertex: 4.
__global__ void set_free(int64_t n, int32_t *parent)
{
    int64_t v = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (v < n)
        parent[v] = INT_MAX;
}

// Stores the number of edges of each root, followed by a 0. Bytes a root: 28.
__global__ void find_degrees(int64_t count, const int32_t *roots, const int64_t *offsets,
                             int64_t *degrees)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i <= count)
        degrees[i] = i < count ? offsets[roots[i] + 1] - offsets[roots[i]] : 0;
}

// starts: the edges of the roots before each root.
__global__ void put_roots(int64_t count, const int32_t *roots, const int64_t *starts, pass p)
{
    int64_t i = blockIdx.x * int64_t(BLOCK) + threadIdx.x;
    if (i == 0) {
        *p.level = {0, count, 0, starts[count], 0};
        *p.over = 0;
    }
    if (i >= count)
        return;
    p.queue.vertex[i] = roots[i];
    p.queue.depth[i] = 0;
    p.queue.parent[roots[i]] = -1;
    p.rows[i] = {starts[i], p.offsets[roots[i]] - starts[i]};
    mark(p.marks[0], starts[i], starts[i + 1], i);
}

// Sets the first level of a pass: its roots.
fur_status start(fur_env *env, const fur_cuda_graph *g, const int32_t *roots, int64_t count,
                 const pass &p, int64_t *starts)
{
    cudaStream_t stream = fur_cuda_stream(env);
    set_free<<<fur_blocks(g->vertices, BLOCK), BLOCK, 0, stream>>>(g->vertices, p.queue.parent);
    FUR_TRY(fur_cuda_launched(env, "set free"));
    find_degrees<<<fur_blocks(count + 1, BLOCK), BLOCK, 0, stream>>>(count, roots, p.offsets,
                                                                     starts);
    FUR_TRY(fur_cuda_launched(env, "degrees of roots"));
    FUR_TRY(fur_exclusive_scan(env, starts, count + 1));
    put_roots<<<fur_blocks(count, BLOCK), BLOCK, 0, stream>>>(count, roots, starts, p);
    return fur_cuda_launched(env, "put roots");
}

// A launch with as many blocks as the device can hold at once, but at most one for each
// multiprocessor, because larger barriers are slower.
struct launch {
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t config;
};

// Prepares a cooperative launch on the stream, in clusters if the device has them.
void set_launch(fur_env *env, unsigned blocks, bool clusters, launch *out)
{
    *out = {};
    out->attributes[0].id = cudaLaunchAttributeCooperative;
    out->attributes[0].val.cooperative = 1;
    out->attributes[1] = fur_cluster_attribute();
    out->config.gridDim = blocks;
    out->config.blockDim = THREADS;
    out->config.dynamicSmemBytes = sizeof(shared);
    out->config.stream = fur_cuda_stream(env);
    out->config.attrs = out->attributes;
    out->config.numAttrs = clusters ? 2 : 1;
}

// *out = the blocks of a launch, in whole clusters.
fur_status count_blocks(fur_env *env, unsigned *out)
{
    auto most = static_cast<unsigned>(env->device->multiprocessors);
    int clusters = 0;
    bool clustered = false;
    launch l;
    FUR_CUDA(env, cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(sizeof(shared))));
    FUR_TRY(fur_has_clusters(env, run, &clustered));
    *out = most;
    if (!clustered)
        return FUR_OK;
    set_launch(env, most / FUR_CLUSTER_BLOCKS * FUR_CLUSTER_BLOCKS, true, &l);
    l.config.numAttrs = 1;
    l.config.attrs = &l.attributes[1];
    FUR_CUDA(env, cudaOccupancyMaxActiveClusters(&clusters, run, &l.config));
    unsigned fit = static_cast<unsigned>(clusters) * FUR_CLUSTER_BLOCKS;
    *out = fit < l.config.gridDim.x ? fit : l.config.gridDim.x;
    return FUR_OK;
}

fur_status allocate(fur_env *env, const fur_cuda_graph *g, fur_cuda_walk *w)
{
    int64_t n = g->vertices;
    int64_t units = fur_ceil_div(g->edges, UNIT) + 1;
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *w->queue.vertex, &w->queue.vertex));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *w->queue.depth, &w->queue.depth));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *w->queue.parent, &w->queue.parent));
    FUR_TRY(fur_cuda_allocate(env, n, sizeof *w->rows, &w->rows));
    FUR_TRY(fur_cuda_allocate(env, units, sizeof *w->marks[0], &w->marks[0]));
    FUR_TRY(fur_cuda_allocate(env, units, sizeof *w->marks[1], &w->marks[1]));
    FUR_TRY(fur_cuda_allocate(env, w->blocks, sizeof *w->sums, &w->sums));
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *w->level, &w->level));
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *w->over, &w->over));
    return fur_cuda_allocate(env, n + 1, sizeof *w->starts, &w->starts);
}

} // namespace

// Allocates the workspace for passes over a graph.
fur_status fur_cuda_walk_open(fur_env *env, const fur_cuda_graph *graph, fur_cuda_walk *out)
{
    fur_cuda_walk w = {};
    fur_status status = count_blocks(env, &w.blocks);
    if (status == FUR_OK)
        status = allocate(env, graph, &w);
    if (status == FUR_OK)
        *out = w;
    else
        fur_cuda_walk_close(env, &w);
    return status;
}

void fur_cuda_walk_close(fur_env *env, fur_cuda_walk *w)
{
    void *const arrays[] = {w->queue.vertex, w->queue.depth, w->queue.parent, w->rows, w->marks[0],
                            w->marks[1],     w->sums,        w->level,        w->over, w->starts};
    for (void *array : arrays)
        fur_cuda_release(env, array);
}

fur_status fur_cuda_walk_pass(fur_env *env, const fur_cuda_graph *g, const int32_t *roots,
                              int64_t count, int64_t limit, fur_cuda_walk *w)
{
    int64_t levels = FEW_LEVELS + g->vertices / LEVEL_VERTICES;
    pass p = {g->offsets, g->columns, w->queue, w->rows, {w->marks[0], w->marks[1]},
              w->sums,    w->level,   limit,    levels,  w->over};
    fur_walk_level end;
    launch l;
    bool clustered = false;
    FUR_TRY(start(env, g, roots, count, p, w->starts));
    FUR_TRY(fur_has_clusters(env, run, &clustered));
    set_launch(env, w->blocks, clustered, &l);
    FUR_CUDA(env, cudaLaunchKernelEx(&l.config, run, p));
    FUR_TRY(fur_cuda_copy(env, &end, w->level, sizeof end));
    w->queue.vertices = end.end;
    w->queue.left = end.begin < end.end;
    return FUR_OK;
}
