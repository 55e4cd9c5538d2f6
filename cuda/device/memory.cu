// The device's memory, and copies to and from it.
//
// Pinned memory is copied directly over the bus. Pageable memory goes through a ring of pinned
// pieces. The host's threads fill or empty some pieces while the bus transfers the others. The
// driver does the same with one thread, which is slower than the bus.
#include "device.cuh"
#include "team.h"

#include <cstring>

#define PIECES 4
#define PIECE_BYTES (int64_t(4) << 20)
// Smaller copies are faster by the driver's own way.
#define STAGED_BYTES (int64_t(1) << 18)
// The bytes that justify another thread.
#define SHARE_BYTES (int64_t(1) << 18)

// Pinned buffers for transfers of pageable host memory.
struct fur_staging {
    char *piece[PIECES];
    cudaEvent_t free[PIECES]; // the transfer of the piece is finished
};

namespace
{

// Returns whether kernels can access memory of this type.
bool is_device(cudaMemoryType type)
{
    return type == cudaMemoryTypeDevice || type == cudaMemoryTypeManaged;
}

// Queries CUDA's attributes of the memory.
fur_status look_up(fur_env *env, const void *memory, cudaPointerAttributes *out)
{
    FUR_CUDA(env, cudaPointerGetAttributes(out, memory));
    return FUR_OK;
}

// Allocates the pinned buffers when they are first needed.
fur_status make_staging(fur_env *env)
{
    fur_staging **staging = &env->device->staging;
    if (*staging)
        return FUR_OK;
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof **staging, staging));
    fur_env_let_go(env); // the context owns them
    for (int i = 0; i < PIECES; i++) {
        FUR_CUDA(env, cudaMallocHost(&(*staging)->piece[i], PIECE_BYTES));
        FUR_CUDA(env, cudaEventCreateWithFlags(&(*staging)->free[i], cudaEventDisableTiming));
    }
    return FUR_OK;
}

// If a part of the buffers cannot be allocated, all are released and the next copy tries again.
fur_status need_staging(fur_env *env)
{
    fur_status status = make_staging(env);
    if (status != FUR_OK)
        fur_cuda_drop_staging(env);
    return status;
}

struct copy_job {
    char *to;
    const char *from;
};

void copy_bytes(void *job, int64_t begin, int64_t end)
{
    auto copy = static_cast<const copy_job *>(job);
    memcpy(copy->to + begin, copy->from + begin, static_cast<size_t>(end - begin));
}

// memcpy by the context's host threads.
void copy_in_parallel(fur_env *env, char *to, const char *from, int64_t bytes)
{
    copy_job copy = {to, from};
    fur_parallel(env, bytes / SHARE_BYTES, bytes, copy_bytes, &copy);
}

// Returns the size of the piece that begins at byte `begin`.
int64_t piece_bytes(int64_t bytes, int64_t begin)
{
    return bytes - begin < PIECE_BYTES ? bytes - begin : PIECE_BYTES;
}

// Copies from host to device in pieces: the host fills the next piece while the bus transfers
// others.
fur_status upload(fur_env *env, char *to, const char *from, int64_t bytes)
{
    fur_staging *s = env->device->staging;
    for (int64_t begin = 0, i = 0; begin < bytes; begin += PIECE_BYTES, i = (i + 1) % PIECES) {
        int64_t size = piece_bytes(bytes, begin);
        FUR_TRY(fur_cuda_wait_event(env, s->free[i]));
        copy_in_parallel(env, s->piece[i], from + begin, size);
        FUR_CUDA(env, cudaMemcpyAsync(to + begin, s->piece[i], static_cast<size_t>(size),
                                      cudaMemcpyHostToDevice, fur_cuda_stream(env)));
        FUR_CUDA(env, cudaEventRecord(s->free[i], fur_cuda_stream(env)));
    }
    return FUR_OK;
}

