/* Algebraic multigrid on a device: the steps of src/precond/amg, with the same order of
 * additions. */
#ifndef FURROW_KERNEL_AMG_KERNEL_H
#define FURROW_KERNEL_AMG_KERNEL_H

#include <furrow/csr.h>

#include "anywhere.h"
#include "env.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values in the array of aggregates for nodes without an aggregate. ALONE: the node gets none. */
#define FUR_AMG_ALONE (-1)
#define FUR_AMG_FREE (-2) /* not assigned yet */

/* If the square of a_ij is closer to the limit than this, relative to the limit, a_ji is also
 * tested. */
#define FUR_AMG_CLOSE 1e-3

/* A node without strong neighbours is left to the smoother if the moduli of its entries off the
 * diagonal sum to at most this fraction of the diagonal's. */
#define FUR_AMG_SLIGHT 0.1

/* The most aggregates that are compared for a node that is left over. */
#define FUR_AMG_CHOICES 32

/* A row is not smoothed if its weak entries leave less than this fraction of its diagonal. */
#define FUR_AMG_LEAST 0.1

/* A vector is linearly dependent on the others if orthogonalisation leaves less than this times its
 * length. */
#define FUR_AMG_DEPENDENT_DOUBLE 1e-10
#define FUR_AMG_DEPENDENT_SINGLE 1e-4

/* The strong neighbours of nodes, without the node itself. Node i has count[i] neighbours, from
 * column[begin[i]] on, in rising order. */
typedef struct fur_amg_graph {
    int64_t nodes;
    int64_t *begin;
    int32_t *count;
    int32_t *column;
} fur_amg_graph;

/* The actions of a cycle on vectors of `rows` entries. For FUR_AMG_MULTIPLY, `rows` is the rows of
 * A. */
typedef enum fur_amg_verb {
    FUR_AMG_MULTIPLY, /* y = alpha A x, + y if beta is 1 */
    FUR_AMG_SCALE,    /* y = scaling x */
    FUR_AMG_TURN,     /* y = y + alpha p, p = scaling x + beta p */
    FUR_AMG_ADD,      /* y = y + alpha x */
    FUR_AMG_COPY,     /* y = x */
    FUR_AMG_CLEAR,    /* y = 0 */
    FUR_AMG_SOLVE     /* y = G x, G by columns in `values`, all real */
} fur_amg_verb;

typedef struct fur_amg_action {
    fur_amg_verb verb;
    bool wide; /* offsets have 64 bits */
    int64_t rows;
    double alpha;
    double beta;
    const void *offsets;
    const int32_t *columns;
    const void *values;
    const void *scaling;
    const void *x;
    void *y;
    void *p;
} fur_amg_action;

/* A backend has all of them or none. Only services that return a number wait. */
typedef struct fur_amg_services {
    /* Data of the smoother: M, and the largest Gershgorin radius. */
    fur_status (*scan_rows)(fur_env *env, const fur_csr_view *a, bool sums, void *scaling,
                            double *gershgorin);
    /* Finds the graph, and the nodes that are alone. The graph's columns have space for the entries
     * of A, and `diagonal` has space for one number a node. *symmetric: whether all edges exist in
     * both directions. */
    fur_status (*find_strong)(fur_env *env, const fur_csr_view *a, int block, double limit,
                              double *diagonal, const fur_amg_graph *graph, int32_t *aggregate,
                              bool *symmetric);
    /* Assigns aggregates to free nodes, and returns the number of aggregates. */
    fur_status (*aggregate)(fur_env *env, const fur_amg_graph *graph, int32_t *aggregate,
                            int64_t *aggregates);
    /* The near-nullspace of constants: one vector for each unknown of a node. */
    fur_status (*fill_constants)(fur_env *env, fur_value_type value, int64_t rows, int block,
                                 void *near);
    /* Computes T and the near-nullspace of the next level, which must be 0 before. */
    fur_status (*fill_tentative)(fur_env *env, fur_value_type value, int block, int modes,
                                 int64_t nodes, const int32_t *aggregate, int64_t aggregates,
                                 const void *fine, void *t, void *coarse);
    /* The number of aggregates of the nodes before each node; then the offsets and columns of P. */
    fur_status (*start_prolongation)(fur_env *env, const fur_amg_graph *graph,
                                     const int32_t *aggregate, int64_t *starts, int64_t *total);
    fur_status (*plan_prolongation)(fur_env *env, int block, int modes, const fur_amg_graph *graph,
                                    const int32_t *aggregate, const int64_t *starts,
                                    const fur_csr_view *p);
    fur_status (*fill_prolongation)(fur_env *env, const fur_csr_view *a, int block, int modes,
                                    double omega, const fur_amg_graph *graph,
                                    const int32_t *aggregate, const void *t, const fur_csr_view *p);
    /* to = factor from for n real numbers, between double and single precision */
    fur_status (*narrow)(fur_env *env, int64_t n, const double *from, double factor, float *to);
    fur_status (*widen)(fur_env *env, int64_t n, const float *from, double factor, double *to);
    /* The inverse, by columns, of a matrix of `order` real rows; then x = G b. */
    fur_status (*invert)(fur_env *env, const fur_csr_view *a, int64_t order, double *inverse);
    fur_status (*apply_dense)(fur_env *env, int64_t order, const double *inverse, bool single,
                              const void *b, void *x);
    /* Runs actions one after the other, on few rows and in one launch. */
    fur_status (*run)(fur_env *env, fur_value_type value, int64_t count,
                      const fur_amg_action *actions);
} fur_amg_services;

/* The rounding error that a pivot may consist of, for a matrix whose diagonal is scaled to ones. */
FUR_ANYWHERE double fur_amg_least_pivot(int64_t order, bool single)
{
    return (double)(order + 64) * (single ? (double)FLT_EPSILON : DBL_EPSILON);
}

/* A pseudo-random number of 32 bits for a node in a round. */
FUR_ANYWHERE uint32_t fur_amg_hash(uint32_t node, uint32_t round)
{
    uint32_t z = node * UINT32_C(0x9e3779b1) + round * UINT32_C(0x85ebca6b);
    z = (z ^ (z >> 16)) * UINT32_C(0x7feb352d);
    z = (z ^ (z >> 15)) * UINT32_C(0x846ca68b);
    return z ^ (z >> 16);
}

/* A hash of an edge, equal from both ends (the finaliser of splitmix64). */
FUR_ANYWHERE int64_t fur_amg_hash_edge(uint64_t low, uint64_t high)
{
    uint64_t z = (low << 32 | high) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (int64_t)((z ^ (z >> 31)) >> 1);
}

/* Returns whether an entry is strong, from its square and the product of the diagonals. */
FUR_ANYWHERE bool fur_amg_is_strong(double square, double diagonals, double limit)
{
    return limit > 0 ? square / diagonals > limit : square > 0;
}

/* Returns whether rounding may put a_ij and a_ji on different sides of the limit. If it may, the
 * larger of both decides, from both ends. */
FUR_ANYWHERE bool fur_amg_is_close(double square, double diagonals, double limit)
{
    return fabs(square / diagonals - limit) <= FUR_AMG_CLOSE * limit;
}

#ifdef __cplusplus
}
#endif
#endif
