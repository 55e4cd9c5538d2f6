/* A context is one device, its threads, one allocator and the text of the last error.
 *
 *     fur_context_create(NULL, &context);                    the CPU, with all defaults
 *     ...
 *     fur_context_destroy(context);
 *
 * Lifetime: every object is made in a context and keeps it alive. fur_context_destroy releases the
 * caller's handle, and the context ends with its last object. So objects and their context may be
 * destroyed in any order.
 *
 * Threads: a context and its objects belong to one thread at a time. They may pass from one thread
 * to another. `const` means that a call does not change the object. It does not mean that two
 * threads may call at once. Functions that return a property (fur_csr_get, fur_vector_size,
 * fur_spmv_describe) are the exception: several threads may call them at once while no thread
 * changes the object. Different contexts are independent of each other and may read the same
 * memory. To multiply by one matrix in several threads, give each thread a context, a matrix that
 * borrows the arrays that fur_csr_get returns, and a plan.
 *
 * Devices: in the context of a CUDA device vectors and matrices lie in the device's memory, and so
 * do the arrays that fur_vector_data and fur_csr_get return. Work is queued on the context's
 * stream: a call may return before its work is done. Later calls see its results, and every call
 * that returns a result to the host waits for it. If work fails after its call returned, a later
 * call reports it. Calls make the context's device the thread's current device. */
#ifndef FURROW_CONTEXT_H
#define FURROW_CONTEXT_H

#include <furrow/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A context. Use it in one thread at a time, together with its objects.
 *
 * On the CPU it owns its threads and little else. On a GPU it also owns a stream, a companion
 * context on the CPU, and the memory that its objects have released, until it is destroyed. */
typedef struct fur_context fur_context;
/* Defined in furrow/author/sharing.h. */
typedef struct fur_sharing fur_sharing;

/* A device of this machine. */
typedef struct fur_device_info {
    size_t size;           /* of the library's struct */
    char name[24];         /* for fur_context_options.device: "cpu", "cuda:0", "cuda:1", ... */
    char description[128]; /* the maker's name of the device; for a GPU also such as "sm_90" */
    int64_t memory;        /* total bytes of its memory */
    int usable;            /* 0: a GPU below compute capability 8.0, which Furrow needs */
} fur_device_info;

/* Returns device 0, 1, 2, ..., or NULL if there is no such device.
 *
 * Device 0 is the CPU. The GPUs follow, numbered by CUDA. A build without CUDA lists the CPU alone.
 * The call makes no context. A build with CUDA asks the driver, so that children of fork cannot use
 * CUDA afterwards. The struct belongs to the calling thread and is valid until its next call. */
FUR_API const fur_device_info *fur_device_at(int index);

/* Callback that learns the name of the temporary file while a file is written.
 *
 * furrow/author/files.h describes these files. A signal handler may then remove the file:
 * unlinkat(directory, name, 0). */
typedef struct fur_file_watcher {
    /* Called before the library makes the file `name` in the folder of descriptor `directory`. A
     * NULL name means that the file is gone, or has its final name. The thread that calls the
     * library calls it. */
    void (*watch)(void *user, int directory, const char *name);
    void *user; /* passed to `watch` */
} fur_file_watcher;

/* Options of fur_context_create. */
typedef struct fur_context_options {
    size_t size; /* sizeof(fur_context_options) */
    /* NULL or "cpu"; "cuda" or "cuda:N" for GPU number N of CUDA. Default N = 0. */
    const char *device;
    /* Threads of the host, the calling thread included. Numbers above eight for each processor that
     * the process may use are reduced to this limit. Default 0: the environment variable
     * OMP_NUM_THREADS, or one for each processor. */
    int threads;
    /* Instruction set: "portable", "avx2" or "avx512". NULL: the environment variable FURROW_ISA if
     * it is set and not empty, otherwise the best that this machine has. Results do not depend on
     * it. */
    const char *isa;
    /* Host memory. Both functions NULL: aligned memory of the C library, large blocks in huge
     * pages. */
    fur_allocator allocator;
    /* CUDA: device memory, ordered by the context's stream and aligned to 256 bytes. Both functions
     * NULL: a memory pool of the context. */
    fur_allocator device_allocator;
    /* CUDA: the caller's cudaStream_t, which must outlive the context. Use it for work in order
     * with the caller's work, or to capture. cudaStreamLegacy is the default stream. NULL: a stream
     * that the context makes. */
    void *stream;
    /* Callback for temporary files. `watch` NULL: none. */
    fur_file_watcher watcher;
    /* NULL: vectors are whole. Otherwise they are parts of longer vectors
     * (furrow/author/sharing.h). */
    const fur_sharing *sharing;
    /* Asked whether to stop. The thread that calls the library calls it whenever the library
     * allocates memory, on the host or the device, and at each step of fur_eigs and fur_lobpcg. So
     * it is called between the phases of set-ups, analyses and products of matrices. If it returns
     * non-zero, the call fails with FUR_CANCELLED. It must not call the library with an object of
     * this context. NULL: never asked. */
    int (*interrupted)(void *user);
    void *interrupted_user; /* passed to `interrupted` */
} fur_context_options;