// Queues the transfer of piece i of a download.
fur_status request(fur_env *env, const char *from, int64_t bytes, int64_t i)
{
    fur_staging *s = env->device->staging;
    int64_t begin = i * PIECE_BYTES;
    if (begin >= bytes)
        return FUR_OK;
    FUR_CUDA(env, cudaMemcpyAsync(s->piece[i % PIECES], from + begin,
                                  static_cast<size_t>(piece_bytes(bytes, begin)),
                                  cudaMemcpyDeviceToHost, fur_cuda_stream(env)));
    FUR_CUDA(env, cudaEventRecord(s->free[i % PIECES], fur_cuda_stream(env)));
    return FUR_OK;
}

// Copies from device to host in pieces. All pieces are requested in advance, and each again as soon
// as the host has emptied it.
fur_status download(fur_env *env, char *to, const char *from, int64_t bytes)
{
    fur_staging *s = env->device->staging;
    for (int64_t i = 0; i < PIECES; i++)
        FUR_TRY(request(env, from, bytes, i));
    for (int64_t i = 0; i * PIECE_BYTES < bytes; i++) {
        int64_t begin = i * PIECE_BYTES;
        FUR_TRY(fur_cuda_wait_event(env, s->free[i % PIECES]));
        copy_in_parallel(env, to + begin, s->piece[i % PIECES], piece_bytes(bytes, begin));
        FUR_TRY(request(env, from, bytes, i + PIECES));
    }
    return FUR_OK;
}

// Returns whether two ranges of `bytes` bytes overlap.
bool overlap(const void *a, const void *b, int64_t bytes)
{
    auto p = reinterpret_cast<uintptr_t>(a);
    auto q = reinterpret_cast<uintptr_t>(b);
    return (p > q ? p - q : q - p) < static_cast<uintptr_t>(bytes);
}

// Queues a copy on the context's stream.
fur_status enqueue(fur_env *env, void *to, const void *from, int64_t bytes)
{
    FUR_CUDA(env, cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDefault,
                                  fur_cuda_stream(env)));
    return FUR_OK;
}

// Copies within a device. The ranges may overlap.
fur_status move(fur_env *env, void *to, const void *from, int64_t bytes)
{
    void *between = nullptr;
    if (to == from)
        return FUR_OK;
    if (!overlap(to, from, bytes))
        return enqueue(env, to, from, bytes);
    FUR_TRY(fur_cuda_allocate(env, bytes, 1, &between));
    fur_status status = enqueue(env, between, from, bytes);
    if (status == FUR_OK)
        status = enqueue(env, to, between, bytes);
    fur_cuda_release(env, between);
    return status;
}

// Copies between two devices. One device cannot read the memory pools of the other directly.
fur_status move_across(fur_env *env, void *to, int to_device, const void *from, int from_device,
                       int64_t bytes)
{
    FUR_CUDA(env, cudaMemcpyPeerAsync(to, to_device, from, from_device, static_cast<size_t>(bytes),
                                      fur_cuda_stream(env)));
    return FUR_OK;
}

// Copies and waits. The driver holds a process-wide lock while it waits for the stream of a
// pageable copy. The stream may wait for another rank of this process, and that rank may wait for
// the lock. Shared contexts therefore wait before they copy.
fur_status copy_waiting(fur_env *env, void *to, const void *from, int64_t bytes)
{
    if (env->shared)
        FUR_TRY(fur_cuda_wait(env));
    FUR_TRY(enqueue(env, to, from, bytes));
    return fur_cuda_wait(env);
}

} // namespace

// Allocates `count` elements from the caller's allocator or the context's pool. Returns NULL for 0
// bytes.
fur_status fur_cuda_allocate(fur_env *env, int64_t count, size_t size, void *out)
{
    fur_device *device = env->device;
    void *memory = nullptr;
    if (count < 0 || static_cast<uint64_t>(count) > INT64_MAX / size)
        return fur_env_fail(env, FUR_OVERFLOW, "%lld elements of %zu bytes do not fit in memory",
                            static_cast<long long>(count), size);
    size_t bytes = static_cast<size_t>(count) * size;
    cudaStream_t stream = fur_cuda_stream(env);
    if (bytes > 0 && device->allocator.allocate)
        memory = device->allocator.allocate(device->allocator.user, bytes);
    else if (bytes > 0) {
        cudaError_t error = cudaMallocFromPoolAsync(&memory, bytes, device->pool, stream);
        if (error != cudaSuccess && error != cudaErrorMemoryAllocation)
            return fur_cuda_fail(env, "cudaMallocFromPoolAsync", error);
    }
    if (bytes > 0 && !memory)
        return fur_env_fail(env, FUR_OUT_OF_MEMORY,
                            "out of memory on device %d: %zu bytes could not be allocated",
                            device->number, bytes);
    memcpy(out, &memory, sizeof memory);
    return FUR_OK;
}

