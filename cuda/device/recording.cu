// Recordings: what is queued on the stream is captured as a CUDA graph and launched again. Many
// replays go as graphs of several copies, which cost one launch each.
#include "recording.cuh"

// Copies in those graphs, the largest first.
#define CHAINS 2

// A recording that is replayed more seldom is not worth the making of the smaller ones.
#define OFTEN 16

namespace
{

struct recording {
    cudaGraph_t graph;
    cudaGraphExec_t once;
    cudaGraphExec_t chain[CHAINS]; // of so many copies in a row; null until it is needed
    int64_t replays;
};

constexpr int copies[CHAINS] = {16, 4};

void clear(recording *r)
{
    for (cudaGraphExec_t chain : r->chain)
        if (chain)
            cudaGraphExecDestroy(chain);
    if (r->once)
        cudaGraphExecDestroy(r->once);
    if (r->graph)
        cudaGraphDestroy(r->graph);
    *r = {};
}

// Copies of the recording, one after the other.
fur_status add_copies(fur_env *env, const recording *r, int count, cudaGraph_t chained)
{
    cudaGraphNode_t last = nullptr;
    for (int i = 0; i < count; i++) {
        cudaGraphNode_t next;
        FUR_CUDA(env, cudaGraphAddChildGraphNode(&next, chained, last ? &last : nullptr,
                                                 last ? 1 : 0, r->graph));
        last = next;
    }
    return FUR_OK;
}

fur_status make_chain(fur_env *env, recording *r, int which)
{
    cudaGraph_t chained;
    FUR_CUDA(env, cudaGraphCreate(&chained, 0));
    fur_status status = add_copies(env, r, copies[which], chained);
    cudaError_t error =
        status == FUR_OK ? cudaGraphInstantiate(&r->chain[which], chained, 0) : cudaSuccess;
    cudaGraphDestroy(chained);
    FUR_CUDA(env, error);
    return status;
}

// Whether replays go by a chain.
bool is_worth(const recording *r, int which, int64_t times)
{
    return times >= copies[which] && (which == 0 || r->chain[which] || r->replays >= OFTEN);
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
        FUR_CUDA(env, cudaStreamSynchronize(stream));
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
        return fur_env_fail(env, FUR_INVALID, "nothing was recorded");
    for (int i = 0; i < CHAINS; i++)
        for (; is_worth(r, i, times); times -= copies[i], r->replays += copies[i]) {
            if (!r->chain[i])
                FUR_TRY(make_chain(env, r, i));
            FUR_CUDA(env, cudaGraphLaunch(r->chain[i], stream));
        }
    for (; times > 0; times--, r->replays++)
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
