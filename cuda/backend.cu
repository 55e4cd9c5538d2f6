// The CUDA backend: a device with its stream and memory, and the tables of its kernels.
#include "algebra.cuh"
#include "amg.cuh"
#include "batch.cuh"
#include "block.cuh"
#include "csr.cuh"
#include "multigrid.cuh"
#include "neighbours.cuh"
#include "recording.cuh"
#include "reorder.cuh"
#include "shares.cuh"
#include "solver.cuh"
#include "spgemm.cuh"
#include "spmm.cuh"
#include "stencil.cuh"
#include "triangular.cuh"
#include "vector.cuh"

#include <cstdio>
#include <cstring>

// "auto" assumes USES_ASSUMED products if the caller gives no number: this is an iterative solve
// that is worth a GPU. If the caller announces USES_MEASURED products or more, a plan may spend
// some tens of products to find the fastest kernel.
#define USES_ASSUMED 100
#define USES_MEASURED 200

// The major compute capability that kernels are compiled for.
#define LEAST_CAPABILITY 8

extern "C" {
#define FUR_SPMV_KERNEL(name) extern const fur_spmv_kernel fur_cuda_##name;
#include "kernels.def"
#undef FUR_SPMV_KERNEL
#define FUR_SPMM_KERNEL(name) extern const fur_spmm_kernel fur_cuda_##name;
#include "spmm_kernels.def"
#undef FUR_SPMM_KERNEL
#define FUR_STENCIL_KERNEL(name) extern const fur_stencil_kernel fur_cuda_##name;
#include "stencils.def"
#include "sweeps.def"
#undef FUR_STENCIL_KERNEL
}

