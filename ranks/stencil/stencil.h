/* A stencil on a grid whose planes are divided among the ranks: slabs along the last axis with more
 * than one point. */
#ifndef FURROW_RANKS_STENCIL_H
#define FURROW_RANKS_STENCIL_H

#include "space.h"

#include <furrow/ranks_stencil.h>

/* An offset and its coefficient or field. */
typedef struct stencil_term {
    fur_stencil_offset at;
    int number; /* its number in the definition */
} stencil_term;

/* A range of planes. On a periodic axis, positions may go past the ends of the grid. */
typedef struct planes {
    int64_t first;
    int64_t count;
} plane_range;

/* A separate stencil on some planes around a bound. It computes the planes in the middle. Planes of
 * lower ranks arrive in the first edge's x, and planes of higher ranks in the last edge's x. */
typedef struct edge {
    plane_range window; /* the planes that it reads */
    plane_range result; /* the planes of this rank that it computes */
    fur_stencil *stencil;
    fur_vector **fields;
    fur_vector *x;
    fur_vector *y;
} edge;

struct fur_ranks_stencil {
    space space;
    int64_t *planes; /* where the planes of each rank begin */
    int64_t *bounds; /* where the points of each rank begin */
    fur_stencil_definition definition;
    stencil_term *terms; /* in the order of addition */
    void *coefficients;  /* of the value type, in the order of the definition; or: */
    void **fields;       /* of this rank's points */
    int axis;            /* the axis of the planes */
    int64_t plane;       /* points of a plane */
    int64_t radius;      /* along that axis */
    fur_stencil *inner;  /* on this rank's planes; NULL: the only edge has all of them */
    fur_vector **inner_fields;
    edge edge[2];
    int edges;
    fur_operator *operator;
    fur_ranks_report report;
};

/* Returns the plane of the grid at a position, or -1 beyond its ends. */
int64_t stencil_plane(const fur_ranks_stencil *s, int64_t position);

/* Returns the planes of other ranks that a rank needs. side 0: below, 1: above. */
plane_range stencil_ghosts(const fur_ranks_stencil *s, int rank, int side);

/* Decides which part computes which planes (stencil_edges.c). */
fur_status stencil_make_parts(fur_ranks_stencil *s);
void stencil_release_parts(fur_ranks_stencil *s);

/* y = S x on this rank's part. Collective (stencil_apply.c). */
fur_status stencil_apply(void *user, const fur_vector *x, fur_vector *y);

/* Computes the diagonal (stencil_rows.c). */
fur_status stencil_diagonal(void *user, fur_vector *d);

#endif
