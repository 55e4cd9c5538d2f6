/* A context is one device, its threads, one allocator and the text of the last error.
 *
 * Every object is made in a context and keeps a pointer to it: destroy the context last.
 *
 * Threads: a context and all that was made in it belong to one thread at a time, and may be handed
 * on. `const` says that a call leaves the object as it is, not that two threads may make the call
 * at once. Only questions, functions that return what they are asked for (fur_csr_get,
 * fur_vector_size, fur_spmv_describe), may be asked by several threads while none changes the
 * object. Different contexts are independent of each other, and may read the same memory: several
 * threads multiply by one matrix if each has a context, a matrix that borrows the arrays which
 * fur_csr_get returns of that one, and a plan.
 *
 * In a context of a CUDA device vectors and matrices lie in the device's memory, and so do the
 * arrays that fur_vector_data and fur_csr_get return. Work is queued on the context's stream: a
 * call may return before it is done, calls see what earlier ones wrote, and every call that hands
 * a result to the host waits for it. What fails after a call has returned is reported by a later
 * one. Calls make the context's device the thread's current one. */
#ifndef FURROW_CONTEXT_H
#define FURROW_CONTEXT_H

#include <furrow/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread's at a time, with all that was made in it. On the CPU it keeps its threads and little
 * else; on a GPU also a stream, a companion on the CPU, and the memory that its objects have given
 * back, until it is destroyed. */
typedef struct fur_context fur_context;

/* A device of this machine. */
typedef struct fur_device_info {
    size_t size;           /* of the library's struct */
    char name[16];         /* for fur_context_options: "cpu", "cuda:0", "cuda:1", ... */
    char description[128]; /* what it is, by its maker's words; of a GPU also such as "sm_90" */
    int64_t memory;        /* bytes that it has, used or not */
    int usable;            /* 0: a GPU of less than compute capability 8.0, which is needed */
} fur_device_info;

/* Device 0, 1, 2 ...: the CPU, then the GPUs by CUDA's numbers; NULL past the last, and for a
 * negative index. Makes no context. A build without CUDA has the CPU alone. Where there is CUDA it
 * is asked as for a context: a process that has asked cannot use it in a child of fork. It is the
 * thread's own, until its next call. */
FUR_API const fur_device_info *fur_device_at(int index);

/* Learns which temporary file is there while a file is written (furrow/output.h), for a program
 * that removes it when a signal ends it: unlinkat(directory, name, 0) may be called by a handler.
 */
typedef struct fur_file_watcher {
    /* name: of the file that is about to be made in the directory, a descriptor; NULL: it has gone,
     * or has become what it was written for. Called by the thread that calls the library. */
    void (*watch)(void *user, int directory, const char *name);
    void *user;
} fur_file_watcher;

typedef struct fur_context_options {
    size_t size; /* sizeof(fur_context_options) */
    /* NULL or "cpu"; "cuda" or "cuda:N" for a GPU, by CUDA's numbers, N = 0 if not given. */
    const char *device;
    /* Of the host, the calling one among them; no more are made than eight for each processor that
     * the process may use. 0: as many as the environment variable OMP_NUM_THREADS says, else as
     * there are such processors. */
    int threads;
    /* NULL: the best instruction set this machine has, or what the environment variable
     * FURROW_ISA names; else "portable", "avx2" or "avx512". Results do not depend on it. */
    const char *isa;
    /* All functions NULL: aligned memory of the C library, large blocks in huge pages. */
    fur_allocator allocator;
    /* CUDA: source of the device's memory, ordered by the context's stream and aligned to 256; all
     * functions NULL: a pool of the context's own. */
    fur_allocator device_allocator;
    /* CUDA: the caller's cudaStream_t, which must outlive the context, to order work with his own
     * or to capture it; cudaStreamLegacy stands for the default stream. NULL: one of the context's
     * own. */
    void *stream;
    fur_file_watcher watcher; /* watch NULL: nobody wants to know */
} fur_context_options;

/* Makes a context. FUR_UNSUPPORTED if the build or the machine lacks the device or instruction
 * set, FUR_INVALID, FUR_OUT_OF_MEMORY and FUR_DEVICE_ERROR as elsewhere; the sentence is then found
 * with fur_context_error(NULL). */
FUR_API fur_status fur_context_create(const fur_context_options *options, fur_context **out);

/* Releases the context. All its objects must be gone. */
FUR_API void fur_context_destroy(fur_context *context);

/* The sentence about the last call that failed in this context, "" if none did. It stays valid
 * until the next failure. With NULL: the last failure of this thread that had no context. */
FUR_API const char *fur_context_error(const fur_context *context);

/* Sets that sentence and returns status: for code built on the library, such as a reader or a
 * user's own operator. With NULL: the thread's. */
FUR_API fur_status fur_context_fail(fur_context *context, fur_status status, const char *format,
                                    ...) FUR_PRINTF(3, 4);

/* Waits until all work of the context is done, and reports what failed of it. */
FUR_API fur_status fur_context_synchronize(fur_context *context);

/* The context itself on the CPU; for a GPU its companion on the CPU, with the same allocator and
 * threads, where its objects can be moved to be looked at. It goes with the context. */
FUR_API fur_context *fur_context_host(fur_context *context);

/* Host memory from the context's allocator, aligned to 64 bytes, not cleared. bytes may be 0: the
 * result is then NULL and no error. FUR_OUT_OF_MEMORY names the size. */
FUR_API fur_status fur_context_allocate(fur_context *context, size_t bytes, void **out);
FUR_API void fur_context_release(fur_context *context, void *memory);

/* "cpu" or "cuda". */
FUR_API const char *fur_context_device(const fur_context *context);
/* The instruction set in use: "portable", "avx2" or "avx512"; for a GPU such as "sm_90". */
FUR_API const char *fur_context_isa(const fur_context *context);
/* The threads that share the work of a loop. They start at the first loop that is worth them; if
 * the system then refuses one, these are all, and results are the same. */
FUR_API int fur_context_threads(const fur_context *context);
/* One sentence about what the context does without, such as threads that the system refused; "" if
 * nothing. Never NULL. */
FUR_API const char *fur_context_notice(const fur_context *context);

/* Calls work(user, begin, end) for ranges that make up 0 .. count-1, each index once, on the
 * context's threads, and returns when all calls have. No range is shorter than `grain` indices, if
 * count is not, so that it is worth a thread. For operators of one's own and the like: a loop on
 * the same threads waits for no others. The range that begins with 0 is done by the calling thread.
 * `work` may read and write what the ranges do not share, and calls no function with an object of
 * the context. */
FUR_API fur_status fur_context_parallel(fur_context *context, int64_t count, int64_t grain,
                                        void (*work)(void *user, int64_t begin, int64_t end),
                                        void *user);
/* As the options have it. */
FUR_API fur_file_watcher fur_context_watcher(const fur_context *context);

#ifdef __cplusplus
}
#endif
#endif