namespace
{

#define FUR_SPMV_KERNEL(name) &fur_cuda_##name,
const fur_spmv_kernel *const spmv_kernels[] = {
#include "kernels.def"
};
#undef FUR_SPMV_KERNEL

#define FUR_SPMM_KERNEL(name) &fur_cuda_##name,
const fur_spmm_kernel *const spmm_kernels[] = {
#include "spmm_kernels.def"
};
#undef FUR_SPMM_KERNEL

#define FUR_STENCIL_KERNEL(name) &fur_cuda_##name,
const fur_stencil_kernel *const stencil_kernels[] = {
#include "stencils.def"
};
// A list may be empty, so that a null pointer ends it.
const fur_stencil_kernel *const sweep_kernels[] = {
#include "sweeps.def"
    nullptr};
#undef FUR_STENCIL_KERNEL

fur_status mark(fur_env *env)
{
    FUR_CUDA(env, cudaEventRecord(env->device->marked, fur_cuda_stream(env)));
    return FUR_OK;
}

fur_status await_mark(fur_env *env)
{
    return fur_cuda_wait_event(env, env->device->marked);
}

// Returns the results of kernels, in pinned host memory.
fur_results *results(fur_env *env)
{
    return env->device->results;
}

// Releases everything that was made for a device. No error is reported, because no caller is left
// to receive it.
void close(fur_env *env)
{
    fur_device *device = env->device;
    cudaSetDevice(device->number);
    if (device->stream)
        cudaStreamSynchronize(device->stream);
    fur_cuda_drop_staging(env);
    fur_cuda_drop_shares(env);
    fur_cuda_release(env, device->partials);
    fur_cuda_release(env, device->tickets);
    fur_cuda_release(env, device->figures);
    cudaFreeHost(device->results);
    cudaFreeHost(device->published);
    if (device->marked)
        cudaEventDestroy(device->marked);
    if (device->owns_stream && device->stream) {
        cudaStreamSynchronize(device->stream);
        cudaStreamDestroy(device->stream);
    }
    if (device->pool)
        cudaMemPoolDestroy(device->pool);
    fur_env_release(env, device);
    env->device = nullptr;
}

// Sets all services, so that the companion never has to provide one.
void set_services(fur_remote *r)
{
    r->csr.find_bad_offset = fur_cuda_find_bad_offset;
    r->csr.find_bad_column = fur_cuda_find_bad_column;
    r->csr.measure = fur_cuda_csr_measure;
    r->csr.profile = fur_cuda_spmv_profile;
    r->csr.transpose = fur_cuda_csr_transpose;
    r->csr.transpose_values = fur_cuda_csr_transpose_values;
    r->csr.permute = fur_cuda_csr_permute;
    r->csr.row_starts = fur_cuda_row_starts;
    r->csr.take_rows = fur_cuda_take_rows;
    r->csr.diagonal = fur_cuda_csr_diagonal;
    r->algebra.count = fur_cuda_making_count;
    r->algebra.fill = fur_cuda_making_fill;
    r->algebra.count_up = fur_cuda_count_up;
    r->algebra.scale = fur_cuda_csr_scale;
    r->algebra.norm_inf = fur_cuda_csr_norm_inf;
    r->algebra.scale_by_rows = fur_cuda_scale_by_rows;
    r->algebra.row_errors = fur_cuda_row_errors;
    r->algebra.compare = fur_cuda_csr_compare;
    r->vector.reciprocals = fur_cuda_reciprocals;
    r->vector.is_constant = fur_cuda_is_constant;
    r->vector.gather = fur_cuda_gather;
    r->vector.scatter = fur_cuda_scatter;
    r->vector.round_single = fur_cuda_round_single;
    r->vector.fill_hashed = fur_cuda_fill_hashed;
    r->stencil.starts = fur_cuda_stencil_starts;
    r->stencil.fill = fur_cuda_stencil_fill;
    r->stencil.diagonal = fur_cuda_stencil_diagonal;
    r->stencil.prove = fur_cuda_stencil_prove;
    r->stencil.passes_plan = fur_cuda_passes_plan;
    r->stencil.turn = fur_cuda_stencil_turn;
    r->stencil.descend = fur_cuda_stencil_descend;
    r->stencil.passes_release = fur_cuda_passes_release;
    r->order.cuthill_mckee = fur_cuda_cuthill_mckee;
    r->solver.cg_plan = fur_cuda_cg_plan;
    r->solver.cg_refresh = fur_cuda_cg_refresh;
    r->solver.cg_advance = fur_cuda_cg_advance;
    r->solver.cg_release = fur_cuda_cg_release;
    r->colour.find = fur_cuda_colours_find;
    r->colour.split = fur_cuda_colours_split;
    r->classes.is_symmetric = fur_cuda_pattern_is_symmetric;
    r->classes.colour = fur_cuda_colour_rows;
    r->classes.arrange = fur_cuda_arrange_classes;
    r->trsv.plan = fur_cuda_trsv_plan;
    r->trsv.refresh = fur_cuda_trsv_refresh;
    r->trsv.solve = fur_cuda_trsv_solve;
    r->trsv.release = fur_cuda_trsv_release;
    r->trsv.find_diagonal = fur_cuda_find_diagonal;
    r->trsv.order = fur_cuda_order_rows;
    r->amg.scan_rows = fur_cuda_amg_scan_rows;
    r->amg.find_strong = fur_cuda_amg_find_strong;
    r->amg.aggregate = fur_cuda_amg_aggregate;
    r->amg.fill_constants = fur_cuda_amg_fill_constants;
    r->amg.fill_tentative = fur_cuda_amg_fill_tentative;
    r->amg.start_prolongation = fur_cuda_amg_start_prolongation;
    r->amg.plan_prolongation = fur_cuda_amg_plan_prolongation;
    r->amg.fill_prolongation = fur_cuda_amg_fill_prolongation;
    r->amg.narrow = fur_cuda_amg_narrow;
    r->amg.widen = fur_cuda_amg_widen;
    r->amg.invert = fur_cuda_amg_invert;
    r->amg.apply_dense = fur_cuda_amg_apply_dense;
    r->amg.run = fur_cuda_amg_run_actions;
    r->recording.create = fur_cuda_recording_create;
    r->recording.begin = fur_cuda_recording_begin;
    r->recording.end = fur_cuda_recording_end;
    r->recording.replay = fur_cuda_recording_replay;
    r->recording.release = fur_cuda_recording_release;
}

// Sets the memory functions of the device and its services.
void set_remote(fur_remote *r)
{
    r->close = close;
    r->synchronize = fur_cuda_wait;
    r->results = results;
    r->share = fur_cuda_share;
    r->allocate = fur_cuda_allocate;
    r->release = fur_cuda_release;
    r->reaches = fur_cuda_reaches;
    r->copy = fur_cuda_copy;
    r->copy_async = fur_cuda_copy_async;
    r->mark = mark;
    r->await_mark = await_mark;
    set_services(r);
}

// Sets the members by name, because C++17 has no designated initialisers. A pattern is scanned on
// the device where it is ordered.
void set_backend(fur_device *device, fur_backend *b)
{
    b->device = "cuda";
    b->isa = device->isa;
    b->elementwise = &fur_cuda_elementwise;
    b->reduction = &fur_cuda_reduction;
    b->spmv = spmv_kernels;
    b->spmv_count = static_cast<int>(sizeof spmv_kernels / sizeof *spmv_kernels);
    b->block = &fur_cuda_block;
    b->spmm = spmm_kernels;
    b->spmm_count = static_cast<int>(sizeof spmm_kernels / sizeof *spmm_kernels);
    b->sddmm = fur_cuda_sddmm;
    b->stencil = stencil_kernels;
    b->stencil_count =
        static_cast<int>(sizeof stencil_kernels / sizeof *stencil_kernels) - (device->major < 9);
    b->stencil_block = fur_cuda_stencil_block;
    b->sweep = sweep_kernels;
    b->sweep_count = static_cast<int>(sizeof sweep_kernels / sizeof *sweep_kernels) - 1;
    b->multigrid = &fur_cuda_multigrid;
    b->spgemm = &fur_cuda_spgemm;
    b->factor = fur_cuda_factor;
    b->fsai = fur_cuda_fsai;
    b->dense_blocks = fur_cuda_dense_blocks;
    b->neighbours = &fur_cuda_neighbours;
    b->batch = &fur_cuda_batch;
    b->uses_assumed = USES_ASSUMED;
    b->uses_measured = USES_MEASURED;
    b->remote = &device->remote;
}

// Checks that device `number` exists. The error says why it does not.
fur_status check_number(fur_env *env, int number)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0)
        return fur_env_fail(env, FUR_UNSUPPORTED,
                            "this machine has no GPU that CUDA can use (%s); use device \"cpu\"",
                            cudaGetErrorString(error == cudaSuccess ? cudaErrorNoDevice : error));
    if (number >= count)
        return fur_env_fail(
            env, FUR_UNSUPPORTED,
            "there is no device \"cuda:%d\"; this machine has %d GPUs, which count from 0", number,
            count);
    return FUR_OK;
}

