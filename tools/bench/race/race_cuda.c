/* Times contenders on a GPU in turn. */
#include "race_cuda.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define MIB ((size_t)1 << 20)

/* COPY_BYTES: copied to measure the bandwidth of the memory. PIECE_BYTES: read at a time to fill
 * the cache with other data. COVER_BYTES: copied over the bus, which takes about 75 us, so that the
 * device is busy while the host queues the timed run. */
static const size_t COPY_BYTES = 1024 * MIB;
static const size_t PIECE_BYTES = 8 * MIB;
static const size_t COVER_BYTES = 4 * MIB;

struct gpu {
    fur_context *context;
    cudaStream_t stream;
    cudaEvent_t start;
    cudaEvent_t stop;
    char *from; /* COPY_BYTES each, on the device */
    char *to;
    void *cover; /* COVER_BYTES, pinned */
    size_t flush_bytes;
    char name[256];
    int driver;
    int runtime;
};

static fur_status check(const gpu *g, cudaError_t error, const char *call)
{
    if (error == cudaSuccess)
        return FUR_OK;
    return fur_context_fail(g->context, FUR_UNSUPPORTED, "%s: %s", call, cudaGetErrorString(error));
}

#define CUDA_TRY(g, call) FUR_TRY(check(g, call, #call))

void *gpu_stream_create(const char *device)
{
    const char *colon = strchr(device, ':');
    cudaStream_t stream = NULL;
    bool made = cudaSetDevice(colon ? atoi(colon + 1) : 0) == cudaSuccess &&
                cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess;
    (void)cudaGetLastError(); /* fur_context_create has the same failure and reports it */
    return made ? stream : NULL;
}

void gpu_stream_destroy(void *stream)
{
    if (stream)
        cudaStreamDestroy(stream);
}

static fur_status describe(gpu *g)
{
    struct cudaDeviceProp properties;
    int device = 0;
    CUDA_TRY(g, cudaGetDevice(&device));
    CUDA_TRY(g, cudaGetDeviceProperties(&properties, device));
    CUDA_TRY(g, cudaDriverGetVersion(&g->driver));
    CUDA_TRY(g, cudaRuntimeGetVersion(&g->runtime));
    snprintf(g->name, sizeof g->name, "%s", properties.name);
    size_t pieces = (2 * (size_t)properties.l2CacheSize + PIECE_BYTES - 1) / PIECE_BYTES;
    g->flush_bytes = pieces * PIECE_BYTES < COPY_BYTES ? pieces * PIECE_BYTES : COPY_BYTES;
    return FUR_OK;
}

static fur_status prepare(gpu *g)
{
    FUR_TRY(describe(g));
    CUDA_TRY(g, cudaEventCreate(&g->start));
    CUDA_TRY(g, cudaEventCreate(&g->stop));
    CUDA_TRY(g, cudaMalloc((void **)&g->from, COPY_BYTES));
    CUDA_TRY(g, cudaMalloc((void **)&g->to, COPY_BYTES));
    CUDA_TRY(g, cudaMallocHost(&g->cover, COVER_BYTES));
    memset(g->cover, 0, COVER_BYTES);
    CUDA_TRY(g, cudaMemsetAsync(g->from, 0, COPY_BYTES, g->stream));
    CUDA_TRY(g, cudaMemsetAsync(g->to, 0, COPY_BYTES, g->stream));
    return FUR_OK;
}

fur_status gpu_create(fur_context *context, void *stream, gpu **out)
{
    gpu *g = calloc(1, sizeof *g);
    if (!g)
        return fur_context_fail(context, FUR_OUT_OF_MEMORY, "out of memory");
    g->context = context;
    g->stream = stream;
    fur_status status = prepare(g);
    if (status == FUR_OK)
        *out = g;
    else
        gpu_destroy(g);
    return status;
}

void gpu_destroy(gpu *g)
{
    if (!g)
        return;
    cudaStreamSynchronize(g->stream);
    cudaFreeHost(g->cover);
    cudaFree(g->to);
    cudaFree(g->from);
    if (g->stop)
        cudaEventDestroy(g->stop);
    if (g->start)
        cudaEventDestroy(g->start);
    free(g);
}

const char *gpu_name(const gpu *g)
{
    return g->name;
}

int gpu_driver(const gpu *g)
{
    return g->driver;
}

int gpu_runtime(const gpu *g)
{
    return g->runtime;
}

void *gpu_stream(const gpu *g)
{
    return g->stream;
}

fur_status gpu_free_memory(const gpu *g, double *bytes)
{
    size_t unused = 0;
    size_t total = 0;
    CUDA_TRY(g, cudaMemGetInfo(&unused, &total));
    *bytes = (double)unused;
    return FUR_OK;
}

