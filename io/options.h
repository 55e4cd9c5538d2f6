/* Taking a caller's options. */
#ifndef FURROW_IO_OPTIONS_H
#define FURROW_IO_OPTIONS_H

#include <string.h>

/* Copies the caller's struct over zeros, as far as it goes by its first member: fields that a
 * caller compiled against an older header does not have stay at their default. */
static inline void fur_take_options(void *own, size_t own_size, const void *given)
{
    size_t size = 0;
    memset(own, 0, own_size);
    if (given)
        memcpy(&size, given, sizeof size);
    if (size > 0)
        memcpy(own, given, size < own_size ? size : own_size);
}

#endif