// Reads the name of the instruction set and the size of the device. Refuses a device that is too
// old.
fur_status read_properties(fur_env *env, fur_device *device)
{
    cudaDeviceProp properties;
    FUR_CUDA(env, cudaGetDeviceProperties(&properties, device->number));
    if (properties.major < LEAST_CAPABILITY)
        return fur_env_fail(
            env, FUR_UNSUPPORTED,
            "device \"cuda:%d\" (%s) has compute capability %d.%d; Furrow needs %d.0 or newer",
            device->number, properties.name, properties.major, properties.minor, LEAST_CAPABILITY);
    snprintf(device->isa, sizeof device->isa, "sm_%d%d", properties.major, properties.minor);
    device->major = properties.major;
    device->multiprocessors = properties.multiProcessorCount;
    return FUR_OK;
}

// Uses the caller's stream, or makes one.
fur_status make_stream(fur_env *env, fur_device *device, void *given)
{
    device->stream = static_cast<cudaStream_t>(given);
    if (given)
        return FUR_OK;
    FUR_CUDA(env, cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking));
    device->owns_stream = true;
    return FUR_OK;
}

// Makes a pool that keeps released memory. The memory goes back to the driver when the context is
// closed.
fur_status make_pool(fur_env *env, fur_device *device, const fur_allocator *given)
{
    device->allocator = *given;
    if (given->allocate)
        return FUR_OK;
    cudaMemPoolProps properties = {};
    uint64_t keep = UINT64_MAX;
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device->number;
    FUR_CUDA(env, cudaMemPoolCreate(&device->pool, &properties));
    FUR_CUDA(env, cudaMemPoolSetAttribute(device->pool, cudaMemPoolAttrReleaseThreshold, &keep));
    return FUR_OK;
}

