/* Multigrid on shared vectors (furrow/author/sharing.h). Each rank has some planes of a level, and
 * a halo: copies of other ranks' planes on both sides. Kernels run on all of these planes. With
 * each colour, the wrong values at the rim of the halo move inwards by one plane. The rank's own
 * planes are right as long as the halo is wide enough. Then the halo is fetched again. Every plane
 * therefore has the bits that one context with the whole grid computes. Small levels are whole on
 * every rank. */
#ifndef FURROW_MULTIGRID_SLABS_H
#define FURROW_MULTIGRID_SLABS_H

#include "multigrid.h"

/* The planes of x beside its own that a restriction reads, and the planes of the coarser x that a
 * correction reads. */
#define FUR_RESTRICTION_REACH 2
#define FUR_CORRECTION_REACH 1

/* The planes of a level, along the last axis. A position is a plane's number on the unrolled axis:
 * on a periodic axis it can be negative, or beyond the last plane. */
typedef struct fur_slab {
    int64_t planes; /* planes of the whole level */
    int64_t plane;  /* points of one plane */
    bool periodic;
    int64_t *bounds; /* ranks + 1: the first plane of each rank */
    int64_t first;   /* position of the first plane in this rank's arrays */
    int64_t count;   /* number of planes in this rank's arrays */
    int64_t x_right; /* planes of the halo, on each side, that are right in x */
    int64_t b_right; /* the same for b */
} fur_slab;

struct fur_slabs {
    const fur_sharing *with;
    int64_t width; /* width of the halo */
    int whole;     /* the first level that is whole on every rank; all later levels are too */
    fur_slab slab[FUR_MULTIGRID_LEVELS];
    fur_slab near;    /* planes of level `whole` that corrections read */
    void *near_x;     /* copies of these planes */
    char *mine;       /* on the CPU: this rank's planes of level `whole`, to be sent */
    char *all;        /* on the CPU: the planes of all ranks */
    void *spare;      /* as large as the finest level's arrays */
    fur_passing pass; /* on a GPU: the parcels that will be passed */
    fur_parcel give[FUR_PARCELS_MAX];
    fur_parcel take[FUR_PARCELS_MAX];
};

/* Returns whether vectors of the context are shared. */
static inline bool fur_slabs_are_needed(const fur_context *context)
{
    return context->env.shared != NULL;
}

/* Returns whether the sharing can pass planes. On the CPU messages are enough. */
bool fur_slabs_can_pass(const fur_context *context);

/* Divides the levels, whose grids are still whole, and allocates their arrays. `most`: the most
 * points of a level that is whole on every rank. */
fur_status fur_slabs_create(fur_multigrid *mg, int64_t most);
void fur_slabs_destroy(fur_multigrid *mg);

/* Replaces the whole grid's stencil by the stencil of the finest level's arrays. Returns false if
 * this rank has none. */
bool fur_slabs_cut(const fur_multigrid *mg, fur_stencil_definition *d);

/* Copies b and x to the finest level, and x back. */
fur_status fur_slabs_enter(fur_multigrid *mg, const fur_vector *b, const fur_vector *x);
fur_status fur_slabs_leave(const fur_multigrid *mg, fur_vector *x);

/* The arrays of a step. `nothing` is true if this rank has no work. */
typedef struct fur_slab_step {
    fur_grid grid;
    fur_colour first;
    const void *coarse_x;
    void *coarse_b;
    bool nothing;
} fur_slab_step;
/* Fetches the planes that a step needs. Changes `out`, which is set for whole vectors, to this
 * rank's planes. */
fur_status fur_slabs_before(fur_multigrid *mg, const fur_grid_step *step, fur_slab_step *out);
/* Notes which planes are still right after the step. */
fur_status fur_slabs_after(fur_multigrid *mg, const fur_grid_step *step);

/* Fetches the planes that the finest level's residual needs. */
fur_status fur_slabs_before_residual(fur_multigrid *mg);

/* The first point of this rank's planes in the arrays of a level, and the number of points. */
int64_t fur_slab_own(const fur_multigrid *mg, int level);
int64_t fur_slab_points(const fur_multigrid *mg, int level);

/* Messages (slabs_exchange.c). Fetches `width` planes on both sides. */
fur_status fur_slabs_exchange(const fur_multigrid *mg, int level, int64_t width, void *array);
/* Completes an array of level `whole`, in which every rank has set its own planes. */
fur_status fur_slabs_gather(const fur_multigrid *mg, void *array);
/* Copies planes of a whole array to positions. */
fur_status fur_slabs_roll(const fur_multigrid *mg, const fur_slab *to, const void *whole,
                          void *out);

static inline int64_t fur_slab_plane(const fur_slab *s, int64_t position)
{
    return s->periodic ? (position % s->planes + s->planes) % s->planes : position;
}

/* A rank's planes and `width` more on both sides, as first and count. If a rank has no plane of the
 * finest level, count is 0. */
void fur_slab_reach(const fur_multigrid *mg, const fur_slab *s, int rank, int64_t width,
                    int64_t *first, int64_t *count);

#endif
