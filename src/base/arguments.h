/* The pointer checks at the beginning of public functions (docs/contract.md). The macros require
 * furrow/context.h. */
#ifndef FURROW_BASE_ARGUMENTS_H
#define FURROW_BASE_ARGUMENTS_H

#include "float_mode.h"

#include <furrow/base.h>

#include <stdbool.h>
#include <string.h>

/* Finds the first NULL pointer. Returns the tail of `names`, such as "x, y, out", that begins with
 * its name, or NULL if no pointer is NULL. */
static inline const char *fur_find_null(const void *const *pointers, size_t count,
                                        const char *names)
{
    size_t i = 0;
    while (i < count && pointers[i])
        i++;
    if (i == count)
        return NULL;
    for (; i > 0; i--)
        names = strchr(names, ' ') + 1;
    return names;
}

/* Begins a public function. It refuses NULL for these parameters and names the parameter. The
 * context (NULL: the thread) only receives the error sentence. Until the function ends,
 * floating-point arithmetic is in the library's mode. */
#define FUR_NEED(context, ...)                                                                     \
    FUR_STANDARD_MODE;                                                                             \
    FUR_NEED_IF(true, context, __VA_ARGS__)

/* Checks further parameters that may be NULL in some cases. */
#define FUR_NEED_IF(condition, context, ...)                                                       \
    do {                                                                                           \
        const void *const needed[] = {__VA_ARGS__};                                                \
        const char *missing = fur_find_null(needed, sizeof needed / sizeof *needed, #__VA_ARGS__); \
        if ((condition) && missing) {                                                              \
            fur_context_fail(context, FUR_INVALID, "%s was given NULL for %.*s", __func__,         \
                             (int)strcspn(missing, ","), missing);                                 \
            return FUR_INVALID;                                                                    \
        }                                                                                          \
    } while (0)

/* Returns whether two blocks of memory have a byte in common. */
static inline bool fur_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    uintptr_t a_begin = (uintptr_t)a;
    uintptr_t b_begin = (uintptr_t)b;
    return a_begin < b_begin ? b_begin - a_begin < a_bytes && b_bytes > 0
                             : a_begin - b_begin < b_bytes && a_bytes > 0;
}

#endif
