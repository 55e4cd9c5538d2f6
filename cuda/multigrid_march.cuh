// A red-black sweep in one pass over a large grid.
#ifndef FURROW_CUDA_MULTIGRID_MARCH_CUH
#define FURROW_CUDA_MULTIGRID_MARCH_CUH

#include "multigrid.cuh"

extern "C" {
// Whether a level is large enough for it.
bool fur_cuda_multigrid_marches(const fur_grid *g);

// to = what one sweep makes of `from`, all points of the colour `first`, then the others.
fur_status fur_cuda_multigrid_sweep(fur_env *env, const fur_grid *g, fur_colour first,
                                    const void *b, const void *from, void *to);
}

#endif
