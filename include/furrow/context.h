/* A context is one device, its threads, one allocator and the text of the last error.
 *
 * Every object is made in a context and keeps it alive. fur_context_destroy gives up the caller's
 * handle; the context ends with its last object. So objects and their context may be destroyed in
 * any order.
 *
 * Threads: a context and its objects belong to one thread at a time, and may pass from one thread
 * to another. `const` means that a call does not change the object, not that two threads may call
 * at once. Several threads may at once only call functions that return a property (fur_csr_get,
 * fur_vector_size, fur_spmv_describe), while none changes the object. Different contexts are
 * independent of each other and may read the same memory: to multiply by one matrix in several
 * threads, give each thread a context, a matrix that borrows the arrays that fur_csr_get returns,
 * and a plan.
 *
 * In a context of a CUDA device vectors and matrices lie in the device's memory, and so do the
 * arrays that fur_vector_data and fur_csr_get return. Work is queued on the context's stream: a
 * call may return before its work is done. Later calls see its results, and every call that hands a
 * result to the host waits for it. A later call reports work that failed after its own call
 * returned. Calls make the context's device the thread's current one. */
#ifndef FURROW_CONTEXT_H
#define FURROW_CONTEXT_H

#include <furrow/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by one thread at a time, together with its objects. On the CPU it keeps its threads and
 * little else; on a GPU also a stream, a companion on the CPU, and, until it is destroyed, the
 * memory that its objects have given back. */
typedef struct fur_context fur_context;
/* Defined in furrow/author/sharing.h. */
typedef struct fur_sharing fur_sharing;

/* A device of this machine. */
typedef struct fur_device_info {
    size_t size;           /* of the library's struct */
    char name[24];         /* for fur_context_options: "cpu", "cuda:0", "cuda:1", ... */
    char description[128]; /* its maker's name for it; for a GPU also such as "sm_90" */
    int64_t memory;        /* its bytes, used or not */
    int usable;            /* 0: a GPU below compute capability 8.0, which Furrow needs */
} fur_device_info;

/* Device 0, 1, 2 ...: the CPU, then the GPUs by CUDA's numbers; NULL past the last, and for a
 * negative index. Makes no context. A build without CUDA lists the CPU alone. A build with
 * CUDA asks the driver, so that children of fork cannot use CUDA afterwards. The struct belongs to
 * the calling thread and is valid until its next call. */
FUR_API const fur_device_info *fur_device_at(int index);

/* Tells the program the name of the temporary file that exists while a file is written
 * (furrow/author/files.h). A signal handler may then remove it: unlinkat(directory, name, 0). */
typedef struct fur_file_watcher {
    /* The library is about to make the file `name` in the folder of this descriptor. name NULL: the
     * file is gone, or has its final name. Called by the thread that calls the library. */
    void (*watch)(void *user, int directory, const char *name);
    void *user;
} fur_file_watcher;

typedef struct fur_context_options {
    size_t size; /* sizeof(fur_context_options) */
    /* NULL or "cpu"; "cuda" or "cuda:N" for a GPU, by CUDA's numbers, N = 0 if not given. */
    const char *device;
    /* Threads of the host, the calling one included; at most eight for each processor that the
     * process may use. 0: the environment variable OMP_NUM_THREADS, else one for each processor. */
    int threads;
    /* NULL: the best instruction set this machine has, or what the environment variable
     * FURROW_ISA, if it is not empty, names; else "portable", "avx2" or "avx512". Results do not
     * depend on it. */
    const char *isa;
    /* All functions NULL: aligned memory of the C library, large blocks in huge pages. */
    fur_allocator allocator;
    /* CUDA: source of the device's memory, ordered by the context's stream and aligned to 256; all
     * functions NULL: a pool of the context's own. */
    fur_allocator device_allocator;
    /* CUDA: the caller's cudaStream_t, which must outlive the context: for work in order with the
     * caller's, or to be captured. cudaStreamLegacy is the default stream. NULL: a stream of the
     * context's own. */
    void *stream;
    fur_file_watcher watcher; /* watch NULL: none */
    /* NULL: vectors are whole. Else they are parts of longer ones (furrow/author/sharing.h). */
    const fur_sharing *sharing;
    /* Asked by the thread that calls the library whenever that takes memory, on the host or the
     * device, and at each step of fur_eigs and fur_lobpcg: so between the phases of set-ups,
     * analyses and products of matrices. Non-zero ends the call as memory that is refused does, but
     * with FUR_CANCELLED. It must not call the library with an object of this context. NULL: never.
     */
    int (*interrupted)(void *user);
    void *interrupted_user;
} fur_context_options;

/* Makes a context. FUR_UNSUPPORTED if the build or the machine lacks the device or instruction
 * set, FUR_INVALID, FUR_OUT_OF_MEMORY and FUR_DEVICE_ERROR as elsewhere; the sentence is then found
 * with fur_context_error(NULL). */
FUR_API fur_status fur_context_create(const fur_context_options *options, fur_context **out);

/* Gives up the caller's handle. The context ends, and releases its threads and memory, when all its
 * objects have been destroyed and all memory of fur_context_allocate has been given back. Until
 * then its objects work as before, and what the options point to must live. */
FUR_API void fur_context_destroy(fur_context *context);

/* The sentence about the last call that failed in this context, "" if none did. It stays valid
 * until the next failure. With NULL: the last failure of this thread that had no context. */
FUR_API const char *fur_context_error(const fur_context *context);

/* Sets that sentence and returns status: for code built on the library, such as a reader or a
 * user's own operator. With NULL: the thread's. */
FUR_API fur_status fur_context_fail(fur_context *context, fur_status status, const char *format,
                                    ...) FUR_PRINTF(3, 4);

/* Waits until all work of the context is done; fails if any of it failed. */
FUR_API fur_status fur_context_synchronize(fur_context *context);

/* Host memory from the context's allocator, aligned to 64 bytes, not cleared. For 0 bytes the
 * result is NULL. FUR_OUT_OF_MEMORY: the sentence names the size. */
FUR_API fur_status fur_context_allocate(fur_context *context, size_t bytes, void **out);
/* Gives back memory of fur_context_allocate. NULL: does nothing. */
FUR_API void fur_context_release(fur_context *context, void *memory);

/* "cpu" or "cuda". */
FUR_API const char *fur_context_device(const fur_context *context);
/* The number of threads that share the work of a loop. They start at the first loop that is large
 * enough. If the system refuses some, the others do the work, with the same results. */
FUR_API int fur_context_threads(const fur_context *context);
/* One sentence about something that the context lacks, such as threads that the system refused; ""
 * if it lacks nothing. Never NULL. */
FUR_API const char *fur_context_notice(const fur_context *context);

/* A parallel loop for user code, such as an operator's apply: calls work(user, begin, end) on the
 * context's threads for ranges that together cover 0 .. count-1 once, and returns when all calls
 * have returned. A range has at least `grain` indices unless count is smaller. The calling thread
 * does the range that begins with 0. Ranges run at the same time: each call may write only what
 * belongs to its range, and must not call the library with an object of this context. */
FUR_API fur_status fur_context_parallel(fur_context *context, int64_t count, int64_t grain,
                                        void (*work)(void *user, int64_t begin, int64_t end),
                                        void *user);

#ifdef __cplusplus
}
#endif
#endif