// Releases memory, in the order of the stream.
void fur_cuda_release(fur_env *env, void *memory)
{
    fur_device *device = env->device;
    if (memory && device->allocator.allocate)
        device->allocator.release(device->allocator.user, memory);
    else if (memory)
        cudaFreeAsync(memory, fur_cuda_stream(env));
}

// Returns whether kernels of this context may access memory at this address.
bool fur_cuda_reaches(fur_env *env, const void *memory)
{
    cudaPointerAttributes attributes;
    fur_cuda_stream(env);
    if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return is_device(attributes.type) && attributes.device == env->device->number;
}

// Copies between any two places of host and devices. Large copies between a device and pageable
// memory go through pinned buffers. Waits if one of them is on the host.
fur_status fur_cuda_copy(fur_env *env, void *to, const void *from, int64_t bytes)
{
    cudaPointerAttributes target = {};
    cudaPointerAttributes source = {};
    if (bytes == 0)
        return FUR_OK;
    fur_cuda_stream(env);
    FUR_TRY(look_up(env, to, &target));
    FUR_TRY(look_up(env, from, &source));
    if (is_device(target.type) && is_device(source.type))
        return target.device == source.device
                   ? move(env, to, from, bytes)
                   : move_across(env, to, target.device, from, source.device, bytes);
    bool crosses = is_device(target.type) || is_device(source.type);
    bool pageable =
        target.type == cudaMemoryTypeUnregistered || source.type == cudaMemoryTypeUnregistered;
    if (!crosses || !pageable || bytes < STAGED_BYTES)
        return copy_waiting(env, to, from, bytes);
    FUR_TRY(need_staging(env));
    auto out = static_cast<char *>(to);
    auto in = static_cast<const char *>(from);
    return is_device(target.type) ? upload(env, out, in, bytes) : download(env, out, in, bytes);
}

// Queues a copy between the device and pinned memory; does not wait.
fur_status fur_cuda_copy_async(fur_env *env, void *to, const void *from, int64_t bytes)
{
    cudaPointerAttributes target = {};
    cudaPointerAttributes source = {};
    if (bytes == 0)
        return FUR_OK;
    fur_cuda_stream(env);
    FUR_TRY(look_up(env, to, &target));
    FUR_TRY(look_up(env, from, &source));
    if (target.type == cudaMemoryTypeUnregistered || source.type == cudaMemoryTypeUnregistered)
        return fur_env_fail(env, FUR_INVALID,
                            "an asynchronous copy needs pinned memory on the host; allocate it by "
                            "cudaMallocHost, or use the call that waits");
    return enqueue(env, to, from, bytes);
}

fur_status fur_cuda_clear(fur_env *env, void *memory, int64_t bytes)
{
    if (bytes > 0)
        FUR_CUDA(env, cudaMemsetAsync(memory, 0, static_cast<size_t>(bytes), fur_cuda_stream(env)));
    return FUR_OK;
}

// Releases the pinned buffers when the stream no longer uses them.
void fur_cuda_drop_staging(fur_env *env)
{
    fur_staging *s = env->device->staging;
    if (!s)
        return;
    cudaStreamSynchronize(fur_cuda_stream(env));
    for (int i = 0; i < PIECES; i++) {
        cudaFreeHost(s->piece[i]);
        if (s->free[i])
            cudaEventDestroy(s->free[i]);
    }
    fur_env_hold(env);
    fur_env_release(env, s);
    env->device->staging = nullptr;
}
