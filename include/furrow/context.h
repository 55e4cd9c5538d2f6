/* A context is one device, its threads, one allocator and the text of the last error.
 *
 * Every object is made in a context and keeps a pointer to it: destroy the context last. A
 * context and its objects belong to one thread at a time; different contexts are independent. */
#ifndef FURROW_CONTEXT_H
#define FURROW_CONTEXT_H

#include <furrow/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fur_context fur_context;

typedef struct fur_context_options {
    size_t size;        /* sizeof(fur_context_options) */
    const char *device; /* NULL or "cpu" */
    int threads;        /* 0: what OpenMP would use (OMP_NUM_THREADS or all cores) */
    /* NULL: the best instruction set this machine has, or what the environment variable
     * FURROW_ISA names; else "portable", "avx2" or "avx512". Results do not depend on it. */
    const char *isa;
    /* All functions NULL: aligned memory of the C library, large blocks in huge pages. */
    fur_allocator allocator;
} fur_context_options;

/* Makes a context. FUR_UNSUPPORTED if the build or the machine lacks the device or instruction
 * set; the sentence is then found with fur_context_error(NULL). */
FUR_API fur_status fur_context_create(const fur_context_options *options, fur_context **out);

/* Releases the context. All its objects must be gone. */
FUR_API void fur_context_destroy(fur_context *context);

/* The sentence about the last call that failed in this context, "" if none did. It stays valid
 * until the next failure. With NULL: the last failure of this thread that had no context. */
FUR_API const char *fur_context_error(const fur_context *context);

/* Sets that sentence and returns status: for code built on the library, such as a reader or a
 * user's own operator. */
FUR_API fur_status fur_context_fail(fur_context *context, fur_status status, const char *format,
                                    ...) FUR_PRINTF(3, 4);

/* Memory from the context's allocator, aligned to 64 bytes, not cleared. bytes may be 0: the
 * result is then NULL and no error. FUR_OUT_OF_MEMORY names the size. */
FUR_API fur_status fur_context_allocate(fur_context *context, size_t bytes, void **out);
FUR_API void fur_context_release(fur_context *context, void *memory);

/* "cpu". */
FUR_API const char *fur_context_device(const fur_context *context);
/* The instruction set in use: "portable", "avx2" or "avx512". */
FUR_API const char *fur_context_isa(const fur_context *context);
FUR_API int fur_context_threads(const fur_context *context);

#ifdef __cplusplus
}
#endif
#endif
