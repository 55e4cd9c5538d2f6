/* Multigrid on vectors that are shared (furrow/author/sharing.h): each rank has some planes of a
 * level, and more beside them, copies of others' planes. Kernels run on all of these. What they get
 * wrong at the rim moves inwards by a plane with each colour, so that planes in the middle are
 * right as long as the rim is wide enough; then it is fetched again. Every plane so has the bits
 * that one context with the whole grid gets. Small levels are whole on every rank. */
#ifndef FURROW_MULTIGRID_SLABS_H
#define FURROW_MULTIGRID_SLABS_H

#include "multigrid.h"

/* What a restriction reads of x beside its own planes, and a correction of the coarser x. */
#define FUR_RESTRICTION_REACH 2
#define FUR_CORRECTION_REACH 1

/* A level's planes, along the last axis. Positions are their numbers where an axis that goes round
 * is rolled out. */
typedef struct fur_slab {
    int64_t planes; /* of the whole level */
    int64_t plane;  /* points of one */
    bool periodic;
    int64_t *bounds; /* ranks + 1: where each rank's begin */
    int64_t first;   /* position of the first that this rank's arrays have */
    int64_t count;   /* how many these are */
    int64_t x_right; /* so many beside the rank's own, on both sides, are right in x */
    int64_t b_right; /* and in b */
} fur_slab;

struct fur_slabs {
    const fur_sharing *with;
    int64_t width; /* of the rim */
    int whole;     /* the first level that every rank has whole, as all that follow */
    fur_slab slab[FUR_MULTIGRID_LEVELS];
    fur_slab near;    /* planes of level `whole` that corrections read, and */
    void *near_x;     /* copies of them */
    char *mine;       /* on the CPU: this rank's planes of level `whole`, to send, and */
    char *all;        /* those of all ranks */
    void *spare;      /* as large as the finest level's arrays */
    fur_passing pass; /* on a GPU: what is about to pass, */
    fur_parcel give[FUR_PARCELS_MOST];
    fur_parcel take[FUR_PARCELS_MOST];
};

/* Whether vectors of the context are shared. */
static inline bool fur_slabs_are_needed(const fur_context *context)
{
    return context->env.shared != NULL;
}

/* Whether the sharing has what its planes need; on the CPU messages serve. */
bool fur_slabs_can_pass(const fur_context *context);

/* Cuts the levels, whose grids are those of the whole, and allocates their arrays. `most`: points
 * of a level that is whole on every rank. */
fur_status fur_slabs_create(fur_multigrid *mg, int64_t most);
void fur_slabs_destroy(fur_multigrid *mg);

/* The stencil of the finest level's arrays in place of the whole grid's. False: there are none. */
bool fur_slabs_cut(const fur_multigrid *mg, fur_stencil_definition *d);

/* Copies b and x to the finest level, and x back. */
fur_status fur_slabs_enter(fur_multigrid *mg, const fur_vector *b, const fur_vector *x);
fur_status fur_slabs_leave(const fur_multigrid *mg, fur_vector *x);

/* What a step is done on, of which `nothing` is left where this rank has none. */
typedef struct fur_slab_step {
    fur_grid grid;
    fur_colour first;
    const void *coarse_x;
    void *coarse_b;
    bool nothing;
} fur_slab_step;
/* Fetches what a step needs, and changes what it is done on, as for whole vectors, to this rank's
 * planes. */
fur_status fur_slabs_before(fur_multigrid *mg, const fur_grid_step *step, fur_slab_step *out);
/* Notes what the step has left right. */
fur_status fur_slabs_after(fur_multigrid *mg, const fur_grid_step *step);

/* Fetches what the finest level's residual needs. */
fur_status fur_slabs_before_residual(fur_multigrid *mg);

/* Where this rank's planes begin in the arrays of a level, in points, and how many points it has.
 */
int64_t fur_slab_own(const fur_multigrid *mg, int level);
int64_t fur_slab_points(const fur_multigrid *mg, int level);

/* Messages (slabs_exchange.c): fetches `width` planes on both sides. */
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

/* A rank's planes and `width` more on both sides: first and count. Nothing for a rank that has no
 * plane of the finest level. */
void fur_slab_reach(const fur_multigrid *mg, const fur_slab *s, int rank, int64_t width,
                    int64_t *first, int64_t *count);

#endif
