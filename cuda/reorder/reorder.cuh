// The order of Cuthill and McKee on the device: the data that its steps share.
//
// Vertices are numbered by rank, which is their place in the matrix by (degree, index). Therefore
// the least of some vertices has the lowest number, and the children of a vertex are in order if
// its neighbours are.
#ifndef FURROW_CUDA_REORDER_CUH
#define FURROW_CUDA_REORDER_CUH

#include "device.cuh"

extern "C" {
// The neighbours of v, in order, are at offsets[v] .. offsets[v + 1] - 1. They do not include v.
struct fur_cuda_graph {
    int64_t vertices;
    int64_t edges;     // each counted from both ends
    int64_t bandwidth; // of the input matrix
    int64_t *offsets;
    int32_t *columns;
    int32_t *index; // the row of each vertex
    int32_t *rank;  // the vertex of each row
};

fur_status fur_cuda_graph_create(fur_env *env, const fur_csr_view *a, fur_cuda_graph *out);
void fur_cuda_graph_release(fur_env *env, fur_cuda_graph *graph);

// Components in the order of their least vertices, with isolated vertices first.
struct fur_cuda_components {
    int64_t count;
    int64_t isolated; // components of one vertex, which have the vertex's number
    int32_t *of;      // the component of each vertex
    int32_t *least;   // the least vertex of each component
};

fur_status fur_cuda_components_find(fur_env *env, const fur_cuda_graph *graph,
                                    fur_cuda_components *out);
void fur_cuda_components_release(fur_env *env, fur_cuda_components *components);

// One pass from several roots in different components. Their queues are merged level by level.
struct fur_cuda_queue {
    int64_t vertices; // reached vertices
    bool left;        // the pass was given up because it has too many levels for the device
    int32_t *vertex;  // at each position
    int32_t *depth;   // level of the vertex at each position
    int32_t *parent;  // the position of a vertex's parent; -1 for a root
};

// The workspace of passes, and the queue of the last pass.
struct fur_cuda_walk {
    fur_cuda_queue queue;
    struct fur_walk_row *rows;
    int32_t *marks[2];
    struct fur_walk_sum *sums;
    struct fur_walk_level *level;
    int *over;
    int64_t *starts; // the edges of the roots before each root
    unsigned blocks;
};

fur_status fur_cuda_walk_open(fur_env *env, const fur_cuda_graph *graph, fur_cuda_walk *out);
void fur_cuda_walk_close(fur_env *env, fur_cuda_walk *walk);

// Runs a pass from these roots, none of which is isolated. It may be given up as soon as its whole
// queue, taken as an order, has a bandwidth of at least `limit`.
fur_status fur_cuda_walk_pass(fur_env *env, const fur_cuda_graph *graph, const int32_t *roots,
                              int64_t count, int64_t limit, fur_cuda_walk *walk);

// The functions of fur_class_services.
fur_status fur_cuda_pattern_is_symmetric(fur_env *env, const fur_csr_view *a, bool *symmetric);
fur_status fur_cuda_colour_rows(fur_env *env, const fur_csr_view *a, int32_t *of, int64_t *count);
fur_status fur_cuda_arrange_classes(fur_env *env, int64_t rows, int64_t count, const int32_t *of,
                                    int32_t *order, int32_t *position, int64_t *begin);

// The orders of fur_remote.
fur_status fur_cuda_cuthill_mckee(fur_env *env, const fur_csr_view *a, bool reversed,
                                  bool allow_worse, int32_t *order, int32_t *position,
                                  fur_reorder_report *report, bool *found);
}

#endif
