/* Errors and memory of an environment. */
#include "env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#    include <sys/mman.h>
#endif

/* Blocks of at least this size are aligned to huge pages. For smaller blocks the padding costs more
 * than the avoided TLB misses save. */
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_BLOCK (2 * HUGE_PAGE)

fur_status fur_env_vfail(fur_env *env, fur_status status, const char *format, va_list arguments)
{
    char text[sizeof env->error]; /* the arguments may include the current sentence */
    vsnprintf(text, sizeof text, format, arguments);
    memcpy(env->error, text, sizeof text);
    env->failures++;
    return status;
}

fur_status fur_env_fail(fur_env *env, fur_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fur_env_vfail(env, status, format, arguments);
    va_end(arguments);
    return status;
}

static fur_env *counted(fur_env *env)
{
    return env->counted ? env->counted : env;
}

void fur_env_hold(fur_env *env)
{
    counted(env)->holds++;
}

void fur_env_let_go(fur_env *env)
{
    env = counted(env);
    if (--env->holds == 0 && env->end)
        env->end(env);
}

fur_status fur_env_pause(fur_env *env)
{
    if (!env->interrupted || !env->interrupted(env->interrupted_user))
        return FUR_OK;
    return fur_env_fail(env, FUR_CANCELLED, "stopped by the caller's function interrupted()");
}

fur_status fur_env_allocate(fur_env *env, int64_t count, size_t size, void *out)
{
    void *memory = NULL;
    if (count < 0 || (uint64_t)count > SIZE_MAX / 2 / size)
        return fur_env_fail(env, FUR_OVERFLOW, "%lld elements of %zu bytes do not fit in memory",
                            (long long)count, size);
    FUR_TRY(fur_env_pause(env));
    if (count > 0) {
        size_t bytes = (size_t)count * size;
        memory = env->allocator.allocate(env->allocator.user, bytes);
        if (!memory)
            return fur_env_fail(env, FUR_OUT_OF_MEMORY,
                                "out of memory: %zu bytes could not be allocated", bytes);
        fur_env_hold(env);
    }
    memcpy(out, &memory, sizeof memory);
    return FUR_OK;
}

fur_status fur_env_allocate_zeros(fur_env *env, int64_t count, size_t size, void *out)
{
    void *memory = NULL;
    FUR_TRY(fur_env_allocate(env, count, size, &memory));
    if (memory)
        memset(memory, 0, (size_t)count * size);
    memcpy(out, &memory, sizeof memory);
    return FUR_OK;
}

void fur_env_release(fur_env *env, void *memory)
{
    if (!memory)
        return;
    env->allocator.release(env->allocator.user, memory);
    fur_env_let_go(env);
}

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static void *default_allocate(void *user, size_t bytes)
{
    (void)user;
    size_t unit = bytes >= HUGE_BLOCK ? HUGE_PAGE : FUR_ALIGNMENT;
    size_t rounded = round_up(bytes, unit);
    if (rounded < bytes)
        return NULL;
    void *memory = aligned_alloc(unit, rounded);
#ifdef MADV_HUGEPAGE
    /* Advice only: if the kernel refuses, the memory has small pages. */
    if (memory && unit == HUGE_PAGE)
        (void)madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    return memory;
}

static void default_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

fur_allocator fur_default_allocator(void)
{
    return (fur_allocator){default_allocate, default_release, NULL};
}
