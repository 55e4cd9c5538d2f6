/* A lock around the context's allocator. */
#include "heap.h"
#include "scan.h"

#include <string.h>

void fur_heap_open(fur_heap *heap, fur_context *context)
{
    heap->context = context;
    pthread_mutex_init(&heap->lock, NULL);
}

void fur_heap_close(fur_heap *heap)
{
    pthread_mutex_destroy(&heap->lock);
}

fur_status fur_heap_allocate(fur_heap *heap, size_t bytes, void **out, fur_failure *failure)
{
    pthread_mutex_lock(&heap->lock);
    fur_status status = fur_context_allocate(heap->context, bytes, out);
    if (status != FUR_OK)
        fur_failure_set(failure, status, "%s", fur_context_error(heap->context));
    pthread_mutex_unlock(&heap->lock);
    return status;
}

void fur_heap_release(fur_heap *heap, void *memory)
{
    pthread_mutex_lock(&heap->lock);
    fur_context_release(heap->context, memory);
    pthread_mutex_unlock(&heap->lock);
}

fur_status fur_heap_grow(fur_heap *heap, void *array, size_t *capacity, size_t wanted, size_t kept,
                         fur_failure *failure)
{
    void *memory = NULL, *larger = NULL;
    if (wanted <= *capacity)
        return FUR_OK;
    FUR_TRY(fur_heap_allocate(heap, wanted, &larger, failure));
    memcpy(&memory, array, sizeof memory);
    if (memory && kept > 0)
        memcpy(larger, memory, kept);
    fur_heap_release(heap, memory);
    memcpy(array, &larger, sizeof larger);
    *capacity = wanted;
    return FUR_OK;
}
