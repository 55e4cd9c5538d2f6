// The base of all kernels: the state of a CUDA context, CUDA errors as statuses, and memory in the
// order of the context's stream.
#ifndef FURROW_CUDA_DEVICE_CUH
#define FURROW_CUDA_DEVICE_CUH

#include "kernel.h"

#include <cuda_runtime.h>

#define FUR_WARP 32

struct fur_staging;
struct fur_sharer;

// Counts over the rows of a matrix: see csr/csr.cu.
struct fur_figures {
    unsigned long long row_longest;
    unsigned long long row_whole; // the longest row that is summed as one segment (FUR_ROW_SEGMENT)
    unsigned long long row_spare; // 2^32 - 1 minus the shortest row
    unsigned long long empty_rows;
    unsigned long long bandwidth;
    unsigned long long profile;
    unsigned long long bad_row; // 2^64 - 1 minus the first invalid row; 0: all rows are valid
    unsigned long long ticket;
};

// The state of a CUDA context.
struct fur_device {
    fur_backend backend;
    fur_remote remote; // the services of the backend
    int number;
    char isa[16];
    int major; // of the compute capability
    int multiprocessors;
    cudaStream_t stream;
    bool owns_stream;
    cudaMemPool_t pool; // null if the caller gave an allocator
    fur_allocator allocator;
    fur_staging *staging; // pinned memory for transfers; made when first needed
    // Partial results and tickets of reductions, see vector/reduction.cu. They are allocated when
    // the context is made, so that a reduction allocates nothing. Tickets are 0 between launches.
    double *partials;
    unsigned *tickets;
    fur_sharer *sharer; // state of shared vectors; null: vectors are not shared
    // Pinned results that the host reads without a copy.
    fur_results *results;
    cudaEvent_t marked; // marks a position in the stream
    // Counts on the device, which are 0 between launches, and their copy for the host, which the
    // last block writes.
    fur_figures *figures;
    fur_figures *published;
};

// Returns the stream to launch on. Makes its device current, because another context may have
// changed the thread's device. Clears an error that other code has left.
static inline cudaStream_t fur_cuda_stream(const fur_env *env)
{
    cudaSetDevice(env->device->number);
    cudaGetLastError();
    return env->device->stream;
}

// Returns the status of a failed CUDA call. The message names the call.
extern "C" fur_status fur_cuda_fail(fur_env *env, const char *call, cudaError_t error);

#define FUR_CUDA(env, call)                                                                        \
    do {                                                                                           \
        cudaError_t cuda_error = (call);                                                           \
        if (cuda_error != cudaSuccess)                                                             \
            return fur_cuda_fail(env, #call, cuda_error);                                          \
    } while (0)

// Returns the status of the last launch.
static inline fur_status fur_cuda_launched(fur_env *env, const char *kernel)
{
    cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? FUR_OK : fur_cuda_fail(env, kernel, error);
}

extern "C" {
// Wait until the work queued on the context's stream is finished, or until an event on it.
fur_status fur_cuda_wait(fur_env *env);
fur_status fur_cuda_wait_event(fur_env *env, cudaEvent_t event);

// The memory functions of fur_remote.
fur_status fur_cuda_allocate(fur_env *env, int64_t count, size_t size, void *out);
void fur_cuda_release(fur_env *env, void *memory);
bool fur_cuda_reaches(fur_env *env, const void *memory);
fur_status fur_cuda_copy(fur_env *env, void *to, const void *from, int64_t bytes);
fur_status fur_cuda_copy_async(fur_env *env, void *to, const void *from, int64_t bytes);

// Sets every byte to 0.
fur_status fur_cuda_clear(fur_env *env, void *memory, int64_t bytes);
void fur_cuda_drop_staging(fur_env *env);
}

// Allocates *out, a cleared State, and calls build to fill it. Releases it if build fails.
template <class State, class Build>
fur_status fur_make_state(fur_env *env, void (*release)(fur_env *, void *), void **out, Build build)
{
    State *state;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *state, &state));
    fur_status status = build(state);
    if (status == FUR_OK)
        *out = state;
    else
        release(env, state);
    return status;
}

static inline int64_t fur_ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

// Returns the number of blocks of `block` threads for `threads` threads: at most 2^31 - 1 for any
// matrix.
static inline unsigned fur_blocks(int64_t threads, int64_t block)
{
    return static_cast<unsigned>(fur_ceil_div(threads, block));
}

// Returns the number of binary digits of a non-negative number; at least 1.
static inline int fur_bits(int64_t number)
{
    int bits = 1;
    while (number >> bits)
        bits++;
    return bits;
}

// Casts an array of a view that the call writes to.
template <class T> T *fur_writable(const void *array)
{
    return static_cast<T *>(const_cast<void *>(array));
}

#endif