/* Fills the second-level cache with other data. First it writes the data, then it copies pieces
 * over one place, so that the timed run need not write old data back. */
static fur_status flush(const gpu *g)
{
    CUDA_TRY(g, cudaMemsetAsync(g->to, 0, g->flush_bytes, g->stream));
    for (size_t at = 0; at < g->flush_bytes; at += PIECE_BYTES) {
        CUDA_TRY(g, cudaMemcpyAsync(g->to, g->from + at, PIECE_BYTES, cudaMemcpyDeviceToDevice,
                                    g->stream));
    }
    return FUR_OK;
}

/* Measures the time by the host's clock, for a run that waits for its result. */
static fur_status time_by_host(const gpu *g, const cuda_contender *c, double *seconds)
{
    CUDA_TRY(g, cudaStreamSynchronize(g->stream));
    double start = fur_seconds();
    FUR_TRY(c->run(c->self));
    *seconds = fur_seconds() - start;
    return FUR_OK;
}

/* Measures the time on the device since the event `start`. */
static fur_status elapsed(const gpu *g, double *seconds)
{
    float milliseconds = 0;
    CUDA_TRY(g, cudaEventRecord(g->stop, g->stream));
    CUDA_TRY(g, cudaEventSynchronize(g->stop));
    CUDA_TRY(g, cudaEventElapsedTime(&milliseconds, g->start, g->stop));
    *seconds = 1e-3 * (double)milliseconds;
    return FUR_OK;
}

/* Measures the time of a run on the device. */
static fur_status time_by_events(const gpu *g, const cuda_contender *c, double *seconds)
{
    CUDA_TRY(g, cudaEventRecord(g->start, g->stream));
    FUR_TRY(c->run(c->self));
    return elapsed(g, seconds);
}

static fur_status time_run(const cuda_race *r, const gpu *g, const cuda_contender *c,
                           double *seconds)
{
    return r->waits ? time_by_host(g, c, seconds) : time_by_events(g, c, seconds);
}

/* Measures the time of a run with a cold cache. */
static fur_status time_cold(const cuda_race *r, const gpu *g, const cuda_contender *c,
                            double *seconds)
{
    FUR_TRY(flush(g));
    return time_run(r, g, c, seconds);
}

/* Measures the time of a run directly after another run. */
static fur_status time_warm(const cuda_race *r, const gpu *g, const cuda_contender *c,
                            double *seconds)
{
    CUDA_TRY(g, cudaMemcpyAsync(g->to, g->cover, COVER_BYTES, cudaMemcpyHostToDevice, g->stream));
    FUR_TRY(c->run(c->self));
    return time_run(r, g, c, seconds);
}

/* Measures the rate of a copy within the device, in bytes a second, read and written. */
static fur_status time_copy(const gpu *g, double *rate)
{
    double seconds = 0;
    FUR_TRY(flush(g));
    CUDA_TRY(g, cudaEventRecord(g->start, g->stream));
    CUDA_TRY(g, cudaMemcpyAsync(g->to, g->from, COPY_BYTES, cudaMemcpyDeviceToDevice, g->stream));
    FUR_TRY(elapsed(g, &seconds));
    *rate = 2 * (double)COPY_BYTES / seconds;
    return FUR_OK;
}

/* Times every contender once warm and once cold, and a copy. */
static fur_status run_round(cuda_race *r, const gpu *g, int round)
{
    for (int i = 0; i < r->count; i++) {
        cuda_contender *c = &r->contenders[i];
        FUR_TRY(time_warm(r, g, c, &c->warm_rounds[round]));
        if (!r->by_bus)
            FUR_TRY(time_cold(r, g, c, &c->cold_rounds[round]));
    }
    return r->by_bus ? FUR_OK : time_copy(g, &r->copy_rounds[round]);
}

static double median(const double *rounds)
{
    return race_median(rounds, RACE_CUDA_ROUNDS);
}

race_about *cuda_race_add(cuda_race *r, const char *name, fur_status (*run)(void *self), void *self)
{
    cuda_contender *c = &r->contenders[r->count++];
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "%s", name);
    c->run = run;
    c->self = self;
    return &c->about;
}

fur_status cuda_race_run(cuda_race *r, gpu *g)
{
    for (int round = 0; round < RACE_CUDA_ROUNDS; round++)
        FUR_TRY(run_round(r, g, round));
    for (int i = 0; i < r->count; i++) {
        cuda_contender *c = &r->contenders[i];
        c->cold = median(c->cold_rounds);
        c->warm = median(c->warm_rounds);
    }
    r->copy_rate = median(r->copy_rounds);
    return FUR_OK;
}
