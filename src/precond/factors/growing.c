/* Rows that are found one after the other. */
#include "growing.h"

#include <string.h>

fur_status fur_growing_reserve(fur_env *env, fur_growing *g, int64_t more)
{
    int32_t *columns;
    void *items;
    if (g->count + more <= g->room)
        return FUR_OK;
    int64_t room = 2 * (g->count + more);
    FUR_TRY(fur_env_allocate(env, room, sizeof *columns, &columns));
    fur_status status = fur_env_allocate(env, room, g->size, &items);
    if (status != FUR_OK) {
        fur_env_release(env, columns);
        return status;
    }
    if (g->count > 0) {
        memcpy(columns, g->columns, (size_t)g->count * sizeof *columns);
        memcpy(items, g->items, (size_t)g->count * g->size);
    }
    fur_growing_release(env, g);
    g->columns = columns;
    g->items = items;
    g->room = room;
    return FUR_OK;
}

void fur_growing_release(fur_env *env, fur_growing *g)
{
    fur_env_release(env, g->columns);
    fur_env_release(env, g->items);
}
