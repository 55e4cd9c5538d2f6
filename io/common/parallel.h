/* Data that the threads of a context share: memory, loops, and waiting for each other. */
#ifndef FURROW_IO_PARALLEL_H
#define FURROW_IO_PARALLEL_H

#include "failure.h"

#include <pthread.h>

/* The memory of a context for several threads. The context's allocator supports one caller at a
 * time. */
typedef struct fur_storage {
    fur_context *context;
    pthread_mutex_t lock;
} fur_storage;

void fur_storage_open(fur_storage *storage, fur_context *context);
void fur_storage_close(fur_storage *storage);

/* As fur_context_allocate and fur_context_release, but callable from any thread. `out` points to a
 * pointer to any object. */
fur_status fur_storage_allocate(fur_storage *storage, size_t bytes, void *out,
                                fur_failure *failure);
void fur_storage_release(fur_storage *storage, void *memory);

/* Grows an array to at least `wanted` bytes. `array` points to the pointer to the array, and
 * *capacity is its size. The first `kept` bytes are preserved. */
fur_status fur_storage_grow(fur_storage *storage, void *array, size_t *capacity, size_t wanted,
                            size_t kept, fur_failure *failure);

/* Calls body(user, begin, end) for runs of the indices 0 .. count-1 on the context's threads.
 * Threads take the runs in order, so that a file is read from beginning to end. No thread waits
 * long for others. */
void fur_loop_in_order(fur_context *context, int64_t count, int64_t run,
                       void (*body)(void *user, int64_t begin, int64_t end), void *user);

/* Returns the first match in begin .. end-1, or `end` if there is none. */
typedef int64_t fur_find(void *user, int64_t begin, int64_t end);

/* Returns the first match in 0 .. count-1, or `count` if there is none. */
int64_t fur_find_first(fur_context *context, int64_t count, int64_t run, fur_find *find,
                       void *user);

/* Pauses a waiting thread between test number `polls` and the next. At first there is no pause.
 * Then the thread yields its core to others that may share it, and at last it sleeps. If another
 * program took a core, threads sleep at once for a while. */
void fur_wait(int polls);

#endif
