/* Contenders on a GPU that are timed against each other.
 *
 * A run is timed by events on the stream. The device is still busy with earlier work when the host
 * queues the run. The time is therefore that of its kernels and the gaps between them, without the
 * host's launches. A run that waits for its result is timed by the host's clock instead. In every
 * round, each contender runs once cold, after the second-level cache was filled with other data,
 * and once warm, directly after itself. Every round also times a copy within the device, which
 * shows the speed of the memory. Runs that move data over the bus are timed only warm, and without
 * the copy. */
#ifndef FURROW_TOOLS_RACE_CUDA_H
#define FURROW_TOOLS_RACE_CUDA_H

#include "race.h"

#include <furrow/furrow.h>

#define RACE_CUDA_ROUNDS 21
#define RACE_CUDA_CONTENDERS 24

/* A device with a stream, events, and memory for filling the cache and for copies. */
typedef struct gpu gpu;

/* Makes a stream on the device "cuda" or "cuda:N", for the timed context. Returns NULL on failure;
 * fur_context_create then reports the reason. */
void *gpu_stream_create(const char *device);
void gpu_stream_destroy(void *stream);

fur_status gpu_create(fur_context *context, void *stream, gpu **out);
void gpu_destroy(gpu *g);

const char *gpu_name(const gpu *g);
/* Returns CUDA's version of the driver and of the runtime, as 13000 for 13.0. */
int gpu_driver(const gpu *g);
int gpu_runtime(const gpu *g);
void *gpu_stream(const gpu *g);
/* Returns the device's free memory, in bytes. */
fur_status gpu_free_memory(const gpu *g, double *bytes);

typedef struct cuda_contender {
    char name[40];
    race_about about;
    fur_status (*run)(void *self);
    void *self;
    double cold_rounds[RACE_CUDA_ROUNDS]; /* seconds */
    double warm_rounds[RACE_CUDA_ROUNDS];
    double cold; /* medians of the rounds */
    double warm;
} cuda_contender;

typedef struct cuda_race {
    bool waits;  /* a run returns when its result is on the host */
    bool by_bus; /* runs move data between host and device; only `warm` is set */
    int count;
    cuda_contender contenders[RACE_CUDA_CONTENDERS];
    double copy_rounds[RACE_CUDA_ROUNDS]; /* bytes a second, read and written */
    double copy_rate;                     /* 0 with by_bus */
} cuda_race;

/* Adds a contender. Returns its description, for the caller to fill. */
race_about *cuda_race_add(cuda_race *r, const char *name, fur_status (*run)(void *self),
                          void *self);
fur_status cuda_race_run(cuda_race *r, gpu *g);

#endif
