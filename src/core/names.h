/* Lists of names for error sentences, such as: use "a", "b" or "c". */
#ifndef FURROW_BASE_NAMES_H
#define FURROW_BASE_NAMES_H

#include <stdio.h>
#include <string.h>

/* Appends a name to a list, after a comma if needed. A name that does not fit is cut off. */
static inline void fur_names_add(char *names, size_t size, const char *name)
{
    size_t length = strlen(names);
    snprintf(names + length, size - length, "%s%s", length > 0 ? ", " : "", name);
}

#endif
