// Recordings: the work queued on the stream is captured as a CUDA graph and launched again. Many
// replays are launched as graphs of COPIES copies, which cost the host one launch each.
#include "recording.cuh"

// Copies of the recording in the graph for many replays.
#define COPIES 16

namespace
{

struct recording {
    cudaGraph_t graph;
    cudaGraphExec_t once;
    cudaGraphExec_t many; // COPIES copies in a row; null until needed
};

void clear(recording *r)
{
    if (r->many)
        cudaGraphExecDestroy(r->many);
    if (r->once)
        cudaGraphExecDestroy(r->once);
    if (r->graph)
        cudaGraphDestroy(r->graph);
    *r = {};
}

// Makes the graph of COPIES copies of the recording in sequence.
fur_status chain(fur_env *env, const recording *r, cudaGraph_t chained)
{
    cudaGraphNode_t last = nullptr;
    for (int i = 0; i < COPIES; i++) {
        cudaGraphNode_t next;
        FUR_CUDA(env, cudaGraphAddChildGraphNode(&next, chained, last ? &last : nullptr,
                                                 last ? 1 : 0, r->graph));
        last = next;
    }
    return FUR_OK;
}

fur_status make_many(fur_env *env, recording *r)
{
    cudaGraph_t chained;
    FUR_CUDA(env, cudaGraphCreate(&chained, 0));
    fur_status status = chain(env, r, chained);
    cudaError_t error = status == FUR_OK ? cudaGraphInstantiate(&r->many, chained, 0) : cudaSuccess;
    cudaGraphDestroy(chained);
    FUR_CUDA(env, error);
    return status;
}

} // namespace

fur_status fur_cuda_recording_create(fur_env *env, void **state)
{
    recording *r;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *r, &r));
    *state = r;
    return FUR_OK;
}

fur_status fur_cuda_recording_begin(fur_env *env, void *state)
{
    cudaStream_t stream = fur_cuda_stream(env);
    auto r = static_cast<recording *>(state);
    if (r->graph)
        FUR_TRY(fur_cuda_wait(env));
    clear(r);
    FUR_CUDA(env, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    return FUR_OK;
}

fur_status fur_cuda_recording_end(fur_env *env, void *state)
{
    auto r = static_cast<recording *>(state);
    FUR_CUDA(env, cudaStreamEndCapture(fur_cuda_stream(env), &r->graph));
    cudaError_t error = cudaGraphInstantiate(&r->once, r->graph, 0);
    if (error != cudaSuccess)
        clear(r);
    FUR_CUDA(env, error);
    return FUR_OK;
}

fur_status fur_cuda_recording_replay(fur_env *env, void *state, int64_t times)
{
    auto r = static_cast<recording *>(state);
    cudaStream_t stream = fur_cuda_stream(env);
    if (!r->once)
        return fur_env_fail(
            env, FUR_INVALID,
            "nothing was recorded; queue work between the begin and the end of a recording");
    if (times >= COPIES && !r->many)
        FUR_TRY(make_many(env, r));
    for (; times >= COPIES; times -= COPIES)
        FUR_CUDA(env, cudaGraphLaunch(r->many, stream));
    for (; times > 0; times--)
        FUR_CUDA(env, cudaGraphLaunch(r->once, stream));
    return FUR_OK;
}

void fur_cuda_recording_release(fur_env *env, void *state)
{
    auto r = static_cast<recording *>(state);
    cudaStreamSynchronize(fur_cuda_stream(env));
    clear(r);
    fur_env_release(env, r);
}
