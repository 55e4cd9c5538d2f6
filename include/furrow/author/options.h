/* Reading a caller's options struct. */
#ifndef FURROW_AUTHOR_OPTIONS_H
#define FURROW_AUTHOR_OPTIONS_H

#include <furrow/context.h>

#include <stdbool.h>
#include <string.h>

/* Largest size of a struct in any version. A larger size was never set by the caller. */
#define FUR_OPTIONS_MAX 1024

/* Returns the size that the caller's struct begins with. */
static inline size_t fur_options_size(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

/* Returns true if all bytes are 0. */
static inline bool fur_options_are_zero(const char *bytes, size_t count)
{
    size_t i = 0;
    while (i < count && bytes[i] == 0)
        i++;
    return i == count;
}

/* Returns true if a version of a struct may have this size.
 *
 * The size covers at least the size itself and one member, and is a multiple of sizeof(size_t). */
static inline bool fur_options_size_may_be(size_t size)
{
    return size >= 2 * sizeof size && size <= FUR_OPTIONS_MAX && size % sizeof size == 0;
}

/* Returns true if the size is valid and all bytes beyond this version's struct are 0. */
static inline bool fur_options_fit(const void *given, size_t own_size)
{
    size_t size = fur_options_size(given);
    return fur_options_size_may_be(size) &&
           (size <= own_size ||
            fur_options_are_zero((const char *)given + own_size, size - own_size));
}

/* Copies the caller's options; returns false if the size of the struct was not set.
 *
 * Only the caller's size is copied, over zeros. So a program compiled against an older, shorter
 * struct gets the defaults for the rest. NULL means all defaults. The copy has its own size. */
static inline bool fur_options_copy(void *own, size_t own_size, const void *given)
{
    if (given != NULL && !fur_options_fit(given, own_size))
        return false;
    memset(own, 0, own_size);
    if (given != NULL)
        memcpy(own, given, fur_options_size(given) < own_size ? fur_options_size(given) : own_size);
    memcpy(own, &own_size, sizeof own_size);
    return true;
}

/* Fills the caller's struct from the library's, up to the caller's size.
 *
 * The caller's struct begins with its size. NULL: nothing is filled. */
static inline void fur_report_fill(void *given, const void *own, size_t own_size)
{
    if (given == NULL)
        return;
    size_t size = fur_options_size(given) < own_size ? fur_options_size(given) : own_size;
    memcpy((char *)given + sizeof size, (const char *)own + sizeof size, size - sizeof size);
}

/* Fails with a sentence about a struct whose size was not set. */
#define FUR_FAIL_SIZE(context, type, bytes, given)                                                 \
    fur_context_fail(context, FUR_INVALID,                                                         \
                     "%s says that it has %zu bytes; write .size = sizeof(%s), which are %zu in "  \
                     "furrow %s, and set nothing beyond them",                                     \
                     type, fur_options_size(given), type, bytes, FUR_VERSION)

/* Copies the caller's options, or returns FUR_INVALID if their size was not set.
 *
 * `context` receives the sentence; NULL is the thread. */
#define FUR_TAKE_OPTIONS(context, type, own, given)                                                \
    do {                                                                                           \
        if (!fur_options_copy(own, sizeof(type), given)) {                                         \
            FUR_FAIL_SIZE(context, #type, sizeof(type), given);                                    \
            return FUR_INVALID;                                                                    \
        }                                                                                          \
    } while (0)
/* Returns FUR_INVALID if the size of a struct to be filled was not set.
 *
 * `given` may be NULL: there is no report then. */
#define FUR_CHECK_REPORT(context, type, given)                                                     \
    do {                                                                                           \
        if (given && !fur_options_size_may_be(fur_options_size(given))) {                          \
            FUR_FAIL_SIZE(context, #type, sizeof(type), given);                                    \
            return FUR_INVALID;                                                                    \
        }                                                                                          \
    } while (0)

#endif
