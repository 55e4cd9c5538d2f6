// The host waits for the device. If ranks share vectors, queued work may wait for another rank. The
// host then asks the sharing from time to time whether to continue waiting.
#include "device.cuh"
#include "shared.h"

namespace
{

// Unsuccessful queries before the sharing is asked.
#define PATIENCE 64

// Waits until query() reports that the work is finished.
template <class Query> cudaError_t wait_for(const Query &query, fur_env *env, fur_status *status)
{
    const fur_sharing *with = &env->shared->with;
    cudaError_t state = query();
    for (unsigned polls = 1; state == cudaErrorNotReady && *status == FUR_OK; polls++) {
        if (polls % PATIENCE == 0)
            *status = with->poll(with->user);
        state = query();
    }
    cudaGetLastError(); // "not ready" is an error too, and is cleared
    return state;
}

bool asks(const fur_env *env)
{
    return env->shared && env->shared->with.poll;
}

} // namespace

fur_status fur_cuda_wait(fur_env *env)
{
    cudaStream_t stream = fur_cuda_stream(env);
    fur_status status = FUR_OK;
    cudaError_t error = asks(env) ? wait_for([=] { return cudaStreamQuery(stream); }, env, &status)
                                  : cudaStreamSynchronize(stream);
    FUR_TRY(status);
    return error == cudaSuccess ? FUR_OK : fur_cuda_fail(env, "cudaStreamSynchronize", error);
}

fur_status fur_cuda_wait_event(fur_env *env, cudaEvent_t event)
{
    fur_status status = FUR_OK;
    cudaError_t error = asks(env) ? wait_for([=] { return cudaEventQuery(event); }, env, &status)
                                  : cudaEventSynchronize(event);
    FUR_TRY(status);
    return error == cudaSuccess ? FUR_OK : fur_cuda_fail(env, "cudaEventSynchronize", error);
}
