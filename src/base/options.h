/* Reading a caller's options struct. */
#ifndef FURROW_BASE_OPTIONS_H
#define FURROW_BASE_OPTIONS_H

#include <string.h>

/* Copies the caller's options over zeros, as far as the caller's struct goes by its first member:
 * a program compiled against an older, shorter struct gets the defaults for the rest. */
static inline void fur_options_copy(void *own, size_t own_size, const void *given)
{
    size_t size = 0;
    memset(own, 0, own_size);
    if (!given)
        return;
    memcpy(&size, given, sizeof size);
    memcpy(own, given, size < own_size ? size : own_size);
}

#endif
