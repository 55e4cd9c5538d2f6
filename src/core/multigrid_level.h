/* The struct behind fur_multigrid. */
#ifndef FURROW_CORE_MULTIGRID_LEVEL_H
#define FURROW_CORE_MULTIGRID_LEVEL_H

#include "object.h"

/* Each level has at most 2/3 of the points of the one before, of which there are less than 2^59. */
#define FUR_MULTIGRID_LEVELS 128

struct fur_multigrid {
    fur_context *context;
    fur_stencil *stencil; /* a copy of the caller's: residuals are its */
    fur_cycle cycle;
    int before;
    int after;
    int bottom; /* double sweeps on the coarsest level */
    int levels;
    fur_grid_level level[FUR_MULTIGRID_LEVELS]; /* finest first */
    int64_t step_count;
    fur_grid_step *steps[2];   /* of a cycle, by the colour that comes first on the way up */
    fur_vector *residual;      /* of the finest level; during a cycle an array to spare */
    fur_dependent dependent;   /* on the source */
    const fur_stencil *source; /* the caller's, while it lives */
    fur_multigrid_report report;
};

/* Lists the steps of a cycle; fur_multigrid_destroy releases them. */
fur_status fur_multigrid_list_steps(fur_multigrid *mg);

#endif
