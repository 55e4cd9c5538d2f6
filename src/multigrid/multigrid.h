/* Geometric multigrid: levels, the tables of their axes, the steps of a cycle, and cycles. */
#ifndef FURROW_MULTIGRID_MULTIGRID_H
#define FURROW_MULTIGRID_MULTIGRID_H

#include <furrow/multigrid.h>

#include "stencil.h"

/* Each level has at most 2/3 of the points of the level before. The first has less than 2^59
 * points. */
#define FUR_MULTIGRID_LEVELS 128

struct fur_multigrid {
    fur_context *context;
    fur_stencil *stencil; /* a copy of the caller's stencil, which computes residuals */
    fur_cycle cycle;
    int pre_sweeps;
    int post_sweeps;
    int bottom; /* double sweeps on the coarsest level */
    int levels;
    fur_grid_level level[FUR_MULTIGRID_LEVELS]; /* finest first */
    int64_t step_count;
    fur_grid_step *steps[2];   /* steps of a cycle, by the colour that comes first on the way up */
    fur_vector *residual;      /* residual of the finest level; during a cycle a spare array */
    fur_dependent dependent;   /* on the source */
    const fur_stencil *source; /* the caller's stencil, while it exists */
    struct fur_slabs *slabs;   /* if vectors are shared (slabs.h); else NULL */
    fur_multigrid_report report;
};
typedef struct fur_slabs fur_slabs;

/* Copies an array of the host to the memory where kernels work. */
fur_status fur_multigrid_upload(fur_context *context, const void *from, int64_t count, size_t size,
                                void *out);

/* Lists the steps of a cycle. fur_multigrid_destroy releases them. */
fur_status fur_multigrid_list_steps(fur_multigrid *mg);

/* One axis of a multigrid level: points that are joined by springs. The one-dimensional operator is
 * (K x)(i) = e(i) (x(i) - x(i-1)) + e(i+1) (x(i) - x(i+1)) over the mass m(i). */
typedef struct fur_axis {
    int64_t points;
    bool periodic;
    double *edges;  /* points + 1; the first and the last lead to the boundary, where x is 0, or are
                     * the same edge around */
    double *masses; /* points */
    int64_t spare;  /* the point with an even number that the coarser level keeps; -1: none */
} fur_axis;

/* Makes an axis of the finest level: equal edges between points of mass 1. */
fur_status fur_axis_create(fur_env *env, fur_boundary boundary, int64_t points, double edge,
                           fur_axis *out);
void fur_axis_release(fur_env *env, fur_axis *axis);

/* Makes the axis without every other point, or with all points if `halve` is false. */
fur_status fur_axis_coarsen(fur_env *env, const fur_axis *fine, bool halve, fur_axis *out);

/* Sets the coefficients of an axis's own equation, with `shift` added to the diagonal. They are
 * weights of src/kernel/multigrid_kernel.h, in double precision. */
void fur_axis_set_rows(const fur_axis *axis, double shift, double *weights);

/* Sets the weights and places for transfers between an axis and its fur_axis_coarsen axis. */
void fur_axis_set_transfer(const fur_axis *fine, const fur_axis *coarse, double *weights,
                           int64_t *places);

#endif
