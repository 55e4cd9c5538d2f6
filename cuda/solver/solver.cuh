// Solvers that run all their iterations on the device in one launch, and reduction to one of two
// colours.
#ifndef FURROW_CUDA_SOLVER_CUH
#define FURROW_CUDA_SOLVER_CUH

#include "device.cuh"

extern "C" {
// The solver functions of fur_remote.
fur_status fur_cuda_cg_plan(fur_env *env, const fur_csr_view *a, void **state);
fur_status fur_cuda_cg_refresh(fur_env *env, void *state, const fur_csr_view *a);
fur_status fur_cuda_cg_advance(fur_env *env, void *state, const fur_cg_call *call);
void fur_cuda_cg_release(fur_env *env, void *state);
fur_status fur_cuda_colours_find(fur_env *env, const fur_csr_view *a, fur_colours *c);
fur_status fur_cuda_colours_split(fur_env *env, const fur_csr_view *a, const fur_colours *c,
                                  const fur_colour_blocks *out, bool *clean);
}

#endif
