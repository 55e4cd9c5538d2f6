// Solvers whose iterations run on the device from beginning to end, in one launch each.
#ifndef FURROW_CUDA_SOLVER_CUH
#define FURROW_CUDA_SOLVER_CUH

#include "device.cuh"

extern "C" {
// The solver part of fur_remote.
fur_status fur_cuda_cg_plan(fur_env *env, const fur_csr_view *a, void **state);
fur_status fur_cuda_cg_refresh(fur_env *env, void *state, const fur_csr_view *a);
fur_status fur_cuda_cg_advance(fur_env *env, void *state, const fur_cg_call *call);
void fur_cuda_cg_release(fur_env *env, void *state);
}

#endif
