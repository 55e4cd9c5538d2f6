/* Reading a caller's options struct. The macro is for where furrow/context.h is known. */
#ifndef FURROW_AUTHOR_OPTIONS_H
#define FURROW_AUTHOR_OPTIONS_H

#include <furrow/base.h>

#include <stdbool.h>
#include <string.h>

/* No version of a struct is longer: what says so has never been set. */
#define FUR_OPTIONS_MOST 1024

/* The size that the caller's struct begins with. */
static inline size_t fur_options_size(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

static inline bool fur_options_are_zero(const char *bytes, size_t count)
{
    size_t i = 0;
    while (i < count && bytes[i] == 0)
        i++;
    return i == count;
}

/* Whether a version of a struct may have this size: at least the size and a member, and whole words
 * as it begins with one. */
static inline bool fur_options_size_may_be(size_t size)
{
    return size >= 2 * sizeof size && size <= FUR_OPTIONS_MOST && size % sizeof size == 0;
}

/* Whether that is so, and it asks for nothing that this version does not know: zeros beyond. */
static inline bool fur_options_fit(const void *given, size_t own_size)
{
    size_t size = fur_options_size(given);
    return fur_options_size_may_be(size) &&
           (size <= own_size ||
            fur_options_are_zero((const char *)given + own_size, size - own_size));
}

/* Copies the caller's options over zeros, as far as the caller's struct goes by its first member:
 * a program compiled against an older, shorter struct gets the defaults for the rest. NULL stands
 * for all defaults. The copy has its own size. False for a struct whose size was not set. */
static inline bool fur_options_copy(void *own, size_t own_size, const void *given)
{
    if (given && !fur_options_fit(given, own_size))
        return false;
    memset(own, 0, own_size);
    if (given)
        memcpy(own, given, fur_options_size(given) < own_size ? fur_options_size(given) : own_size);
    memcpy(own, &own_size, sizeof own_size);
    return true;
}

/* Fills the caller's struct, which begins with its size, from the library's as far as it goes;
 * NULL: nobody wants to know. */
static inline void fur_report_fill(void *given, const void *own, size_t own_size)
{
    if (!given)
        return;
    size_t size = fur_options_size(given) < own_size ? fur_options_size(given) : own_size;
    memcpy((char *)given + sizeof size, (const char *)own + sizeof size, size - sizeof size);
}

/* The sentence about such a struct, by the name and the size of its type. */
#define FUR_FAIL_SIZE(context, type, bytes, given)                                                 \
    fur_context_fail(context, FUR_INVALID,                                                         \
                     "%s says that it has %zu bytes; write .size = sizeof(%s), which are %zu in "  \
                     "furrow %s, and set nothing beyond them",                                     \
                     type, fur_options_size(given), type, bytes, FUR_VERSION)

/* Both return FUR_INVALID for the caller's struct of this type, if its size was not set. The first
 * copies it; the second is for one to be filled, where NULL is none. The context, NULL for the
 * thread, is only asked for the sentence. */
#define FUR_TAKE_OPTIONS(context, type, own, given)                                                \
    do {                                                                                           \
        if (!fur_options_copy(own, sizeof(type), given)) {                                         \
            FUR_FAIL_SIZE(context, #type, sizeof(type), given);                                    \
            return FUR_INVALID;                                                                    \
        }                                                                                          \
    } while (0)
#define FUR_CHECK_REPORT(context, type, given)                                                     \
    do {                                                                                           \
        if (given && !fur_options_size_may_be(fur_options_size(given))) {                          \
            FUR_FAIL_SIZE(context, #type, sizeof(type), given);                                    \
            return FUR_INVALID;                                                                    \
        }                                                                                          \
    } while (0)

#endif