// Makes the memory of reductions, figures and results, so that no later call allocates it.
fur_status make_workspace(fur_env *env, fur_device *device)
{
    FUR_TRY(fur_cuda_allocate(env, FUR_PARTIALS, sizeof *device->partials, &device->partials));
    FUR_TRY(fur_cuda_allocate(env, FUR_TICKETS, sizeof *device->tickets, &device->tickets));
    FUR_TRY(fur_cuda_clear(env, device->tickets, FUR_TICKETS * sizeof *device->tickets));
    FUR_TRY(fur_cuda_allocate(env, 1, sizeof *device->figures, &device->figures));
    FUR_TRY(fur_cuda_clear(env, device->figures, sizeof *device->figures));
    FUR_CUDA(env, cudaMallocHost(&device->results, sizeof *device->results));
    FUR_CUDA(env, cudaMallocHost(&device->published, sizeof *device->published));
    FUR_CUDA(env, cudaEventCreateWithFlags(&device->marked, cudaEventDisableTiming));
    return FUR_OK;
}

// Fills env->device: properties, stream, pool and workspace. After a failure, close() releases the
// parts that were made.
fur_status make(fur_env *env, const fur_context_options *options, int number)
{
    fur_device *device = env->device;
    device->number = number;
    FUR_CUDA(env, cudaSetDevice(number));
    FUR_TRY(read_properties(env, device));
    FUR_TRY(make_stream(env, device, options->stream));
    FUR_TRY(make_pool(env, device, &options->device_allocator));
    return make_workspace(env, device);
}

} // namespace

// Opens device `number` for a context: env->device, and *out = its backend.
extern "C" fur_status fur_cuda_open(fur_env *env, const fur_context_options *options, int number,
                                    const fur_backend **out)
{
    FUR_TRY(check_number(env, number));
    FUR_TRY(fur_env_allocate_zeros(env, 1, sizeof *env->device, &env->device));
    fur_status status = make(env, options, number);
    if (status != FUR_OK) {
        close(env);
        return status;
    }
    set_remote(&env->device->remote);
    set_backend(env->device, &env->device->backend);
    *out = &env->device->backend;
    return FUR_OK;
}

// Describes any device that CUDA sees, including devices that are too old.
extern "C" bool fur_cuda_describe(int number, fur_device_info *out)
{
    int count = 0;
    cudaDeviceProp properties;
    bool found = cudaGetDeviceCount(&count) == cudaSuccess && number < count &&
                 cudaGetDeviceProperties(&properties, number) == cudaSuccess;
    cudaGetLastError(); // clears the error: a missing device must not fail a later call
    if (!found)
        return false;
    snprintf(out->name, sizeof out->name, "cuda:%d", number);
    snprintf(out->description, sizeof out->description, "%.100s, sm_%d%d", properties.name,
             properties.major, properties.minor);
    out->memory = static_cast<int64_t>(properties.totalGlobalMem);
    out->usable = properties.major >= LEAST_CAPABILITY;
    return true;
}

// The message names the CUDA call without its arguments, and CUDA's reason.
fur_status fur_cuda_fail(fur_env *env, const char *call, cudaError_t error)
{
    fur_status status = error == cudaErrorMemoryAllocation ? FUR_OUT_OF_MEMORY : FUR_DEVICE_ERROR;
    cudaGetLastError(); // a reported error is cleared, unless the device is lost
    return fur_env_fail(env, status, "%.*s failed: %s (%s)", static_cast<int>(strcspn(call, "(")),
                        call, cudaGetErrorString(error), cudaGetErrorName(error));
}
