/* The struct behind fur_multigrid. */
#ifndef FURROW_CORE_MULTIGRID_LEVEL_H
#define FURROW_CORE_MULTIGRID_LEVEL_H

#include "object.h"

/* Each level has at most 2/3 of the points of the one before, of which there are less than 2^63. */
#define FUR_MULTIGRID_LEVELS 128

typedef struct fur_level {
    fur_grid grid;
    const void *b; /* on the finest level the caller's, during a cycle; else its own, as x */
    void *x;
} fur_level;

struct fur_multigrid {
    fur_context *context;
    fur_cycle cycle;
    int before;
    int after;
    int bottom; /* double sweeps on the coarsest level */
    int levels;
    fur_level level[FUR_MULTIGRID_LEVELS]; /* finest first */
    fur_vector *residual;
};

#endif
