/* One axis of a multigrid level as points joined by springs: the one-dimensional operator is
 * (K x)(i) = e(i) (x(i) - x(i-1)) + e(i+1) (x(i) - x(i+1)) over the mass m(i). */
#ifndef FURROW_CORE_MULTIGRID_AXIS_H
#define FURROW_CORE_MULTIGRID_AXIS_H

#include <furrow/stencil.h>

#include "multigrid.h"

typedef struct fur_axis {
    int64_t points;
    bool periodic;
    double *edges; /* points + 1; the first and the last lead to the boundary, where x is 0, or, the
                      same one, around */
    double *masses; /* points */
    int64_t spare;  /* the point of even number that stays on the coarser level; -1: none */
} fur_axis;

/* The finest level's: equal edges between points of mass 1. */
fur_status fur_axis_create(fur_env *env, fur_boundary boundary, int64_t points, double edge,
                           fur_axis *out);
void fur_axis_release(fur_env *env, fur_axis *axis);

/* The axis with every other point left out, or with all points where `halve` is false. */
fur_status fur_axis_coarsen(fur_env *env, const fur_axis *fine, bool halve, fur_axis *out);

/* The coefficients of an axis's own equation, `shift` added to the diagonal: to weights of
 * src/kernel/multigrid.h, in double precision. */
void fur_axis_set_rows(const fur_axis *axis, double shift, double *weights);

/* Weights and places for moving between an axis and what fur_axis_coarsen made of it. */
void fur_axis_set_transfer(const fur_axis *fine, const fur_axis *coarse, double *weights,
                           int64_t *places);

#endif
