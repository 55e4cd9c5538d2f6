/* Shared by the threads of a context: its memory, loops, and waiting for each other. */
#ifndef FURROW_IO_PARALLEL_H
#define FURROW_IO_PARALLEL_H

#include "failure.h"

#include <pthread.h>

/* The context's memory for several threads: its allocator takes one caller at a time. */
typedef struct fur_storage {
    fur_context *context;
    pthread_mutex_t lock;
} fur_storage;

void fur_storage_open(fur_storage *storage, fur_context *context);
void fur_storage_close(fur_storage *storage);

/* fur_context_allocate and fur_context_release from any thread; `out` points to a pointer to any
 * object. */
fur_status fur_storage_allocate(fur_storage *storage, size_t bytes, void *out,
                                fur_failure *failure);
void fur_storage_release(fur_storage *storage, void *memory);

/* Makes the array that the pointer at `array` points to at least `wanted` bytes large; *capacity
 * says how large it is; the first `kept` bytes stay. */
fur_status fur_storage_grow(fur_storage *storage, void *array, size_t *capacity, size_t wanted,
                            size_t kept, fur_failure *failure);

/* Loops whose threads take the indices in order, a run of them at a time: what lies in a file is
 * read from its beginning to its end, and nobody waits while others have much left. Calls
 * body(user, begin, end) for the runs of 0 .. count-1 on the context's threads. */
void fur_loop_in_order(fur_context *context, int64_t count, int64_t run,
                       void (*body)(void *user, int64_t begin, int64_t end), void *user);

/* The first of begin .. end-1 that is looked for; end if there is none. */
typedef int64_t fur_find(void *user, int64_t begin, int64_t end);

/* The first of 0 .. count-1; count if there is none. */
int64_t fur_find_first(fur_context *context, int64_t count, int64_t run, fur_find *find,
                       void *user);

/* Between look number `looks` of a thread that waits for another and the next. At first it looks
 * without a pause, then it offers its core to the others, which may share it, and at last it
 * sleeps. Where another program took a core, threads sleep at once for a while. */
void fur_wait(int looks);

#endif