/* Makes a context.
 *
 * - options: NULL means all defaults: the CPU.
 * - out: the context; the caller destroys it with fur_context_destroy.
 *
 * Errors: FUR_UNSUPPORTED if the build or the machine lacks the device or the instruction set.
 * FUR_INVALID if `threads` is negative or an allocator has only one of its functions.
 * fur_context_error(NULL) returns the sentence. */
FUR_API fur_status fur_context_create(const fur_context_options *options, fur_context **out);

/* Releases the caller's handle of a context; NULL does nothing.
 *
 * The context releases its threads and memory when all its objects have been destroyed and all
 * memory of fur_context_allocate has been released. Until then its objects work as before, and
 * everything that the options point to must live. */
FUR_API void fur_context_destroy(fur_context *context);

/* Returns the sentence about the last call that failed in this context.
 *
 * It is "" if no call failed, and stays valid until the next failure. NULL: the last failure of
 * this thread that had no context. */
FUR_API const char *fur_context_error(const fur_context *context);

/* Sets the sentence of fur_context_error, and returns `status`.
 *
 * It serves code built on the library, such as a reader or a user-defined operator. `format` and
 * its arguments are as for printf. NULL: sets the sentence of this thread. */
FUR_API fur_status fur_context_fail(fur_context *context, fur_status status, const char *format,
                                    ...) FUR_PRINTF(3, 4);

/* Waits until all work of the context is done.
 *
 * Errors: the status of queued work that failed. */
FUR_API fur_status fur_context_synchronize(fur_context *context);

/* Allocates host memory from the context's allocator.
 *
 * The memory is aligned to 64 bytes and not cleared. For 0 bytes *out is NULL. The caller releases
 * it with fur_context_release.
 *
 * Errors: FUR_OUT_OF_MEMORY; the sentence names the size. FUR_OVERFLOW if no memory can have that
 * size. */
FUR_API fur_status fur_context_allocate(fur_context *context, size_t bytes, void **out);
/* Frees memory of fur_context_allocate; NULL does nothing. */
FUR_API void fur_context_release(fur_context *context, void *memory);

/* Returns "cpu" or "cuda". */
FUR_API const char *fur_context_device(const fur_context *context);
/* Returns the number of threads that share the work of a loop.
 *
 * They start at the first loop that is large enough. If the system refuses some threads, the others
 * do the work, with the same results. */
FUR_API int fur_context_threads(const fur_context *context);
/* Returns one sentence about something that the context lacks. Never NULL.
 *
 * An example is threads that the system refused. The sentence is "" if nothing is missing. */
FUR_API const char *fur_context_notice(const fur_context *context);

/* Runs a loop of user code on the context's threads.
 *
 * - count: number of indices. 0 or less: no calls.
 * - grain: smallest number of indices in a range, unless `count` is smaller.
 * - work: called as work(user, begin, end) for ranges that together cover 0 .. count-1 once.
 * - user: passed to `work`.
 *
 * The function returns when all calls have returned. The calling thread does the range that begins
 * with 0. Ranges run at the same time: each call may write only the data of its range. It must not
 * call the library with an object of this context.
 *
 * Errors: FUR_INVALID if `work` is NULL. */
FUR_API fur_status fur_context_parallel(fur_context *context, int64_t count, int64_t grain,
                                        void (*work)(void *user, int64_t begin, int64_t end),
                                        void *user);

#ifdef __cplusplus
}
#endif
#endif
