/* The interface between multigrid and its kernels: one level of the grid, and the operations on it.
 *
 * A point (i, j, k) of a level has the equation
 *
 *   (d_x(i) + d_y(j) + d_z(k)) x(i, j, k) - l_x(i) x(i-1, j, k) - u_x(i) x(i+1, j, k) - ... = b
 *
 * Each coefficient depends on the position along one axis. A point is red if i + j + k is even,
 * else black. */
#ifndef FURROW_KERNEL_MULTIGRID_KERNEL_H
#define FURROW_KERNEL_MULTIGRID_KERNEL_H

#include <furrow/base.h>

#include "anywhere.h"
#include "env.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of the value type that an axis has for each of its points. */
typedef enum fur_grid_weight {
    FUR_GRID_LOWER, /* l: 0 if there is no neighbour */
    FUR_GRID_UPPER, /* u */
    FUR_GRID_DIAGONAL,
    /* Interpolation: x(i) = left x'(right(i) - 1) + right x'(right(i)), with x' on the coarser
     * level. A point that exists on both levels has left = 0 and right = 1. */
    FUR_GRID_FROM_LEFT,
    FUR_GRID_FROM_RIGHT,
    /* Full weighting for the points of the coarser level: the weights of point centre(c), and of
     * the points before and after it. */
    FUR_GRID_BEFORE,
    FUR_GRID_AT,
    FUR_GRID_AFTER,
    FUR_GRID_WEIGHTS
} fur_grid_weight;

typedef enum fur_grid_place {
    /* the first coarse point at or after a point; one past the last if there is none */
    FUR_GRID_RIGHT,
    FUR_GRID_CENTRE, /* the fine point at which a coarse point lies */
    FUR_GRID_PLACES
} fur_grid_place;

/* Both arrays have `points` numbers of one kind, then `points` numbers of the next kind. They are
 * in the memory where kernels work. The numbers for the coarser level are not set on the coarsest
 * level. */
typedef struct fur_grid_axis {
    int64_t points;
    int64_t coarse; /* points of the coarser level */
    bool periodic;
    const void *weights;
    const int64_t *places;
} fur_grid_axis;

/* A grid. The first axis runs fastest. */
typedef struct fur_grid {
    fur_value_type value_type; /* FUR_F32 or FUR_F64 */
    double omega;              /* relaxation factor: 1 solves a point's equation */
    fur_grid_axis axis[3];
} fur_grid;

typedef enum fur_colour { FUR_RED, FUR_BLACK } fur_colour;

/* A level in a cycle: A x = b. */
typedef struct fur_grid_level {
    fur_grid grid;
    /* the caller's b on the finest level, during a cycle; else the level's own array, as x */
    const void *b;
    void *x;
} fur_grid_level;

typedef enum fur_grid_work {
    FUR_GRID_RELAX,
    FUR_GRID_RESTRICT, /* the residual becomes the next level's b */
    FUR_GRID_CORRECT,  /* the next level's x corrects x */
    FUR_GRID_CLEAR     /* x = 0 */
} fur_grid_work;

/* One step of a cycle, on one level. */
typedef struct fur_grid_step {
    fur_grid_work work;
    int level;
    fur_colour first; /* for FUR_GRID_RELAX only, as sweeps */
    int sweeps;
} fur_grid_step;

/* The kernels. Their arrays do not overlap. */
typedef struct fur_multigrid_kernels {
    /* Sweeps of x += omega (b - A x) / d. Each sweep relaxes all points of the colour `first`, then
     * the others. `spare`: memory for as many entries as x. Its content is undefined before and
     * after. */
    fur_status (*relax)(fur_env *env, const fur_grid *g, fur_colour first, int sweeps,
                        const void *b, void *x, void *spare);
    /* coarse = the residual b - A x by full weighting */
    fur_status (*restriction)(fur_env *env, const fur_grid *g, const void *b, const void *x,
                              void *coarse);
    /* x += coarse, interpolated */
    fur_status (*correction)(fur_env *env, const fur_grid *g, const void *coarse, void *x);
    /* Does the first of the steps in one launch, if the levels are so small that single launches
     * take longer than the work. *done: the number of steps done, or 0 if nothing is gained. NULL:
     * never possible. */
    fur_status (*fuse)(fur_env *env, const fur_grid_level *levels, const fur_grid_step *steps,
                       int64_t count, int64_t *done);
} fur_multigrid_kernels;

FUR_ANYWHERE int64_t fur_grid_points(const fur_grid *g)
{
    return g->axis[0].points * g->axis[1].points * g->axis[2].points;
}

/* Replaces a point i that may lie one beyond either end of n points. On a periodic axis it becomes
 * the opposite end. On other axes it becomes the end itself, whose weight is 0. */
FUR_ANYWHERE int64_t fur_grid_inside(bool periodic, int64_t n, int64_t i)
{
    if (i < 0)
        return periodic ? n - 1 : 0;
    if (i >= n)
        return periodic ? 0 : n - 1;
    return i;
}

#ifdef __cplusplus
}
#endif
#endif
