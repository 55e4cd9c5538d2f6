/* The context's memory for several threads: its allocator takes one caller at a time. */
#ifndef FURROW_IO_HEAP_H
#define FURROW_IO_HEAP_H

#include "failure.h"

#include <pthread.h>

typedef struct fur_heap {
    fur_context *context;
    pthread_mutex_t lock;
} fur_heap;

void fur_heap_open(fur_heap *heap, fur_context *context);
void fur_heap_close(fur_heap *heap);

/* fur_context_allocate and fur_context_release from any thread. */
fur_status fur_heap_allocate(fur_heap *heap, size_t bytes, void **out, fur_failure *failure);
void fur_heap_release(fur_heap *heap, void *memory);

/* Makes the array that the pointer at `array` points to at least `wanted` bytes large; *capacity
 * says how large it is; the first `kept` bytes stay. */
fur_status fur_heap_grow(fur_heap *heap, void *array, size_t *capacity, size_t wanted, size_t kept,
                         fur_failure *failure);

#endif
