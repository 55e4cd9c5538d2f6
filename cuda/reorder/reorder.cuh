// Cuthill and McKee's order on the device: what its steps hand on.
//
// Vertices are numbered by rank, which is their place by (degree, index) in the matrix: the least
// of some vertices is the one of least number, and the children of a vertex are in order as soon as
// its neighbours are.
#ifndef FURROW_CUDA_REORDER_CUH
#define FURROW_CUDA_REORDER_CUH

#include "device.cuh"

extern "C" {
// The neighbours of v, in order, are at offsets[v] .. offsets[v + 1] - 1; v is not among them.
struct fur_cuda_graph {
    int64_t vertices;
    int64_t edges;     // each counted from both ends
    int64_t bandwidth; // of the matrix as it was given
    int64_t *offsets;
    int32_t *columns;
    int32_t *index; // of a vertex: its row of the matrix
    int32_t *rank;  // of a row: its vertex
};

fur_status fur_cuda_graph_create(fur_env *env, const fur_csr_view *a, fur_cuda_graph *out);
void fur_cuda_graph_release(fur_env *env, fur_cuda_graph *graph);

// Components in the order of their least vertices, isolated ones first.
struct fur_cuda_components {
    int64_t count;
    int64_t isolated; // those of one vertex: components and vertices have the same numbers
    int32_t *of;      // of a vertex: its component
    int32_t *least;   // of a component: its least vertex
};

fur_status fur_cuda_components_find(fur_env *env, const fur_cuda_graph *graph,
                                    fur_cuda_components *out);
void fur_cuda_components_release(fur_env *env, fur_cuda_components *components);

// One pass from several roots, of different components, at once: their queues are merged level by
// level.
struct fur_cuda_queue {
    int64_t vertices; // that were reached
    bool left;        // the pass has too many levels for a device to be good at
    int32_t *vertex;  // at each position
    int32_t *depth;   // level of the vertex at each position
    int32_t *parent;  // of a vertex: position of its parent, -1 for a root
};

// The working memory of passes, and the queue of the last one.
struct fur_cuda_walk {
    fur_cuda_queue queue;
    struct fur_walk_row *rows;
    int32_t *marks[2];
    struct fur_walk_sum *sums;
    struct fur_walk_level *level;
    int *over;
    int64_t *starts; // edges of the roots before each
    unsigned blocks;
};

fur_status fur_cuda_walk_open(fur_env *env, const fur_cuda_graph *graph, fur_cuda_walk *out);
void fur_cuda_walk_close(fur_env *env, fur_cuda_walk *walk);

// A pass from these roots, none of them isolated. It may be given up once its queue, as a whole, is
// an order of that bandwidth or a larger one.
fur_status fur_cuda_walk_pass(fur_env *env, const fur_cuda_graph *graph, const int32_t *roots,
                              int64_t count, int64_t limit, fur_cuda_walk *walk);

// fur_class_services
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
