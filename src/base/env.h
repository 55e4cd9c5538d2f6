/* The environment a computation runs in: memory, threads, and the place for its error sentence.
 * It is what lies under a context; kernels see it and never the context. */
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
    struct fur_team *team;          /* those threads; NULL: the calling one is alone */
    struct fur_device *device;      /* a backend's own state; NULL where it has none */
    struct fur_shared *shared;      /* src/kernel/shared.h; NULL: vectors are whole */
    int (*interrupted)(void *user); /* of fur_context_options; NULL: none */
    void *interrupted_user;
    char error[1024]; /* the last failure's sentence, "" if none */
    int64_t failures; /* sentences so far: whether a call has left one */
    /* What needs the environment: blocks of memory that were allocated in it, and what else holds
     * it. They are counted in `counted`, where that is not NULL. */
    int64_t holds;
    struct fur_env *counted;
    void (*end)(struct fur_env *env); /* called when the last has let go; NULL: nothing is done */
} fur_env;

void fur_env_hold(fur_env *env);
void fur_env_let_go(fur_env *env);

/* Sets the sentence and returns status. */
fur_status fur_env_fail(fur_env *env, fur_status status, const char *format, ...) FUR_PRINTF(3, 4);
fur_status fur_env_vfail(fur_env *env, fur_status status, const char *format, va_list arguments);

/* FUR_CANCELLED if the caller wants the call to end. */
fur_status fur_env_pause(fur_env *env);

/* Sets the pointer at `out`, of any object type, to memory for count elements of the given size,
 * NULL for none; not cleared. The product is checked against overflow. Pauses first. The memory
 * holds the environment until it is released. */
fur_status fur_env_allocate(fur_env *env, int64_t count, size_t size, void *out);
/* The same, cleared. */
fur_status fur_env_allocate_zeros(fur_env *env, int64_t count, size_t size, void *out);
void fur_env_release(fur_env *env, void *memory);

/* The C library's memory, in huge pages where a block is large. */
fur_allocator fur_default_allocator(void);

#ifdef __cplusplus
}
#endif
#endif
