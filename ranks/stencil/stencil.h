/* A stencil on a grid whose planes the ranks have: slabs along the last axis that has more than one
 * point. */
#ifndef FURROW_RANKS_STENCIL_H
#define FURROW_RANKS_STENCIL_H

#include "space.h"

#include <furrow/ranks_stencil.h>

/* An offset and its coefficient, or its field. */
typedef struct stencil_term {
    fur_stencil_offset at;
    int number; /* in the definition */
} stencil_term;

/* A stretch of planes, of the grid's numbers where an axis that goes round is rolled out. */
typedef struct planes {
    int64_t first;
    int64_t count;
} plane_range;

/* A stencil of its own on some planes around a bound, of which it computes those in the middle.
 * Planes of lower ranks arrive in the first edge's x, those of higher ranks in the last one's. */
typedef struct edge {
    plane_range window; /* what it reads */
    plane_range result; /* of this rank's */
    fur_stencil *stencil;
    fur_vector **fields;
    fur_vector *x;
    fur_vector *y;
} edge;

struct fur_ranks_stencil {
    space space;
    int64_t *planes; /* where those of each rank begin */
    int64_t *bounds; /* the same for points */
    fur_stencil_definition definition;
    stencil_term *terms; /* in the order of their additions */
    void *coefficients;  /* of the value type, in the order of the definition; or */
    void **fields;       /* of this rank's points */
    int axis;            /* of the planes */
    int64_t plane;       /* points of one */
    int64_t radius;      /* along that axis */
    fur_stencil *inner;  /* on this rank's planes; NULL: the only edge has all */
    fur_vector **inner_fields;
    edge edge[2];
    int edges;
    fur_operator *operator;
    fur_ranks_report report;
};

/* A position as a plane of the grid; -1 beyond its ends. */
int64_t stencil_plane(const fur_ranks_stencil *s, int64_t position);

/* The planes beside a rank's that it needs: side 0: below, 1: above. */
plane_range stencil_ghosts(const fur_ranks_stencil *s, int rank, int side);

/* Which parts compute what (stencil_edges.c). */
fur_status stencil_make_parts(fur_ranks_stencil *s);
void stencil_release_parts(fur_ranks_stencil *s);

/* y = S x on this rank's part; applying it is collective (stencil_apply.c). */
fur_status stencil_apply(void *user, const fur_vector *x, fur_vector *y);

/* The diagonal (stencil_rows.c). */
fur_status stencil_diagonal(void *user, fur_vector *d);

#endif
