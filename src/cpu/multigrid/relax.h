/* The smoother of the multigrid kernels. */
#ifndef FURROW_CPU_MULTIGRID_RELAX_H
#define FURROW_CPU_MULTIGRID_RELAX_H

#include "isa.h"
#include "multigrid_kernel.h"

/* relax of fur_multigrid_kernels. */
fur_status ISA(multigrid_relax)(fur_env *env, const fur_grid *g, fur_colour first, int sweeps,
                                const void *b, void *x, void *spare);

#endif
