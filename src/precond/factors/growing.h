/* Rows that are found one after the other: the columns of their entries, and an item of a fixed
 * size for each entry. */
#ifndef FURROW_PRECOND_GROWING_H
#define FURROW_PRECOND_GROWING_H

#include "env.h"

typedef struct fur_growing {
    size_t size; /* of an item */
    int32_t *columns;
    void *items;
    int64_t count;
    int64_t room;
} fur_growing;

/* Makes room for `more` more entries. */
fur_status fur_growing_reserve(fur_env *env, fur_growing *g, int64_t more);

void fur_growing_release(fur_env *env, fur_growing *g);

#endif
