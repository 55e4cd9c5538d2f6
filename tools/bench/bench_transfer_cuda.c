/* furrow bench transfer: copies vectors to a GPU and back, from pinned and from pageable memory,
 * compared with plain cudaMemcpy. */
#include "bench_cuda.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One array on the host and one vector on the device. */
typedef struct transfer {
    bench *b;
    size_t bytes;
    fur_vector *vector;
    void *array;
} transfer;

static fur_status judge(const transfer *t, cudaError_t error, const char *call)
{
    return error == cudaSuccess ? FUR_OK
                                : fur_context_fail(t->b->context, FUR_UNSUPPORTED, "%s: %s", call,
                                                   cudaGetErrorString(error));
}

static fur_status run_bare_upload(void *self)
{
    const transfer *t = self;
    void *to = fur_vector_data(t->vector);
    return judge(t, cudaMemcpy(to, t->array, t->bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

static fur_status run_upload(void *self)
{
    const transfer *t = self;
    FUR_TRY(fur_vector_upload(t->array, t->vector));
    return fur_context_synchronize(t->b->context);
}

static fur_status run_bare_download(void *self)
{
    const transfer *t = self;
    const void *from = fur_vector_const_data(t->vector);
    return judge(t, cudaMemcpy(t->array, from, t->bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

static fur_status run_download(void *self)
{
    const transfer *t = self;
    return fur_vector_download(t->vector, t->array);
}

static fur_status run_direction(transfer *t, const char *title, fur_status (*bare)(void *self),
                                const char *name, fur_status (*own)(void *self))
{
    cuda_race lanes = {.waits = true, .by_bus = true};
    *cuda_race_add(&lanes, "cudaMemcpy", bare, t) =
        (race_about){.role = RACE_PEER, .bytes = (double)t->bytes};
    cuda_race_add(&lanes, name, own, t)->bytes = (double)t->bytes;
    FUR_TRY(cuda_race_run(&lanes, t->b->timing->gpu));
    bench_report_cuda(
        t->b, json_pack("{s:o, s:s}", "case", output_string(title), "against", "cudaMemcpy"),
        &lanes, bench_cuda_base(&lanes, 0));
    return FUR_OK;
}

/* Checks that the data that was sent comes back. */
static fur_status check(transfer *t)
{
    unsigned char *array = t->array;
    for (size_t i = 0; i < t->bytes; i++)
        array[i] = (unsigned char)(i * 2654435761U >> 24);
    FUR_TRY(run_upload(t));
    memset(array, 0, t->bytes);
    FUR_TRY(run_download(t));
    for (size_t i = 0; i < t->bytes; i++)
        if (array[i] != (unsigned char)(i * 2654435761U >> 24))
            return fur_context_fail(t->b->context, FUR_INVALID,
                                    "byte %zu was changed by the transfer", i);
    return FUR_OK;
}

static fur_status run_both(transfer *t, const char *name, const char *kind)
{
    char title[96];
    FUR_TRY(check(t));
    snprintf(title, sizeof title, "%s bytes to the device, %s", name, kind);
    FUR_TRY(run_direction(t, title, run_bare_upload, "fur_vector_upload", run_upload));
    snprintf(title, sizeof title, "%s bytes from the device, %s", name, kind);
    return run_direction(t, title, run_bare_download, "fur_vector_download", run_download);
}

static fur_status run_pinned(transfer *t, const char *name)
{
    FUR_TRY(judge(t, cudaMallocHost(&t->array, t->bytes), "cudaMallocHost"));
    fur_status status = run_both(t, name, "pinned");
    cudaFreeHost(t->array);
    return status;
}

static fur_status run_pageable(transfer *t, const char *name)
{
    t->array = malloc(t->bytes);
    if (!t->array)
        return fur_context_fail(t->b->context, FUR_OUT_OF_MEMORY, "out of memory for %s bytes",
                                name);
    fur_status status = run_both(t, name, "pageable");
    free(t->array);
    return status;
}

fur_status bench_transfer_cuda(bench *b, const char *name)
{
    char *end = NULL;
    const long long bytes = strtoll(name, &end, 10);
    if (*end != '\0' || bytes < 8 || bytes % 8 != 0 || bytes > 1LL << 36) {
        return fur_context_fail(b->context, FUR_INVALID,
                                "'%s' is not a size; use a multiple of 8 bytes from 8 to 2^36",
                                name);
    }
    transfer t = {.b = b, .bytes = (size_t)bytes};
    FUR_TRY(fur_vector_create(b->context, FUR_F64, bytes / 8, &t.vector));
    fur_status status = run_pinned(&t, name);
    if (status == FUR_OK)
        status = run_pageable(&t, name);
    fur_vector_destroy(t.vector);
    return status;
}
