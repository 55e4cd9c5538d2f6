/* Makes and releases the clock of a context's device for a job. */
#include "timing.h"

#include <furrow/author/context.h>

#include <math.h>
#include <stdio.h>

#include "plain.h"

#ifdef FURROW_HAVE_CUDA
#    include "race_cuda.h"
#endif

/* 256 MiB, more than any cache. */
#define READER_COUNT (1 << 25)

typedef struct timed_job {
    fur_status (*job)(timing *t, const void *options);
    const void *options;
    void *stream;
} timed_job;

static fur_status make_reader(timing *t)
{
    void *memory = NULL;
    FUR_TRY(fur_context_allocate(t->context, READER_COUNT * sizeof *t->reader.data, &memory));
    t->reader = (race_reader){.context = t->context, .data = memory, .count = READER_COUNT};
    for (int64_t i = 0; i < READER_COUNT; i++)
        t->reader.data[i] = 1;
    /* Starts the threads, because the output contains their number. */
    plain_sum(t->context, t->reader.count, t->reader.data);
    return FUR_OK;
}

fur_status timing_prepare(timing *t)
{
#ifdef FURROW_HAVE_CUDA
    if (t->stream)
        return gpu_create(t->context, t->stream, &t->gpu);
#endif
    return make_reader(t);
}

static fur_status run_timed(fur_context *context, const void *given)
{
    const timed_job *timed = given;
    timing t = {.context = context, .stream = timed->stream};
    fur_status status = timed->job(&t, timed->options);
#ifdef FURROW_HAVE_CUDA
    gpu_destroy(t.gpu);
#endif
    fur_context_release(context, t.reader.data);
    return status;
}

int timing_run(const command_common *common, fur_status (*job)(timing *t, const void *options),
               const void *options)
{
    timed_job timed = {.job = job, .options = options};
#ifdef FURROW_HAVE_CUDA
    if (command_on_gpu(common))
        timed.stream = gpu_stream_create(common->device);
#endif
    int status = command_run_in(common, timed.stream, run_timed, &timed);
#ifdef FURROW_HAVE_CUDA
    gpu_stream_destroy(timed.stream);
#endif
    return status;
}

/* Reads the processor's name. It is empty if Linux does not report it. */
static void find_processor(char name[128])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    *name = '\0';
    while (file && !*name && fgets(line, sizeof line, file))
        sscanf(line, "model name : %127[^\n]", name);
    if (file)
        fclose(file);
}

void timing_put(output *out, const timing *t)
{
    char processor[128];
    find_processor(processor);
    output_text(out, "processor", "processor", processor);
    output_text(out, "device", "device", fur_context_device(t->context));
    output_text(out, "isa", "instruction set", fur_context_isa(t->context));
    output_count(out, "threads", "threads", fur_context_threads(t->context));
#ifdef FURROW_HAVE_CUDA
    if (t->gpu) {
        output_text(out, "gpu", "GPU", gpu_name(t->gpu));
        output_count(out, "cuda_driver", "driver's CUDA", gpu_driver(t->gpu));
        output_count(out, "cuda_runtime", "runtime's CUDA", gpu_runtime(t->gpu));
    }
#endif
}

/* Returns the bytes that Linux could allocate without swapping. */
static double host_memory(void)
{
    char line[128];
    double kilobytes = HUGE_VAL;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof line, file) &&
           sscanf(line, "MemAvailable: %lf kB", &kilobytes) != 1) {
    }
    if (file)
        fclose(file);
    return 1024 * kilobytes;
}

fur_status timing_free_memory(const timing *t, double *bytes)
{
#ifdef FURROW_HAVE_CUDA
    if (t->gpu)
        return gpu_free_memory(t->gpu, bytes);
#endif
    (void)t;
    *bytes = host_memory();
    return FUR_OK;
}
