// The recording part of fur_remote.
#ifndef FURROW_CUDA_RECORDING_CUH
#define FURROW_CUDA_RECORDING_CUH

#include "device.cuh"

extern "C" {
fur_status fur_cuda_record(fur_env *env);
fur_status fur_cuda_end_record(fur_env *env, void **out);
fur_status fur_cuda_replay(fur_env *env, void *state, int64_t times);
void fur_cuda_forget(fur_env *env, void *state);
}

#endif
