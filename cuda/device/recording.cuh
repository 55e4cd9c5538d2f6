// The recording functions of fur_remote.
#ifndef FURROW_CUDA_RECORDING_CUH
#define FURROW_CUDA_RECORDING_CUH

#include "device.cuh"

extern "C" {
fur_status fur_cuda_recording_create(fur_env *env, void **state);
fur_status fur_cuda_recording_begin(fur_env *env, void *state);
fur_status fur_cuda_recording_end(fur_env *env, void *state);
fur_status fur_cuda_recording_replay(fur_env *env, void *state, int64_t times);
void fur_cuda_recording_release(fur_env *env, void *state);
}

#endif
