/* The environment of a computation: its memory, its threads, and its error sentence. Every context
 * contains one. Kernels see the environment, never the context. */
#ifndef FURROW_BASE_ENV_H
#define FURROW_BASE_ENV_H
#include <furrow/author/try.h>

#include <furrow/base.h>

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory is aligned to a cache line, which is also the widest vector register. */
#define FUR_ALIGNMENT 64

typedef struct fur_env {
    fur_allocator allocator;
    int threads;
    struct fur_team *team;          /* these threads; NULL: only the calling thread */
    struct fur_device *device;      /* a backend's own state, or NULL */
    struct fur_shared *shared;      /* src/kernel/shared.h; NULL: vectors are whole */
    int (*interrupted)(void *user); /* of fur_context_options; NULL: none */
    void *interrupted_user;
    char error[1024]; /* the last failure's sentence, "" if none */
    /* number of error sentences so far, which shows whether a call has left one */
    int64_t failures;
    /* The number of objects that need the environment: blocks of memory that were allocated in it,
     * and other objects. If `counted` is not NULL, they are counted there. */
    int64_t holds;
    struct fur_env *counted;
    void (*end)(struct fur_env *env); /* called when the last object is released; may be NULL */
} fur_env;

void fur_env_hold(fur_env *env);
void fur_env_let_go(fur_env *env);

/* Sets the error sentence, and returns status. */
fur_status fur_env_fail(fur_env *env, fur_status status, const char *format, ...) FUR_PRINTF(3, 4);
fur_status fur_env_vfail(fur_env *env, fur_status status, const char *format, va_list arguments);

/* Returns FUR_CANCELLED if the caller wants to stop. */
fur_status fur_env_pause(fur_env *env);

/* Sets the pointer at `out`, of any object type, to memory for count elements of the given size.
 * The memory is not cleared. If count is 0, the pointer is NULL. The product is checked for
 * overflow. Calls fur_env_pause first. The memory holds the environment until it is released. */
fur_status fur_env_allocate(fur_env *env, int64_t count, size_t size, void *out);
/* As above, but the memory is cleared. */
fur_status fur_env_allocate_zeros(fur_env *env, int64_t count, size_t size, void *out);
void fur_env_release(fur_env *env, void *memory);

/* The C library's memory. Large blocks are in huge pages. */
fur_allocator fur_default_allocator(void);

#ifdef __cplusplus
}
#endif
#endif
